/* slowest.c - see slowest.h.
 *
 * The list shows a copy, sorted whenever the number of results has doubled, and at the end: sorting
 * after each portion would cost more than reading it. */
#include "ui/part/slowest.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/calls/callwalk.h"

#define PORTION 60000u /* events a frame */

void
slowest_init(struct slowest *w)
{
	struct slowest_wish first;

	slowest_read(&first, "");
	*w = (struct slowest){.key = KEY_NONE};
	slowest_set(w, &first);
}

void
slowest_release(struct slowest *w)
{
	calllist_free(w->list);
	pattern_unref(w->only);
	free(w->copy);
}

/* ---- the list ---- */

static int
by_column(const void *ctx, const struct call *a, const struct call *b)
{
	const struct slowest *w = ctx;
	int order = column_compare_calls(&table_columns[w->order.column], &w->look, a, b);

	return w->order.reverse ? -order : order;
}

static void
slowest_start(struct slowest *w, const struct scene *s)
{
	uint8_t *tracks;
	struct slice slice = fold_slice(s->fold, s->p, &tracks);
	struct calllist_asks asks = {
		.lens = s->lens,
		.range = &slice,
		.key = w->all ? KEY_NONE : w->key,
		.over = w->over,
		.finished = !w->unfinished,
		.function = w->only,
		.keep = LISTED_MAX,
		.order = by_column,
		.ctx = w,
	};

	calllist_free(w->list);
	w->list = NULL;
	w->n = 0;
	w->sorted = 0;
	w->done = true;
	w->stopped = w->stale = false;
	if (callwalk_has_calls(s->p) && (w->all || w->key != KEY_NONE)) {
		w->list = calllist_new(s->p, &asks);
		look_init(&w->look, s->p, NULL);
		w->look.tree = calllist_tree(w->list);
		w->done = false;
	}
	free(tracks);
}

/* Returns the place of the call that the cursor was on, if it is still listed. */
static int64_t
slowest_place_of(const struct slowest *w, const struct call *c)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (!call_compare(&w->call[i], c))
			return i;
	return -1;
}

static void
refresh(struct slowest *w)
{
	const struct call *call = calllist_sorted(w->list, &w->n);

	w->sorted = calllist_found(w->list);
	w->copy = mem_realloc(w->copy, (size_t)w->n + 1, sizeof *w->copy);
	if (w->n)
		memcpy(w->copy, call, w->n * sizeof *call);
	w->call = w->copy;
	int64_t place = w->pointed ? slowest_place_of(w, &w->here) : -1;
	w->at = place >= 0 ? place : scroll_clip(w->pointed ? w->at : 0, w->n);
}

void
slowest_stop(struct slowest *w)
{
	if (w->done || !w->list)
		return;
	w->done = w->stopped = true;
	w->step = 0;
	refresh(w);
}

/* ---- steps ---- */

/* Returns the place of the call at nav's moment; -1 if it is not listed. */
static int64_t
place_of_moment(const struct slowest *w, const struct nav *nav)
{
	for (uint32_t i = 0; nav->jumps && i < w->n; i++) {
		const struct call *c = &w->call[i];
		if (c->track == nav->track && c->start == nav->from &&
		    (c->start + c->duration == nav->to || !c->duration) &&
		    (!nav->deep || call_row(w->look.tree, c).key == nav->key))
			return i;
	}
	return -1;
}

static bool
is_moment(const struct slowest *w, const struct nav *nav)
{
	const struct call *c = &w->here;

	return w->pointed && c->track == nav->track && c->start == nav->from;
}

static void
take_step(struct slowest *w, struct scene *s)
{
	int64_t at = is_moment(w, s->nav) ? slowest_place_of(w, &w->here) : -1;

	at = at < 0 ? place_of_moment(w, s->nav) : at;
	slowest_point(w, at >= 0 ? at + w->step : w->step > 0 ? w->step - 1 : 0);
	w->step = 0;
	if (slowest_moment(w, s))
		s->nav->jumps++;
}

void
slowest_arrange(struct slowest *w, struct scene *s, key_id key)
{
	if (w->key != key && !w->all)
		w->stale = true;
	if (w->folds != s->folds || w->stale) {
		w->folds = s->folds;
		w->key = key;
		slowest_start(w, s);
	}
	if (w->list && !w->done) {
		w->done = calllist_run(w->list, PORTION);
		s->again |= !w->done;
		if (w->done || calllist_found(w->list) >= 2 * w->sorted + 1)
			refresh(w);
	}
	if (w->done && w->step)
		take_step(w, s);
}

void
slowest_step(struct slowest *w, int dir)
{
	w->step += dir; /* keys may come faster than the list */
}

/* ---- requests ---- */

void
slowest_all(struct slowest *w, bool all)
{
	w->stale |= w->all != all;
	w->all = all;
}

void
slowest_over(struct slowest *w, int64_t over)
{
	w->stale |= w->over != over;
	w->over = over;
}

void
slowest_unfinished(struct slowest *w, bool unfinished)
{
	w->stale |= w->unfinished != unfinished;
	w->unfinished = unfinished;
}

void
slowest_only(struct slowest *w, struct pattern *only)
{
	pattern_unref(w->only);
	w->only = only;
	w->all |= only != NULL;
	w->stale = true;
}

void
slowest_reorder(struct slowest *w)
{
	w->stale = true;
}

void
slowest_set(struct slowest *w, const struct slowest_wish *wish)
{
	w->all = wish->all;
	w->unfinished = wish->unfinished;
	w->over = wish->over;
	w->order = wish->order;
	w->stale = true;
}

struct slowest_wish
slowest_wish(const struct slowest *w)
{
	return (struct slowest_wish){w->all, w->unfinished, w->over, w->order};
}

void
slowest_write(const struct slowest_wish *wish, struct buf *out)
{
	struct slowest_wish first;

	slowest_read(&first, "");
	if (wish->order.column != first.order.column)
		buf_addf(out, " %s", table_columns[wish->order.column].name);
	buf_adds(out, wish->order.reverse ? " reversed" : "");
	buf_adds(out, wish->all ? " all" : "");
	buf_adds(out, wish->unfinished ? " unfinished" : "");
	if (wish->over >= 0)
		buf_addf(out, " over %lld", (long long)wish->over);
}

/* Skips `word` in *words if it comes next; returns true if so. */
static bool
slowest_take_word(const char **words, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*words, word, len) || ((*words)[len] && (*words)[len] != ' '))
		return false;
	*words += len;
	return true;
}

bool
slowest_read(struct slowest_wish *wish, const char *words)
{
	const struct table_column *of = column_find("duration", 8, ROWS_SLICES);

	*wish = (struct slowest_wish){.over = -1,
				      .order.column = (unsigned)(of - table_columns)};
	if (*words == ' ' && (of = column_find(words + 1, strcspn(words + 1, " "), ROWS_SLICES)) &&
	    of->title) {
		wish->order.column = (unsigned)(of - table_columns);
		words += 1 + strlen(of->name);
	}
	wish->order.reverse = slowest_take_word(&words, " reversed");
	wish->all = slowest_take_word(&words, " all");
	wish->unfinished = slowest_take_word(&words, " unfinished");
	if (!strncmp(words, " over ", 6) && words[6] >= '0' && words[6] <= '9') {
		char *end;
		wish->over = strtoll(words + 6, &end, 10);
		words = end;
	}
	return !*words;
}

/* ---- results ---- */

uint64_t
slowest_found(const struct slowest *w)
{
	return w->list ? calllist_found(w->list) : 0;
}

uint64_t
slowest_omitted(const struct slowest *w)
{
	return w->list ? calllist_unfinished(w->list) : 0;
}

void
slowest_progress(const struct slowest *w, uint64_t *read, uint64_t *all)
{
	*read = *all = 0;
	if (w->list)
		calllist_progress(w->list, read, all);
}

struct row
slowest_row(const struct slowest *w, int64_t i)
{
	return call_row(w->look.tree, &w->call[i]);
}

void
slowest_point(struct slowest *w, int64_t i)
{
	if (!w->n)
		return;
	w->at = scroll_clip(i, w->n);
	w->here = w->call[w->at];
	w->pointed = true;
}

/* Returns the number of displayed frames of its stack. */
static unsigned
depth_of(const struct slowest *w, const struct call *c)
{
	unsigned depth = 0;

	for (node_id n = w->look.tree->call_of[c->stack & CALL_STACK]; n != NODE_ROOT;
	     n = w->look.tree->parent[n])
		depth++;
	return depth;
}

bool
slowest_moment(struct slowest *w, struct scene *s)
{
	struct nav *nav = s->nav;

	if (w->at >= w->n)
		return false;
	slowest_point(w, w->at);
	key_id key = slowest_row(w, w->at).key;
	if (nav->key != key)
		nav_select_key(nav, s->fold, s->p, key);
	nav->track = w->here.track;
	nav->from = w->here.start;
	nav->to = w->here.duration ? w->here.start + w->here.duration : w->here.start + 1;
	nav->deep = s->fold->tree->inverted ? 0 : depth_of(w, &w->here);
	return true;
}
