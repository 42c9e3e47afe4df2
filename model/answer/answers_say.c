/* answers_say.c - the sentences and numbers of an answer. */
#include <stdlib.h>
#include <string.h>

#include "model/answer/answers_inside.h"
#include "model/profile/human.h"

#define NAME_MOST 60u    /* characters of a name in a sentence */
#define SAMPLES_FEW 1000 /* below this, a sentence names the number of samples */

void
answers_name(const struct answers_work *w, name_id name, struct buf *out)
{
	size_t at = out->len, chars = 0;

	profile_show_name(w->p, name, out);
	if (out->len == at)
		buf_adds(out, granularity_rows[BY_FUNCTION].nameless);
	for (size_t i = at; i < out->len; i++) {
		bool begins = ((unsigned char)out->at[i] & 0xC0) != 0x80;
		if (begins && ++chars > NAME_MOST) {
			out->len = i;
			buf_adds(out, "\xe2\x80\xa6");
			return;
		}
	}
}

void
answers_function(const struct answers_work *w, key_id key, struct buf *out)
{
	answers_name(w, w->p->frames.function.name[key], out);
}

struct answers_number *
answers_add(struct answers_item *out, const char *subject, const char *name, const char *unit,
	    double value)
{
	struct answers_number *n = vec_push(&out->numbers);

	*n = (struct answers_number){.subject = mem_dup(subject, strlen(subject)),
				     .name = name, .unit = unit, .value = value};
	return n;
}

struct answers_number *
answers_add_of(const struct answers_work *w, struct answers_item *out, name_id subject,
	       const char *name, const char *unit, double value)
{
	struct buf text = BUF_INIT;

	if (w->programs)
		profile_write_name(w->p, subject, &text);
	else
		profile_show_name(w->p, subject, &text);
	struct answers_number *n = answers_add(out, buf_str(&text), name, unit, value);
	buf_release(&text);
	return n;
}

struct answers_number *
answers_add_share(const struct answers_work *w, struct answers_item *out, const char *subject,
		  double part)
{
	double whole = answers_whole(w);
	struct answers_number *n = answers_add(out, subject, "share", "%", 100 * part / whole);

	if (w->has_chance) {
		n->bounded = true;
		evidence_wilson(part / w->weight, w->samples, &n->low, &n->high);
		n->low *= 100;
		n->high *= 100;
	}
	return n;
}

struct evidence
answers_bar(struct answers_work *w, const struct row *row)
{
	double scale = 100 / answers_whole(w);
	struct evidence e = {0};

	if (w->has_chance && !w->untimed) {
		if (!w->has_bars)
			fold_bars(w->fold, w->p, w->pace, &w->bars);
		w->has_bars = true;
		e = row_bar(&w->bars, row, false);
		e.low *= scale;
		e.high *= scale;
	} else if (w->has_chance) {
		e.known = true;
		evidence_wilson((double)row->self / w->weight, w->samples, &e.low, &e.high);
		e.low *= 100;
		e.high *= 100;
	}
	e.low = e.low < 0 ? 0 : e.low;
	e.high = e.high > 100 ? 100 : e.high;
	return e;
}

void
answers_say_interval(struct answers_item *out, const struct answers_number *n)
{
	if (n->bounded)
		answers_say(out, " (%.1f %% to %.1f %%)", n->low, n->high);
}

void
answers_say_samples(const struct answers_work *w, struct answers_item *out)
{
	if (w->samples > 0 && w->samples < SAMPLES_FEW)
		answers_say(out, ", from %.0f sample%s", w->samples,
			    w->samples < 1.5 ? "" : "s");
}

unsigned
answers_level(double v, double threshold)
{
	return (v >= threshold) + (v >= 2 * threshold);
}

void
answers_say_time(struct answers_item *out, int64_t v)
{
	human_time(&out->text, v, UNIT_NS);
}

struct moment
answers_moment(const struct answers_work *w, int64_t v)
{
	bool ns = w->p->n_groups && w->p->group[0].axis == UNIT_NS;

	return (struct moment){.kind = ns ? MOMENT_NS : MOMENT_ORDINAL, .value = v};
}

static int
compare_reals(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double
answers_median(double *v, size_t n)
{
	if (n)
		qsort(v, n, sizeof *v, compare_reals);
	return n ? v[n / 2] : 0;
}

struct answers_line
answers_fit(const double *v, unsigned n)
{
	struct answers_line l = {0};

	for (unsigned i = 0; i < n; i++)
		l.mean += v[i] / n;
	for (unsigned i = 0; i < n; i++) {
		double x = i - (n - 1) / 2.0;
		l.slope += x * v[i];
		l.places += x * x;
	}
	l.slope /= l.places;
	for (unsigned i = 0; i < n; i++) {
		double off = v[i] - answers_line_at(&l, i, n);
		l.rest += off * off;
	}
	return l;
}
