/* answers.c - see answers.h.
 *
 * All answers read one fold by function, whatever granularity the lens has: the questions are
 * about functions. They share the rows of that fold, the weight of a sample and the error bars, so
 * an answer costs a pass over rows, nodes or events.
 *
 * Rejected: answers as SQL or as text in the manual. Most need loops over nodes and events, and
 * SQLite is optional. */
#include "model/answer/answers.h"

#include <stdlib.h>

#include "model/answer/answers_inside.h"
#include "model/fold/sample_weight.h"
#include "model/lens/regroup.h"

#define MOMENTS_LEAST 20u /* at which it is known how much memory is held */

static const struct answers_row *const answers_rows[] = {
#define ANSWERS_LISTED(name) &answer_##name,
	ANSWERS_ROWS(ANSWERS_LISTED)
#undef ANSWERS_LISTED
};

static const char *const lacks[] = {
#define ANSWERS_LACK(id, lack) [ANSWERS_PLACE_##id] = lack,
	ANSWERS_NEEDS(ANSWERS_LACK)
#undef ANSWERS_LACK
};

/* ---- needs ---- */

static bool
has_counters(const struct answers_work *w)
{
	for (track_id t = 0; t < w->p->n_tracks; t++)
		if (w->tracks[t] && w->p->track[t].kind == TRACK_COUNTER)
			return true;
	return false;
}

static unsigned
needs_met(const struct answers_work *w)
{
	enum track_kind kind;
	metric_id base;
	unsigned has = w->fold->now.everything > 0 ? ANSWERS_NEED_COSTS : 0;

	has |= answers_lanes(w, &kind, &base) ? ANSWERS_NEED_TIME : 0;
	has |= w->p->has_call_edges ? ANSWERS_NEED_CALLS : 0;
	has |= has_counters(w) ? ANSWERS_NEED_COUNTERS : 0;
	has |= answers_has_waits(w) ? ANSWERS_NEED_WAITS : 0;
	has |= w->fold->compares ? ANSWERS_NEED_BASE : 0;
	if ((w->live != METRIC_NONE || w->heap != TRACK_NONE) && w->to > w->from)
		has |= ANSWERS_NEED_LIVE;
	return has;
}

static void
say_lacking(struct answers_item *out, unsigned lacking)
{
	for (size_t i = 0; i < ANSWERS_PLACES; i++)
		if (lacking & 1u << i) {
			answers_say(out, "no answer: %s", lacks[i]);
			return;
		}
}

/* ---- all ---- */

static void
find_one(struct answers_work *w, unsigned has, struct answers_item *out)
{
	unsigned lacking = out->row->needs & ~has;

	out->lacks = lacking != 0;
	answers_show_init(w, out);
	if (lacking)
		say_lacking(out, lacking);
	else
		out->row->find(w, out);
	if (!out->lacks)
		answers_write_command(w, out);
}

/* Leaves out slices whose end the file lacks: they last as long as what is around them, which is
 * seldom true. A lens with entries about labels stays, since its user has chosen events. */
static bool
leave_unfinished(struct answers_work *w, const struct answers_asks *asks)
{
	static const char pattern[] = "!" LABEL_UNFINISHED ":" LABEL_UNFINISHED_YES;
	struct err e;

	if (asks->unfinished || regroup_asked(&w->lens) ||
	    labels_unfinished(&w->p->labels, &w->p->names) == LABEL_NONE)
		return true;
	err_init(&e);
	lens_add(&w->lens, VERB_WHERE, pattern, sizeof pattern - 1, &e);
	w->regroup = regroup_new();
	w->p = regroup_look(w->regroup, w->p, &w->lens, false, w->pace);
	return w->p != NULL;
}

/* Makes the fold of all answers; false if the pace cancelled or the lens does not fit. */
static bool
fold_asked(struct answers_work *w, const struct answers_asks *asks)
{
	struct lens base;
	struct err e;

	err_init(&e);
	w->fold = fold_beside(asks->kept ? NULL : asks->fold, w->p, &w->lens);
	w->fold->pace = w->pace;
	if (asks->kept)
		lens_base(asks->kept, &w->lens, &base);
	bool good = fold_update(w->fold, w->p, &w->lens, asks->kept ? &base : NULL, &e);
	if (asks->kept)
		lens_release(&base);
	w->fold->pace = NULL;
	return good;
}

/* Prepares what all answers share; false if the pace cancelled or the lens does not fit. */
static bool
answers_begin(struct answers_work *w, const struct answers_asks *asks)
{
	*w = (struct answers_work){
		.p = asks->p, .pace = asks->pace, .programs = asks->programs, .asks = asks};
	answers_wait_words(&w->waits);
	lens_copy(&w->lens, asks->lens);
	w->lens.by = BY_FUNCTION;
	w->lens.invert = false;
	if (!leave_unfinished(w, asks) || !fold_asked(w, asks))
		return false;
	fold_rows_paced(w->fold, &w->rows, w->pace);
	w->slice = fold_slice(w->fold, w->p, &w->tracks);
	for (track_id t = 0; t < w->p->n_tracks; t++) /* all but `change` are about the new side */
		w->tracks[t] &= !answers_is_base(w, w->p->track[t].group);
	w->weight = w->fold->metric == METRIC_NONE
			    ? 0
			    : sample_weight(w->p, &w->slice, &w->untimed);
	w->to = w->fold->whole || w->fold->to > w->fold->run ? w->fold->run : w->fold->to;
	w->from = w->fold->whole ? 0 : w->fold->from < w->to ? w->fold->from : w->to;
	answers_find_held(w, MOMENTS_LEAST);
	w->samples = w->weight > 0 ? answers_whole(w) / w->weight : 0;
	w->has_chance = w->samples > 0 && (!w->untimed || w->p->independent);
	return !pace_gives_up(w->pace);
}

static void
answers_end(struct answers_work *w)
{
	for (size_t i = 0; i < w->running.n; i++)
		answers_running_release(&w->running.at[i]);
	vec_release(&w->running);
	free(w->idle);
	answers_words_release(&w->waits);
	rows_release(&w->rows);
	free(w->tracks);
	if (w->has_bars)
		changes_release(&w->bars);
	lens_release(&w->lens);
	fold_free(w->fold);
	regroup_free(w->regroup);
}

static int
compare_items(const void *a, const void *b)
{
	const struct answers_item *x = a, *y = b;
	const struct answers_row *const *place = answers_rows;

	if (x->notable != y->notable)
		return x->notable > y->notable ? -1 : 1;
	/* A strong doubt concerns the other answers. */
	if (x->notable > 1 && (x->row == &answer_trust) != (y->row == &answer_trust))
		return x->row == &answer_trust ? -1 : 1;
	if (x->lacks != y->lacks)
		return x->lacks ? 1 : -1;
	while (*place != x->row && *place != y->row)
		place++;
	return *place == x->row ? -1 : 1;
}

void
answers_make(struct answers *out, const struct answers_asks *asks)
{
	struct answers_work w;
	size_t n = sizeof answers_rows / sizeof *answers_rows;

	answers_release(out);
	bool good = answers_begin(&w, asks);
	unsigned has = good ? needs_met(&w) : 0;
	for (size_t i = 0; good && i < n && !pace_gives_up(w.pace); i++) {
		struct answers_item *item = vec_push(&out->list);
		*item = (struct answers_item){.row = answers_rows[i]};
		find_one(&w, has, item);
	}
	out->complete = !pace_gives_up(w.pace);
	if (out->list.n > 1)
		qsort(out->list.at, out->list.n, sizeof *out->list.at, compare_items);
	answers_end(&w);
}

void
answers_release(struct answers *a)
{
	for (size_t i = 0; i < a->list.n; i++) {
		struct answers_item *item = &a->list.at[i];
		for (size_t k = 0; k < item->numbers.n; k++)
			free(item->numbers.at[k].subject);
		vec_release(&item->numbers);
		buf_release(&item->text);
		answers_show_release(&item->shown);
		buf_release(&item->command);
	}
	vec_release(&a->list);
}
