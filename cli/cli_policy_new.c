/* cli_policy_new.c - gpuyard policy new: a module to start from. */
#include "cli_internal.h"
int cli_policy_new(const char *name, const char *stage)
{
    (void)name;
    (void)stage;
    return CLI_BAD;
}
