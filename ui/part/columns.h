/* columns.h - the columns of the table of functions: one row of a table each. */
#ifndef PNAV_UI_PART_COLUMNS_H
#define PNAV_UI_PART_COLUMNS_H

#include "ui/part/scene.h"

/* What the percentages are percentages of. */
struct column_bases {
	int64_t shown; /* self of all rows */
	int64_t user;  /* self of the rows that are user code */
};

/* What the ink of a number says. */
enum column_tone {
	TONE_HEAT,         /* how much of everything it is */
	TONE_PLAIN,        /* nothing: it is no part of everything */
	TONE_CHANGE_SELF,  /* more or less than in the base */
	TONE_CHANGE_TOTAL,
};

struct table_column {
	const char *name, *title;
	int width;    /* 0: takes what is left */
	bool left;    /* aligned, as texts are */
	bool path;    /* its end matters more than its begin */
	uint8_t drop; /* which goes first when there is no room; 0: never */
	const char *about;
	/* Is there anything to show? NULL: always. */
	bool (*there)(const struct scene *s);
	void (*text)(const struct scene *s, const struct column_bases *b,
		     const struct row *r, struct buf *out);
	/* What is sorted by, larger first; NULL: by text, smaller first. */
	int64_t (*number)(const struct scene *s, const struct row *r);
	enum column_tone tone;
};

extern const struct table_column table_columns[];
extern const unsigned n_table_columns;
/* The one sorted by at the start, and in a comparison. */
#define COLUMN_SELF 0u
#define COLUMN_CHANGE 2u

/* < 0 when a stands before b in the order of this column, always the same way: ties go by
 * self, then by name. */
int column_compare(const struct table_column *c, const struct scene *s,
		   const struct row *a, const struct row *b);

#endif
