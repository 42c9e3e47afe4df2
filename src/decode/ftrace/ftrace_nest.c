/* Times of function_graph's calls.
 *
 * The column of times is cut to whole microseconds, DURATION has nanoseconds, and the braces say
 * which call is in which. A call of 0.6 us mostly begins and ends in the same microsecond:
 *
 *	100.000396 |           |  vfs_read() {
 *	100.000396 | 0.150 us  |    fsnotify();
 *	100.000396 | 0.200 us  |    rw_verify_area();
 *	100.000396 | 0.600 us  |  }
 *
 * So the braces and the durations count, and the times only place the calls. An outermost call
 * begins at its time. A call in it begins at its own time too, but not before the previous one has
 * ended, and early enough for itself and the calls that follow it to fit into the outer one:
 *
 *	start = max(min(time, end of the outer one - lengths from here on), end of the previous one)
 *
 * The lengths of the calls that follow are known when the outermost call ends, so its calls wait
 * until then. Their slices are there already, and get other times. */
#include "src/decode/ftrace/ftrace.h"

#include "model/base/sum.h"

#define NO_PARENT UINT32_MAX
#define COLUMN_NS 1000 /* a time is cut by less than this */

static struct ftrace_nest *
nest_of(struct ftrace *f, uint32_t track)
{
	while (f->nests.n <= track)
		*vec_push(&f->nests) = (struct ftrace_nest){.free_ns = INT64_MIN};
	return &f->nests.at[track];
}

static void
node_add(struct ftrace_nest *t, uint32_t slice, int64_t time_ns, int64_t length_ns)
{
	*vec_push(&t->node) = (struct ftrace_node){
		.slice = slice,
		.parent = t->open.n ? t->open.at[t->open.n - 1] : NO_PARENT,
		.start_ns = time_ns,
		.length_ns = length_ns,
	};
}

/* Adds up the lengths of calls and of those that follow in the same call. A call is at least as
 * long as its contents. */
static void
lengths_add(struct ftrace_nest *t)
{
	for (size_t i = t->node.n; i-- > 0;) {
		struct ftrace_node *x = &t->node.at[i];
		struct ftrace_node *outer = x->parent == NO_PARENT ? NULL : &t->node.at[x->parent];
		if (x->length_ns >= 0 && x->length_ns < x->inner_ns)
			x->length_ns = x->inner_ns;
		x->rest_ns = x->length_ns >= 0 ? x->length_ns : x->inner_ns;
		if (outer)
			outer->inner_ns = x->rest_ns = sum_clipped(x->rest_ns, outer->inner_ns);
	}
}

/* Returns the start of a call, whose outer one has its own already. */
static int64_t
start_of(const struct ftrace_nest *t, const struct ftrace_node *x)
{
	if (x->parent == NO_PARENT) /* times that are further apart are not only cut */
		return x->start_ns < t->free_ns && t->free_ns - x->start_ns <= COLUMN_NS
			       ? t->free_ns
			       : x->start_ns;
	const struct ftrace_node *outer = &t->node.at[x->parent];
	int64_t start = x->start_ns;
	if (outer->length_ns >= 0) {
		int64_t last = difference_clipped(sum_clipped(outer->start_ns, outer->length_ns),
						  x->rest_ns);
		start = start < last ? start : last;
	}
	return start > outer->free_ns ? start : outer->free_ns;
}

/* Gives all calls that wait their times. */
static void
nest_place(struct ftrace *f, uint32_t track)
{
	struct slices *slices = &f->cast.track.at[track].slices;
	struct ftrace_nest *t = &f->nests.at[track];

	lengths_add(t);
	for (size_t i = 0; i < t->node.n; i++) {
		struct ftrace_node *x = &t->node.at[i];
		x->start_ns = x->free_ns = start_of(t, x);
		int64_t end = x->length_ns < 0 ? x->start_ns
					       : sum_clipped(x->start_ns, x->length_ns);
		*(x->parent == NO_PARENT ? &t->free_ns : &t->node.at[x->parent].free_ns) = end;
		slices->at[x->slice].start = slices_tick(x->start_ns);
		if (x->length_ns >= 0)
			slices_end(slices, x->slice, slices_tick(end), 0);
		cast_reach(&f->cast, track, end);
	}
	t->node.n = t->open.n = 0;
}

void
ftrace_nest_begin(struct ftrace *f, uint32_t track, int64_t time_ns)
{
	struct ftrace_nest *t = nest_of(f, track);

	node_add(t, (uint32_t)f->cast.track.at[track].slices.n - 1, time_ns, -1);
	*vec_push(&t->open) = (uint32_t)t->node.n - 1;
}

void
ftrace_nest_leaf(struct ftrace *f, uint32_t track, int64_t time_ns, int64_t length_ns)
{
	struct ftrace_nest *t = nest_of(f, track);

	node_add(t, (uint32_t)f->cast.track.at[track].slices.n - 1, time_ns, length_ns);
	if (!t->open.n)
		nest_place(f, track);
}

void
ftrace_nest_end(struct ftrace *f, uint32_t track, uint32_t slice, int64_t time_ns,
		int64_t duration_ns)
{
	struct ftrace_nest *t = nest_of(f, track);

	if (!t->open.n || t->node.at[t->open.at[t->open.n - 1]].slice != slice) {
		t->node.n = t->open.n = 0; /* of a mark in between: all times stay */
		return;
	}
	struct ftrace_node *x = &t->node.at[t->open.at[--t->open.n]];
	int64_t lasted = difference_clipped(time_ns, x->start_ns);
	lasted = lasted < 0 ? 0 : lasted;
	/* a longer one is that of a call whose begin was lost */
	x->length_ns = duration_ns >= 0 && duration_ns <= sum_clipped(lasted, COLUMN_NS)
			       ? duration_ns
			       : lasted;
	if (!t->open.n)
		nest_place(f, track);
}

void
ftrace_nests_end(struct ftrace *f)
{
	for (uint32_t i = 0; i < f->nests.n; i++)
		nest_place(f, i);
}

void
ftrace_nests_release(struct ftrace *f)
{
	for (size_t i = 0; i < f->nests.n; i++)
		vec_release_all(&f->nests.at[i].node, &f->nests.at[i].open);
	vec_release(&f->nests);
}
