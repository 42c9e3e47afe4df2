/* load_parts.c - see load_parts.h.
 *
 *	 0        first                                                   the end
 *	 ├──────────┼────────┼────────┼────────┼────────┼────────┼────────┼──┤
 *	 the whole's  block 0  block 1  block 2  ...                        the whole's
 *	 decoder      thread A thread B thread A                            decoder
 *
 * Blocks end where a record ends. The decoder of the whole reads the first bytes, so that there is
 * something to show at once and the file's form is known. When it asks for the bytes behind them,
 * it does not get them: they are decoded by others, and it goes on behind the last block. Each
 * thread runs the same decoder on an input that gives it one block after the other, and jumps over
 * those of the others. When it asks for the bytes behind a block, it has used all of it. Then its
 * profile is joined to the whole, as soon as the blocks before have been, and it goes on with the
 * next block that no thread has. So a thread keeps its tables and caches, and the decoder knows
 * nothing of it.
 *
 * A block that cannot be joined (a damaged line, a new metric) is not decoded in parts: the decoder
 * of the whole gets its bytes. From builder_carried() that decoder knows the numbers of the blocks
 * before.
 *
 * Memory: tables of each thread up to `entries`, then it begins anew with empty ones. Where nearly
 * every record makes a new stack, joining costs as much as decoding: the rest is then read as a
 * whole.
 *
 * Rejected: a fresh profile for each block (it has to find all names again, which costs as much as
 * a quarter of a block), a thread that joins (on two cores it takes the place of one that
 * decodes), blocks in memory (a window of 256 KB stays in the caches).
 *
 * Invariants: `joined` blocks are in the whole; only the thread that has block `joined`, or the
 * decoder of the whole if that is `odd`, writes the whole's profile, and it holds the lock. */
#include "src/load_parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/build/builder_join.h"
#include "model/build/builder_load.h"
#include "model/profile/profile.h"

#define STACK_BYTES (8u << 20)
#define THREADS_MAX 16u
#define LOOK_BYTES (64u << 10) /* the first search for the end of a record */
#define LOOK_MAX (1u << 20)    /* no record is expected to be longer */
/* An odd block is decoded twice, which this many joined ones make good. The rest is read as a whole
 * when more than ODD_MAX of those are missing, besides those for the blocks that the threads have
 * in hand when the form of the file changes. */
#define ODD_COSTS 2u
#define ODD_MAX 4u

struct load_parts;

/* A thread, and the part that it decodes. */
struct load_part {
	struct load_parts *of;
	pthread_t thread;
	struct input *in;
	struct profile *profile;
	struct builder *b;
	struct joint *joint;
	uint64_t number, from, to; /* its block */
	uint64_t lines;            /* of its input, those that are joined */
	size_t new;                /* entries of the whole from its last block */
	bool busy;                 /* it has a block */
};

struct load_parts {
	const struct decoder *d;
	struct input *in;  /* of the whole */
	struct builder *b; /* likewise */
	struct parts_plan plan;
	uint64_t size;
	size_t before; /* entries of the whole before this file */

	pthread_mutex_t mutex; /* guards what follows */
	pthread_cond_t changed;
	struct load_part part[THREADS_MAX];
	unsigned n;            /* threads that were started */
	uint64_t next;         /* offset of the next block */
	bool none_left;        /* there is no next block */
	uint64_t given, joined; /* numbers of blocks */
	uint64_t at;           /* offset up to which all is joined */
	bool odd;              /* block `joined` must be read by the decoder of the whole: */
	uint64_t odd_from, odd_to;
	bool reads_odd;        /* the decoder of the whole has got it */
	unsigned odds;         /* joined blocks that would make good the odd ones */
	bool quit;
	struct twin twin;      /* what parts begin with */
};

struct parts_plan
parts_plan_for(unsigned cores)
{
	return (struct parts_plan){
		.threads = cores < 2 ? 0 : cores < THREADS_MAX ? cores : THREADS_MAX,
		.first = 1u << 20,
		.block = 8u << 20,
		.entries = 1u << 18,
		.new_bytes = 128,
	};
}

/* ---- blocks ---- */

/* Returns the end of the last whole record in [from, to), `from` if there is none near `to`. */
static uint64_t
last_record(const struct load_parts *p, struct input *in, uint64_t from, uint64_t to)
{
	uint64_t most = to - from < LOOK_MAX ? to - from : LOOK_MAX, end = 0;
	uint64_t len = most < LOOK_BYTES ? most : LOOK_BYTES;
	uint8_t *bytes = mem_alloc((size_t)most, 1);

	while (input_read_at(in, to - len, bytes, (size_t)len)) {
		end = p->d->record_end(bytes, (size_t)len);
		if (end || len == most)
			break;
		len = most;
	}
	free(bytes);
	return end ? to - len + end : from;
}

/* Returns the end of the block that begins at `from`; `from` if there is none. */
static uint64_t
block_end(const struct load_parts *p, struct input *in, uint64_t from)
{
	uint64_t to = from, end = from;

	while (end == from && to < p->size && to - from < LOOK_MAX) {
		to = p->size - to > p->plan.block ? to + p->plan.block : p->size;
		end = last_record(p, in, from, to);
	}
	return end;
}

/* Gives the next block to a part; false if there is none, or if the file has been emptied. The
 * mutex is held. */
static bool
block_take(struct load_parts *p, struct load_part *x)
{
	uint64_t to = p->quit || !x->in ? p->next : block_end(p, x->in, p->next);

	if (to == p->next) {
		p->none_left = true;
		return false;
	}
	x->number = p->given++;
	x->from = p->next;
	x->to = p->next = to;
	return x->busy = true;
}

/* ---- a part's thread ---- */

static bool
is_stopped(const struct load_parts *p)
{
	return input_stopped(p->in);
}

/* Joins a decoded block to the whole. Writes what parts that begin now share with it. */
static bool
part_join(struct load_parts *p, struct load_part *x, struct twin *twin)
{
	uint64_t lines = *input_lines(x->in);

	builder_settle(x->b);
	input_take(p->in);
	size_t before = builder_entries(p->b);
	bool good = builder_join(x->joint);
	if (good)
		*input_lines(p->in) += lines - x->lines;
	x->new = builder_entries(p->b) - before;
	x->lines = lines;
	input_breathe(p->in);
	builder_twin(p->b, twin);
	input_give(p->in);
	return good;
}

/* Ends the part's block when its turn comes; `good`: it was decoded. Returns false if the part's
 * profile is not what the whole has. */
static bool
block_ends(struct load_part *x, bool good)
{
	struct load_parts *p = x->of;
	struct twin twin;

	x->busy = false;
	pthread_mutex_lock(&p->mutex);
	while (p->joined != x->number && !p->quit)
		pthread_cond_wait(&p->changed, &p->mutex);
	bool quit = p->quit || is_stopped(p);
	pthread_mutex_unlock(&p->mutex);
	good = good && !quit && part_join(p, x, &twin);
	pthread_mutex_lock(&p->mutex);
	if (good) {
		p->joined++;
		p->at = x->to;
		p->odds -= p->odds > 0;
		p->twin = twin;
		p->quit |= (x->to - x->from) / p->plan.new_bytes < x->new;
		input_has_read(p->in, x->to - x->from);
	} else if (quit) {
		p->quit = true;
	} else {
		p->odd = true;
		p->odd_from = x->from;
		p->odd_to = x->to;
	}
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->mutex);
	return good;
}

/* The decoder of a part asks for the bytes behind its block. */
static void
part_next(void *ctx, struct input *in)
{
	struct load_part *x = ctx;
	struct load_parts *p = x->of;

	if (input_have(in) || input_offset(in) != x->to) /* it wants more than whole records */
		return;
	if (!block_ends(x, true) || builder_entries(x->b) > p->plan.entries)
		return;
	pthread_mutex_lock(&p->mutex);
	bool more = block_take(p, x);
	pthread_mutex_unlock(&p->mutex);
	if (more && input_seek(in, x->from))
		input_limit(in, x->to, part_next, x);
}

/* Decodes blocks from the part's first one on, until it begins anew. */
static void
part_decode(struct load_part *x, const struct twin *twin)
{
	struct load_parts *p = x->of;
	struct err err;

	err_init(&err);
	x->profile = profile_new();
	x->b = builder_part(twin, x->profile);
	x->joint = joint_new(p->b, x->b);
	x->lines = *input_lines(x->in) = 0;
	if (input_seek(x->in, x->from)) {
		input_limit(x->in, x->to, part_next, x);
		p->d->decode(x->in, x->b, &err);
	}
	if (x->busy)
		block_ends(x, false);
	joint_free(x->joint);
	builder_free(x->b);
	profile_free(x->profile);
}

static void *
part_run(void *arg)
{
	struct load_part *x = arg;
	struct load_parts *p = x->of;

	for (;;) {
		x->in = input_open_part(p->in); /* NULL if the file was emptied */
		pthread_mutex_lock(&p->mutex);
		bool more = block_take(p, x);
		struct twin twin = p->twin;
		pthread_cond_broadcast(&p->changed); /* if none is left */
		pthread_mutex_unlock(&p->mutex);
		if (more)
			part_decode(x, &twin);
		input_close(x->in);
		if (!more)
			return NULL;
	}
}

/* ---- the decoder of the whole ---- */

static void
threads_start(struct load_parts *p)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (; p->n < p->plan.threads; p->n++) {
		struct load_part *x = &p->part[p->n];
		x->of = p;
		if (pthread_create(&x->thread, &attr, part_run, x))
			break;
	}
	pthread_attr_destroy(&attr);
}

static void
threads_end(struct load_parts *p)
{
	pthread_mutex_lock(&p->mutex);
	p->quit = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->mutex);
	for (unsigned i = 0; i < p->n; i++)
		pthread_join(p->part[i].thread, NULL);
	p->n = 0;
}

/* Waits until the decoder of the whole is wanted: for an odd block, or behind the last one. Returns
 * true for an odd block. */
static bool
wait_for_parts(struct load_parts *p)
{
	struct twin twin;

	if (p->reads_odd) /* else threads may write the profile already */
		builder_twin(p->b, &twin);
	input_give(p->in);
	pthread_mutex_lock(&p->mutex);
	if (p->reads_odd) {
		p->twin = twin;
		p->odd = false;
		p->joined++;
		p->at = p->odd_to;
		p->odds += ODD_COSTS;
		p->quit |= p->odds > ODD_COSTS * p->plan.threads + ODD_MAX;
		pthread_cond_broadcast(&p->changed);
	}
	while (!p->odd && !p->quit && !(p->none_left && p->joined == p->given))
		pthread_cond_wait(&p->changed, &p->mutex);
	p->reads_odd = p->odd;
	pthread_mutex_unlock(&p->mutex);
	input_take(p->in);
	return p->reads_odd;
}

/* The decoder of the whole asks for the bytes at the beginning of a block. */
static void
parts_next(void *ctx, struct input *in)
{
	struct load_parts *p = ctx;
	struct carried *carried = builder_carried(p->b);
	bool odd = false;

	/* its first bytes have more that is new than later ones, but not four times as much */
	bool pays = p->n || (builder_entries(p->b) - p->before) * p->plan.new_bytes / 4 < p->at;
	if (input_have(in) || carried->whole || !pays || !builder_takes_parts(p->b)) {
		threads_end(p);
		input_limit(in, UINT64_MAX, NULL, NULL);
		return;
	}
	if (!p->n) {
		builder_twin(p->b, &p->twin);
		threads_start(p);
	}
	if (p->n)
		odd = wait_for_parts(p);
	if (!odd)
		threads_end(p);
	if (input_seek(in, odd ? p->odd_from : p->at)) /* else the file was truncated: it ends */
		input_limit(in, odd ? p->odd_to : UINT64_MAX, parts_next, p);
}

/* Sets the end of what the decoder of the whole reads first; false if the file is not worth it. */
static bool
parts_begin(struct load_parts *p, struct input *in)
{
	uint64_t from = input_offset(in) + input_have(in), first = from + p->plan.first;

	p->size = input_size(in);
	if (p->size < first || p->size - first < 2 * p->plan.block)
		return false;
	p->at = p->next = last_record(p, in, from, first);
	return p->at > from;
}

bool
parts_decode(const struct decoder *d, struct input *in, struct builder *b,
	     const struct parts_plan *plan, struct err *e)
{
	struct input *try = d->record_end && plan->threads ? input_open_part(in) : NULL;
	struct load_parts p = {.d = d, .in = in, .b = b, .plan = *plan,
			       .before = builder_entries(b)};

	input_close(try);
	if (!try || !parts_begin(&p, in))
		return d->decode(in, b, e);
	pthread_mutex_init(&p.mutex, NULL);
	pthread_cond_init(&p.changed, NULL);
	input_limit(in, p.at, parts_next, &p);
	bool good = d->decode(in, b, e);
	threads_end(&p);
	input_limit(in, UINT64_MAX, NULL, NULL);
	pthread_cond_destroy(&p.changed);
	pthread_mutex_destroy(&p.mutex);
	return good;
}
