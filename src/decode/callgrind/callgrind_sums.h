/* callgrind_sums.h - the sums of the lines of a part, and those that the file states.
 *
 *	events: Ir
 *	summary: 400        callgrind, in the head of a part
 *	16 100
 *	16 300
 *	totals: 400         callgrind and xtree, after the last line of a part; cachegrind and
 *	                    Xdebug write `summary:` here
 *
 * A cut file lacks the last line, and its lines have less than the sum in the head. Files of yappi
 * state no sum: they name all functions first (`fn=(7) main`), and each has one line of its own
 * cost after that. */
#ifndef PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_SUMS_H
#define PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_SUMS_H

#include "src/decode/common/graph_totals.h"
#include "src/decode/decoder.h"

/* Zero-initialised, there are none. */
struct callgrind_sums {
	int64_t of[GRAPH_METRICS_MAX], said[GRAPH_METRICS_MAX]; /* of this part */
	bool costs[GRAPH_METRICS_MAX]; /* some line of the file has another cost than 0 */
	bool has_said, closed; /* of this part: it has a sum; it has the last line */
	/* private */
	enum { CALLGRIND_OTHER, CALLGRIND_VALGRIND, CALLGRIND_CACHEGRIND, CALLGRIND_XDEBUG,
	       CALLGRIND_YAPPI } maker;
	uint64_t named, costed; /* numbers of functions that were named, and of own costs */
	bool unended;    /* the last part has no sum */
	bool has_head;   /* a line that cachegrind does not write */
	bool differs;    /* in some part; the first metric of the first one: */
	int64_t was, is;
};

/* Notes who wrote the file. `key`: of each line of a head but summary and totals. */
void callgrind_sums_header(struct callgrind_sums *s, const char *key, size_t len, const char *at,
			   const char *end);
/* Notes the name of a function: `fn=` and what follows. */
void callgrind_sums_named(struct callgrind_sums *s, const char *at, const char *end);
/* Reads the sums of n metrics. `last`: after the lines of costs. */
void callgrind_sums_said(struct callgrind_sums *s, unsigned n, bool last, const char *at,
			 const char *end);
/* Ends a part. */
void callgrind_sums_part(struct callgrind_sums *s, unsigned n);
/* Returns true if lines must follow: the file does not end here. */
bool callgrind_sums_open(const struct callgrind_sums *s);
/* Reports differences. Returns false with damage at `offset`, the last line, if the file is
 * incomplete. `open`: what callgrind_sums_open() said before the last part ended. */
bool callgrind_sums_finish(const struct callgrind_sums *s, bool open, struct builder *b,
			   uint64_t offset, struct err *e);

#endif
