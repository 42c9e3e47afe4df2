#include "src/command/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/sum.h"
#include "model/compare/compare.h"
#include "model/profile/human.h"
#include "src/command/say.h"

/* The result of a comparison: a line above the table, and the gate of --fail-if, which checks
 * the functions, or whatever a frame means (--by), in any table. */

/* ---- the line ---- */

static bool
is_tree(const struct row *row)
{
	return row->node != NODE_ROOT;
}

static struct sides
sides_of(const struct row *row)
{
	return is_tree(row) ? row->exact_total : row->exact_self;
}

static double
change_of(const struct row *row)
{
	return sides_shown_change(sides_of(row));
}

void
report_find_changes(struct report *r)
{
	if (!r->fold || !r->fold->compares)
		return;
	r->grew.key = r->shrank.key = KEY_NONE;
	for (uint32_t i = 0; i < r->rows.n; i++) {
		struct row row = rows_get(&r->rows, i);
		double change = change_of(&row);
		if (change == 0 || row_sure(r->fold, &row, is_tree(&row)) != SURE_YES)
			continue;
		if (change > 0 && (r->grew.key == KEY_NONE || change > change_of(&r->grew)))
			r->grew = row;
		if (change < 0 && (r->shrank.key == KEY_NONE || change < change_of(&r->shrank)))
			r->shrank = row;
	}
}

static void
write_largest(const struct report *r, const struct row *row, const char *how, struct buf *out)
{
	if (row->key == KEY_NONE)
		return;
	buf_addf(out, "; %s most: ", how);
	profile_show_name(r->profile,
			  projection_key_name(r->fold->tree, r->profile, row->key), out);
	buf_addc(out, ' ');
	compare_both(r->look.metric, sides_of(row), out);
}

void
report_write_changes(const struct report *r, FILE *out)
{
	const struct fold *f = r->fold;
	const struct changes *c = &f->changes;
	struct row first = r->rows.n ? rows_get(&r->rows, 0) : (struct row){0};
	enum change_of of = is_tree(&first) ? CHANGE_NODE : CHANGE_SELF;
	struct buf text = BUF_INIT;

	if (!f->compares)
		return;
	if (c->shares)
		buf_adds(&text, "normalized: the base scaled to the same total; ");
	if (c->rates && (enum unit)r->look.axis == UNIT_NS)
		buf_addf(&text, "per second: the base times %.4g, for the same duration%s; ",
			 c->scale, c->hosts ? " of all hosts" : "");
	else if (c->rates)
		buf_addf(&text, "the base times %.4g, for as many %s; ", c->scale,
			 unit_name((enum unit)r->look.axis));
	if (!c->sampled && !c->files) {
		buf_adds(&text, c->untimed
					? "samples without time cannot show chance"
					: "chance is unknown");
	} else {
		human_count(&text, (int64_t)c->found[of]);
		buf_adds(&text, " of ");
		human_count(&text, (int64_t)c->tested[of]);
		buf_adds(&text, " rows changed surely");
		write_largest(r, &r->grew, "grew", &text);
		write_largest(r, &r->shrank, "fell", &text);
	}
	fprintf(out, "%s\n", buf_str(&text));
	buf_release(&text);
}

/* ---- the gate ---- */

enum gate { GATE_TOTAL, GATE_SELF, GATE_WHOLE, GATE_NEW, GATES };
static const char *const gate_names[GATES] = {"total", "self", "whole", "new"};

/* One term of EXPR: a quantity and its limit. */
struct limit {
	enum gate gate;
	double value; /* in units of the metric, or in per cent of the old total */
	bool percent;
	const char *text;
	int len;
};

static const struct unit_word {
	const char *word;
	enum unit unit;
	double times;
} unit_words[] = {
	{"ns", UNIT_NS, 1},     {"us", UNIT_NS, 1e3},     {"ms", UNIT_NS, 1e6},
	{"s", UNIT_NS, 1e9},    {"min", UNIT_NS, 60e9},   {"B", UNIT_BYTES, 1},
	{"kB", UNIT_BYTES, 1e3}, {"MB", UNIT_BYTES, 1e6}, {"GB", UNIT_BYTES, 1e9},
};

/* Reads one term, up to a comma or the end; returns NULL if it is invalid.  Sets *unit to the given
 * unit. */
static const char *
limit_read(const char *at, struct limit *out, const struct unit_word **unit)
{
	size_t len = strcspn(at, ">,");
	char *end;

	*out = (struct limit){.text = at, .gate = GATES};
	*unit = NULL;
	for (unsigned i = 0; i < GATES; i++)
		if (strlen(gate_names[i]) == len && !memcmp(at, gate_names[i], len))
			out->gate = (enum gate)i;
	if (out->gate == GATES || at[len] != '>')
		return NULL;
	at += len + 1;
	out->value = strtod(at, &end);
	if (end == at || !(out->value >= 0 && out->value < 1e18) || *at == '-' || *at == '+')
		return NULL;
	len = strcspn(end, ",");
	out->percent = len == 1 && *end == '%';
	for (size_t i = 0; i < sizeof unit_words / sizeof *unit_words; i++)
		if (strlen(unit_words[i].word) == len && !memcmp(end, unit_words[i].word, len))
			*unit = &unit_words[i];
	if (len && !out->percent && !*unit)
		return NULL;
	out->value *= *unit ? (*unit)->times : 1;
	out->len = (int)(end + len - out->text);
	return end + len;
}

bool
report_fail_check(const char *text, struct err *e)
{
	const struct unit_word *unit;
	struct limit limit;

	for (const char *at = text; at; at += *at == ',') {
		at = limit_read(at, &limit, &unit);
		if (!at)
			return err_usage(e, "--fail-if takes total>5%%, self>2ms, whole>1%% or "
					    "new>1%%, with commas between, not '%s'", text);
		if (!*at)
			return true;
	}
	return true;
}

/* True if the change exceeds the limit, and is more than chance where that matters. */
static bool
is_over(const struct report *r, const struct fold *f, const struct limit *limit,
	const struct row *row, bool unsure)
{
	bool total = limit->gate != GATE_SELF;
	struct sides x = total ? row->exact_total : row->exact_self;
	double most = limit->percent
			      ? limit->value / 100 * fabs((double)f->base.everything)
			      : limit->value * pow(10, r->look.metric->decimals);

	if (limit->gate == GATE_NEW && compare_fate(x) != FATE_NEW)
		return false;
	if (!(sides_shown_change(x) > most))
		return false;
	if (unsure)
		return true;
	return (row->key == KEY_NONE ? fold_sure(f, NODE_ROOT) : row_sure(f, row, total)) ==
	       SURE_YES;
}

static void
say_over(const struct report *r, const struct fold *f, const struct limit *limit,
	 const struct row *row)
{
	bool total = limit->gate != GATE_SELF;
	struct sides x = total ? row->exact_total : row->exact_self;
	struct evidence e = row->key == KEY_NONE ? changes_evidence(&f->changes, CHANGE_NODE,
								    NODE_ROOT,
								    row->exact_total)
						 : row_evidence(f, row, total);
	struct buf text = BUF_INIT;

	if (row->key == KEY_NONE)
		buf_adds(&text, "the whole");
	else
		profile_show_name(r->profile,
				  projection_key_name(f->tree, r->profile, row->key), &text);
	buf_addf(&text, ": %s ", total ? "total" : "self");
	compare_amount(r->look.metric, sides_shown_change(x), &text);
	if (e.known) {
		buf_adds(&text, " (");
		compare_amount(r->look.metric, e.low, &text);
		buf_adds(&text, " to ");
		compare_amount(r->look.metric, e.high, &text);
		buf_addc(&text, ')');
	}
	buf_adds(&text, ", from ");
	compare_value(r->look.metric, x.base, &text);
	buf_adds(&text, " to ");
	compare_value(r->look.metric, x.now, &text);
	fprintf(stderr, "pnav: over %.*s: %s\n", limit->len, limit->text, buf_str(&text));
	buf_release(&text);
}

static unsigned
fails_one(const struct report *r, const struct fold *f, const struct rows *rows,
	  const struct limit *limit, bool unsure)
{
	struct row whole = fold_node_row(f, NODE_ROOT);
	unsigned n = 0;

	whole.key = KEY_NONE;
	if (limit->gate == GATE_WHOLE) {
		n = is_over(r, f, limit, &whole, unsure);
		if (n)
			say_over(r, f, limit, &whole);
		return n;
	}
	for (uint32_t i = 0; i < rows->n; i++) {
		struct row row = rows_get(rows, i);
		if (is_over(r, f, limit, &row, unsure)) {
			say_over(r, f, limit, &row);
			n++;
		}
	}
	return n;
}

/* Sorts by change, the largest first. */
static int
by_growth(const void *a, const void *b, void *context)
{
	const struct key_numbers *of = context;
	key_id x = *(const key_id *)a, y = *(const key_id *)b;
	double dx = key_change(of, x, true), dy = key_change(of, y, true);

	return dx != dy ? (dx > dy ? -1 : 1) : (x > y) - (x < y);
}

/* A time cannot be a limit for samples. */
static bool
report_changes_fits(const struct report *r, const struct limit *limit, const struct unit_word *unit)
{
	if (!unit || (enum unit)r->look.metric->unit == unit->unit)
		return true;
	return err_usage(r->err, "--fail-if %.*s: the metric is in %s", limit->len, limit->text,
			 unit_name((enum unit)r->look.metric->unit));
}

bool
report_fail_fits(const struct report *r, const char *text)
{
	const struct unit_word *unit;
	struct limit limit;

	if (!r->fold || !r->look.metric)
		return err_usage(r->err, "--fail-if needs a view of functions, lines or stacks");
	for (const char *at = text; (at = limit_read(at, &limit, &unit));) {
		if (!report_changes_fits(r, &limit, unit))
			return false;
		if (*at++ != ',')
			break;
	}
	return true;
}

/* Reports what the gate could not check. */
static void
say_premise(const struct changes *c)
{
	if (c->untimed && !c->sampled)
		say_warning(
			"--fail-if",
			"samples without time cannot show chance, so no change is over the "
			"limit: use several files a side, --assume-independent or --unsure");
	else if (!c->sampled && !c->files)
		say_warning(
			"--fail-if",
			"chance is unknown, so no change is over the limit: use several files "
			"a side, or --unsure");
	else if (!c->files)
		say_warning("--fail-if", "one recording a side: changes from run to run are not in "
			    "the interval");
}

unsigned
report_fails(const struct report *r, const char *text, bool unsure)
{
	const struct fold *f = r->fold;
	const struct unit_word *unit;
	struct rows rows = {0};
	struct limit limit;
	unsigned n = 0;

	fold_rows(f, &rows);
	if (rows.n > 1)
		qsort_r(rows.key, rows.n, sizeof *rows.key, by_growth, &rows.of);
	for (const char *at = text; (at = limit_read(at, &limit, &unit));) {
		n += fails_one(r, f, &rows, &limit, unsure);
		if (*at++ != ',')
			break;
	}
	rows_release(&rows);
	if (!unsure)
		say_premise(&f->changes);
	return n;
}
