/* app_name.c - a card of the selection: its whole name, place and numbers, on any screen. */
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/fold/labelsum.h"
#include "model/profile/human.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_draw.h"
#include "ui/app/app_front.h"
#include "ui/part/card.h"
#include "ui/part/show.h"
#include "ui/screen/clock.h"

#define LABELS_MAX 8u
#define LABELS_NS 12000000 /* the card opens at once: no key may wait for many events */

/* The pager indents by two columns. */
static int
line_cols(const struct app *a)
{
	return a->canvas.w - 4;
}

struct card_pace {
	struct pace pace; /* the first member */
	int64_t until_ns;
};

static bool
rest_card(struct pace *p)
{
	return clock_ns() < ((struct card_pace *)p)->until_ns;
}

ORDERED_LARGEST(compare_labels, struct label_row, self, label)

/* Sums the labels of events at and below the selected stack; returns false if that takes too
 * long. */
static bool
sum_labels(const struct app *a, struct labelsum *out)
{
	const struct projection *t = a->look.fold->tree;
	struct card_pace by = {.pace = {.rest = rest_card, .every = PACE_STEPS},
			       .until_ns = clock_ns() + LABELS_NS};
	bool waits = a->screen->scripted;
	node_id top = a->nav.node;
	uint8_t *below = mem_zalloc(t->n - top, 1);

	for (node_id n = top; n < t->n && pace_on(waits ? NULL : &by.pace, 1); n++) {
		node_id parent = t->parent[n];
		below[n - top] = n == top || (parent >= top && parent < n && below[parent - top]);
	}
	labelsum_below(a->scene.p, a->look.fold, top, below, waits ? NULL : &by.pace, out);
	free(below);
	return waits || !pace_gives_up(&by.pace);
}

/* Writes the labels with the largest self, and their shares of the stack's total. */
static void
add_labels(const struct app *a, struct buf *out)
{
	const struct profile *p = a->scene.p;
	const struct fold *f = a->look.fold;
	int64_t whole = a->nav.node < f->tree->n ? f->now.recorded.total[a->nav.node] : 0;
	struct labelsum sum;

	if (!p->labels.n_labels || a->nav.away || whole <= 0)
		return;
	if (!sum_labels(a, &sum))
		buf_adds(out, "\nlabels: of too many events; the detail pane (D) has them\n");
	if (sum.n)
		qsort(sum.at, sum.n, sizeof *sum.at, compare_labels);
	for (uint32_t i = 0; i < sum.n && i < LABELS_MAX && sum.at[i].self > 0; i++) {
		const struct label *l = &p->labels.label[sum.at[i].label];
		struct buf line = BUF_INIT;
		buf_adds(&line, "label ");
		profile_show_name(p, l->key, &line);
		buf_addc(&line, '=');
		profile_write_label(p, l, false, &line);
		buf_adds(&line, "  ");
		human_share(&line, sum.at[i].self, whole);
		if (!i)
			buf_addc(out, '\n');
		card_wrap(buf_str(&line), line_cols(a), out);
		buf_release(&line);
	}
	labelsum_release(&sum);
}

static void
app_show_name(struct app *a)
{
	struct buf out = BUF_INIT;
	struct row row = {.key = a->nav.key, .calls = -1};
	void *state = app_view_ready(a);
	/* as the line below the view, which describes one place in the tree and in the flame */
	bool own = a->nav.key != KEY_NONE && !a->nav.away &&
		   a->open.view->describe(state, &a->scene, &row) && row.key == a->nav.key;
	if (a->nav.key != KEY_NONE && !own)
		show_row(&a->scene, a->nav.key, &row);
	card_write(&a->scene, &row, line_cols(a), &out);
	add_labels(a, &out);
	if (a->open.view->card) {
		buf_addc(&out, '\n');
		a->open.view->card(app_view_ready(a), &a->scene, &out);
	}
	app_pager(a, "the selection", buf_str(&out), out.len);
	buf_release(&out);
}

const struct app_action app_name_actions[] = {
	{ACTION_NAME, app_show_name},
	{ACTION_NONE, NULL},
};
