/* html_axis.h - the timeline of a page: for html.c. */
#ifndef PNAV_SRC_DECODE_HTML_HTML_AXIS_H
#define PNAV_SRC_DECODE_HTML_HTML_AXIS_H

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/input/rows_json.h"

/* A track: levels from 0 to HTML_LEVELS in equal parts of the range. */
#define HTML_LEVELS 63
struct html_track {
	name_id name, unit, kind;
	int64_t low_milli, high_milli; /* of a counter, thousandths */
	struct {
		int64_t *at;
		size_t n, cap;
	} parts;
};

/* A zero-initialised struct has no track. */
struct html_axis {
	name_id unit;
	int64_t from, length;
	VEC(struct html_track) tracks;
};

/* The members of `time`, of a struct html_axis. */
extern const struct json_row html_axis_rows[];
void html_axis_release(struct html_axis *a);
/* Makes a counter of each track. Returns false with damage at `offset`. */
bool html_axis_build(const struct html_axis *a, struct builder *b, uint64_t offset, struct err *e);

#endif
