/* gy_embedded.h - data files that are part of the program (made by gy_embed() in CMake).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_EMBEDDED_H
#define GY_EMBEDDED_H

#include <stddef.h>

struct gy_embedded {
    const char *name; /* of the file, without its folder; NULL after the last */
    const char *text; /* its bytes and a NUL */
    size_t n;         /* without the NUL */
    const char *stem; /* the name without its last extension */
};

#endif
