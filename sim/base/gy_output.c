/* gy_output.c - see gy_output.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "gy_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "gy_leftovers.h"
#include "gy_text.h"

enum { BUFFER_BYTES = 1 << 17, ROOM_BYTES = 4096 };

struct gy_out {
    char *temp, *path; /* path is NULL inside a gy_outdir: the folder renames */
    int fd;
    int error; /* errno of the first failure */
    bool gzip;
    z_stream z;
    unsigned char *packed;
    char *buf;
    size_t n;
    uint64_t written;
};

struct gy_outdir {
    char *path;
    gy_str partial;   /* path/.partial-PID */
    gy_names files;   /* names relative to path, in the order of their opening */
    gy_names folders; /* made below path */
    gy_names old;     /* of an earlier run, relative to path: gone with the commit unless they are in files */
    size_t made;      /* length of the first part of path that did not exist; 0 when all did */
    gy_str scratch;
    gy_str inside; /* what gy_outdir_enter() said, with a slash */
};

/* Names the file as it will be called in the end: without the folder in which it is made. */
static gy_rc cannot_write(const char *path, int error, gy_err *e)
{
    const char *making = strstr(path, "/.partial-"), *rest = making ? strchr(making + 1, '/') : NULL;
    size_t n = making ? (size_t)(making - path) : strlen(path);
    return gy_fail(e, GY_EIO, "%.*s%s: cannot be written: %s; choose another place with -o", (int)n, path,
                   rest ? rest : "", strerror(error));
}

static gy_out *out_make(int fd, const char *temp, const char *path, bool gzip)
{
    gy_out *o = gy_alloc(1, sizeof *o);
    o->temp = gy_strndup(temp, strlen(temp));
    o->path = path ? gy_strndup(path, strlen(path)) : NULL;
    o->fd = fd;
    o->buf = gy_alloc(BUFFER_BYTES, 1);
    o->gzip = gzip;
    if (gzip) { /* deflate writes a header without name and time */
        o->packed = gy_alloc(BUFFER_BYTES, 1);
        if (deflateInit2(&o->z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            o->error = ENOMEM;
    }
    return o;
}

static gy_rc out_begin(gy_out **out, const char *temp, const char *path, bool gzip, gy_err *e)
{
    int fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return cannot_write(path ? path : temp, errno, e);
    *out = out_make(fd, temp, path, gzip);
    return GY_OK;
}

gy_rc gy_out_open_stdout(gy_out **o, gy_err *e)
{
    int fd = dup(STDOUT_FILENO);
    if (fd < 0)
        return cannot_write("standard output", errno, e);
    *o = out_make(fd, "", NULL, false);
    return GY_OK;
}

gy_rc gy_out_open(gy_out **o, const char *path, bool gzip, gy_err *e)
{
    gy_str temp = {0};
    struct stat st;
    if (*path == '\0' || strcmp(path, "-") == 0)
        return gy_fail(e, GY_EIO, "-o \"%s\" names no file; give one", path);
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) /* a device, say, that would be replaced */
        return gy_fail(e, GY_EIO, "%s: cannot be written: it is %s; choose another place with -o", path,
                       S_ISDIR(st.st_mode) ? "a folder" : "no regular file");
    char *target = realpath(path, NULL); /* a link stays, and what it leads to is replaced */
    gy_leftovers_sweep(target ? target : path);
    gy_leftovers_name(&temp, target ? target : path);
    gy_rc rc = out_begin(o, temp.s, target ? target : path, gzip, e);
    if (rc == GY_OK)
        gy_leftovers_add(temp.s);
    gy_str_fini(&temp);
    free(target);
    return rc;
}

static void write_all(gy_out *o, const void *p, size_t n)
{
    const char *s = p;
    while (n > 0 && !o->error) {
        ssize_t k = write(o->fd, s, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0) {
            o->error = errno;
            return;
        }
        s += k;
        n -= (size_t)k;
    }
}

static void deflate_all(gy_out *o, int flush)
{
    int rc;
    do {
        o->z.next_out = o->packed;
        o->z.avail_out = BUFFER_BYTES;
        rc = deflate(&o->z, flush);
        write_all(o, o->packed, BUFFER_BYTES - o->z.avail_out);
    } while (!o->error && (flush == Z_FINISH ? rc != Z_STREAM_END : o->z.avail_out == 0));
}

static void flush(gy_out *o)
{
    o->written += o->n;
    if (o->gzip && !o->error) {
        o->z.next_in = (unsigned char *)o->buf;
        o->z.avail_in = (uInt)o->n;
        deflate_all(o, Z_NO_FLUSH);
    } else {
        write_all(o, o->buf, o->n);
    }
    o->n = 0;
}

char *gy_out_room(gy_out *o, size_t n)
{
    GY_ASSERT(n <= ROOM_BYTES);
    if (o->n + n > BUFFER_BYTES)
        flush(o);
    return o->buf + o->n;
}

void gy_out_end(gy_out *o, const char *end)
{
    o->n = (size_t)(end - o->buf);
    GY_ASSERT(o->n <= BUFFER_BYTES);
}

void gy_out_bytes(gy_out *o, const char *s, size_t n)
{
    while (n > 0) {
        if (o->n == BUFFER_BYTES)
            flush(o);
        size_t k = BUFFER_BYTES - o->n < n ? BUFFER_BYTES - o->n : n;
        memcpy(o->buf + o->n, s, k);
        o->n += k;
        s += k;
        n -= k;
    }
}

void gy_out_text(gy_out *o, const char *s)
{
    gy_out_bytes(o, s, strlen(s));
}

void gy_out_printf(gy_out *o, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *s = gy_resize(NULL, (size_t)n + 1, 1);
    vsnprintf(s, (size_t)n + 1, fmt, again);
    va_end(again);
    gy_out_bytes(o, s, (size_t)n);
    free(s);
}

void gy_out_cell(gy_out *o, const char *s, size_t n)
{
    bool quote = false;
    for (size_t i = 0; i < n && !quote; i++)
        quote = s[i] == ',' || s[i] == '"' || s[i] == '\n' || s[i] == '\r';
    if (!quote) {
        gy_out_bytes(o, s, n);
        return;
    }
    gy_out_bytes(o, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '"')
            gy_out_bytes(o, "\"", 1);
        gy_out_bytes(o, s + i, 1);
    }
    gy_out_bytes(o, "\"", 1);
}

uint64_t gy_out_written(const gy_out *o)
{
    return o->written + o->n;
}

gy_rc gy_out_close(gy_out *o, bool keep, gy_err *e)
{
    gy_rc rc = GY_OK;
    if (keep)
        flush(o);
    if (o->gzip) {
        if (keep && !o->error)
            deflate_all(o, Z_FINISH);
        deflateEnd(&o->z);
    }
    if (close(o->fd) != 0 && !o->error)
        o->error = errno;
    const char *name = o->path ? o->path : *o->temp ? o->temp : "standard output";
    if (keep && !o->error && o->path && rename(o->temp, o->path) != 0)
        o->error = errno;
    if (keep && o->error)
        rc = cannot_write(name, o->error, e);
    if ((!keep || o->error) && *o->temp)
        unlink(o->temp);
    if (o->path)
        gy_leftovers_drop(o->temp);
    free(o->temp);
    free(o->path);
    free(o->packed);
    free(o->buf);
    free(o);
    return rc;
}

/* mkdir -p; *made becomes the length of the first part that was made here. */
static int make_folders(const char *path, size_t *made)
{
    gy_str part = {0};
    size_t n = strlen(path);
    int error = 0;
    for (size_t i = 1; i <= n && !error; i++) {
        if (i < n && path[i] != '/')
            continue;
        part.n = 0;
        gy_str_add(&part, path, i);
        if (mkdir(part.s, 0777) == 0)
            *made = *made ? *made : i;
        else if (errno != EEXIST)
            error = errno;
    }
    struct stat st;
    if (!error && (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)))
        error = ENOTDIR;
    gy_str_fini(&part);
    return error;
}

/* Removes the folders from the end of path up to its first `made` bytes, as far as they are empty. */
static void unmake_folders(const char *path, size_t made)
{
    gy_str part = {0};
    gy_str_puts(&part, path);
    while (made && part.n >= made) {
        part.s[part.n] = '\0';
        if (rmdir(part.s) != 0)
            break;
        while (part.n > 0 && part.s[part.n - 1] != '/')
            part.n--;
        while (part.n > 0 && part.s[part.n - 1] == '/')
            part.n--;
    }
    gy_str_fini(&part);
}

gy_rc gy_outdir_open(gy_outdir **out, const char *path, gy_err *e)
{
    size_t made = 0, ignored = 0, n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    if (n == 0)
        return gy_fail(e, GY_EIO, "-o \"\" names no folder; give one");
    char *clean = gy_strndup(path, n);
    gy_str partial = {0}, stem = {0};
    gy_str_printf(&stem, "%s/", clean);
    gy_leftovers_sweep(stem.s);
    gy_leftovers_name(&partial, stem.s);
    gy_str_fini(&stem);
    int error = make_folders(clean, &made);
    if (!error)
        error = make_folders(partial.s, &ignored);
    if (error) {
        unmake_folders(clean, made);
        gy_rc rc = cannot_write(clean, error, e);
        gy_str_fini(&partial);
        free(clean);
        return rc;
    }
    gy_outdir *d = gy_alloc(1, sizeof *d);
    d->path = clean;
    d->partial = partial;
    d->made = made;
    gy_leftovers_add(d->partial.s);
    *out = d;
    return GY_OK;
}

/* Makes base/dirname(name). */
static int folder_for(gy_outdir *d, const char *base, const char *name)
{
    const char *slash = strrchr(name, '/');
    if (!slash)
        return 0;
    size_t made = 0;
    gy_str path = {0};
    gy_str_printf(&path, "%s/%.*s", base, (int)(slash - name), name);
    int error = make_folders(path.s, &made);
    gy_names_add(&d->folders, name, (size_t)(slash - name));
    gy_str_fini(&path);
    return error;
}

void gy_outdir_enter(gy_outdir *d, const char *folder)
{
    d->inside.n = 0;
    gy_str_puts(&d->inside, folder);
    if (*folder)
        gy_str_puts(&d->inside, "/");
}

gy_rc gy_outdir_place(gy_outdir *d, const char *name, const char **path, gy_err *e)
{
    d->scratch.n = 0;
    gy_str_printf(&d->scratch, "%s/%s%s", d->partial.s, d->inside.n ? d->inside.s : "", name);
    const char *whole = d->scratch.s + d->partial.n + 1;
    int error = folder_for(d, d->partial.s, whole);
    if (error)
        return cannot_write(d->scratch.s, error, e);
    gy_names_add(&d->files, whole, strlen(whole));
    *path = d->scratch.s;
    return GY_OK;
}

gy_rc gy_outdir_adopt(gy_outdir *d, const char *folder, gy_err *e)
{
    gy_str path = {0}, name = {0};
    gy_str_printf(&path, "%s/%s", d->partial.s, folder);
    DIR *dir = opendir(path.s);
    gy_rc rc = dir ? GY_OK : cannot_write(path.s, errno, e);
    gy_names_add(&d->folders, folder, strlen(folder));
    struct dirent *entry;
    while (dir && rc == GY_OK && (entry = readdir(dir)) != NULL) {
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        name.n = path.n = 0;
        gy_str_printf(&name, "%s/%s", folder, entry->d_name);
        gy_str_printf(&path, "%s/%s", d->partial.s, name.s);
        if (stat(path.s, &st) == 0 && S_ISDIR(st.st_mode))
            rc = gy_outdir_adopt(d, name.s, e);
        else
            gy_names_add(&d->files, name.s, name.n);
    }
    if (dir)
        closedir(dir);
    gy_str_fini(&path);
    gy_str_fini(&name);
    return rc;
}

static bool is_file(const gy_outdir *d, const char *folder, const char *name, gy_str *relative)
{
    gy_str path = {0};
    struct stat st;
    relative->n = 0;
    gy_str_printf(relative, "%s%s%s", folder, *folder ? "/" : "", name);
    gy_str_printf(&path, "%s/%s", d->path, relative->s);
    bool is = lstat(path.s, &st) == 0 && S_ISREG(st.st_mode);
    gy_str_fini(&path);
    return is;
}

static bool testifies(const gy_outdir *d, const char *folder, const gy_witness *w, gy_str *name)
{
    char head[101] = "";
    gy_str path = {0};
    if (!is_file(d, folder, w->name, name))
        return false;
    gy_str_printf(&path, "%s/%s", d->path, name->s);
    int fd = open(path.s, O_RDONLY | O_CLOEXEC);
    bool does = fd >= 0 && read(fd, head, sizeof head - 1) > 0 && strstr(head, w->text);
    if (fd >= 0)
        close(fd);
    gy_str_fini(&path);
    return does;
}

static void find_old(gy_outdir *d, const char *folder, const gy_witness *w, const char *const *names)
{
    gy_str name = {0};
    if (testifies(d, folder, w, &name))
        for (; *names; names++)
            if (is_file(d, folder, *names, &name))
                gy_names_add(&d->old, name.s, name.n);
    gy_str_fini(&name);
}

void gy_outdir_obsolete(gy_outdir *d, const char *folder, const gy_witness *w, const char *const *names)
{
    size_t n = strlen(folder);
    if (n < 2 || strcmp(folder + n - 2, "/?") != 0) {
        find_old(d, folder, w, names);
        return;
    }
    gy_str path = {0}, inner = {0};
    gy_str_printf(&path, "%s/%.*s", d->path, (int)(n - 2), folder);
    DIR *dir = opendir(path.s);
    struct dirent *entry;
    while (dir && (entry = readdir(dir)) != NULL) {
        if (*entry->d_name == '.')
            continue;
        inner.n = 0;
        gy_str_printf(&inner, "%.*s/%s", (int)(n - 2), folder, entry->d_name);
        find_old(d, inner.s, w, names);
    }
    if (dir)
        closedir(dir);
    gy_str_fini(&path);
    gy_str_fini(&inner);
}

/* After the new files are in place: a reader never finds less than one whole run. */
static void remove_old(gy_outdir *d)
{
    gy_str path = {0};
    for (size_t i = 0; i < d->old.n; i++) {
        const char *name = gy_names_text(&d->old, (uint32_t)i), *slash = strrchr(name, '/');
        if (gy_names_find(&d->files, name, strlen(name)) != GY_NAME_NONE)
            continue;
        path.n = 0;
        gy_str_printf(&path, "%s/%s", d->path, name);
        unlink(path.s);
        if (!slash)
            continue;
        path.n = 0;
        gy_str_printf(&path, "%s/%.*s", d->path, (int)(slash - name), name);
        unmake_folders(path.s, strlen(d->path) + 1);
    }
    gy_str_fini(&path);
}

gy_rc gy_outdir_file(gy_outdir *d, const char *name, bool gzip, gy_out **o, gy_err *e)
{
    const char *path = NULL;
    gy_rc rc = gy_outdir_place(d, name, &path, e);
    return rc == GY_OK ? out_begin(o, path, NULL, gzip, e) : rc;
}

static void outdir_free(gy_outdir *d)
{
    gy_str path = {0};
    for (size_t i = d->folders.n; i-- > 0;) {
        path.n = 0;
        gy_str_printf(&path, "%s/%s", d->partial.s, gy_names_text(&d->folders, (uint32_t)i));
        unmake_folders(path.s, d->partial.n + 1);
    }
    rmdir(d->partial.s);
    gy_leftovers_drop(d->partial.s);
    gy_str_fini(&path);
    gy_str_fini(&d->partial);
    gy_str_fini(&d->scratch);
    gy_str_fini(&d->inside);
    gy_names_fini(&d->files);
    gy_names_fini(&d->folders);
    gy_names_fini(&d->old);
    free(d->path);
    free(d);
}

/* All or nothing: what stands in the way is seen before the first file moves. */
static gy_rc see_targets(const gy_outdir *d, gy_err *e)
{
    gy_rc rc = GY_OK;
    gy_str to = {0};
    for (size_t i = 0; i < d->files.n && rc == GY_OK; i++) {
        struct stat st;
        to.n = 0;
        gy_str_printf(&to, "%s/%s", d->path, gy_names_text(&d->files, (uint32_t)i));
        if (stat(to.s, &st) == 0 && !S_ISREG(st.st_mode))
            rc = cannot_write(to.s, S_ISDIR(st.st_mode) ? EISDIR : EEXIST, e);
    }
    gy_str_fini(&to);
    return rc;
}

gy_rc gy_outdir_commit(gy_outdir *d, gy_err *e)
{
    gy_rc rc = see_targets(d, e);
    gy_str from = {0}, to = {0};
    for (size_t i = 0; i < d->files.n && rc == GY_OK; i++) {
        const char *name = gy_names_text(&d->files, (uint32_t)i);
        from.n = to.n = 0;
        gy_str_printf(&from, "%s/%s", d->partial.s, name);
        gy_str_printf(&to, "%s/%s", d->path, name);
        int error = folder_for(d, d->path, name);
        if (!error && rename(from.s, to.s) != 0)
            error = errno;
        if (error)
            rc = cannot_write(to.s, error, e);
    }
    gy_str_fini(&from);
    gy_str_fini(&to);
    if (rc != GY_OK) {
        gy_outdir_abort(d);
        return rc;
    }
    remove_old(d);
    outdir_free(d);
    return GY_OK;
}

void gy_outdir_abort(gy_outdir *d)
{
    if (!d)
        return;
    gy_str path = {0};
    for (size_t i = 0; i < d->files.n; i++) {
        path.n = 0;
        gy_str_printf(&path, "%s/%s", d->partial.s, gy_names_text(&d->files, (uint32_t)i));
        unlink(path.s);
    }
    gy_str_fini(&path);
    size_t made = d->made;
    char *root = gy_strndup(d->path, strlen(d->path));
    outdir_free(d);
    unmake_folders(root, made);
    free(root);
}
