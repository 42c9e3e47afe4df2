/* Dumps of JIT compilers.
 *
 * A header of 40 bytes, whose magic shows the byte order, precedes records of id, size and time. A
 * load has the name, place and size of a function, and its code, which is skipped.  A move has the
 * new place of loaded code.  Debug info precedes its load: addresses with file and line. Unwinding
 * information is skipped.
 *
 * They are converted to the lists that JIT compilers write otherwise, /tmp/perf-PID.map, and read
 * as such.  Reused memory has several names: overlapping pieces of code go into different layers,
 * each with the time from which it is valid.  Memory used once, nearly all, needs no time.
 *
 * A dump has all code that ever ran and may be large.  So it is read through stdio, a record at a
 * time, and code is skipped by seeking. */
#include "src/symbol/jitdump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/base/vec.h"
#include "src/symbol/plain.h"

#define MAGIC 0x4A695444u /* "JiTD" */
#define HEADER_BYTES 40u
#define RECORD_BYTES 16u
#define LOAD_BYTES 40u /* before the name */
#define MOVE_BYTES 48u
#define NAME_MAX_BYTES (1u << 20)
#define FUNCTIONS_MAX 4000000u
#define DEBUG_MAX (16u << 20)
#define LINES_MAX 40000000u
#define ELF_HEADER 64u
#define LAYERS_MAX 256u
#define REUSE_MAX 50000u

enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG };

/* A loaded function, for moves. */
struct jitdump_code {
	uint64_t index;
	char *name;
	size_t piece; /* its first one */
};

/* A place of code from a time on. */
struct jitdump_piece {
	uint64_t start, end, time;
	size_t code, order;
	size_t line, lines; /* of them, in the order of the file */
	uint64_t lines_base; /* the base of its lines' addresses */
	uint32_t layer;
	bool reused;
};

struct jitdump_reader {
	FILE *f;
	uint64_t size, at;
	bool swap;
	char *name; /* NAME_MAX_BYTES */
	struct symbol_jitdump *result;
	VEC(struct jitdump_code) code;
	VEC(struct jitdump_piece) piece;
	VEC(struct symbol_jit_line) line;
	struct buf files;
	uint64_t debug_at; /* offset of the pending debug info */
	size_t debug_line;
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
jitdump_number(const struct jitdump_reader *r, const uint8_t *at, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | at[r->swap ? i : bytes - 1 - i];
	return v;
}

static bool
get(struct jitdump_reader *r, uint8_t *out, size_t n)
{
	if (r->size - r->at < n || fread(out, 1, n, r->f) != n)
		return false;
	r->at += n;
	return true;
}

static bool
jitdump_begin(struct jitdump_reader *r)
{
	uint8_t head[HEADER_BYTES];

	if (!get(r, head, sizeof head))
		return false;
	r->swap = jitdump_number(r, head, 4) != MAGIC;
	if (jitdump_number(r, head, 4) != MAGIC)
		return false;
	uint64_t size = jitdump_number(r, head + 8, 4);
	if (size < HEADER_BYTES || size > r->size)
		return false;
	r->at = size;
	return !fseeko(r->f, (off_t)size, SEEK_SET);
}

static void
put_piece(struct jitdump_reader *r, struct jitdump_piece p, uint64_t size)
{
	p.end = size > UINT64_MAX - p.start ? UINT64_MAX : p.start + size;
	p.order = r->piece.n;
	*vec_push(&r->piece) = p;
}

ORDERED_BY(compare_codes, struct jitdump_code, index)

/* Counts the pending lines for this code: all, or none if one lies outside.  V8 counts from the ELF
 * header that perf puts before the code (and some versions write names of freed memory, after which
 * everything is wrong). */
static size_t
good_lines(struct jitdump_reader *r, uint64_t start, uint64_t size)
{
	size_t n = r->line.n - r->debug_line;
	bool shifted = true;

	for (size_t i = 0; i < n; i++)
		shifted &= r->line.at[r->debug_line + i].address - start >= ELF_HEADER;
	for (size_t i = 0; i < n; i++) {
		uint64_t *at = &r->line.at[r->debug_line + i].address;
		*at -= shifted ? ELF_HEADER : 0;
		if (*at - start > size)
			return 0;
	}
	return n;
}

/* u32 pid, tid; u64 vma, code_addr, code_size, code_index; the name, a NUL; the code */
static bool
take_load(struct jitdump_reader *r, uint64_t left, uint64_t time)
{
	uint8_t load[LOAD_BYTES];
	uint64_t n = left - LOAD_BYTES < NAME_MAX_BYTES ? left - LOAD_BYTES : NAME_MAX_BYTES;

	if (!get(r, load, sizeof load) || !get(r, (uint8_t *)r->name, n) ||
	    !memchr(r->name, 0, n))
		return false;
	struct jitdump_code c = {.index = jitdump_number(r, load + 32, 8)};
	c.name = mem_dup(r->name, strlen(r->name));
	*vec_push(&r->code) = c;
	struct jitdump_piece p = {.start = jitdump_number(r, load + 16, 8), .time = time};
	p.code = r->code.n - 1;
	p.lines_base = p.start;
	p.line = r->debug_line;
	p.lines = r->debug_at == p.start
			  ? good_lines(r, p.start, jitdump_number(r, load + 24, 8))
			  : 0;
	r->line.n = p.line + p.lines;
	r->debug_line = r->line.n;
	put_piece(r, p, jitdump_number(r, load + 24, 8));
	r->code.at[p.code].piece = r->piece.n - 1;
	r->result->functions++;
	return true;
}

/* u32 pid, tid; u64 vma, old_code_addr, new_code_addr, code_size, code_index.  Indexes usually
 * rise; if they do not, a move finds nothing and is skipped. */
static bool
take_move(struct jitdump_reader *r, uint64_t time)
{
	uint8_t move[MOVE_BYTES];

	if (!get(r, move, sizeof move))
		return false;
	struct jitdump_code key = {.index = jitdump_number(r, move + 40, 8)};
	const struct jitdump_code *c =
		r->code.n ? bsearch(&key, r->code.at, r->code.n, sizeof *r->code.at, compare_codes)
			  : NULL;
	if (c) {
		struct jitdump_piece p = r->piece.at[c->piece];
		p.start = jitdump_number(r, move + 24, 8);
		p.time = time;
		put_piece(r, p, jitdump_number(r, move + 32, 8));
	}
	r->result->moved += c != NULL;
	return true;
}

/* u64 code_addr, u64 count; for each u64 address, u32 line, u32 discriminator, the file's name, a
 * NUL; "\377" repeats the previous name. */
static bool
take_debug(struct jitdump_reader *r, uint64_t left)
{
	uint8_t *body = left >= 16 && left <= DEBUG_MAX ? mem_alloc((size_t)left, 1) : NULL;
	size_t at = 16;
	uint32_t file = 0;

	if (!body || !get(r, body, (size_t)left)) {
		free(body);
		return !body;
	}
	r->debug_at = jitdump_number(r, body, 8);
	r->line.n = r->debug_line; /* its code was never loaded */
	for (uint64_t n = jitdump_number(r, body + 8, 8); n && left - at > 16; n--) {
		const char *name = (const char *)body + at + 16;
		const char *end = memchr(name, 0, (size_t)left - at - 16);
		if (!end || r->line.n == LINES_MAX || r->files.len > UINT32_MAX / 2)
			break;
		if (strcmp(name, "\377") != 0 &&
		    (!r->line.n || strcmp(name, buf_str(&r->files) + file) != 0)) {
			file = (uint32_t)r->files.len;
			buf_add(&r->files, name, (size_t)(end - name) + 1);
		}
		*vec_push(&r->line) = (struct symbol_jit_line){
			jitdump_number(r, body + at, 8),
			(uint32_t)jitdump_number(r, body + at + 8, 4), file};
		at = (size_t)(end - (const char *)body) + 1;
	}
	free(body);
	return true;
}

/* Reads a record; returns false at the end, and if it is invalid. */
static bool
jitdump_record(struct jitdump_reader *r)
{
	uint8_t head[RECORD_BYTES];
	uint64_t start = r->at;

	if (start == r->size)
		return false;
	r->result->cut = true; /* until it proves complete */
	if (!get(r, head, sizeof head))
		return false;
	uint64_t id = jitdump_number(r, head, 4), size = jitdump_number(r, head + 4, 4);
	if (size < RECORD_BYTES || size > r->size - start)
		return false;
	uint64_t left = size - RECORD_BYTES;
	uint64_t time = jitdump_number(r, head + 8, 8);
	bool good = id == CODE_LOAD    ? left > LOAD_BYTES && take_load(r, left, time)
		    : id == CODE_MOVE  ? left >= MOVE_BYTES && take_move(r, time)
		    : id == CODE_DEBUG ? take_debug(r, left)
				       : true;
	r->at = start + size;
	if (!good || fseeko(r->f, (off_t)r->at, SEEK_SET))
		return false;
	r->result->cut = false;
	return r->result->functions < FUNCTIONS_MAX;
}

/* ---- layers ---- */

ORDERED_BY_TWO(compare_starts, struct jitdump_piece, start, order)

ORDERED_BY(compare_orders, struct jitdump_piece, order)

ORDERED_BY(jitdump_compare_times, struct symbol_jit_reuse, time_ns)

ORDERED_BY(jitdump_compare_lines, struct symbol_jit_line, address)

/* Puts each piece into the first layer with room after its last piece.  When all layers are used,
 * the last one has overlaps: there the latest piece is valid. */
static void
jitdump_part(struct jitdump_reader *r)
{
	uint64_t end[LAYERS_MAX] = {0}, reach = 0;

	qsort(r->piece.at, r->piece.n, sizeof *r->piece.at, compare_starts);
	for (size_t i = 0; i < r->piece.n; i++) {
		struct jitdump_piece *p = &r->piece.at[i];
		uint32_t k = 0;
		p->reused = p->start < reach ||
			    (i + 1 < r->piece.n && r->piece.at[i + 1].start < p->end);
		reach = p->end > reach ? p->end : reach;
		while (k < LAYERS_MAX - 1 && end[k] > p->start)
			k++;
		end[k] = p->end > end[k] ? p->end : end[k];
		p->layer = k;
		r->result->layers = k >= r->result->layers ? k + 1 : r->result->layers;
	}
	qsort(r->piece.at, r->piece.n, sizeof *r->piece.at, compare_orders);
}

/* Marks the pieces that are valid from their time on. */
static void
list_reuse(struct jitdump_reader *r)
{
	struct symbol_jitdump *result = r->result;
	size_t n = 0;

	for (size_t i = 0; i < r->piece.n; i++)
		n += r->piece.at[i].reused;
	n = n < REUSE_MAX ? n : REUSE_MAX;
	result->reuse = n ? mem_alloc(n, sizeof *result->reuse) : NULL;
	for (size_t i = 0; i < r->piece.n && result->n_reuse < n; i++) {
		const struct jitdump_piece *p = &r->piece.at[i];
		if (p->reused)
			result->reuse[result->n_reuse++] =
				(struct symbol_jit_reuse){p->start, p->end, p->time, p->layer};
	}
	if (n)
		qsort(result->reuse, n, sizeof *result->reuse, jitdump_compare_times);
}

/* Writes a line of the list, which ends with the name, and its lines of source. */
static void
put_into_layer(const struct jitdump_reader *r, const struct jitdump_piece *p,
	       struct symbol_jit_layer *l)
{
	uint32_t file = UINT32_MAX;
	uint32_t here = 0;

	buf_addf(&l->text, "%" PRIx64 " %" PRIx64 " ", p->start, p->end - p->start);
	for (const char *name = r->code.at[p->code].name; *name; name++)
		buf_addc(&l->text, *name == '\n' || *name == '\r' ? ' ' : *name);
	buf_addc(&l->text, '\n');
	for (size_t i = 0; i < p->lines; i++) {
		struct symbol_jit_line line = r->line.at[p->line + i];
		const char *name = buf_str(&r->files) + line.file;
		if (line.file != file) {
			file = line.file;
			here = (uint32_t)l->files.len;
			buf_add(&l->files, name, strlen(name) + 1);
		}
		line.address += p->start - p->lines_base;
		line.file = here;
		*vec_push(&l->line) = line;
	}
}

static struct symbol_jit_layer *
make_layers(struct jitdump_reader *r, bool timed)
{
	r->result->layers = 1;
	if (timed)
		jitdump_part(r);
	struct symbol_jit_layer *l = mem_zalloc(r->result->layers, sizeof *l);
	for (size_t i = 0; i < r->piece.n; i++)
		put_into_layer(r, &r->piece.at[i], &l[r->piece.at[i].layer]);
	for (uint32_t k = 0; k < r->result->layers; k++)
		if (l[k].line.n)
			qsort(l[k].line.at, l[k].line.n, sizeof *l[k].line.at,
			      jitdump_compare_lines);
	if (timed)
		list_reuse(r);
	return l;
}

void
symbol_jit_layer_release(struct symbol_jit_layer *l)
{
	buf_release(&l->text);
	buf_release(&l->files);
	vec_release(&l->line);
}

uint32_t
symbol_jit_line_at(const struct symbol_jit_layer *l, uint64_t start, uint64_t at, const char **file)
{
	size_t low = bisect(i, l->line.n, l->line.at[i].address <= at);

	*file = NULL;
	if (!low || l->line.at[low - 1].address < start)
		return 0;
	*file = buf_str(&l->files) + l->line.at[low - 1].file;
	return l->line.at[low - 1].line;
}

bool
symbol_jitdump_read(const char *path, bool own, bool timed, struct symbol_jit_layer **layers,
		    struct symbol_jitdump *result)
{
	struct jitdump_reader r = {.result = result};

	*result = (struct symbol_jitdump){0};
	r.f = symbol_open_plain(path, own, &r.size);
	if (!r.f)
		return false;
	r.name = mem_alloc(NAME_MAX_BYTES, 1);
	bool good = jitdump_begin(&r);
	while (good && jitdump_record(&r))
		continue;
	if (good)
		*layers = make_layers(&r, timed);
	for (size_t i = 0; i < r.code.n; i++)
		free(r.code.at[i].name);
	vec_release(&r.code);
	vec_release(&r.piece);
	vec_release(&r.line);
	buf_release(&r.files);
	free(r.name);
	fclose(r.f);
	return good;
}
