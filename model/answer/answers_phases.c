/* answers_phases.c - does the work change over the run?  See model/fold/phases.h. */
#include "model/answer/answers_inside.h"

#include <string.h>

#include "model/base/chars.h"
#include "model/fold/phases.h"

/* Returns the work that has the largest part more in one phase than in the other. */
static unsigned
gains_most(const struct phases *x, unsigned in, unsigned than)
{
	double sum_in = 0, sum_than = 0, most = -1;
	unsigned best = 0;

	for (unsigned c = 0; c < x->works; c++) {
		sum_in += x->mix[in].of[c];
		sum_than += x->mix[than].of[c];
	}
	for (unsigned c = 0; c < x->works; c++) {
		double gain = x->mix[in].of[c] / (sum_in + 1e-9) -
			      x->mix[than].of[c] / (sum_than + 1e-9);
		if (gain > most) {
			most = gain;
			best = c;
		}
	}
	return best;
}

/* Appends the name of a work, or where its code is. Returns false if it has no name. */
static bool
name_work(const struct answers_work *w, const struct phases *x, unsigned work, struct buf *out)
{
	key_id key = work ? w->fold->tree->key[x->work[work]] : 0;
	bool named = work && !answers_nameless(w, key);

	if (named) {
		answers_function(w, key, out);
	} else if (!work) {
		buf_adds(out, "other work");
	} else {
		struct buf module = BUF_INIT;
		profile_show_name(w->p, profile_function(w->p, key).module, &module);
		buf_adds(out, "code ");
		if (module.len)
			buf_addf(out, "of %s ", base_name(buf_str(&module)));
		buf_adds(out, "without names");
		buf_release(&module);
	}
	return named || !work;
}

static void
say_phases(const struct answers_work *w, const struct phases *x, struct answers_item *out)
{
	struct buf from = BUF_INIT, to = BUF_INIT;
	bool named = name_work(w, x, gains_most(x, 0, 1), &from);

	named &= name_work(w, x, gains_most(x, 1, 0), &to);
	if (strcmp(buf_str(&from), buf_str(&to))) {
		answers_say(out, "the work changes at ");
		answers_say_time(out, x->cut[0]);
		answers_say(out, " from %s to %s", buf_str(&from), buf_str(&to));
	} else {
		answers_say(out, "the mix of functions changes at ");
		answers_say_time(out, x->cut[0]);
		answers_say(out, ", most of them %s", buf_str(&to));
		out->notable = 0; /* a reader cannot tell what changed */
	}
	buf_release(&from);
	buf_release(&to);
	answers_show_from(w, out, x->cut[0], true);
	if (out->notable > 1 && !named)
		out->notable = 1; /* `trust` reports missing names, and comes first */
	if (x->n > 1)
		answers_say(out, ", and %u time%s more", x->n - 1, x->n == 2 ? "" : "s");
}

static void
find_phases(struct answers_work *w, struct answers_item *out)
{
	struct phases x;

	phases_find(&x, &(struct phases_asks){.p = w->p,
					      .tree = w->fold->tree,
					      .numbers = &w->fold->now,
					      .slice = w->slice,
					      .from = w->from,
					      .to = w->to,
					      .windows = PHASES_WINDOWS,
					      .stretches = 10,
					      .pace = w->pace});
	answers_add(out, "", "count", "count", x.n);
	for (unsigned i = 0; i < x.n; i++)
		answers_add(out, "", "boundary", "ns", (double)x.cut[i]);
	out->notable = answers_level(x.n, 1);
	if (x.n)
		say_phases(w, &x, out);
	else
		answers_say(out, "the mix of top-level functions does not change");
}

const struct answers_row answer_phases = {
	.name = "phases",
	.question = "Does the work change over the run?",
	.guide = "ranges",
	.words = "--limit 10",
	.needs = ANSWERS_NEED_TIME | ANSWERS_NEED_COSTS,
	.find = find_phases,
};
