/* gy_leftovers.h - files and folders that are in the making: removed when the process is told to stop, or by
 * the next one when it could not.  SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_LEFTOVERS_H
#define GY_LEFTOVERS_H

#include "gy_text.h"

/* Appends STEM.partial-PID@HOST, the name of something in the making. */
void gy_leftovers_name(gy_str *to, const char *stem);

/* From here on the path (a file, or a folder with all that is in it) goes when the process is stopped by a
 * signal that gy_leftovers_watch() handles; at most 8 at a time, more are not watched. */
void gy_leftovers_add(const char *path);
void gy_leftovers_drop(const char *path);

/* Removes what processes of this machine that are no more have left of STEM. */
void gy_leftovers_sweep(const char *stem);

/* SIGINT, SIGTERM and SIGHUP clean up, call also() if it is not NULL (with async-signal-safe functions
 * alone), and end the process as they would have. */
void gy_leftovers_watch(void (*also)(void));

#endif
