/* fuzz_replay.c - runs a fuzz target over files and folders, where there is no libFuzzer.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

#include "fuzz_help.h"

static unsigned run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        exit(1);
    }
    size_t n = 0, cap = 0, got;
    uint8_t *data = NULL;
    do {
        data = gy_reserve(data, &cap, n + 4096, 1);
        got = fread(data + n, 1, cap - n, f);
        n += got;
    } while (got > 0);
    fclose(f);
    uint8_t *exact = gy_alloc(n, 1); /* so that a sanitizer sees a byte too many */
    memcpy(exact, data, n);
    free(data);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    return 1;
}

static unsigned run_path(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return run_file(path);
    DIR *d = opendir(path);
    const struct dirent *entry;
    unsigned files = 0;
    gy_str name = {0};
    while (d && (entry = readdir(d))) {
        if (entry->d_name[0] == '.')
            continue;
        name.n = 0;
        gy_str_printf(&name, "%s/%s", path, entry->d_name);
        files += run_path(name.s);
    }
    if (d)
        closedir(d);
    gy_str_fini(&name);
    return files;
}

int main(int argc, char **argv)
{
    unsigned files = 0;
    for (int i = 1; i < argc; i++)
        files += run_path(argv[i]);
    printf("%u inputs replayed\n", files);
    return files > 0 ? 0 : 1;
}
