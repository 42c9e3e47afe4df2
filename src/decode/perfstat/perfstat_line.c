/* The lines of perf stat, in its three forms (perfstat.c), split into rows.
 *
 * In tables and text the columns before the value depend on options and have no names, so the
 * value is found by what follows it: in a table a unit, which is no number, and an event, which is
 * neither empty nor a number; in text it is the last number before the comment. Columns between the
 * time and the value say which CPU, core, socket or thread counted. */
#include "src/decode/perfstat/perfstat_line.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/decimal_comma.h"
#include "src/input/decimal.h"

#define CELLS_MAX 64u

/* ---- cells ---- */

static struct text_cell
cell_trim(struct text_cell c)
{
	c.at = skip_blanks(c.at, c.end);
	c.end = drop_blanks(c.at, c.end);
	return c;
}

bool
stat_cell_number(struct text_cell c, double *out)
{
	char digits[64];
	size_t n = 0;

	for (; c.at < c.end && n < sizeof digits; c.at++)
		if (*c.at != ',')
			digits[n++] = *c.at;
	return c.at == c.end && decimal_double(digits, n, out);
}

static bool
cell_is_number(struct text_cell c)
{
	double number;

	return stat_cell_number(c, &number);
}

static bool
cell_is_value(struct text_cell c)
{
	return stat_cell_is(c, "<not counted>") || stat_cell_is(c, "<not supported>") ||
	       cell_is_number(c);
}

/* ---- the three forms ---- */

/* Returns the next string or bare word of a JSON object in one line; strings without their quotes
 * and with their escapes, which perf does not write. */
static const char *
json_word(const char *at, const char *end, struct text_cell *out)
{
	while (at < end && (is_blank(*at) || *at == ',' || *at == ':'))
		at++;
	bool quoted = at < end && *at == '"';
	at += quoted;
	out->at = at;
	while (at < end && (quoted ? *at != '"' : !strchr(" \t,:}", *at)))
		at += 1 + (*at == '\\' && end - at > 1);
	out->end = at;
	return at + (quoted && at < end);
}

bool
stat_row_json(const char *at, const char *end, struct stat_row *r)
{
	static const char *const where[] = {"cpu",  "core",  "die",     "socket",
					    "node", "cache", "cluster", "thread"};
	struct text_cell key, value;

	for (at++; at < end && *at != '}';) {
		at = json_word(at, end, &key);
		at = json_word(at, end, &value);
		if (key.at == key.end)
			return false;
		if (stat_cell_is(key, "interval"))
			r->time = value;
		else if (stat_cell_is(key, "counter-value"))
			r->value = value;
		else if (stat_cell_is(key, "unit"))
			r->unit = value;
		else if (stat_cell_is(key, "event"))
			r->event = value;
		else if (stat_cell_is(key, "cgroup"))
			r->cgroup = value;
		else if (stat_cell_is(key, "pcnt-running"))
			r->percent = value;
		for (size_t i = 0; i < sizeof where / sizeof *where; i++)
			if (stat_cell_is(key, where[i]))
				r->where = value;
		at = skip_blanks(at, end);
	}
	return at < end;
}

/* Joins the cells of an event such as cpu/event=0x3c,umask=0x1/ that contains the separator.
 * Returns the index of its last cell. */
static unsigned
event_end(const struct text_cell *cell, unsigned i, unsigned n)
{
	const char *slash = memchr(cell[i].at, '/', stat_cell_len(cell[i]));

	if (!slash || memchr(slash + 1, '/', (size_t)(cell[i].end - slash - 1)))
		return i;
	for (unsigned k = i + 1; k < n; k++)
		if (memchr(cell[k].at, '/', stat_cell_len(cell[k])))
			return k;
	return i;
}

/* Splits a line of a table. Lines that have a metric alone have no event and are of no use. */
bool
stat_row_table(const char *at, const char *end, char separator, struct stat_row *r)
{
	struct text_cell cell[CELLS_MAX];
	unsigned n = cells_split(at, end, separator, cell, CELLS_MAX), i;

	for (i = 0; i < n; i++)
		cell[i] = cell_trim(cell[i]);
	for (i = 0; i + 2 < n; i++)
		if (cell_is_value(cell[i]) && !cell_is_number(cell[i + 1]) &&
		    stat_cell_len(cell[i + 2]) && !cell_is_number(cell[i + 2]))
			break;
	if (i + 2 >= n)
		return false;
	bool timed = i && cell_is_number(cell[0]);
	if (timed)
		r->time = cell[0];
	if (i > timed)
		r->where = cell[timed];
	r->value = cell[i];
	r->unit = cell[i + 1];
	r->event = cell[i + 2];
	i = event_end(cell, i + 2, n);
	r->event.end = cell[i].end;
	if (++i < n && !cell_is_number(cell[i]) && cell[i].end > cell[i].at &&
	    cell[i].end[-1] != '%')
		r->cgroup = cell[i];
	while (i < n && !cell_is_number(cell[i]))
		i++;
	if (i + 1 < n)
		r->percent = cell[i + 1];
	return true;
}

/* Returns the end of the next word of a text; `<not counted>` is one. */
static const char *
text_word_end(const char *at, const char *end)
{
	const char *bracket = *at == '<' ? memchr(at, '>', (size_t)(end - at)) : NULL;

	return bracket ? bracket + 1 : word_end(at, end);
}

bool
stat_row_text(size_t event_column, const char *at, const char *end, struct stat_row *r)
{
	struct text_cell word[CELLS_MAX];
	const char *line = at, *stop = memchr(at, '#', (size_t)(end - at));
	unsigned n = 0, value = CELLS_MAX;

	for (at = skip_blanks(at, end); at < (stop ? stop : end) && n < CELLS_MAX; n++) {
		word[n] = (struct text_cell){at, text_word_end(at, end)};
		if (*at == '(' || stat_cell_is(word[n], "+-"))
			break;
		if ((n || !event_column) && cell_is_value(word[n]))
			value = n;
		at = skip_blanks(word[n].end, end);
	}
	if (value == CELLS_MAX || value + 1 >= n)
		return false;
	for (const char *p = end; p > line + 1 && !r->percent.at; p--)
		if (p[-1] == '(' && memchr(p, '%', (size_t)(end - p)) && is_digit(*p))
			r->percent = (struct text_cell){p, memchr(p, '%', (size_t)(end - p))};
	unsigned first = event_column != 0;
	if (first)
		r->time = word[0];
	if (value > first + 1 && cell_is_number(word[value - 1]))
		r->where = (struct text_cell){word[first].at, word[value - 2].end};
	else if (value > first)
		r->where = (struct text_cell){word[first].at, word[value - 1].end};
	r->value = word[value++];
	if (value + 1 < n &&
	    (!event_column || (size_t)(word[value].at - line) < event_column))
		r->unit = word[value++];
	r->event = word[value++];
	if (value < n)
		r->cgroup = word[value];
	return true;
}

char
stat_separator(const char *at, const char *end)
{
	at = skip_blanks(at, end);
	if (at < end && *at == '<')
		at = text_word_end(at, end);
	while (at < end && (is_digit(*at) || *at == '.' || *at == '-'))
		at++;
	if (at < end && strchr(",;:|!/\t~^@", *at))
		return *at;
	while (at < end && !strchr(",;|\t", *at))
		at++;
	return at < end ? *at : '\0';
}

bool
stat_is_text_header(const char *at, const char *end)
{
	return begins_with(at, end, "#") &&
	       begins_with(skip_blanks(at + 1, end), end, "time ") &&
	       text_find(at, end, " counts ") && text_find(at, end, " events");
}

/* The percentage has two decimals, which other tables of numbers have not. */
static bool
is_percentage(struct text_cell c)
{
	return stat_cell_len(c) > 3 && c.end[-3] == '.' && cell_is_number(c);
}

bool
stat_is_table_row(const char *at, const char *end)
{
	struct buf plain = BUF_INIT;
	struct stat_row r = {0};
	int64_t time;

	if (decimal_sign_of(at, end, false) == ',') {
		decimal_comma_plain(at, end, &plain);
		at = buf_str(&plain);
		end = at + plain.len;
	}
	char separator = stat_separator(at, end);
	bool good = separator && stat_row_table(at, end, separator, &r) &&
		    is_percentage(r.percent) &&
		    (!r.time.at || decimal_scaled(r.time.at, stat_cell_len(r.time), 9, &time));
	buf_release(&plain);
	return good;
}

/* Nothing is read of a comment, nor of what follows the percentage of a table. */
enum last_line
stat_last_line(const char *at, const char *end)
{
	struct name line = {at, (uint32_t)(end - at)};

	if (begins_with(at, end, "{"))
		return last_line_closed(at, end, "}");
	return memchr(at, '#', (size_t)(end - at)) || name_ends(line, " seconds time elapsed") ||
			       name_ends(line, " seconds user") ||
			       name_ends(line, " seconds sys") || stat_is_table_row(at, end)
		       ? LAST_CLOSED
		       : last_line_open(at, end);
}
