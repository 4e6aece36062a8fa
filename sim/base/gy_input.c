/* gy_input.c - see gy_input.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_input.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { RAW_BYTES = 1 << 18, RAW_BYTES_LEAST = 1 << 12 };

struct gy_input {
    char *path;
    int fd; /* -1: the file is in memory, at memory[0 .. memory_n) */
    const unsigned char *memory;
    size_t memory_n;
    bool raw_end; /* the file has no more bytes */
    bool gzip;
    bool member;  /* inside a gzip member */
    bool started; /* the first bytes were looked at */
    unsigned char *raw;
    size_t raw_size; /* also the room that decompressing gets at a time */
    size_t raw_at, raw_n;
    uint64_t bytes, size;
    z_stream z;
    struct sha256_ctx sha;
    char *text; /* unread text is text[at .. at + n), with room for a NUL */
    size_t at, n, cap;
    uint64_t line;
};

/* size 0: not known.  Small files get small buffers. */
static gy_input *create(const char *path, int fd, uint64_t size)
{
    gy_input *in = gy_alloc(1, sizeof *in);
    in->path = gy_strndup(path, strlen(path));
    in->fd = fd;
    in->size = size;
    in->raw_size = size == 0 || size > RAW_BYTES ? RAW_BYTES
                   : size < RAW_BYTES_LEAST      ? RAW_BYTES_LEAST
                                                 : size;
    in->raw = gy_resize(NULL, in->raw_size, 1);
    sha256_init(&in->sha);
    return in;
}

gy_rc gy_input_open(gy_input **out, const char *path, gy_err *e)
{
    int fd = strcmp(path, "-") == 0 ? dup(0) : open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return gy_fail(e, GY_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        return gy_fail(e, GY_EIO, "%s: is a folder; a file is needed", path);
    }
    *out = create(path, fd, S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0);
    return GY_OK;
}

void gy_input_open_memory(gy_input **out, const char *name, const void *data, size_t n)
{
    *out = create(name, -1, n);
    (*out)->memory = data;
    (*out)->memory_n = n;
}

void gy_input_close(gy_input *in)
{
    if (!in)
        return;
    if (in->gzip)
        inflateEnd(&in->z);
    if (in->fd >= 0)
        close(in->fd);
    free(in->raw);
    free(in->text);
    free(in->path);
    free(in);
}

const char *gy_input_path(const gy_input *in)
{
    return in->path;
}
uint64_t gy_input_line_number(const gy_input *in)
{
    return in->line;
}
uint64_t gy_input_bytes(const gy_input *in)
{
    return in->bytes;
}
uint64_t gy_input_size(const gy_input *in)
{
    return in->size;
}

static ssize_t take_memory(gy_input *in)
{
    size_t k = in->memory_n < in->raw_size ? in->memory_n : in->raw_size;
    if (k == 0)
        return 0;
    memcpy(in->raw, in->memory, k);
    in->memory += k;
    in->memory_n -= k;
    return (ssize_t)k;
}

static gy_rc fill_raw(gy_input *in, gy_err *e)
{
    ssize_t got;
    do
        got = in->fd < 0 ? take_memory(in) : read(in->fd, in->raw, in->raw_size);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return gy_fail(e, GY_EIO, "%s: cannot be read: %s", in->path, strerror(errno));
    in->raw_at = 0;
    in->raw_n = (size_t)got;
    in->raw_end = got == 0;
    in->bytes += (uint64_t)got;
    sha256_update(&in->sha, (size_t)got, in->raw);
    return GY_OK;
}

static gy_rc start(gy_input *in, gy_err *e)
{
    gy_rc rc = fill_raw(in, e);
    if (rc != GY_OK)
        return rc;
    in->started = true;
    in->gzip = in->raw_n >= 2 && in->raw[0] == 0x1f && in->raw[1] == 0x8b;
    if (in->gzip && inflateInit2(&in->z, 16 + MAX_WBITS) != Z_OK)
        return gy_fail(e, GY_EIO, "%s: cannot start to decompress", in->path);
    in->member = in->gzip;
    return GY_OK;
}

/* Room for another raw_size bytes behind the unread text. */
static void make_room(gy_input *in)
{
    if (in->at > 0 && in->at >= in->n) {
        memmove(in->text, in->text + in->at, in->n);
        in->at = 0;
    }
    if (in->at + in->n + in->raw_size + 1 > in->cap) {
        size_t cap = 2 * (in->at + in->n) + 2 * in->raw_size;
        in->text = gy_resize(in->text, cap, 1);
        in->cap = cap;
    }
}

static void copy_plain(gy_input *in)
{
    size_t k = in->raw_n - in->raw_at;
    memcpy(in->text + in->at + in->n, in->raw + in->raw_at, k);
    in->n += k;
    in->raw_at = in->raw_n;
}

static gy_rc inflate_some(gy_input *in, gy_err *e)
{
    if (!in->member) { /* another member, or bytes that are none */
        if (in->raw[in->raw_at] != 0x1f)
            return gy_fail(e, GY_EIO, "%s: something stands after the end of the gzip data", in->path);
        inflateReset(&in->z);
        in->member = true;
    }
    in->z.next_in = in->raw + in->raw_at;
    in->z.avail_in = (uInt)(in->raw_n - in->raw_at);
    in->z.next_out = (unsigned char *)in->text + in->at + in->n;
    in->z.avail_out = (uInt)in->raw_size;
    int z = inflate(&in->z, Z_NO_FLUSH);
    in->raw_at = in->raw_n - in->z.avail_in;
    in->n += in->raw_size - in->z.avail_out;
    if (z == Z_STREAM_END)
        in->member = false;
    else if (z != Z_OK && z != Z_BUF_ERROR)
        return gy_fail(e, GY_EIO, "%s: damaged gzip data (%s); fetch the file again", in->path,
                       in->z.msg ? in->z.msg : "bad checksum or length");
    return GY_OK;
}

static gy_rc more(gy_input *in, gy_err *e)
{
    size_t before = in->n;
    make_room(in);
    while (in->n == before) {
        gy_rc rc = GY_OK;
        if (!in->started)
            rc = start(in, e);
        else if (in->raw_at == in->raw_n)
            rc = fill_raw(in, e);
        if (rc != GY_OK)
            return rc;
        if (in->raw_end)
            break;
        if (!in->gzip)
            copy_plain(in);
        else if ((rc = inflate_some(in, e)) != GY_OK)
            return rc;
    }
    if (in->raw_end && in->member)
        return gy_fail(e, GY_EIO, "%s: the gzip data is cut off; fetch the file again", in->path);
    return GY_OK;
}

gy_rc gy_input_more(gy_input *in, const char **p, size_t *n, bool *end, gy_err *e)
{
    if (!in->raw_end) {
        gy_rc rc = more(in, e);
        if (rc != GY_OK)
            return rc;
    }
    *p = in->text + in->at;
    *n = in->n;
    *end = in->raw_end;
    return GY_OK;
}

void gy_input_used(gy_input *in, size_t k)
{
    GY_ASSERT(k <= in->n);
    in->at += k;
    in->n -= k;
}

gy_rc gy_input_line(gy_input *in, char **line, size_t *n, gy_err *e)
{
    size_t seen = 0;
    char *lf = NULL;
    while (in->n == seen || !(lf = memchr(in->text + in->at + seen, '\n', in->n - seen))) {
        seen = in->n;
        if (in->raw_end)
            break;
        gy_rc rc = more(in, e);
        if (rc != GY_OK)
            return rc;
    }
    *line = NULL;
    *n = 0;
    if (in->n == 0)
        return GY_OK;
    char *s = in->text + in->at;
    size_t len = lf ? (size_t)(lf - s) : in->n;
    gy_input_used(in, lf ? len + 1 : len);
    if (len > 0 && s[len - 1] == '\r')
        len--;
    s[len] = '\0';
    in->line++;
    *line = s;
    *n = len;
    return GY_OK;
}

gy_rc gy_input_sha256(gy_input *in, char hex[65], gy_err *e)
{
    while (!in->raw_end) {
        gy_rc rc = fill_raw(in, e);
        if (rc != GY_OK)
            return rc;
    }
    struct sha256_ctx copy = in->sha;
    unsigned char sum[SHA256_DIGEST_SIZE];
    sha256_digest(&copy, sizeof sum, sum);
    for (size_t i = 0; i < sizeof sum; i++)
        snprintf(hex + 2 * i, 3, "%02x", sum[i]);
    return GY_OK;
}

gy_rc gy_read_file(const char *path, char **text, size_t *n, gy_err *e)
{
    gy_input *in = NULL;
    const char *p = NULL;
    bool end = false;
    gy_rc rc = gy_input_open(&in, path, e);
    if (rc != GY_OK)
        return rc;
    while (rc == GY_OK && !end)
        rc = gy_input_more(in, &p, n, &end, e);
    if (rc == GY_OK)
        *text = gy_strndup(p ? p : "", *n);
    gy_input_close(in);
    return rc;
}
