/* gy_error.h - return codes, error texts and assertions.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Three kinds of trouble are kept apart: the user's (a file, a setting, a policy: gy_rc and gy_err, never an
 * exit below main), ours (GY_ASSERT: prints and exits with 70) and the model's (data in the results).
 */
#ifndef GY_ERROR_H
#define GY_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gy_rc {
    GY_OK = 0,
    GY_EINVAL,  /* a setting or a combination of settings that makes no sense */
    GY_EIO,     /* a file that cannot be read or written */
    GY_EPARSE,  /* a file whose content is not what it should be */
    GY_EABI,    /* a policy module that cannot be loaded */
    GY_EMODULE, /* a policy module that broke the rules during a run */
    GY_ESTALL,  /* no progress for a bounded number of passes */
} gy_rc;

/* Filled by the callee, owned by the caller.  The text is one sentence and names file, line, value and remedy
 * as far as they exist; it has no newline at its end. */
typedef struct gy_err {
    gy_rc rc;
    char text[600];
} gy_err;

/* Fills *e (when it is not NULL) and returns rc, so that a failing path is one statement. */
#define gy_fail(e, rc, ...) (gy_fill_error(e, rc, __VA_ARGS__), gy_same_rc(rc))
static inline gy_rc gy_same_rc(gy_rc rc)
{
    return rc;
}
void gy_fill_error(gy_err *e, gy_rc rc, const char *fmt, ...) __attribute__((format(printf, 3, 4), cold));

/* Prints "internal error" with place and text, and leaves with exit code 70. */
_Noreturn void gy_panic(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), cold));

/* On in all builds. */
#define GY_ASSERT(cond)                                                                                      \
    do {                                                                                                     \
        if (__builtin_expect(!(cond), 0))                                                                    \
            gy_panic(__FILE__, __LINE__, "%s", #cond);                                                       \
    } while (0)

/* Memory.  None of these returns NULL for n > 0: when there is no memory they say so and exit with 70. */
void *gy_alloc(size_t n, size_t size); /* zeroed array of n elements */
void *gy_resize(void *p, size_t n, size_t size);
char *gy_strndup(const char *s, size_t n);

/* Makes room for at least `need` elements of `size` bytes in *p; *cap is the present capacity.  Grows by
 * half. */
void *gy_reserve(void *p, size_t *cap, size_t need, size_t size);

#endif
