#include "model/fold/labelsum.h"
#include "model/table/columns_inside.h"

#include <math.h>
#include <string.h>

#include "model/base/sum.h"
#include "model/fold/keys.h"
#include "model/profile/human.h"
#include "model/profile/profile.h"
#include "model/table/facts.h"

/* The table of columns. Self %, Disp % and User % are profile(1)'s three percentages: of
 * everything, of what is displayed, and of the user's own functions.
 *
 * Column functions are intentionally many and small: each returns one thing about one row, and
 * no printer needs to know which column it prints. */

void
look_init(struct look *l, const struct profile *p, const struct fold *f)
{
	*l = (struct look){.p = p, .fold = f, .one_axis = p->n_groups > 0};
	for (uint32_t i = 0; i < p->n_groups; i++)
		l->one_axis &= p->group[i].axis == p->group[0].axis;
	l->axis = p->n_groups ? (enum unit)p->group[0].axis : UNIT_NS;
	/* in a file without time, the unit is the instructions that calls cost */
	if (p->recorded.per_call && p->n_groups && !p->group[0].has_time)
		l->axis = (enum unit)p->recorded.unit;
	if (!f)
		return;
	l->tree = f->tree;
	l->metric = f->metric == METRIC_NONE ? NULL : &p->metric[f->metric];
	l->compares = f->compares;
	l->whole = f->now.everything;
}

bool
look_is_user(const struct look *l, const struct row *r)
{
	struct function f;

	return key_function(l->tree, l->p, r->key, &f) && f.kind == KIND_USER;
}

/* ---- whether there is anything to show ---- */

static bool
alone(const struct look *l)
{
	return !l->compares;
}

static bool
has_calls(const struct look *l)
{
	return l->fold && l->fold->now.calls != NULL && alone(l);
}

static bool
has_call_times(const struct look *l)
{
	return l->calls != NULL && alone(l);
}

static bool
has_functions(const struct look *l)
{
	return l->tree && !granularity_rows[l->tree->by].keys_are_names;
}

static bool
has_users(const struct look *l)
{
	return has_functions(l) && alone(l);
}

static bool
has_modules(const struct look *l)
{
	return has_functions(l) && l->p->frames.function.module;
}

static bool
has_files(const struct look *l)
{
	return has_functions(l) && l->p->frames.function.file;
}

/* ---- numbers ---- */

/* Two decimals, rounded as printed. If values of both signs nearly cancel, a part may exceed the
 * whole many times. */
#define PERCENT_MAX 9e12
static struct value
share(int64_t part, int64_t of)
{
	if (!of)
		return none();
	double percent = human_percent(part, of);
	percent = fmax(-PERCENT_MAX, fmin(percent, PERCENT_MAX));
	return (struct value){.kind = VALUE_WHOLE,
			      .decimals = 6,
			      .whole = (int64_t)nearbyint(percent * 100) * 10000};
}

static void
print_share(const struct look *l, int64_t part, int64_t of, struct buf *out)
{
	if (of)
		buf_addf(out, "%.*f", l->tenths ? 1 : 2, human_percent(part, of));
}

NUMBER(self, amount(l, r->self))
NUMBER(total, amount(l, r->total))
NUMBER(base_self, l->compares ? amount(l, r->base_self) : none())
NUMBER(base_total, l->compares ? amount(l, r->base_total) : none())
NUMBER(delta_self, l->compares ? amount(l, difference_clipped(r->self, r->base_self)) : none())
NUMBER(delta_total, l->compares ? amount(l, difference_clipped(r->total, r->base_total)) : none())
NUMBER(share, share(r->self, l->whole))
NUMBER(shown, share(r->self, l->shown))
NUMBER(user, look_is_user(l, r) ? share(r->self, l->user) : none())
NUMBER(total_share, share(r->total, l->whole))
NUMBER(calls, r->calls >= 0 ? whole(r->calls) : none())
NUMBER(depth, whole(r->depth))

TEXT(share, print_share(l, r->self, l->whole, out))
TEXT(shown, print_share(l, r->self, l->shown, out))
TEXT(user, print_share(l, r->self, look_is_user(l, r) ? l->user : 0, out))
TEXT(total_share, print_share(l, r->total, l->whole, out))

/* Returns how long calls took, if the key is a function. */
static struct value
call_time(const struct look *l, const struct row *r, bool longest)
{
	const struct calltime *c = !l->calls || !l->tree || l->tree->by != BY_FUNCTION
					   ? NULL
					   : calltimes_of(l->calls, r->key);

	if (!c || !(longest ? c->has_max : c->has_p99))
		return none();
	return whole(longest ? c->max : c->p99);
}
/* Returns the mean duration of a call. A range cuts calls: the time in it divided by the calls
 * that begin in it would exceed every one of them. So in a range, it is the mean of those that
 * lie in it entirely. */
static struct value
call_mean(const struct look *l, const struct row *r)
{
	if (!l->fold || l->fold->whole)
		return r->calls > 0 ? amount(l, r->total / r->calls) : none();
	if (!l->calls || l->tree->by != BY_FUNCTION || !l->metric || l->metric->unit != UNIT_NS)
		return none();
	const struct calltime *c = calltimes_of(l->calls, r->key);
	return c && c->n ? amount(l, c->total / (int64_t)c->n) : none();
}
NUMBER(average, call_mean(l, r))
NUMBER(longest, call_time(l, r, true))
NUMBER(p99, call_time(l, r, false))

/* ---- names of keys ---- */

#define OUTLINE_MAX 60

TEXT(name, key_name(l->tree, l->p, r->key, out))

static void
name_alone_text(const struct look *l, const struct row *r, struct buf *out)
{
	show_name(l, projection_key_name(l->tree, l->p, r->key), out);
	if (!l->programs && projection_key_inlined(l->tree, r->key))
		buf_adds(out, INLINED);
}

TEXT(place, key_place(l->tree, l->p, r->key, out))
TEXT(kind, buf_adds(out, kind_name(key_kind(l->tree, l->p, r->key))))

static void
track_text(const struct look *l, const struct row *r, struct buf *out)
{
	if (r->track == TRACK_NONE)
		buf_adds(out, "all tracks");
	else if (r->track == CALLS_NEW || r->track == CALLS_OLD)
		buf_adds(out, r->track == CALLS_NEW ? "new" : "old");
	else
		show_name(l, l->p->track[r->track].name, out);
}

/* A file or a module names the frame if the granularity shows nothing else. */
static void
file_text(const struct look *l, const struct row *r, struct buf *out)
{
	struct function f;

	if (key_function(l->tree, l->p, r->key, &f))
		show_name(l, f.file, out);
	else if (l->tree->by == BY_FILE)
		show_name(l, r->key, out);
}

static void
module_plain(const struct look *l, const struct row *r, struct buf *out)
{
	struct function f;

	if (key_function(l->tree, l->p, r->key, &f))
		show_name(l, f.module, out);
	else if (l->tree->by == BY_MODULE)
		show_name(l, r->key, out);
}

/* Deep recursion would fill lines with blanks, so the depth is printed instead. */
static void
outline_text(const struct look *l, const struct row *r, struct buf *out)
{
	if (r->depth > OUTLINE_MAX)
		buf_addf(out, "%*s[%u] ", OUTLINE_MAX, "", r->depth);
	else
		buf_addf(out, "%*s", (int)r->depth, "");
	name_alone_text(l, r, out);
}

TEXT(module, key_module(l->tree, l->p, r->key, out))

static void
kind_plain(const struct look *l, const struct row *r, struct buf *out)
{
	if (key_function(l->tree, l->p, r->key, NULL))
		kind_text(l, r, out);
}

/* Returns the line of the frame if the granularity has lines, else that of the definition. */
static struct line
columns_line_of(const struct look *l, const struct row *r)
{
	struct function f;

	if (projection_has_frames(l->tree) || !key_function(l->tree, l->p, r->key, &f))
		return projection_key_line(l->tree, l->p, r->key);
	return f.line ? line_plain(f.line) : line_unknown();
}

static struct value
line_number(const struct look *l, const struct row *r)
{
	struct line line = columns_line_of(l, r);

	return line.form == LINE_PLAIN ? whole(line.number) : none();
}

TEXT(line, human_line(out, columns_line_of(l, r)))

static bool
has_addresses(const struct look *l)
{
	return l->tree && l->tree->by == BY_ADDRESS;
}

/* ---- rows that are not part of a fold ---- */

static struct value
call_number(const struct callstats_row *c, enum call_time time, enum call_number which)
{
	return c->has & CALLSTATS_BIT(time, which) ? whole(c->value[time][which]) : none();
}

/* Periods overlap, so they have no total. */
#define CALL_NUMBERS_OF(X, name, time)                                               \
	X(name##_min, time, CALL_MIN) X(name##_avg, time, CALL_AVG)                        \
	X(name##_max, time, CALL_MAX)
#define CALL_COLUMNS(X)                                                                    \
	X(net_total, CALL_NET, CALL_TOTAL) CALL_NUMBERS_OF(X, net, CALL_NET)             \
	X(gross_total, CALL_GROSS, CALL_TOTAL) CALL_NUMBERS_OF(X, gross, CALL_GROSS)     \
	X(call_total, CALL_CALL, CALL_TOTAL) CALL_NUMBERS_OF(X, call, CALL_CALL)         \
	CALL_NUMBERS_OF(X, period, CALL_PERIOD)                                          \
	X(outside_total, CALL_OUTSIDE, CALL_TOTAL)                                         \
	CALL_NUMBERS_OF(X, outside, CALL_OUTSIDE)

#define X(name, time, which) NUMBER(name, call_number(r->of.call, time, which))
CALL_COLUMNS(X)
#undef X

/* The same, a row for each time. */
#define LINE(name, which) NUMBER(name, call_number(r->of.line->of, r->of.line->time, which))
LINE(line_total, CALL_TOTAL)
LINE(line_min, CALL_MIN)
LINE(line_avg, CALL_AVG)
LINE(line_max, CALL_MAX)
#undef LINE

static struct value
line_watched(const struct row *r, int64_t v, bool any)
{
	return r->of.line->watched && any ? whole(v) : none();
}
NUMBER(line_n, line_watched(r, (int64_t)r->of.line->n, true))
NUMBER(line_p50, line_watched(r, r->of.line->p50, r->of.line->n))
NUMBER(line_p99, line_watched(r, r->of.line->p99, r->of.line->n))
TEXT(line_time, buf_adds(out, call_time_name(r->of.line->time)))

static void
print_percentile(const struct look *l, const struct row *r, int64_t v, struct buf *out)
{
	if (!r->of.line->watched || !r->of.line->n)
		return;
	if (!r->of.line->exact)
		buf_addc(out, '~');
	look_time(l, v, out);
}
TEXT(line_p50, print_percentile(l, r, r->of.line->p50, out))
TEXT(line_p99, print_percentile(l, r, r->of.line->p99, out))

static const struct track *
columns_track_of(const struct look *l, const struct row *r)
{
	return &l->p->track[r->track];
}

static struct value
track_time(const struct look *l, const struct row *r, bool end)
{
	const struct track *t = columns_track_of(l, r);

	return t->has_time ? whole((end ? t->end : t->start) - l->p->group[t->group].start)
			   : none();
}
NUMBER(start, track_time(l, r, false))
NUMBER(end, track_time(l, r, true))
NUMBER(events, whole((int64_t)columns_track_of(l, r)->events))
TEXT(track_kind, buf_adds(out, track_kind_name((enum track_kind)columns_track_of(l, r)->kind)))

static void
track_unit_text(const struct look *l, const struct row *r, struct buf *out)
{
	const struct track *t = columns_track_of(l, r);

	if (t->kind >= TRACK_COUNTER)
		show_name(l, t->value_unit, out);
	else if (t->has_time)
		buf_adds(out, unit_name((enum unit)t->unit));
}

NUMBER(point_time, whole(r->of.point->time))

static struct value
point_number(const struct look *l, const struct row *r)
{
	struct value v = {.kind = VALUE_REAL};

	(void)l;
	if (!r->of.point->floating)
		return whole(r->of.point->value);
	memcpy(&v.real, &r->of.point->value, sizeof v.real);
	return v;
}

NUMBER(label_events, whole(r->calls))
NUMBER(label_self, whole(r->self))
TEXT(label_key, show_name(l, l->p->labels.label[r->of.label->label].key, out))
TEXT(label_value, profile_write_label(l->p, &l->p->labels.label[r->of.label->label],
				      l->programs, out))

NUMBER(fact, r->of.fact->kind == FACT_WORDS ? none() : whole(r->of.fact->number))
TEXT(fact_key, buf_adds(out, r->of.fact->key))
TEXT(fact_plain, buf_adds(out, r->of.fact->words ? r->of.fact->words : ""))

/* Numbers are printed as in reports, except for the elapsed time. */
static void
fact_text(const struct look *l, const struct row *r, struct buf *out)
{
	const struct fact *f = r->of.fact;

	if (f->kind == FACT_WORDS)
		fact_plain_text(l, r, out);
	else if (f->kind == FACT_LENGTH && l->one_axis)
		human_time(out, f->number, l->axis);
	else
		human_plain(out, f->number, 0);
}

/* ---- the table ---- */

#define FOLD_COLUMN .rows = ROWS_STACKS
#define SELF_COLUMN .rows = ROWS_STACKS | ROWS_LABELS
#define KEYED (ROWS_STACKS | ROWS_CALLS | ROWS_SLICES)
#define COUNTED (ROWS_STACKS | ROWS_INSTRUCTIONS)
#define VALUED(name) .number = name##_number, .text = name##_text
#define EXACT(name) VALUED(name), .order = name##_order

const struct table_column table_columns[] = {
	{"self", NULL, "self", COUNTED, .unit = COLUMN_VALUE, .part = PART_SELF,
	 .width = 10, EXACT(self)},
	{"base_self", "base", "base", SELF_COLUMN, .unit = COLUMN_VALUE, .width = 10,
	 .compared = true, EXACT(base_self)},
	{"change", .rows = ROWS_TREE, .unit = COLUMN_CHANGE, .part = PART_TOTAL,
	 .changes = true, .compared = true, EXACT(delta_total)},
	{"change", .rows = ROWS_FOLD, .unit = COLUMN_CHANGE, .part = PART_SELF,
	 .changes = true, .compared = true, EXACT(delta_self)},
	{"delta_self", NULL, "change", SELF_COLUMN, .unit = COLUMN_CHANGE,
	 .part = PART_SELF, .width = 12, .changes = true, .compared = true,
	 EXACT(delta_self)},
	{"change%", NULL, "of base", SELF_COLUMN, .part = PART_SELF, .width = 8,
	 .changes = true, .compared = true, .number = delta_self_number,
	 .order = delta_self_order, .plain = self_change_text},
	{"share", "self%", "Self%", COUNTED, .unit = COLUMN_SHARE, .part = PART_SELF,
	 .width = 6, .there = alone, .number = share_number, .text = share_text},
	{"disp", NULL, "Disp%", FOLD_COLUMN, .unit = COLUMN_SHARE, .part = PART_SELF,
	 .width = 6, .drop = 4, .there = alone, .number = shown_number,
	 .text = shown_text},
	{"user", NULL, "User%", FOLD_COLUMN, .unit = COLUMN_SHARE, .part = PART_SELF,
	 .width = 6, .drop = 5, .there = has_users, .number = user_number,
	 .text = user_text},
	{"total", NULL, "total", FOLD_COLUMN, .unit = COLUMN_VALUE, .part = PART_TOTAL,
	 .width = 10, .drop = 8, EXACT(total)},
	{"base_total", "total-base", "base", FOLD_COLUMN, .unit = COLUMN_VALUE,
	 .width = 10, .drop = 4, .compared = true, EXACT(base_total)},
	{"delta_total", "total-change", "change", FOLD_COLUMN, .unit = COLUMN_CHANGE,
	 .part = PART_TOTAL, .width = 12, .drop = 7, .changes = true, .compared = true,
	 EXACT(delta_total)},
	{"total-change%", NULL, "of base", FOLD_COLUMN, .part = PART_TOTAL, .width = 8,
	 .drop = 5, .changes = true, .compared = true, .number = delta_total_number,
	 .order = delta_total_order, .plain = total_change_text},
	{"low", .rows = ROWS_STACKS, .unit = COLUMN_CHANGE, .bars = true,
	 .number = low_number},
	{"high", .rows = ROWS_STACKS, .unit = COLUMN_CHANGE, .bars = true,
	 .number = high_number},
	{"sure", .rows = ROWS_STACKS, .width = 4, .left = true, .compared = true,
	 .plain = sure_text},
	{"margin", NULL, "\xc2\xb1", FOLD_COLUMN, .unit = COLUMN_VALUE,
	 .part = PART_SELF, .width = 9, .drop = 3, .bars = true, .sparse = true,
	 .number = margin_number, .text = margin_text},
	{"total_low", .rows = ROWS_FOLD, .unit = COLUMN_CHANGE, .bars = true,
	 .number = total_low_number},
	{"total_high", .rows = ROWS_FOLD, .unit = COLUMN_CHANGE, .bars = true,
	 .number = total_high_number},
	{"total_sure", .rows = ROWS_FOLD, .width = 4, .left = true, .compared = true,
	 .plain = total_sure_text},
	{"total_margin", NULL, "\xc2\xb1", .rows = ROWS_FOLD, .unit = COLUMN_VALUE,
	 .part = PART_TOTAL, .width = 9, .drop = 3, .bars = true, .sparse = true,
	 .number = total_margin_number, .text = total_margin_text},
	{"total%", NULL, "Total%", FOLD_COLUMN, .unit = COLUMN_SHARE,
	 .part = PART_TOTAL, .width = 6, .drop = 7, .there = alone,
	 .number = total_share_number, .text = total_share_text},
	{"calls", NULL, "calls", FOLD_COLUMN, .unit = COLUMN_COUNT, .width = 10,
	 .drop = 6, .sparse = true, .there = has_calls, .number = calls_number},
	{"average", NULL, "average", FOLD_COLUMN, .unit = COLUMN_VALUE, .width = 9,
	 .drop = 3, .replays_range = true, .sparse = true, .there = has_calls,
	 .number = average_number},
	{"call_max", NULL, "longest", .rows = ROWS_FOLD, .unit = COLUMN_TIME,
	 .width = 10, .drop = 2, .replays = true, .sparse = true,
	 .there = has_call_times, .number = longest_number},
	{"call_p99", NULL, "p99", .rows = ROWS_FOLD, .unit = COLUMN_TIME, .width = 10,
	 .drop = 2, .replays = true, .sparse = true, .there = has_call_times,
	 .number = p99_number},
	{"kind", NULL, "kind", KEYED, .width = 9, .drop = 1, .left = true,
	 .there = has_functions, .plain = kind_plain, .text = kind_text},
	{"function", NULL, "function", KEYED | ROWS_INSTRUCTIONS, .left = true,
	 .plain = name_alone_text, .text = name_text},
	{"module", NULL, "module", KEYED, .width = 18, .drop = 2, .left = true,
	 .cut = CUT_BEGIN, .sparse = true, .there = has_modules, .plain = module_plain,
	 .text = module_text},
	{"file", NULL, "file", KEYED, .width = 28, .drop = 2, .left = true,
	 .cut = CUT_BEGIN, .sparse = true, .there = has_files, .plain = file_text,
	 .text = place_text},
	{"line", .rows = KEYED, .unit = COLUMN_PLAIN, .sparse = true,
	 .number = line_number, .plain = line_text},
	{"address", NULL, "address", FOLD_COLUMN, .unit = COLUMN_WORDS, .width = 18,
	 .drop = 2, .sparse = true, .there = has_addresses, .number = address_number,
	 .plain = address_text},
	{"outline", .rows = ROWS_TREE, .left = true, .plain = outline_text},
	{"depth", .rows = ROWS_TREE, .unit = COLUMN_PLAIN, .number = depth_number},

	{"start", .title = "start", .rows = ROWS_SLICES, .unit = COLUMN_TIME,
	 .width = 13, .number = one_start_number},
	{"duration", .title = "duration", .rows = ROWS_SLICES, .unit = COLUMN_TIME,
	 .width = 12, .number = one_duration_number},
	{"self", .title = "self", .rows = ROWS_SLICES, .unit = COLUMN_TIME, .width = 12,
	 .number = one_self_number},
	{"track", .title = "track", .rows = ROWS_SLICES | ROWS_CALLS, .width = 18,
	 .drop = 4, .left = true, .cut = CUT_MIDDLE, .plain = track_text},
	{"value", .title = "value", .rows = ROWS_SLICES, .unit = COLUMN_PLAIN,
	 .width = 12, .drop = 3, .sparse = true, .there = has_values,
	 .number = one_value_number, .text = one_value_text},
	{"labels", .rows = ROWS_SLICES, .left = true, .sparse = true,
	 .plain = labels_text},
	{"caller", .title = "caller", .rows = ROWS_SLICES, .width = 22, .drop = 2,
	 .left = true, .cut = CUT_NAME, .sparse = true, .plain = caller_text},
	{"cut", .title = "cut", .rows = ROWS_SLICES, .width = 5, .drop = 1,
	 .left = true, .sparse = true, .plain = cut_text},

	{"track", .rows = ROWS_TRACKS | ROWS_POINTS | ROWS_THREADS, .left = true,
	 .plain = track_text},
	{"calls", .title = "calls", .rows = ROWS_CALLS, .unit = COLUMN_COUNT,
	 .width = 10, .number = calls_number},
#define X(column, time, which)                                                             \
	{#column, .rows = ROWS_CALLS, .unit = COLUMN_TIME, .width = 10, .sparse = true,    \
	 .number = column##_number},
	CALL_COLUMNS(X)
#undef X

	{"time", .title = "time", .rows = ROWS_TIMES, .width = 8,
	 .plain = line_time_text},
	{"n", .title = "n", .rows = ROWS_TIMES, .unit = COLUMN_COUNT, .width = 4,
	 .drop = 6, .number = line_n_number},
	{"total", .title = "total", .rows = ROWS_TIMES, .unit = COLUMN_TIME,
	 .width = 10, .drop = 1, .number = line_total_number},
	{"min", .title = "min", .rows = ROWS_TIMES, .unit = COLUMN_TIME, .width = 10,
	 .drop = 3, .number = line_min_number},
	{"avg", .title = "avg", .rows = ROWS_TIMES, .unit = COLUMN_TIME, .width = 10,
	 .drop = 5, .number = line_avg_number},
	{"p50", .title = "p50", .rows = ROWS_TIMES, .unit = COLUMN_TIME, .width = 10,
	 .drop = 2, .number = line_p50_number, .text = line_p50_text},
	{"p99", .title = "p99", .rows = ROWS_TIMES, .unit = COLUMN_TIME, .width = 10,
	 .drop = 4, .number = line_p99_number, .text = line_p99_text},
	{"max", .title = "max", .rows = ROWS_TIMES, .unit = COLUMN_TIME, .width = 10,
	 .number = line_max_number},

	{"kind", .rows = ROWS_TRACKS, .left = true, .plain = track_kind_text},
	{"unit", .rows = ROWS_TRACKS, .left = true, .sparse = true,
	 .plain = track_unit_text},
	{"start", .rows = ROWS_TRACKS, .unit = COLUMN_TIME, .sparse = true,
	 .number = start_number},
	{"end", .rows = ROWS_TRACKS, .unit = COLUMN_TIME, .sparse = true,
	 .number = end_number},
	{"events", .rows = ROWS_TRACKS, .unit = COLUMN_COUNT, .number = events_number},

	{"time", .rows = ROWS_POINTS, .unit = COLUMN_TIME, .number = point_time_number},
	{"value", .rows = ROWS_POINTS, .unit = COLUMN_PLAIN, .number = point_number},

	{"address", .rows = ROWS_INSTRUCTIONS, .number = instruction_address_number,
	 .plain = instruction_address_text},
	{"instruction", .rows = ROWS_INSTRUCTIONS, .left = true,
	 .plain = instruction_text},
	{"line", .rows = ROWS_INSTRUCTIONS, .unit = COLUMN_PLAIN, .sparse = true,
	 .number = instruction_line_number},
	{"file", .rows = ROWS_INSTRUCTIONS, .left = true, .sparse = true,
	 .plain = instruction_file_text},

	{"key", .rows = ROWS_LABELS, .left = true, .plain = label_key_text},
	{"value", .rows = ROWS_LABELS, .left = true, .plain = label_value_text},
	{"events", .rows = ROWS_LABELS, .unit = COLUMN_COUNT,
	 .number = label_events_number},
	{"self", .rows = ROWS_LABELS, .unit = COLUMN_VALUE,
	 .number = label_self_number},

	{"kind", .rows = ROWS_EDGES, .left = true, .plain = sum_kind_text},
	{"from", .rows = ROWS_EDGES, .left = true, .plain = sum_from_text},
	{"to", .rows = ROWS_EDGES, .left = true, .plain = sum_to_text},
	{"track", .rows = ROWS_STATES, .left = true, .plain = sum_to_text},
	{"state", .rows = ROWS_STATES, .left = true, .plain = sum_state_text},
	{"count", .rows = ROWS_STATES | ROWS_EDGES, .unit = COLUMN_COUNT,
	 .number = sum_count_number},
	{"total", .rows = ROWS_STATES | ROWS_EDGES, .unit = COLUMN_TIME,
	 .number = sum_total_number},
	{"longest", .rows = ROWS_STATES | ROWS_EDGES, .unit = COLUMN_TIME,
	 .number = sum_longest_number},

	ANSWER_COLUMNS THREAD_COLUMNS MARK_COLUMNS USAGE_COLUMNS

	{"key", .rows = ROWS_FACTS, .left = true, .plain = fact_key_text},
	{"value", .rows = ROWS_FACTS, .unit = COLUMN_TIME, .left = true,
	 .number = fact_number, .plain = fact_plain_text, .text = fact_text},
};
const unsigned n_table_columns = sizeof table_columns / sizeof *table_columns;
