/* answers_say.c - the sentences and numbers of an answer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/answer/answers_inside.h"
#include "model/base/chars.h"
#include "model/profile/human.h"

#define NAME_HEAD 25u    /* characters of a long name in a sentence: those of its begin */
#define NAME_TAIL 34u    /* and of its end: related names often differ there only */
#define SAMPLES_FEW 1000 /* below this, a sentence names the number of samples */

void
answers_name(const struct answers_work *w, name_id name, struct buf *out)
{
	struct buf text = BUF_INIT;
	size_t chars = 0, head = 0, tail = 0;

	profile_show_name(w->p, name, &text);
	if (!text.len)
		buf_adds(&text, granularity_rows[BY_FUNCTION].nameless);
	for (size_t i = 0; i < text.len; i++)
		chars += !is_utf8_tail(text.at[i]);
	for (size_t i = 0, n = 0; i < text.len; i++) {
		n += !is_utf8_tail(text.at[i]);
		head += n <= NAME_HEAD;
		tail += n <= chars - NAME_TAIL;
	}
	if (chars > NAME_HEAD + NAME_TAIL + 1)
		buf_addf(out, "%.*s\xe2\x80\xa6%s", (int)head, text.at, text.at + tail);
	else
		buf_add(out, text.at, text.len);
	buf_release(&text);
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
answers_say_value(const struct answers_work *w, struct answers_item *out, track_id t, double v)
{
	static const struct metric bytes = {.unit = UNIT_BYTES};
	name_id id = w->p->track[t].value_unit;
	struct name unit = names_get(&w->p->names, id);
	bool whole = fabs(v) < 1e15 && !(v < floor(v)) && !(v > floor(v));

	if (whole && unit.len == 2 && !memcmp(unit.at, "ns", 2)) {
		answers_say_time(out, (int64_t)v);
		return;
	}
	if (whole && unit.len == 5 && !memcmp(unit.at, "bytes", 5)) {
		human_value(&out->text, (int64_t)v, &bytes);
		return;
	}
	if (whole)
		human_count(&out->text, (int64_t)v);
	else if (fabs(v) < 1e3)
		answers_say(out, "%.4g", v);
	else if (fabs(v) < 1e15)
		human_count(&out->text, (int64_t)round(v));
	else
		human_real(&out->text, v);
	if (unit.len) {
		answers_say(out, " ");
		profile_show_name(w->p, id, &out->text);
	}
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
