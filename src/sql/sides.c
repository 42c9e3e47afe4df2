/* sides.c - the column `side` in a comparison of files: old, new, or both.
 *
 * An event is of the side of its file.  Functions, stacks, metrics and label sets are shared by the
 * sides, so they are `both` if both sides use them.  The tallies of the comparison's fold say
 * which stacks have events of the metric; metrics and labels follow from the series of events. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include "model/base/mem.h"

enum { SIDE_OLD = 1, SIDE_NEW = 2 };

static void
result_side(sqlite3_context *out, unsigned bits)
{
	static const char *const name[] = {NULL, "old", "new", "both"};

	if (name[bits])
		sqlite3_result_text(out, name[bits], -1, SQLITE_STATIC);
}

static unsigned
sides_of_track(const struct profile *p, track_id t)
{
	return profile_is_base(p, t) ? SIDE_OLD : SIDE_NEW;
}

void
sql_result_side(struct sql *s, sqlite3_context *out, track_id track)
{
	result_side(out, sides_of_track(s->shown.p, track));
}

void
sql_result_group_side(struct sql *s, sqlite3_context *out, uint32_t group)
{
	const struct profile *p = s->shown.p;

	if (p->comparison == COMPARE_FILES)
		result_side(out, group < p->n_base ? SIDE_OLD : SIDE_NEW);
}

/* Marks visible stacks, and the frames and functions on them. */
static void
sides_of_stacks(struct sql *s)
{
	const struct tally *side[] = {&s->shown.fold->base_tally, &s->shown.fold->tally};
	const struct projection *tree = s->stacks.tree;
	uint8_t *stack = s->sides[SIDED_STACK];

	for (unsigned k = 0; k < 2; k++)
		for (stack_id i = 1; i < tree->n_stacks && i < side[k]->n; i++)
			if (side[k]->cell[i].hits && tree->node_of[i] != NODE_NONE)
				stack[shown_stacks_at(&s->stacks, tree->node_of[i], i)] |=
					k ? SIDE_NEW : SIDE_OLD;
	for (stack_id i = tree->n_stacks; i-- > 1;) {
		if (!stack[i] || !shown_stacks_has(&s->stacks, i))
			continue;
		stack[shown_stacks_parent(&s->stacks, i)] |= stack[i];
		s->sides[SIDED_FRAME][shown_stacks_frame(&s->stacks, i)] |= stack[i];
		s->sides[SIDED_FUNCTION][shown_stacks_function(&s->stacks, i)] |= stack[i];
	}
}

static void
sides_of_series(struct sql *s, const struct series *series)
{
	unsigned bits = sides_of_track(s->shown.p, series->track);

	for (unsigned m = 0; m < series->n_metrics; m++)
		if (series->metric[m] < s->shown.p->n_metrics)
			s->sides[SIDED_METRIC][series->metric[m]] |= (uint8_t)bits;
	for (uint32_t k = 0; series->labelled && k < series->n_chunks; k++) {
		const struct chunk *c = &series->chunk[k];
		for (uint32_t i = 0; i < c->n && !s->stopped; i++)
			s->sides[SIDED_LABELS][column_get(&c->labels, i)] |= (uint8_t)bits;
		if (sql_stopped(s))
			return;
	}
}

void
sql_result_sides(struct sql *s, sqlite3_context *out, enum sql_sided what, uint32_t id)
{
	const struct profile *p = s->shown.p;
	const uint32_t n[N_SIDED] = {
		[SIDED_STACK] = s->stacks.tree->n_stacks,
		[SIDED_FRAME] = p->frames.n,
		[SIDED_FUNCTION] = p->frames.n_functions,
		[SIDED_METRIC] = p->n_metrics,
		[SIDED_LABELS] = p->labels.n_sets,
	};

	if (!s->sides[0]) {
		for (unsigned i = 0; i < N_SIDED; i++)
			s->sides[i] = mem_zalloc((size_t)n[i] + 1, 1);
		sides_of_stacks(s);
		for (track_id t = 0; t < p->n_tracks; t++)
			for (uint32_t i = 0; i < p->track[t].n_series; i++)
				sides_of_series(s, p->track[t].series[i]);
	}
	result_side(out, s->sides[what][id]);
}

#endif
