/* gy_tz_nearest.c - which time zone was meant: a search through the names of the zone files.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "gy_text.h"
#include "gy_tz_internal.h"

enum { DEPTH_MAX = 3, NAME_MAX_BYTES = 128 };

struct search {
    char word[NAME_MAX_BYTES]; /* in lower case */
    char best[NAME_MAX_BYTES];
    unsigned least;
};

static void lower(char *out, const char *s)
{
    for (; *s; s++)
        *out++ = (char)(*s >= 'A' && *s <= 'Z' ? *s + 32 : *s == ' ' ? '_' : *s);
    *out = '\0';
}

static void consider(struct search *x, const char *name)
{
    char low[NAME_MAX_BYTES];
    lower(low, name);
    const char *city = strrchr(low, '/');
    unsigned d = gy_distance(x->word, low);
    if (city) { /* "Los_Angeles" alone is as good as the whole name, but for a tie */
        unsigned c = gy_distance(x->word, city + 1) + 1;
        d = c < d ? c : d;
    }
    /* Folders are not read in a fixed order: equal ones by their names. */
    if (d < x->least || (d == x->least && x->best[0] && strcmp(name, x->best) < 0)) {
        x->least = d;
        strcpy(x->best, name);
    }
}

static bool is_zone_name(const char *s)
{
    return s[0] >= 'A' && s[0] <= 'Z' && !strchr(s, '.');
}

static void search_folder(struct search *x, const char *folder, const char *prefix, unsigned depth)
{
    DIR *d = opendir(folder);
    if (!d)
        return;
    const struct dirent *entry;
    gy_str path = {0}, name = {0};
    while ((entry = readdir(d))) {
        struct stat st;
        if (!is_zone_name(entry->d_name))
            continue;
        path.n = name.n = 0;
        gy_str_printf(&path, "%s/%s", folder, entry->d_name);
        gy_str_printf(&name, "%s%s", prefix, entry->d_name);
        if (name.n + 2 > NAME_MAX_BYTES || stat(path.s, &st) != 0)
            continue;
        if (S_ISREG(st.st_mode)) {
            consider(x, name.s);
        } else if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX) {
            gy_str_puts(&name, "/");
            search_folder(x, path.s, name.s, depth + 1);
        }
    }
    closedir(d);
    gy_str_fini(&path);
    gy_str_fini(&name);
}

bool gy_tz_nearest(const char *name, const char *const *folders, size_t n, char *buf, size_t size)
{
    struct search x = {.least = (unsigned)strlen(name) / 3 + 2};
    if (strlen(name) >= NAME_MAX_BYTES)
        return false;
    lower(x.word, name);
    for (size_t i = 0; i < n; i++)
        search_folder(&x, folders[i], "", 0);
    if (!x.best[0])
        return false;
    snprintf(buf, size, "%s", x.best);
    return true;
}
