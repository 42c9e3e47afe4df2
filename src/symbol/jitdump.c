/* Dumps of JIT compilers.
 *
 * A header of 40 bytes, whose magic tells the byte order, then records: id, size, time. A load
 * names a function, where its code lies and how long it is, and has the code itself, which is
 * stepped over; a move tells where code that was loaded lies from then on.  Lines (debug info)
 * and unwinding are stepped over, too: perf writes a file an image for them, which is more than
 * a name needs.
 *
 * What is made of it is the list that JIT compilers write otherwise, /tmp/perf-PID.map, and is
 * read as that.  So memory that was used again has the name that it had last; perf inject would
 * tell them apart by time.
 *
 * A dump has all code that ever ran and may be large: it is read through stdio, a record at a
 * time, and seeks over the code. */
#include "src/symbol/jitdump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/vec.h"
#include "src/symbol/plain.h"

#define MAGIC 0x4A695444u /* "JiTD" */
#define HEADER_BYTES 40u
#define RECORD_BYTES 16u
#define LOAD_BYTES 40u /* before the name */
#define MOVE_BYTES 48u
#define NAME_MAX_BYTES 65536u
#define FUNCTIONS_MAX 4000000u

enum { CODE_LOAD, CODE_MOVE };

/* A load, for moves. */
struct code {
	uint64_t index;
	char *name;
};

struct reader {
	FILE *f;
	uint64_t size, at;
	bool swap;
	char *name; /* NAME_MAX_BYTES */
	struct buf *lines;
	struct symbol_jitdump *told;
	VEC(struct code) code;
};

bool
symbol_is_jitdump(const char *path, size_t len)
{
	static const char begin[] = "jit-", end[] = ".dump";
	size_t at = len, n = sizeof begin - 1, m = sizeof end - 1;

	while (at && path[at - 1] != '/')
		at--;
	path += at;
	len -= at;
	if (len <= n + m || memcmp(path, begin, n) != 0 || memcmp(path + len - m, end, m) != 0)
		return false;
	for (size_t i = n; i < len - m; i++)
		if (path[i] < '0' || path[i] > '9')
			return false;
	return true;
}

static uint64_t
number(const struct reader *r, const uint8_t *at, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | at[r->swap ? i : bytes - 1 - i];
	return v;
}

static bool
get(struct reader *r, uint8_t *out, size_t n)
{
	if (r->size - r->at < n || fread(out, 1, n, r->f) != n)
		return false;
	r->at += n;
	return true;
}

static bool
begin(struct reader *r)
{
	uint8_t head[HEADER_BYTES];

	if (!get(r, head, sizeof head))
		return false;
	r->swap = number(r, head, 4) != MAGIC;
	if (number(r, head, 4) != MAGIC)
		return false;
	uint64_t size = number(r, head + 8, 4);
	if (size < HEADER_BYTES || size > r->size)
		return false;
	r->at = size;
	return !fseeko(r->f, (off_t)size, SEEK_SET);
}

/* A line, in which a name ends at its end. */
static void
put_line(struct reader *r, uint64_t start, uint64_t size, const char *name)
{
	buf_addf(r->lines, "%" PRIx64 " %" PRIx64 " ", start, size);
	for (; *name; name++)
		buf_addc(r->lines, *name == '\n' || *name == '\r' ? ' ' : *name);
	buf_addc(r->lines, '\n');
}

static int
compare_codes(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

/* u32 pid, tid; u64 vma, code_addr, code_size, code_index; the name, a NUL; the code */
static bool
take_load(struct reader *r, uint64_t left)
{
	uint8_t load[LOAD_BYTES];
	uint64_t n = left - LOAD_BYTES < NAME_MAX_BYTES ? left - LOAD_BYTES : NAME_MAX_BYTES;

	if (!get(r, load, sizeof load) || !get(r, (uint8_t *)r->name, n) ||
	    !memchr(r->name, 0, n))
		return false;
	struct code c = {.index = number(r, load + 32, 8)};
	c.name = mem_dup(r->name, strlen(r->name));
	*vec_push(&r->code) = c;
	put_line(r, number(r, load + 16, 8), number(r, load + 24, 8), r->name);
	r->told->functions++;
	return true;
}

/* u32 pid, tid; u64 vma, old_code_addr, new_code_addr, code_size, code_index.  Indexes rise as
 * compilers count; where they do not, a move finds nothing and is left out. */
static bool
take_move(struct reader *r)
{
	uint8_t move[MOVE_BYTES];

	if (!get(r, move, sizeof move))
		return false;
	struct code key = {.index = number(r, move + 40, 8)};
	const struct code *c = r->code.n ? bsearch(&key, r->code.at, r->code.n,
						   sizeof *r->code.at, compare_codes)
					 : NULL;
	if (c)
		put_line(r, number(r, move + 24, 8), number(r, move + 32, 8), c->name);
	r->told->moved += c != NULL;
	return true;
}

/* One record; false at the end, and where it is none. */
static bool
record(struct reader *r)
{
	uint8_t head[RECORD_BYTES];
	uint64_t start = r->at;

	if (start == r->size)
		return false;
	r->told->cut = true; /* unless it proves whole */
	if (!get(r, head, sizeof head))
		return false;
	uint64_t id = number(r, head, 4), size = number(r, head + 4, 4);
	if (size < RECORD_BYTES || size > r->size - start)
		return false;
	uint64_t left = size - RECORD_BYTES;
	bool good = id == CODE_LOAD   ? left > LOAD_BYTES && take_load(r, left)
		    : id == CODE_MOVE ? left >= MOVE_BYTES && take_move(r)
				      : true;
	r->at = start + size;
	if (!good || fseeko(r->f, (off_t)r->at, SEEK_SET))
		return false;
	r->told->cut = false;
	return r->told->functions < FUNCTIONS_MAX;
}

bool
symbol_jitdump_read(const char *path, bool own, struct buf *lines, struct symbol_jitdump *told)
{
	struct reader r = {.lines = lines, .told = told};

	*told = (struct symbol_jitdump){0};
	r.f = symbol_open_plain(path, own, &r.size);
	if (!r.f)
		return false;
	r.name = mem_alloc(NAME_MAX_BYTES, 1);
	bool good = begin(&r);
	while (good && record(&r))
		continue;
	for (size_t i = 0; i < r.code.n; i++)
		free(r.code.at[i].name);
	vec_release(&r.code);
	free(r.name);
	fclose(r.f);
	return good;
}
