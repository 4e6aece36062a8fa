/* no_entry.c - a shared object that is no module.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
__attribute__((visibility("default"))) int answer(void);

int answer(void)
{
    return 42;
}
