/* pack_chunks.c - chunks of events of a packed profile.
 *
 * They are nearly all of a file, and each section is apart: its checksum, its compression, and the
 * checks of its events need nothing of the others. So a section is a piece of work for a crew
 * (src/input/crew.h); only the sums of a series follow from one another. A small section is read at
 * once.
 *
 * Chunks of equal events take some 20 bytes, so a small section may have a great many. Nearly all
 * sections have few; what exceeds CHUNKS_AT_ONCE is read after those before it have been taken
 * over, so it needs no memory until then, and the user can stop it. */
#include "src/decode/pack/pack.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/profile/pack_form.h"
#include "src/input/crew.h"
#include "src/input/input.h"

#define WORTH (32u << 10) /* bytes of a section from which it is handed over */
#define CHUNKS_AT_ONCE 256u

/* ---- columns ---- */

/* Returns a copy of n numbers of `width` bytes, followed by zeros for readers of whole words. */
static void *
copy_numbers(const uint8_t *at, size_t n, unsigned width)
{
	uint8_t *out = mem_alloc(n * width + COLUMN_SLACK, 1);

	memcpy(out, at, n * width);
	memset(out + n * width, 0, COLUMN_SLACK);
	if (__BYTE_ORDER__ != __ORDER_BIG_ENDIAN__ || width == 1 || width == 3)
		return out;
	for (size_t i = 0; i < n * width; i += width)
		for (unsigned k = 0; k < width / 2; k++) {
			uint8_t swap = out[i + k];
			out[i + k] = out[i + width - 1 - k];
			out[i + width - 1 - k] = swap;
		}
	return out;
}

bool
pack_column(struct cursor *from, uint32_t n, struct column *c)
{
	uint32_t groups = (n + COLUMN_GROUP - 1) / COLUMN_GROUP;
	const uint8_t *bases = NULL;

	if (n > PACK_VALUES_MAX) /* n and a group stay below 2^32 */
		return false;
	c->width = cursor_u8(from);
	c->bits = cursor_u8(from);
	uint8_t flags = cursor_u8(from);
	c->shift = cursor_u8(from);
	c->step = cursor_below(from, (uint64_t)UINT32_MAX + 1);
	c->base = cursor_zigzag(from);
	c->zeros = flags & PACK_ZEROS;
	if (flags & PACK_BASES)
		bases = cursor_bytes(from, (uint64_t)groups * sizeof *c->bases);
	uint64_t size = column_bytes(c, n);
	unsigned each = c->width ? c->width : 1;
	const uint8_t *at = cursor_bytes(from, size);
	if (from->bad)
		return false;
	if (bases)
		c->bases = copy_numbers(bases, groups, sizeof *c->bases);
	if (size)
		c->at = copy_numbers(at, size / each, each);
	return column_fits(c, n);
}

/* ---- chunks ---- */

/* The bits of the steps that have a value of their own; those before each word are counted. */
static bool
read_own(struct pack_job *x, struct chunk *c, uint32_t *n_values)
{
	uint32_t words = (c->n + 63) / 64, n = 0;
	const uint8_t *at = cursor_bytes(&x->c, (uint64_t)words * sizeof *c->own);

	if (!at || (c->n % 64 && bytes_u64(at + 8 * (words - 1), false) >> c->n % 64))
		return false;
	c->own = copy_numbers(at, words, sizeof *c->own);
	c->own_before = mem_alloc(words, sizeof *c->own_before);
	for (uint32_t i = 0; i < words; i++) {
		c->own_before[i] = (uint16_t)n;
		n += (uint32_t)__builtin_popcountll(c->own[i]);
	}
	*n_values = n;
	return n > 0;
}

static bool
read_columns(struct pack_job *x, struct chunk *c)
{
	const struct adopt_series *f = x->form;
	uint32_t n_values = c->n;
	bool good = true;

	if (cursor_u8(&x->c))
		good = f->valued && read_own(x, c, &n_values);
	good = good && pack_column(&x->c, c->n, &c->time);
	if (good && f->kind != SERIES_POINTS)
		good = pack_column(&x->c, c->n, &c->stack);
	if (good && f->labelled)
		good = pack_column(&x->c, c->n, &c->labels);
	for (unsigned v = 0; good && v < f->n_columns; v++)
		good = pack_column(&x->c, n_values, &c->value[v]);
	/* stacks are read as words of 32 bits */
	return good && c->stack.width <= 4 && c->stack.bits <= 32 && !c->stack.bases &&
	       !c->stack.zeros;
}

/* Reads and checks a chunk. */
static bool
read_chunk(struct pack_job *x)
{
	struct chunk c = {.turned = x->form->kind == SERIES_STEPS};
	const char *wrong = NULL;

	c.n = c.cap = cursor_below(&x->c, CHUNK_MAX + 1);
	if (x->c.bad || !c.n)
		return false;
	if (x->form->n_columns)
		c.value = mem_zalloc(x->form->n_columns, sizeof *c.value);
	if (!read_columns(x, &c) || (wrong = adopt_chunk_check(x->series, &c, &x->limits))) {
		series_chunk_release(x->series, &c);
		return wrong && err_damage(&x->e, x->section.offset, "%s", wrong);
	}
	*vec_push(&x->chunk) = c;
	return true;
}

/* Reads the next chunks of a section, up to CHUNKS_AT_ONCE or the first fault. */
static void
read_some(struct pack_job *x)
{
	while (cursor_left(&x->c) && x->chunk.n < CHUNKS_AT_ONCE)
		if (!read_chunk(x)) {
			if (!err_is_set(&x->e))
				err_damage(&x->e, x->section.offset, PACK_BAD_CONTENTS, "chun");
			break;
		}
}

/* Works on a section: leaves its first good chunks and the first fault. */
static void
read_chunks(void *job)
{
	struct pack_job *x = job;
	const uint8_t *at = pack_contents(&x->section, x->stored, &x->room, &x->e);

	x->c = cursor_over(at, at ? x->section.size : 0);
	read_some(x);
}

/* ---- the crew ---- */

/* The sections that are read on other threads: a ring. */
struct pack_jobs {
	struct crew *crew; /* NULL: there is none */
	uint64_t given, taken;
	struct pack_job job[CREW_PIECES];
	bool failed; /* a section was damaged: the sections after it are dropped */
};

static struct adopt_ids
ids_of(const struct pack *x)
{
	return (struct adopt_ids){
		.stack = x->whole ? NULL : x->id.stack.at,
		.n_stacks = x->id.n_stacks,
		.labels = x->whole_sets ? NULL : x->id.set.at,
		.n_labels = (uint32_t)x->id.set.n,
	};
}

/* Appends the chunks that were read to their series; after an earlier fault drops them. */
static void
adopt_some(struct pack *x, struct pack_job *job)
{
	struct pack_jobs *j = x->jobs;
	struct adopt_ids ids = ids_of(x);

	for (size_t i = 0; i < job->chunk.n; i++) {
		struct chunk *c = &job->chunk.at[i];
		if (j->failed)
			series_chunk_release(x->series, c);
		else
			j->failed = !builder_adopt_chunk(x->b, x->series, c, &ids,
							 job->section.offset, x->e);
	}
	job->chunk.n = 0;
}

/* Appends the chunks of a job to their series, up to its fault, and reads what is left of it. */
static bool
adopt_chunks(struct pack *x, struct pack_job *job)
{
	struct pack_jobs *j = x->jobs;
	bool had = j->failed;

	adopt_some(x, job);
	while (!j->failed && !err_is_set(&job->e) && cursor_left(&job->c)) {
		input_breathe(x->in);
		if (!pack_goes_on(x->in, job->section.offset, &job->e))
			break;
		read_some(job);
		adopt_some(x, job);
	}
	if (!j->failed && err_is_set(&job->e)) {
		j->failed = true;
		if (builder_adopt_wait(x->b, x->e))
			*x->e = job->e;
	}
	return had || !j->failed;
}

bool
pack_adopt_given(struct pack *x, unsigned most)
{
	struct pack_jobs *j = x->jobs;
	bool good = true;

	while (j && j->given - j->taken > most) {
		j->taken++;
		good = adopt_chunks(x, crew_take(j->crew)) && good;
	}
	return good;
}

bool
pack_give_chunks(struct pack *x, const struct pack_section *s, const uint8_t *stored)
{
	struct adopt_ids ids = ids_of(x);

	if (!x->series)
		return err_damage(x->e, s->offset, PACK_BAD_CONTENTS, "chun");
	if (!x->jobs)
		x->jobs = mem_zalloc(1, sizeof *x->jobs);
	struct pack_jobs *j = x->jobs;
	bool given = s->stored >= WORTH && (j->crew || (j->crew = crew_new(read_chunks)));
	if (!pack_adopt_given(x, given ? crew_pieces(j->crew) - 1 : 0))
		return false;
	struct pack_job *job = &j->job[given ? j->given % crew_pieces(j->crew) : 0];
	err_init(&job->e);
	job->section = *s;
	job->series = x->series;
	job->form = &x->form;
	job->limits = builder_adopt_limits(x->b, x->series, &ids);
	job->stored = stored;
	if (!given) {
		read_chunks(job);
		return adopt_chunks(x, job);
	}
	if (job->copy_cap < s->stored) {
		free(job->copy);
		job->copy = mem_alloc(s->stored, 1);
		job->copy_cap = s->stored;
	}
	memcpy(job->copy, stored, s->stored);
	job->stored = job->copy;
	j->given++;
	crew_give(j->crew, job);
	return true;
}

void
pack_jobs_free(struct pack *x)
{
	struct pack_jobs *j = x->jobs;

	if (!j)
		return;
	crew_free(j->crew);
	for (unsigned i = 0; i < CREW_PIECES; i++) {
		pack_room_release(&j->job[i].room);
		free(j->job[i].copy);
		vec_release(&j->job[i].chunk);
	}
	free(j);
}
