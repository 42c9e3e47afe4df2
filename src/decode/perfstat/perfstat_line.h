/* perfstat_line.h - splits the lines of perf stat. */
#ifndef PNAV_SRC_DECODE_PERFSTAT_PERFSTAT_LINE_H
#define PNAV_SRC_DECODE_PERFSTAT_PERFSTAT_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "src/decode/common/last_line.h"
#include "src/decode/common/words.h"

#define PERFSTAT_SUMS " Performance counter stats for"

/* A line; cells that it lacks are empty. */
struct stat_row {
	struct text_cell time;  /* seconds from the begin to the end of the interval */
	struct text_cell where; /* "CPU0", "S0-D0-C1", "make-4711" */
	struct text_cell value, unit, event, cgroup, percent;
};

static inline size_t
stat_cell_len(struct text_cell c)
{
	return (size_t)(c.end - c.at);
}

static inline bool
stat_cell_is(struct text_cell c, const char *text)
{
	return is_key(c.at, stat_cell_len(c), text);
}

/* Parses a number, with commas between thousands. */
bool stat_cell_number(struct text_cell c, double *out);

/* Each reads a line of one of the forms; returns false for other lines. `event_column`: of text
 * with a header; its units are before this column; 0: there is none. */
bool stat_row_json(const char *at, const char *end, struct stat_row *r);
bool stat_row_table(const char *at, const char *end, char separator, struct stat_row *r);
bool stat_row_text(size_t event_column, const char *at, const char *end, struct stat_row *r);

/* Returns the separator of a table whose first line this is: what follows the first number, or the
 * first cell if that is none; NUL if it is not a table. */
char stat_separator(const char *at, const char *end);
/* Returns true for a line of a table with all that is read of it. */
bool stat_is_table_row(const char *at, const char *end);
/* Returns true for the line above the columns of text. */
bool stat_is_text_header(const char *at, const char *end);
/* Tells whether the last line is whole (last_line.h). */
enum last_line stat_last_line(const char *at, const char *end);

#endif
