#include "src/decode/common/slicepack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/base/bisect.h"
#include "model/base/mem.h"
#include "src/input/cursor.h"

/* A probe log needs 40 bytes a slice, and has it at the end of the slice. A profile needs some
 * 16 bytes a slice, in the order of their starts. If the slices waited unpacked, they would
 * take most of the memory for reading a log.
 *
 * So slices are sorted as they arrive, in a short column of the latest ones. When the column is
 * full, its older half becomes a block.  A number in a block is a difference to the lowest of
 * its kind, in as few bits as the highest one needs; two numbers together fill whole bytes.  A
 * slice takes about 11 bytes. A parent ends after its children, so it moves before all slices
 * that it contains, as far as the column reaches. The few that contain more are kept in a
 * separate list, and merged when the slices are written, as the pairs are.
 *
 * In a log with another order all slices could move far.  So moves are counted, and slices go
 * to that list once there are more moves than an ordinary log needs.
 *
 * Blocks are freed while the profile grows, whose columns are larger than blocks: on the heap,
 * between blocks of other tracks, each would leave a hole too small for a column. So they are
 * in separate slabs that come directly from the system.
 *
 * Rejected: numbers of seven bits a byte (a tenth smaller, and half as fast); writing the steps
 * immediately, and again if a parent comes late (nearly every log ends with one that contains
 * everything). */

#define OPEN_MAX 4096u
#define BLOCK_SLICES (OPEN_MAX / 2)
#define NEAR 8u        /* at most this many are moved with a loop */
#define MOVES_RATE 64u /* moves a slice, on average */
#define SLAB_BYTES ((size_t)1 << 20)
#define SLACK 8u       /* bytes after a block that are accessed as parts of a word */

/* The numbers that are packed together: start and length, the value, name and number. */
enum { GROUPS = 3 };
static const uint8_t group_first[GROUPS] = {SLICE_START, SLICE_VALUE, SLICE_NAME};
static const uint8_t group_second[GROUPS] = {SLICE_LENGTH, SLICE_FIELDS, SLICE_NUMBER};

struct slice_block {
	/* two groups in sequence; or the slices unpacked, if a number is too large */
	uint8_t *at;
	size_t slab;
	uint64_t base[SLICE_FIELDS];
	uint8_t bits[SLICE_FIELDS];
	uint8_t width[GROUPS]; /* in bytes */
	bool wide;
};

struct slice_slab {
	uint8_t *at;
	size_t used;
	bool mapped;
};

/* ---- order: by start, then the longer first, then as they came ---- */

static inline int
slicepack_compare(const uint64_t *a, const uint64_t *b)
{
	if (a[SLICE_START] != b[SLICE_START])
		return a[SLICE_START] < b[SLICE_START] ? -1 : 1;
	if (a[SLICE_LENGTH] != b[SLICE_LENGTH])
		return a[SLICE_LENGTH] > b[SLICE_LENGTH] ? -1 : 1;
	return a[SLICE_NUMBER] < b[SLICE_NUMBER] ? -1 : a[SLICE_NUMBER] > b[SLICE_NUMBER];
}

static inline bool
before(const struct packed_slice *a, const struct packed_slice *b)
{
	return slicepack_compare(a->of, b->of) < 0;
}

static int
compare_late(const void *a, const void *b)
{
	const struct packed_slice *x = a, *y = b;

	return slicepack_compare(x->of, y->of);
}

static struct packed_slice
of_pair(const struct slice_pair *x)
{
	return (struct packed_slice){.of = {
		[SLICE_START] = x->start,
		[SLICE_LENGTH] = x->length,
		[SLICE_VALUE] = x->value,
		[SLICE_NAME] = x->name,
		[SLICE_NUMBER] = x->place,
	}};
}

static int
compare_pairs(const void *a, const void *b)
{
	const struct slice_pair *x = a, *y = b;
	struct packed_slice of_x = of_pair(x), of_y = of_pair(y);

	return slicepack_compare(of_x.of, of_y.of);
}

/* ---- blocks ---- */

static void
slab_new(struct slicepack *p)
{
	/* the whole second block, and those after it, will be used: fault its pages in at once */
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (p->slab.n ? MAP_POPULATE : 0);
	void *at = mmap(NULL, SLAB_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
	bool mapped = at != MAP_FAILED;

	*vec_push(&p->slab) = (struct slice_slab){
		.at = mapped ? at : mem_alloc(SLAB_BYTES, 1), .mapped = mapped};
}

static void
slab_free(struct slice_slab *s)
{
	if (s->mapped)
		munmap(s->at, SLAB_BYTES);
	else
		free(s->at);
	*s = (struct slice_slab){0};
}

/* Makes room for a block; the caller may not use all of it. */
static uint8_t *
slab_room(struct slicepack *p, size_t bytes)
{
	if (!p->slab.n || SLAB_BYTES - p->slab.at[p->slab.n - 1].used < bytes)
		slab_new(p);
	struct slice_slab *s = &p->slab.at[p->slab.n - 1];
	uint8_t *at = s->at + s->used;
	s->used += bytes;
	return at;
}

static unsigned
bits_for(uint64_t most)
{
	return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

/* Computes bases and widths for the slices from index `from` on, which are in order. */
static struct slice_block
block_form(const struct packed_slice *from)
{
	uint64_t length = 0, name = 0, low[2] = {UINT64_MAX, UINT64_MAX}, high[2] = {0};
	struct slice_block b = {0};

	for (uint32_t i = 0; i < BLOCK_SLICES; i++) {
		uint64_t value = from[i].of[SLICE_VALUE], number = from[i].of[SLICE_NUMBER];
		length |= from[i].of[SLICE_LENGTH];
		name |= from[i].of[SLICE_NAME];
		low[0] = value < low[0] ? value : low[0];
		high[0] = value > high[0] ? value : high[0];
		low[1] = number < low[1] ? number : low[1];
		high[1] = number > high[1] ? number : high[1];
	}
	b.base[SLICE_START] = from[0].of[SLICE_START];
	b.base[SLICE_VALUE] = low[0];
	b.base[SLICE_NUMBER] = low[1];
	b.bits[SLICE_START] = (uint8_t)bits_for(from[BLOCK_SLICES - 1].of[SLICE_START] -
						from[0].of[SLICE_START]);
	b.bits[SLICE_LENGTH] = (uint8_t)bits_for(length);
	b.bits[SLICE_VALUE] = (uint8_t)bits_for(high[0] - low[0]);
	b.bits[SLICE_NAME] = (uint8_t)bits_for(name);
	b.bits[SLICE_NUMBER] = (uint8_t)bits_for(high[1] - low[1]);
	for (unsigned g = 0; g < GROUPS; g++) {
		unsigned second = group_second[g];
		unsigned bits =
			b.bits[group_first[g]] + (second < SLICE_FIELDS ? b.bits[second] : 0);
		b.wide |= bits > 64 || (second < SLICE_FIELDS && b.bits[group_first[g]] == 64);
		b.width[g] = (uint8_t)((bits + 7) / 8);
	}
	return b;
}

/* The value may have any width: nothing follows it. */
static inline uint64_t
bits_mask(unsigned bits)
{
	return bits ? UINT64_MAX >> (64 - bits) : 0;
}

static size_t
block_bytes(const struct slice_block *b)
{
	return b->wide ? BLOCK_SLICES * sizeof(struct packed_slice)
		       : (size_t)BLOCK_SLICES * (b->width[0] + b->width[1] + b->width[2]);
}

/* Packs slices from index `from` on into a block. */
static struct slice_block
block_pack(struct slicepack *p, const struct packed_slice *from)
{
	struct slice_block b = block_form(from);
	uint64_t start = b.base[SLICE_START], value = b.base[SLICE_VALUE];
	uint64_t number = b.base[SLICE_NUMBER];

	b.at = slab_room(p, block_bytes(&b) + SLACK);
	b.slab = p->slab.n - 1;
	if (b.wide) {
		memcpy(b.at, from, block_bytes(&b));
		return b;
	}
	uint8_t *at[GROUPS] = {b.at};
	at[1] = at[0] + (size_t)BLOCK_SLICES * b.width[0];
	at[2] = at[1] + (size_t)BLOCK_SLICES * b.width[1];
	/* group by group: each word overwrites the excess bytes of the word before */
	for (uint32_t i = 0; i < BLOCK_SLICES; i++, at[0] += b.width[0])
		bytes_put_u64(at[0], (from[i].of[SLICE_START] - start) |
					from[i].of[SLICE_LENGTH] << b.bits[SLICE_START]);
	for (uint32_t i = 0; i < BLOCK_SLICES; i++, at[1] += b.width[1])
		bytes_put_u64(at[1], from[i].of[SLICE_VALUE] - value);
	for (uint32_t i = 0; i < BLOCK_SLICES; i++, at[2] += b.width[2])
		bytes_put_u64(at[2], from[i].of[SLICE_NAME] |
					(from[i].of[SLICE_NUMBER] - number) << b.bits[SLICE_NAME]);
	return b;
}

static void
block_unpack(const struct slice_block *b, struct packed_slice *to)
{
	uint64_t mask[SLICE_FIELDS];
	const uint8_t *at[GROUPS] = {b->at};

	if (b->wide) {
		memcpy(to, b->at, block_bytes(b));
		return;
	}
	for (unsigned f = 0; f < SLICE_FIELDS; f++)
		mask[f] = bits_mask(b->bits[f]);
	at[1] = at[0] + (size_t)BLOCK_SLICES * b->width[0];
	at[2] = at[1] + (size_t)BLOCK_SLICES * b->width[1];
	for (uint32_t i = 0; i < BLOCK_SLICES; i++) {
		uint64_t first = bytes_u64(at[0] + (size_t)i * b->width[0], false);
		uint64_t value = bytes_u64(at[1] + (size_t)i * b->width[1], false);
		uint64_t last = bytes_u64(at[2] + (size_t)i * b->width[2], false);
		to[i] = (struct packed_slice){.of = {
			[SLICE_START] = b->base[SLICE_START] + (first & mask[SLICE_START]),
			[SLICE_LENGTH] = first >> b->bits[SLICE_START] & mask[SLICE_LENGTH],
			[SLICE_VALUE] = b->base[SLICE_VALUE] + (value & mask[SLICE_VALUE]),
			[SLICE_NAME] = last & mask[SLICE_NAME],
			[SLICE_NUMBER] = b->base[SLICE_NUMBER] +
					 (last >> b->bits[SLICE_NAME] & mask[SLICE_NUMBER]),
		}};
	}
}

static __attribute__((noinline)) void
pack_older(struct slicepack *p)
{
	struct slice_block b = block_pack(p, p->open.at);

	*vec_push(&p->block) = b;
	p->last = p->open.at[BLOCK_SLICES - 1];
	p->open.n -= BLOCK_SLICES;
	memmove(p->open.at, p->open.at + BLOCK_SLICES, p->open.n * sizeof *p->open.at);
}

/* ---- adding ---- */

/* Returns the position among the n open slices of one that precedes the last of them. */
static size_t
open_place(const struct packed_slice *at, size_t n, const struct packed_slice *x)
{
	size_t low, high = n - 1, step = 1;

	while (step < n && before(x, &at[n - 1 - step])) {
		high = n - 1 - step;
		step *= 2;
	}
	low = step < n ? n - step : 0;
	return low + bisect(i, high - low, !before(x, &at[low + i]));
}

/* Inserts a slice that precedes the last one: at its position, or into the list of late ones. */
static __attribute__((noinline)) void
add_before(struct slicepack *p, const struct packed_slice *x)
{
	if ((p->block.n && before(x, &p->last)) || p->moves > MOVES_RATE * p->n + OPEN_MAX) {
		*vec_push(&p->late) = *x;
		return;
	}
	size_t n = p->open.n;
	vec_push(&p->open);
	/* Its position, if everything before it is still open */
	struct packed_slice *at = p->open.at + n;
	while (at > p->open.at && n - (size_t)(at - p->open.at) < NEAR && before(x, at - 1)) {
		*at = at[-1];
		at--;
	}
	if (at > p->open.at && before(x, at - 1)) {
		size_t place = open_place(p->open.at, (size_t)(at - p->open.at), x);
		size_t behind = (size_t)(at - p->open.at) - place;
		at = &p->open.at[place];
		memmove(at + 1, at, behind * sizeof *at);
	}
	*at = *x;
	p->moves += n - (size_t)(at - p->open.at);
}

/* Any slice. */
static __attribute__((noinline)) void
add_closer(struct slicepack *p, const struct packed_slice *x)
{
	if (p->open.n && before(x, &p->open.at[p->open.n - 1]))
		add_before(p, x);
	else if (!p->open.n && p->block.n && before(x, &p->last))
		*vec_push(&p->late) = *x;
	else
		*vec_push(&p->open) = *x;
	if (p->open.n == OPEN_MAX)
		pack_older(p);
}

void
slicepack_add(struct slicepack *p, const struct packed_slice *x)
{
	size_t n = p->open.n;

	p->n++;
	if (n && n < p->open.cap && n + 1 < OPEN_MAX &&
	    p->open.at[n - 1].of[SLICE_START] < x->of[SLICE_START])
		p->open.at[p->open.n++] = *x; /* as half of them */
	else
		add_closer(p, x);
}

void
slicepack_release(struct slicepack *p)
{
	for (size_t i = 0; i < p->slab.n; i++)
		if (p->slab.at[i].at)
			slab_free(&p->slab.at[i]);
	vec_release_all(&p->slab, &p->block, &p->open, &p->late);
	*p = (struct slicepack){0};
}

/* ---- reading slices ---- */

void
slicepack_read(struct slicepack_reader *r, struct slicepack *p, struct slice_pair *pair, size_t n,
	       bool takes)
{
	*r = (struct slicepack_reader){.p = p, .pair = pair, .n_pairs = n, .takes = takes};
	vec_sort(&p->late, compare_late);
	if (n)
		qsort(pair, n, sizeof *pair, compare_pairs);
	r->at = mem_alloc(OPEN_MAX, sizeof *r->at);
}

/* Reads the slices of the next block, or the open ones; returns false if there are none. */
static bool
read_more(struct slicepack_reader *r)
{
	struct slicepack *p = r->p;

	r->i = r->n = 0;
	if (r->block < p->block.n) {
		struct slice_block *b = &p->block.at[r->block++];
		block_unpack(b, r->at);
		r->n = BLOCK_SLICES;
		if (r->takes && r->block < p->block.n && b[1].slab != b->slab)
			slab_free(&p->slab.at[b->slab]);
	} else if (r->block == p->block.n && p->open.n) {
		r->block++;
		r->n = p->open.n;
		memcpy(r->at, p->open.at, r->n * sizeof *r->at);
	}
	return r->n;
}

size_t
slicepack_some(struct slicepack_reader *r, const struct packed_slice **out)
{
	if (r->next_late < r->p->late.n || r->next_pair < r->n_pairs)
		return 0;
	if (r->i == r->n && !read_more(r))
		return 0;
	size_t n = r->n - r->i;
	*out = &r->at[r->i];
	r->i = r->n;
	return n;
}

bool
slicepack_next(struct slicepack_reader *r, struct packed_slice *out, unsigned *flags)
{
	const struct slicepack *p = r->p;
	bool any = r->i < r->n || read_more(r);
	const struct packed_slice *first = any ? &r->at[r->i] : NULL;

	if (r->next_late < p->late.n &&
	    (!any || before(&p->late.at[r->next_late], first)))
		first = &p->late.at[r->next_late];
	*flags = 0;
	if (r->next_pair < r->n_pairs) {
		*out = of_pair(&r->pair[r->next_pair]);
		if (!first || before(out, first)) {
			*flags = r->pair[r->next_pair++].flags;
			return true;
		}
	}
	if (!first)
		return false;
	*out = *first;
	if (any && first == &r->at[r->i])
		r->i++;
	else
		r->next_late++;
	return true;
}

void
slicepack_read_end(struct slicepack_reader *r)
{
	if (r->takes)
		slicepack_release(r->p);
	free(r->at);
}
