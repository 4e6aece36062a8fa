/* fuzz_helios.c - the importer of the family helios.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz_help.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_family(data, size, "helios");
    return 0;
}
