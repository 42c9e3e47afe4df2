/* linecost.c - see linecost.h.
 *
 * A fold by line has a key for each (file, line, function). Several keys may be one line of a
 * file: functions that were inlined there, or that share a line. Their totals cannot be added,
 * since one may call the other. So the tree is walked once with a count of how often each line
 * is on the path, and only the outermost occurrence adds its total.
 *
 * Costs the nodes and the keys, once per fold. Computing all files at once was rejected: every
 * step of the scrubber would pay for files that are not shown. */
#include "model/fold/linecost.h"

#include <stdlib.h>

#include "model/base/bisect.h"
#include "model/base/mem.h"
#include "model/base/ordered.h"

#define SLOT_NONE UINT32_MAX

void
linecosts_release(struct linecosts *c)
{
	vec_release(&c->all);
}

size_t
linecosts_from(const struct linecosts *c, uint32_t line)
{
	return bisect(i, c->all.n, c->all.at[i].line < line);
}

size_t
linecosts_at(const struct linecosts *c, uint32_t line)
{
	size_t i = linecosts_from(c, line);

	return i < c->all.n && c->all.at[i].line == line ? i : LINECOST_NONE;
}

struct adding {
	const struct fold *fold;
	const struct profile *profile;
	name_id file;
	uint32_t *slot; /* [key] which line of the file it is; SLOT_NONE */
	uint32_t *open; /* [line] how often it is on the path */
};

/* Returns the line for which a key counts; 0: not a line of this file. */
static uint32_t
linecost_line_of(const struct adding *x, key_id key, bool *whole)
{
	const struct projection *t = x->fold->tree;
	function_id f = projection_key_function(t, x->profile, key);
	struct function fn = profile_function(x->profile, f);
	struct line line = projection_key_line(t, x->profile, key);

	if (fn.file != x->file)
		return 0;
	*whole = line.form == LINE_UNKNOWN;
	return *whole ? fn.line : line.number;
}

ORDERED_BY(by_line, struct linecost, line)

/* Merges equal lines, which are adjacent. */
static void
merge_lines(struct linecosts *c)
{
	struct linecost *at = c->all.at;
	size_t n = 0;

	for (size_t i = 0; i < c->all.n; i++)
		if (n && at[n - 1].line == at[i].line)
			at[n - 1].whole &= at[i].whole;
		else
			at[n++] = at[i];
	c->all.n = n;
}

static void
make_slots(struct linecosts *c, struct adding *x, struct pace *pace)
{
	const struct projection *t = x->fold->tree;

	x->slot = mem_alloc((size_t)t->n_keys + 1, sizeof *x->slot);
	for (key_id k = 0; k < t->n_keys; k++)
		x->slot[k] = SLOT_NONE;
	for (node_id i = 1; i < t->n && pace_on(pace, 1); i++) {
		struct linecost line = {.key = t->key[i]};
		if (x->slot[line.key] != SLOT_NONE || !fold_shows(x->fold, i))
			continue;
		x->slot[line.key] = 0;
		line.line = linecost_line_of(x, line.key, &line.whole);
		if (line.line)
			*vec_push(&c->all) = line;
	}
	if (c->all.n > 1)
		qsort(c->all.at, c->all.n, sizeof *c->all.at, by_line);
	merge_lines(c);
	for (key_id k = 0; k < t->n_keys && pace_on(pace, 1); k++) {
		bool whole;
		if (x->slot[k] == SLOT_NONE)
			continue;
		uint32_t line = linecost_line_of(x, k, &whole);
		x->slot[k] = line ? (uint32_t)linecosts_at(c, line) : SLOT_NONE;
	}
}

static void
enter_node(struct linecosts *c, struct adding *x, node_id i)
{
	const struct fold_numbers *now = &x->fold->now;
	key_id key = x->fold->tree->key[i];

	if (x->slot[key] == SLOT_NONE)
		return;
	struct linecost *line = &c->all.at[x->slot[key]];
	line->self += numbers_recorded_self(now, x->fold->tree, i);
	if (!x->open[x->slot[key]]++)
		line->total += now->recorded.total[i];
	if (now->recorded.total[i] > line->most) {
		line->most = now->recorded.total[i];
		line->key = key;
	}
}

static void
leave_node(struct adding *x, node_id i)
{
	uint32_t slot = x->slot[x->fold->tree->key[i]];

	if (slot != SLOT_NONE)
		x->open[slot]--;
}

void
linecosts_make(struct linecosts *c, const struct fold *f, const struct profile *p, name_id file,
	       struct pace *pace)
{
	struct adding x = {.fold = f, .profile = p, .file = file};

	c->all.n = 0;
	make_slots(c, &x, pace);
	x.open = mem_zalloc(c->all.n + 1, sizeof *x.open);
	for (struct walk w = walk_begin(); walk_on(f->tree, &w) && pace_on(pace, 1);)
		if (w.enters)
			enter_node(c, &x, w.node);
		else
			leave_node(&x, w.node);
	for (size_t i = 0; i < c->all.n; i++) {
		c->all.at[i].self = numbers_scaled(c->all.at[i].self, f->now.by);
		c->all.at[i].total = numbers_scaled(c->all.at[i].total, f->now.by);
	}
	if (pace_gives_up(pace))
		c->all.n = 0;
	free(x.slot);
	free(x.open);
}
