/* report.h - the views of `pnav report`: one function that fills a sheet, one row each. */
#ifndef PNAV_SRC_COMMAND_REPORT_H
#define PNAV_SRC_COMMAND_REPORT_H

#include "model/fold.h"
#include "model/profile.h"
#include "src/command/sheet.h"

/* What a view is filled from. */
struct report {
	const char *file;
	const struct profile *profile;
	const struct lens *lens; /* as the view wants it */
	struct fold *fold;       /* of that lens; only for views that use one */
	bool changes;            /* a comparison: what changed most comes first */
	int sort;                /* tree: the column that orders siblings, or -1 */
	bool reverse;
	struct err *err; /* usage that shows only here; views that fail return false */
};

struct report_view {
	const char *name;
	const struct sheet_column *columns;
	unsigned n_columns;
	bool folds;      /* needs a fold */
	bool by_line;    /* ... of lines, whatever the lens says */
	bool turned;     /* ... the other way round */
	bool tree;       /* rows in tree order: siblings are sorted, not rows */
	unsigned extra;  /* columns at the end that only a comparison has */
	bool (*fill)(struct report *r, struct sheet *s);
	/* how people read it; NULL: the sheet as it is */
	void (*text)(struct report *r, const struct sheet *s, size_t limit, FILE *out);
};

/* `"key": value` of row i of a filled view `info`; a key with many values gives an array. */
void info_write_json(const struct sheet *info, size_t row, FILE *out);

/* The sheet with the times in columns [first, last] as people read them: `text` of views
 * that have times, but no fold. */
void report_times_text(struct report *r, const struct sheet *s, size_t limit, FILE *out,
		       unsigned first, unsigned last);

extern const struct report_view view_functions;
extern const struct report_view view_tree;
extern const struct report_view view_callers;
extern const struct report_view view_lines;
extern const struct report_view view_calls;
extern const struct report_view view_tracks;
extern const struct report_view view_values;
extern const struct report_view view_info;

#endif
