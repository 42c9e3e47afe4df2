/* slices_list.c - stores slices until they are written, and sorts them.
 *
 * Memory: 24 bytes a slice.  The second word has the length in its 36 lowest bits, then the
 * name in 24 bits, then flags.  Slices with larger numbers are in a separate list.
 *
 * Order: a parent ends after its children.  So in the order of ends it directly follows the
 * subtree that it must precede, and insertion moves a slice by the number of its descendants,
 * with one memmove.  All moves together are the sum of the depths.  For an input in another
 * order that could be quadratic, so the moves are counted, and a merge sort takes over when
 * there are more than an ordinary file needs. Rejected: a merge sort at once (log n passes over
 * memory), a radix sort (8 passes). */
#include "src/decode/common/slices_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/mem.h"
#include "model/base/vec.h"

#define MOVES_RATE 64u /* moves a slice, on average */

static uint64_t
wide_put(struct slices *s, uint64_t length, uint32_t name)
{
	vec_room(s->wide, s->wide_cap, s->n_wide + 1);
	s->wide[s->n_wide] = (struct slice_wide){.length = length, .name = name};
	return s->n_wide++ | SLICE_WIDE;
}

void
slices_add(struct slices *s, uint64_t start, uint64_t length, uint32_t name,
	       uint64_t value, unsigned flags)
{
	uint64_t packed = length | (uint64_t)name << SLICE_LENGTH_BITS;

	if (length >> SLICE_LENGTH_BITS || name >> SLICE_NAME_BITS)
		packed = wide_put(s, length, name);
	vec_room(s->at, s->cap, s->n + 1);
	s->at[s->n++] = (struct slices_one){
		.start = start,
		.packed = packed | (uint64_t)flags << SLICE_FLAGS_AT,
		.value = value,
	};
}

void
slices_release(struct slices *s)
{
	free_all(s->at, s->wide);
	*s = (struct slices){0};
}

void
slices_end(struct slices *s, size_t i, uint64_t end, unsigned flags)
{
	struct slices_one *x = &s->at[i];
	uint64_t length = end > x->start ? end - x->start : 0;
	uint32_t name = slices_unpack(s, x->packed).name;
	uint64_t packed = length | (uint64_t)name << SLICE_LENGTH_BITS;

	if (x->packed & SLICE_WIDE) {
		packed = x->packed & (SLICE_WIDE | (((uint64_t)1 << SLICE_FLAGS_AT) - 1));
		s->wide[packed & ~SLICE_WIDE].length = length;
	} else if (length >> SLICE_LENGTH_BITS) {
		packed = wide_put(s, length, name);
	}
	x->packed = packed | (uint64_t)flags << SLICE_FLAGS_AT;
}

labels_id
slices_unfinished_labels(labels_id labels, struct builder *b)
{
	name_id key = builder_name(b, LABEL_UNFINISHED, strlen(LABEL_UNFINISHED));
	name_id yes = builder_name(b, LABEL_UNFINISHED_YES, strlen(LABEL_UNFINISHED_YES));

	builder_warn(b, "slices without an end, which last as long as what is around them");
	return builder_labels_with(b, labels, builder_label_text(b, key, yes));
}

void
slices_unfinished(struct slices *s, size_t i, struct builder *b)
{
	uint64_t value = s->at[i].value;

	s->at[i].value = slices_owned((uint32_t)(value >> 32),
				      slices_unfinished_labels((labels_id)value, b));
}

/* ---- order: by start, then the longer first, then as they came ---- */

/* Returns true if slice a, which was added after b, precedes it. */
static inline bool
before(const struct slices *s, const struct slices_one *a, const struct slices_one *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	uint64_t length = slices_unpack(s, b->packed).length;
	return slices_unpack(s, a->packed).length > length && (length || !s->parents_first);
}

/* Merges two ordered runs; of equals, those of the first come first. */
static void
slices_merge(const struct slices *s, const struct slices_one *a, size_t n_a,
	     const struct slices_one *b, size_t n_b, struct slices_one *out)
{
	while (n_a && n_b) {
		if (before(s, b, a)) {
			*out++ = *b++;
			n_b--;
		} else {
			*out++ = *a++;
			n_a--;
		}
	}
	if (n_a)
		memcpy(out, a, n_a * sizeof *a);
	if (n_b)
		memcpy(out + n_a, b, n_b * sizeof *b);
}

static void
merge_sort(struct slices *s)
{
	struct slices_one *from = s->at, *to = mem_alloc(s->n, sizeof *to);

	for (size_t run = 1; run < s->n; run *= 2) {
		for (size_t i = 0; i < s->n; i += 2 * run) {
			size_t left = s->n - i, n_a = run < left ? run : left;
			size_t n_b = left - n_a < run ? left - n_a : run;
			slices_merge(s, from + i, n_a, from + i + n_a, n_b, to + i);
		}
		struct slices_one *swap = from;
		from = to;
		to = swap;
	}
	free(to);
	s->at = from;
	s->cap = s->n;
}

/* Returns the position among the first n of a slice that precedes the last of them. */
static size_t
insertion_place(const struct slices *s, size_t n, const struct slices_one *x)
{
	size_t low = 0, high = n - 1, step = 1;

	while (step < n && before(s, x, &s->at[n - 1 - step])) {
		high = n - 1 - step;
		step *= 2;
	}
	low = step < n ? n - step : 0;
	return low + bisect(i, high - low, !before(s, x, &s->at[low + i]));
}

void
slices_sort(struct slices *s)
{
	uint64_t moves = 0, most = MOVES_RATE * (uint64_t)s->n;

	for (size_t i = 1; i < s->n; i++) {
		struct slices_one x = s->at[i];
		if (!before(s, &x, &s->at[i - 1]))
			continue;
		size_t place = insertion_place(s, i, &x);
		moves += i - place;
		if (moves > most) {
			merge_sort(s);
			return;
		}
		memmove(&s->at[place + 1], &s->at[place], (i - place) * sizeof x);
		s->at[place] = x;
	}
}
