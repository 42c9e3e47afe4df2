/* The window through which a decoder pulls its bytes.
 *
 * A decoder needs contiguous bytes, of a length that it learns while it reads. A file may be larger
 * than memory, and a pipe can be read only once. So there is one buffer of 256 KB; `at` and `have`
 * delimit the window in it. Skipping advances `at`. When little room is left after the window, the
 * window moves to the front; when it fills most of the buffer, the buffer doubles. It grows with
 * the bytes that have arrived, never with the requested number, so a length from a damaged file
 * costs nothing.
 *
 * Rejected: mmap (truncating a mapped file kills its reader, and pipes cannot be mapped), reading
 * whole files (fresh pages cost ten times the copy).
 *
 * Bytes before the window stay in the buffer until the window moves over them, so small steps back
 * are free. For input_open_bytes() the buffer belongs to the caller and contains all bytes.
 *
 * Invariants: room <= at, at + have <= room + cap; `offset` is that of `at`; after `ended` the
 * source is not read again, except after a seek. */
#include "src/input/input.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/mem.h"
#include "src/input/clock.h"
#include "src/input/source.h"

#define WINDOW_START (256u << 10)
#define READ_MAX (8u << 20) /* bytes of one read; other threads wait meanwhile */

struct input {
	struct source *src; /* NULL: borrowed bytes */
	uint8_t *own;       /* the buffer, if the input owns it */
	const uint8_t *room, *at;
	size_t cap, have;
	uint64_t offset;
	bool ended;
	char *name;
	uint64_t reached; /* end of the bytes read before the last seek back */
	uint64_t limit;   /* where reading stops; UINT64_MAX: nowhere */
	void (*next)(void *ctx, struct input *in);
	void *next_ctx;
	uint64_t lines; /* input_lines() */
	const struct format_options *options;
	struct watch *watch;
};

static const struct format_options no_options;

struct input *
input_over(struct source *src, const char *name, const struct format_options *options,
	   struct watch *w)
{
	struct input *in = mem_zalloc(1, sizeof *in);
	in->src = src;
	in->cap = WINDOW_START;
	in->limit = UINT64_MAX;
	in->room = in->at = in->own = mem_alloc(in->cap, 1);
	in->name = mem_dup(name, strlen(name));
	in->options = options ? options : &no_options;
	in->watch = w;
	return in;
}

struct input *
input_open_bytes(const void *bytes, size_t len, const char *name)
{
	struct input *in = mem_zalloc(1, sizeof *in);
	in->room = in->at = len ? bytes : (const uint8_t *)"";
	in->cap = in->have = len;
	in->limit = UINT64_MAX;
	in->ended = true;
	in->name = mem_dup(name, strlen(name));
	in->options = &no_options;
	return in;
}

struct input *
input_open_bytes_at(const void *bytes, size_t len, const char *name, uint64_t offset)
{
	struct input *in = input_open_bytes(bytes, len, name);

	in->offset = offset;
	return in;
}

void
input_close(struct input *in)
{
	if (!in)
		return;
	if (in->src)
		in->src->ops->close(in->src);
	free_all(in->own, in->name, in);
}

const uint8_t *
input_at(const struct input *in)
{
	return in->at;
}

size_t
input_have(const struct input *in)
{
	return in->have;
}

uint64_t
input_offset(const struct input *in)
{
	return in->offset;
}

const uint8_t *
input_window(const struct input *in, size_t *have, uint64_t *offset)
{
	*have = in->have;
	*offset = in->offset;
	return in->at;
}

const char *
input_name(const struct input *in)
{
	return in->name;
}

const struct format_options *
input_options(const struct input *in)
{
	return in->options;
}

const char *
input_option(const struct input *in, const char *name)
{
	return given_value(&in->options->given, name);
}

struct watch *
input_watch(const struct input *in)
{
	return in->watch;
}

const struct err *
input_fault(const struct input *in)
{
	return in->src && err_is_set(&in->src->fault) ? &in->src->fault : NULL;
}

bool
input_stopped(const struct input *in)
{
	return watch_stops(in->watch);
}

void
input_breathe(struct input *in)
{
	if (in->watch && in->watch->breathe)
		in->watch->breathe(in->watch);
}

bool
input_looked_at(const struct input *in)
{
	return in->watch && in->watch->looked;
}

void
input_when_idle(struct input *in, void (*work)(void *ctx), void *ctx)
{
	if (!in->watch)
		return;
	in->watch->idle = work;
	in->watch->idle_ctx = ctx;
	in->watch->idle_after_ms = 0;
}

void
input_give(struct input *in)
{
	if (in->watch && in->watch->give)
		in->watch->give(in->watch);
}

void
input_take(struct input *in)
{
	if (in->watch && in->watch->take)
		in->watch->take(in->watch);
}

/* ---- the window ---- */

static void
input_widen(struct input *in, size_t cap)
{
	uint8_t *wider = mem_alloc(cap, 1);

	if (in->have)
		memcpy(wider, in->at, in->have);
	free(in->own);
	in->room = in->at = in->own = wider;
	in->cap = cap;
}

/* Makes room for a large request at once, if the file is large enough for it. Doubling would take
 * twice the memory, and copy it. (Pages that are not read into cost nothing; a quarter stays free
 * until the end, see make_room().) */
static void
make_room_for(struct input *in, size_t n)
{
	if (n > in->cap && in->own && !in->ended && input_size(in) > in->offset &&
	    input_size(in) - in->offset >= n)
		input_widen(in, n + n / 3 + WINDOW_START);
}

/* Makes free room after the window. */
static void
make_room(struct input *in)
{
	size_t before = (size_t)(in->at - in->room);
	if (in->cap - before - in->have >= in->cap / 4)
		return;
	if (in->have <= in->cap / 2 || in->cap >= INPUT_WINDOW_MAX) {
		memmove(in->own, in->at, in->have);
		in->room = in->at = in->own;
	} else {
		input_widen(in, in->cap * 2);
	}
}

/* Returns how many bytes may be read; 0 at a limit that stays. */
static size_t
input_allowed(struct input *in, size_t n)
{
	uint64_t end = in->offset + in->have;

	if (end >= in->limit) {
		in->next(in->next_ctx, in);
		end = in->offset + in->have;
	}
	uint64_t left = in->limit > end ? in->limit - end : 0;
	return left < n ? (size_t)left : n;
}

bool
input_more(struct input *in)
{
	if (in->ended || in->have >= INPUT_WINDOW_MAX)
		return false;
	input_breathe(in);
	if (input_looked_at(in))
		watch_show(in->watch);
	size_t n = input_allowed(in, READ_MAX);
	make_room(in);
	assert(in->own && in->at >= in->room);
	size_t used = (size_t)(in->at - in->room) + in->have;
	size_t room = in->cap - used;
	n = n ? in->src->ops->read(in->src, in->own + used, room < n ? room : n) : 0;
	if (!n) {
		in->ended = true;
		return false;
	}
	in->have += n;
	if (in->watch && in->offset + in->have <= in->reached)
		atomic_fetch_add_explicit(&in->watch->again, n, memory_order_relaxed);
	return true;
}

bool
input_need(struct input *in, size_t n)
{
	if (n > INPUT_WINDOW_MAX)
		return false;
	if (in->have < n)
		make_room_for(in, n);
	while (in->have < n)
		if (!input_more(in))
			return false;
	return true;
}

bool
input_need_soon(struct input *in, size_t n, int patience_ms)
{
	int64_t until = 0;
	while (in->have < n && !in->ended) {
		if (in->have && in->src->ops->ready) {
			int64_t now = clock_ms();
			if (!until)
				until = now + patience_ms;
			if (!in->src->ops->ready(in->src,
						 now < until ? (int)(until - now) : 0))
				return false;
		}
		if (!input_more(in))
			return false;
	}
	return in->have >= n;
}

void
input_skip(struct input *in, size_t n)
{
	if (n > in->have)
		n = in->have;
	in->at += n;
	in->have -= n;
	in->offset += n;
}

void
input_skip_bom(struct input *in)
{
	if (input_need(in, 3))
		input_skip(in, bom_len(input_at(in), 3));
}

char
input_first(struct input *in)
{
	input_skip_bom(in);
	while (input_need(in, 1) && *input_at(in) && strchr(" \t\r\n", *input_at(in)))
		input_skip(in, 1);
	return input_have(in) ? (char)*input_at(in) : '\0';
}

bool
input_discard(struct input *in, uint64_t n)
{
	while (n > in->have) {
		n -= in->have;
		input_skip(in, in->have);
		if (!input_more(in))
			return n == 0;
	}
	input_skip(in, (size_t)n);
	return true;
}

const char *
input_line(struct input *in, size_t *len, bool *ended)
{
	size_t seen = 0;
	const uint8_t *end;
	if (!in->offset)
		input_skip_bom(in);
	for (;;) {
		end = in->have > seen ? memchr(in->at + seen, '\n', in->have - seen)
				      : NULL;
		if (end)
			break;
		seen = in->have;
		if (!input_more(in))
			break;
	}
	*ended = end != NULL;
	*len = 0;
	if (!end && !in->have)
		return NULL;
	const char *line = (const char *)in->at;
	*len = end ? (size_t)(end - in->at) : in->have;
	input_skip(in, *len + (end ? 1 : 0));
	if (end && *len && line[*len - 1] == '\r')
		--*len;
	return line;
}

/* ---- parts ---- */

void
input_limit(struct input *in, uint64_t offset, void (*next)(void *ctx, struct input *in), void *ctx)
{
	in->limit = offset;
	in->next = next;
	in->next_ctx = ctx;
}

uint64_t *
input_lines(struct input *in)
{
	return &in->lines;
}

struct input *
input_open_part(const struct input *in)
{
	struct source *part = in->src ? source_part(in->src, in->watch) : NULL;

	return part ? input_over(part, in->name, in->options, NULL) : NULL;
}

void
input_has_read(struct input *in, uint64_t bytes)
{
	if (in->watch)
		atomic_fetch_add_explicit(&in->watch->bytes, bytes, memory_order_relaxed);
}

/* ---- random access ---- */

uint64_t
input_size(const struct input *in)
{
	if (!in->src)
		return in->offset + in->have;
	return in->src->ops->size ? in->src->ops->size(in->src) : 0;
}

void
input_keep(struct input *in)
{
	if (!in->src || in->src->ops->read_at || in->offset || in->at != in->room)
		return;
	in->src = source_keep(in->src, in->at, in->have);
}

bool
input_read_at(struct input *in, uint64_t offset, void *out, size_t n)
{
	uint64_t first = in->offset - (uint64_t)(in->at - in->room);
	uint64_t end = in->offset + in->have;
	if (offset >= first && offset <= end && n <= end - offset) {
		if (n)
			memcpy(out, in->room + (offset - first), n);
		return true;
	}
	if (!in->src || !in->src->ops->read_at)
		return false;
	return in->src->ops->read_at(in->src, offset, out, n);
}

void
input_passes(struct input *in, unsigned n)
{
	if (in->watch)
		atomic_store(&in->watch->passes, n);
}

void
input_later(struct input *in, unsigned percent)
{
	if (in->watch)
		atomic_store(&in->watch->later, percent);
}

void
input_later_done(struct input *in, uint64_t done, uint64_t all)
{
	double part = all && done < all ? (double)done / (double)all : 1;

	if (in->watch)
		atomic_store(&in->watch->later_done, (unsigned)(part * LATER_ALL));
}

bool
input_seek(struct input *in, uint64_t offset)
{
	uint64_t first = in->offset - (uint64_t)(in->at - in->room);
	uint64_t end = in->offset + in->have;
	if (offset >= first && offset <= end) {
		in->at = in->room + (offset - first);
		in->have = (size_t)(end - offset);
		in->offset = offset;
		return true;
	}
	if (in->src && in->src->ops->seek) {
		if (!in->src->ops->seek(in->src, offset))
			return false;
		in->reached = end > in->reached ? end : in->reached;
		if (in->watch)
			atomic_store(&in->watch->length, in->reached);
		in->at = in->room;
		in->have = 0;
		in->offset = offset;
		in->ended = false;
		return true;
	}
	return offset > end && input_discard(in, offset - in->offset);
}
