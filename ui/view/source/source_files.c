/* source_files.c - see source_files.h.
 *
 * A file is never read completely.  The reader remembers where every LINES_A_MARK-th line begins,
 * as far as the file was read, and reads the lines on the screen from the nearest mark.  So the
 * first screen of a file costs the way to its first line, and a generated file of a hundred
 * megabytes needs little memory.  mmap() was rejected: an editor that truncates a displayed file
 * would end the browser.
 *
 * A NUL among the first bytes marks a file that is not text.  Bytes that are not UTF-8 are shown as
 * Latin-1, like names.
 *
 * Backslashes also separate folders if the path has no slash, since profiles may come from Windows.
 * `pkg:/` and other words before `:/` count as a folder, which is dropped first. */
#include "ui/view/source/source_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/chars.h"
#include "model/base/escape.h"
#include "model/base/mem.h"

#define LINES_A_MARK 256u
#define PIECE_BYTES 65536u
#define PROBE_BYTES 8192u
#define TAB_COLS 8u

struct source_file {
	int fd;
	VEC(uint64_t) marks;  /* the beginnings of lines 1, 1 + LINES_A_MARK... */
	uint64_t read;        /* bytes scanned */
	uint32_t lines;       /* line ends in them */
	bool ended, open_end; /* nothing follows; the last line has no end */
	char *piece;
	uint64_t piece_at;
	size_t piece_len;
};

/* ---- places ---- */

void
source_places_init(struct source_places *s)
{
	*s = (struct source_places){0};
}

void
source_places_release(struct source_places *s)
{
	for (size_t i = 0; i < s->maps.n; i++)
		free(s->maps.at[i]);
	for (size_t i = 0; i < s->folders.n; i++)
		free(s->folders.at[i]);
	vec_release(&s->maps);
	vec_release(&s->folders);
}

bool
source_places_map(struct source_places *s, const char *map)
{
	if (!strchr(map, '='))
		return false;
	*vec_push(&s->maps) = mem_dup(map, strlen(map));
	return true;
}

void
source_places_beside(struct source_places *s, const char *profile)
{
	const char *slash = strrchr(profile, '/');
	if (!strcmp(profile, "-"))
		return;
	char *folder = !slash ? mem_dup(".", 1)
			      : mem_dup(profile, slash == profile ? 1 : (size_t)(slash - profile));
	*vec_push(&s->folders) = folder;
}

static bool
source_is_there(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* Writes folder/rest if that is a file. */
static bool
try_join(const char *folder, const char *rest, struct buf *out)
{
	size_t before = out->len;
	buf_adds(out, folder);
	if (out->len > before && out->at[out->len - 1] != '/' && *rest)
		buf_addc(out, '/');
	buf_adds(out, rest);
	if (source_is_there(buf_str(out) + before))
		return true;
	out->len = before;
	if (out->at)
		out->at[before] = '\0';
	return false;
}

/* Tries the path below the folder, then without its first part, and so on. */
static bool
try_parts(const char *folder, const char *path, struct buf *out)
{
	for (;;) {
		path += strspn(path, "/");
		if (!*path)
			return false;
		if (try_join(folder, path, out))
			return true;
		path += strcspn(path, "/");
	}
}

/* Returns the part of the path below FROM; NULL if the path is elsewhere. */
static const char *
below(const char *path, const char *from, size_t len)
{
	if (strncmp(path, from, len))
		return NULL;
	path += len;
	if (len && from[len - 1] != '/' && *path && *path != '/')
		return NULL;
	return path + strspn(path, "/");
}

static bool
find_slashed(const struct source_places *s, const char *path, struct buf *out)
{
	for (size_t i = 0; i < s->maps.n; i++) {
		const char *map = s->maps.at[i], *sign = strchr(map, '=');
		const char *rest = below(path, map, (size_t)(sign - map));
		if (!rest)
			continue;
		if (try_join(sign + 1, rest, out))
			return true;
		/* without FROM: any path, wherever it lies below TO */
		if (sign == map && try_parts(sign + 1, path, out))
			return true;
	}
	if (source_is_there(path)) {
		buf_adds(out, path);
		return true;
	}
	for (size_t i = 0; i < s->folders.n; i++)
		if (try_parts(s->folders.at[i], path, out))
			return true;
	return false;
}

bool
source_find(const struct source_places *s, const char *recorded, struct buf *out)
{
	if (!*recorded)
		return false;
	if (strchr(recorded, '/') || !strchr(recorded, '\\'))
		return find_slashed(s, recorded, out);
	char *path = mem_dup(recorded, strlen(recorded));
	for (char *c = path; (c = strchr(c, '\\'));)
		*c = '/';
	bool found = find_slashed(s, path, out);
	free(path);
	return found;
}

/* ---- lines ---- */

/* Returns at least one byte at `offset`, from the piece in memory or a new one. */
static const char *
bytes_at(struct source_file *f, uint64_t offset, size_t *len)
{
	if (offset < f->piece_at || offset >= f->piece_at + f->piece_len) {
		ssize_t n = pread(f->fd, f->piece, PIECE_BYTES, (off_t)offset);
		f->piece_at = offset;
		f->piece_len = n > 0 ? (size_t)n : 0;
	}
	*len = f->piece_len - (size_t)(offset - f->piece_at);
	return f->piece + (offset - f->piece_at);
}

static bool
is_text(struct source_file *f, struct buf *why)
{
	size_t len;
	const char *at = bytes_at(f, 0, &len);
	if (memchr(at, '\0', len < PROBE_BYTES ? len : PROBE_BYTES)) {
		buf_adds(why, "is not a text");
		return false;
	}
	f->marks.at[0] = f->read = bom_len(at, len);
	return true;
}

struct source_file *
source_file_open(const char *path, struct buf *why)
{
	/* do not block if a FIFO has replaced the file meanwhile */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		buf_adds(why, "cannot be read");
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	struct source_file *f = mem_zalloc(1, sizeof *f);
	f->fd = fd;
	f->piece = mem_alloc(PIECE_BYTES, 1);
	*vec_push(&f->marks) = 0;
	if (is_text(f, why))
		return f;
	source_file_close(f);
	return NULL;
}

void
source_file_close(struct source_file *f)
{
	if (!f)
		return;
	close(f->fd);
	vec_release(&f->marks);
	free(f->piece);
	free(f);
}

/* Scans one more piece. */
static void
read_on(struct source_file *f)
{
	size_t len;
	const char *at = bytes_at(f, f->read, &len), *end = at + len;
	if (!len || f->read >= SOURCE_BYTES_MAX) {
		f->ended = true;
		return;
	}
	f->open_end = end[-1] != '\n';
	for (const char *c = at; (c = memchr(c, '\n', (size_t)(end - c)));) {
		c++;
		f->lines++;
		if (f->lines % LINES_A_MARK == 0)
			*vec_push(&f->marks) = f->read + (uint64_t)(c - at);
	}
	f->read += len;
}

bool
source_file_has(struct source_file *f, uint32_t line)
{
	while (!f->ended && f->lines < line)
		read_on(f);
	return line && line <= f->lines + (f->ended && f->open_end);
}

uint32_t
source_file_last(struct source_file *f)
{
	while (!f->ended)
		read_on(f);
	return f->lines + f->open_end;
}

static void
add_shown(const char *at, size_t len, struct buf *out)
{
	size_t cols = 0;
	for (size_t i = 0; i < len;) {
		size_t n = 0;
		if (at[i] == '\t') {
			do
				buf_addc(out, ' ');
			while (++cols % TAB_COLS);
			i++;
			continue;
		}
		while (i + n < len && at[i + n] != '\t')
			n++;
		for (size_t k = 0; k < n; k++)
			cols += !is_utf8_tail((char)at[i + k]);
		escape_shown(out, at + i, n, false);
		i += n;
	}
}

/* A truncated line must not end with half a character. */
static size_t
whole_characters(const char *at, size_t len)
{
	size_t back = 0;
	while (back < 3 && back < len && is_utf8_tail((char)at[len - 1 - back]))
		back++;
	if (back == len)
		return len;
	unsigned char lead = (unsigned char)at[len - 1 - back];
	size_t need = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
	return back + 1 < need ? len - 1 - back : len;
}

bool
source_file_line(struct source_file *f, uint32_t line, struct buf *out)
{
	if (!source_file_has(f, line))
		return false;
	uint64_t at = f->marks.at[(line - 1) / LINES_A_MARK];
	struct buf text = BUF_INIT;
	bool over = false;
	size_t len;
	for (uint32_t skip = (line - 1) % LINES_A_MARK; skip;) {
		const char *c = bytes_at(f, at, &len);
		const char *end = len ? memchr(c, '\n', len) : NULL;
		if (!len)
			return false; /* the file has shrunk */
		skip -= end != NULL;
		at += end ? (uint64_t)(end + 1 - c) : len;
	}
	while (!over && text.len < SOURCE_LINE_MAX) {
		const char *c = bytes_at(f, at, &len);
		const char *end = len ? memchr(c, '\n', len) : NULL;
		size_t n = end ? (size_t)(end - c) : len;
		if (n > SOURCE_LINE_MAX - text.len)
			n = SOURCE_LINE_MAX - text.len;
		buf_add(&text, c, n);
		at += n;
		over = end || !len;
	}
	if (text.len == SOURCE_LINE_MAX)
		text.len = whole_characters(text.at, text.len);
	if (text.len && text.at[text.len - 1] == '\r')
		text.len--;
	add_shown(buf_str(&text), text.len, out);
	buf_release(&text);
	return true;
}
