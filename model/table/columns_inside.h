/* columns_inside.h - shared by the files of the table of columns; no other file includes it.
 *
 * columns.c        the table, and columns of folds, tracks, points, facts
 * columns_actors.c columns of states and edges
 * columns_calls.c  columns of single calls
 * columns_changes.c  columns that show whether a change exceeds chance
 * columns_answers.c  columns of answers
 * columns_threads.c  columns of what threads do
 * columns_marks.c  columns of the marks of a session
 * columns_usage.c  columns of what threads wait for, read and write
 * columns_print.c  finding, printing, comparing
 */
#ifndef PNAV_MODEL_TABLE_COLUMNS_INSIDE_H
#define PNAV_MODEL_TABLE_COLUMNS_INSIDE_H

#include "model/profile/profile.h"
#include "model/table/columns.h"

static inline struct value
none(void)
{
	return (struct value){0};
}

static inline struct value
whole(int64_t v)
{
	return (struct value){.kind = VALUE_WHOLE, .whole = v};
}

/* A value in the unit of the metric. */
static inline struct value
amount(const struct look *l, int64_t v)
{
	struct value out = whole(v);

	out.decimals = l->metric ? l->metric->decimals : 0;
	return out;
}

/* Define a function of a column: a row's number, or its words. */
#define NUMBER(name, gives)                                                                \
	static struct value name##_number(const struct look *l, const struct row *r)       \
	{                                                                                  \
		(void)l;                                                                   \
		(void)r;                                                                   \
		return gives;                                                              \
	}
#define TEXT(name, print)                                                                  \
	static void name##_text(const struct look *l, const struct row *r, struct buf *out) \
	{                                                                                  \
		(void)l;                                                                   \
		(void)r;                                                                   \
		print;                                                                     \
	}

static inline void
show_name(const struct look *l, name_id name, struct buf *out)
{
	if (name == NAME_EMPTY)
		return;
	if (l->programs)
		profile_write_name(l->p, name, out);
	else
		profile_show_name(l->p, name, out);
}

/* ---- columns_print.c ---- */

/* Appends a displayed time. */
void look_time(const struct look *l, int64_t v, struct buf *out);

/* ---- columns_changes.c ---- */

#define CHANGES_NUMBERS(X) X(low) X(high) X(margin) X(total_low) X(total_high) X(total_margin)
#define CHANGES_TEXTS(X)                                                                   \
	X(sure) X(total_sure) X(margin) X(total_margin)                                    \
	X(self) X(total) X(base_self) X(base_total) X(delta_self) X(delta_total)           \
	X(self_change) X(total_change)
#define X(name) struct value name##_number(const struct look *l, const struct row *r);
CHANGES_NUMBERS(X)
#undef X
#define X(name) void name##_text(const struct look *l, const struct row *r, struct buf *out);
CHANGES_TEXTS(X)
#undef X
#define CHANGES_ORDERS(X) X(self) X(total) X(base_self) X(base_total) X(delta_self) X(delta_total)
#define X(name) double name##_order(const struct look *l, const struct row *r);
CHANGES_ORDERS(X)
#undef X

/* ---- columns_calls.c ---- */

bool has_values(const struct look *l);
#define CALLS_NUMBERS(X)                                                                   \
	X(one_start) X(one_duration) X(one_self) X(one_value)                              \
	X(instruction_line) X(instruction_address)
#define CALLS_TEXTS(X)                                                                     \
	X(one_value) X(labels) X(caller) X(cut)                                            \
	X(instruction) X(instruction_file) X(instruction_address)
#define X(name) struct value name##_number(const struct look *l, const struct row *r);
CALLS_NUMBERS(X)
#undef X
#define X(name) void name##_text(const struct look *l, const struct row *r, struct buf *out);
CALLS_TEXTS(X)
#undef X

/* ---- columns_actors.c ---- */

#define SUM_NUMBERS(X) X(sum_count) X(sum_total) X(sum_longest)
#define SUM_TEXTS(X) X(sum_to) X(sum_from) X(sum_state) X(sum_kind)
#define X(name) struct value name##_number(const struct look *l, const struct row *r);
SUM_NUMBERS(X)
#undef X
#define X(name) void name##_text(const struct look *l, const struct row *r, struct buf *out);
SUM_TEXTS(X)
#undef X

/* ---- columns_answers.c ---- */

/* Name of the column, and its function. */
#define ANSWER_NUMBERS(X)                                                                  \
	X("notable", answer_notable) X("value", answer_value) X("low", answer_low)         \
	X("high", answer_high)
#define ANSWER_TEXTS(X)                                                                    \
	X("answer", answer_name) X("question", answer_question) X("text", answer_sentence) \
	X("command", answer_command) X("subject", answer_subject) X("name", answer_number) \
	X("unit", answer_unit)
/* Rows of the table of columns. */
#define ANSWER_WORDS(column, of)                                                           \
	{column, .rows = ROWS_ANSWERS, .left = true, .plain = of##_text},
#define ANSWER_AMOUNT(column, of)                                                          \
	{column, .rows = ROWS_ANSWERS, .unit = COLUMN_PLAIN, .number = of##_number},
#define ANSWER_COLUMNS ANSWER_TEXTS(ANSWER_WORDS) ANSWER_NUMBERS(ANSWER_AMOUNT)
#define X(column, name)                                                                    \
	struct value name##_number(const struct look *l, const struct row *r);
ANSWER_NUMBERS(X)
#undef X
#define X(column, name)                                                                    \
	void name##_text(const struct look *l, const struct row *r, struct buf *out);
ANSWER_TEXTS(X)
#undef X

/* ---- columns_usage.c ---- */

#define USAGE_COLUMN(column)                                                               \
	{#column, NULL, #column, .rows = ROWS_TREE, .unit = COLUMN_VALUE, .width = 9,      \
	 .sparse = true, .there = has_usage, .number = usage_##column##_number,            \
	 .text = usage_##column##_text},
#define USAGE_COLUMNS                                                                      \
	USAGE_COLUMN(waiting) USAGE_COLUMN(blocked) USAGE_COLUMN(io) USAGE_COLUMN(threads)
bool has_usage(const struct look *l);
#define X(name)                                                                            \
	struct value usage_##name##_number(const struct look *l, const struct row *r);     \
	void usage_##name##_text(const struct look *l, const struct row *r, struct buf *out);
X(waiting) X(blocked) X(io) X(threads)
#undef X

/* ---- columns_threads.c ---- */

#define THREAD_COLUMNS                                                                     \
	{"state", .rows = ROWS_THREADS, .left = true, .plain = thread_state_text},         \
	{"waited", .rows = ROWS_THREADS, .unit = COLUMN_TIME, .number = thread_waited_number}, \
	{"waits_for", .rows = ROWS_THREADS, .left = true, .sparse = true,                  \
	 .plain = thread_waits_for_text},                                                  \
	{"stack", .rows = ROWS_THREADS, .left = true, .plain = thread_stack_text},
struct value thread_waited_number(const struct look *l, const struct row *r);
void thread_state_text(const struct look *l, const struct row *r, struct buf *out);
void thread_waits_for_text(const struct look *l, const struct row *r, struct buf *out);
void thread_stack_text(const struct look *l, const struct row *r, struct buf *out);

/* ---- columns_marks.c ---- */

#define MARK_NUMBERS(X) X(mark_from) X(mark_to)
#define MARK_TEXTS(X) X(mark_words) X(mark_frame)
#define X(name) struct value name##_number(const struct look *l, const struct row *r);
MARK_NUMBERS(X)
#undef X
#define X(name) void name##_text(const struct look *l, const struct row *r, struct buf *out);
MARK_TEXTS(X)
#undef X
/* Rows of the table of columns. */
#define MARK_COLUMNS                                                                       \
	{"mark", .rows = ROWS_MARKS, .left = true, .plain = mark_words_text},              \
	{"from", .rows = ROWS_MARKS, .unit = COLUMN_TIME, .number = mark_from_number},     \
	{"to", .rows = ROWS_MARKS, .unit = COLUMN_TIME, .number = mark_to_number},         \
	{"frame", .rows = ROWS_MARKS, .left = true, .sparse = true, .plain = mark_frame_text},

/* ---- columns_address.c ---- */

void address_text(const struct look *l, const struct row *r, struct buf *out);
struct value address_number(const struct look *l, const struct row *r);

#endif
