/* The table of -c and -C.
 *
 *	% time     seconds  usecs/call     calls    errors syscall
 *	------ ----------- ----------- --------- --------- ----------------
 *	 75.00    0.003000        1000         3           wait4
 *	100.00    0.003000        1000         3           total
 *
 * -U chooses columns and their order, so the head says what a word of a row is. Only `errors` may
 * be blank: a row with one word less than the head has columns has no errors. Widths are not used,
 * since old versions let numbers overflow them. Each personality of the processor has a table.
 *
 * -C prints the same calls as lines and as a table. So rows are kept until the end, when it is
 * known whether the lines already say what the table says. */
#include "src/decode/strace/strace_inside.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/decimal_comma.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"

enum strace_column {
	COLUMN_OTHER,
	COLUMN_WALL,
	COLUMN_TIME,
	COLUMN_CALLS,
	COLUMN_ERRORS,
	COLUMN_NAME
};

static const struct {
	const char *title;
	enum strace_column column;
} title_of[] = {
	{"%", COLUMN_OTHER},          {"seconds", COLUMN_TIME},
	{"usecs/call", COLUMN_OTHER}, {"calls", COLUMN_CALLS},
	{"errors", COLUMN_ERRORS},    {"syscall", COLUMN_NAME},
	{"function", COLUMN_NAME},    {"shortest", COLUMN_OTHER},
	{"longest", COLUMN_OTHER},    {"wall-total", COLUMN_WALL},
	{"wall-min", COLUMN_OTHER},   {"wall-max", COLUMN_OTHER},
	{"wall-avg", COLUMN_OTHER},
};

static int
column_of(const char *at, size_t len)
{
	for (size_t i = 0; i < sizeof title_of / sizeof *title_of; i++)
		if (is_key(at, len, title_of[i].title))
			return title_of[i].column;
	return -1;
}

bool
strace_table_begin(struct strace_table *t, const char *at, const char *end)
{
	bool seen[COLUMN_NAME + 1] = {false};
	uint8_t column[STRACE_COLUMNS_MAX];
	unsigned n = 0;
	const char *stop;

	at = skip_blanks(at, end);
	if (at < end && (is_digit(*at) || *at == '[')) /* most lines */
		return false;
	for (; at < end; at = skip_blanks(stop, end)) {
		stop = word_end(at, end);
		int found = column_of(at, (size_t)(stop - at));
		if (found < 0 || n == STRACE_COLUMNS_MAX)
			return false;
		if (*at == '%' && !begins_with(stop, end, " time"))
			return false;
		stop += *at == '%' ? strlen(" time") : 0;
		column[n++] = (uint8_t)found;
		seen[found] = true;
	}
	if (n < 2 || !seen[COLUMN_NAME])
		return false;
	for (unsigned i = 0; i < n; i++)
		if (column[i] == COLUMN_WALL && !seen[COLUMN_TIME])
			column[i] = COLUMN_TIME;
	seen[COLUMN_TIME] |= seen[COLUMN_WALL];
	memcpy(t->column, column, n);
	t->columns = n;
	t->has_time |= seen[COLUMN_TIME];
	t->has_calls |= seen[COLUMN_CALLS];
	return true;
}

frame_id
strace_frame(struct builder *b, const char *name, size_t len)
{
	struct function f = {.name = builder_name(b, name, len), .kind = KIND_SYSTEM};

	return builder_frame_of(b, f, 0);
}

/* Reads a word of a row; false if it is not what its column has. */
static bool
word_read(struct strace_row *row, enum strace_column column, const char *at,
	  const char *end, struct builder *b)
{
	int64_t number;

	switch (column) {
	case COLUMN_NAME:
		row->frame = strace_frame(b, at, (size_t)(end - at));
		return true;
	case COLUMN_TIME:
		return decimal_scaled(at, (size_t)(end - at), 9, &row->time_ns);
	case COLUMN_CALLS:
		return number_parse(at, end, &row->calls);
	case COLUMN_ERRORS:
	case COLUMN_WALL:
	case COLUMN_OTHER:
		return decimal_scaled(at, (size_t)(end - at), 0, &number);
	}
	return false;
}

bool
strace_table_line(struct strace_table *t, struct builder *b, const char *at,
		  const char *end, struct odd_lines *odd, uint64_t offset, struct err *e)
{
	const char *word[STRACE_COLUMNS_MAX + 1], *stop[STRACE_COLUMNS_MAX + 1],
		*name = "";
	struct strace_row row = {0};
	bool errors = false, good = true;
	size_t name_len = 0;
	unsigned n = 0;

	if (decimal_sign_in(at, end, ',')) {
		decimal_comma_plain(at, end, &t->plain);
		at = buf_str(&t->plain);
		end = at + t->plain.len;
	}
	for (at = skip_blanks(at, end); at < end && n <= t->columns;
	     at = skip_blanks(at, end)) {
		word[n] = at;
		at = stop[n++] = word_end(at, end);
	}
	if (n && *word[0] == '-')
		return true;
	for (unsigned i = 0; i < t->columns; i++)
		errors |= t->column[i] == COLUMN_ERRORS;
	bool without = errors && n + 1 == t->columns;
	if (n != t->columns && !without) {
		odd_at(odd, offset);
		return true;
	}
	for (unsigned i = 0, w = 0; i < t->columns; i++) {
		if (without && t->column[i] == COLUMN_ERRORS)
			continue;
		if (t->column[i] == COLUMN_NAME) {
			name = word[w];
			name_len = (size_t)(stop[w] - name);
		}
		good &= word_read(&row, (enum strace_column)t->column[i], word[w],
				  stop[w], b);
		w++;
	}
	if (is_key(name, name_len, "total") ||
	    is_digit(*name)) /* truss: no name at all */
		t->columns = 0;
	else if (!good)
		return err_damage(e, offset, "a row without time and calls");
	else
		*vec_push(&t->row) = row;
	t->any_time |= row.time_ns > 0;
	return true;
}

bool
strace_table_write(const struct strace_table *t, struct builder *b, track_id track,
		   bool calls, uint64_t offset, struct err *e)
{
	const bool times = t->has_time;
	metric_id metric[2];
	unsigned n = 0;

	calls &= t->has_calls;
	if (times)
		metric[n++] = builder_metric(b, "time", UNIT_NS, ROLE_VALUE);
	if (calls) {
		metric[n] = builder_metric(b, "calls", UNIT_CALLS, ROLE_VALUE);
		builder_calls_metric(b, metric[n++]);
	}
	if (!n)
		return true;
	if (t->any_time || !times)
		builder_default_metric(b, metric[0]);
	else if (calls)
		builder_default_metric(b, metric[1]);
	struct series *sums = builder_totals(b, track, metric, n);
	for (size_t i = 0; i < t->row.n; i++) {
		const struct strace_row *row = &t->row.at[i];
		stack_id stack = builder_child(b, STACK_EMPTY, row->frame);
		int64_t value[2] = {times ? row->time_ns : row->calls, row->calls};

		builder_track_event(b, track);
		if (!builder_total(b, sums, stack, value, offset, e))
			return false;
	}
	return true;
}

void
strace_table_release(struct strace_table *t)
{
	vec_release(&t->row);
	buf_release(&t->plain);
}
