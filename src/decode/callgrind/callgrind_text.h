/* callgrind_text.h - parses constructs that only callgrind's files have. */
#ifndef PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_TEXT_H
#define PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/chars.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/last_line.h"
#include "src/decode/decoder.h"

/* Parses digits up to a blank or the end, the form of nearly all numbers. Returns false, and takes
 * nothing, for other forms. */
static inline bool
plain_parse(const char **at, const char *end, int64_t *value)
{
	const char *p = *at;
	int64_t v = 0;

	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		if (p - *at == 18)
			return false;
		v = v * 10 + (*p - '0');
	}
	if (p == *at || (p < end && !is_blank(*p)))
		return false;
	*at = p;
	*value = v;
	return true;
}

/* Parses a number that may be relative to *value: `+3`, `*`, and with `minus` also `-3`. */
bool relative_parse(const char *at, const char *end, bool minus, int64_t *value);

/* Returns true if this word before a colon begins a line of a part's header. */
bool callgrind_is_header(const char *key, size_t len);

/* Returns true for the line that begins a run which Xdebug has appended to others. */
bool callgrind_is_run(const char *at, size_t len);

/* Declarations about events before their list. Zero-initialised, there are none. */
struct callgrind_events {
	VEC(struct callgrind_unit {
		name_id event;
		enum unit unit;
		int64_t scale; /* the value of 1 in the file */
	}) unit;
	bool has_creator;
};

/* Parses `RB : Reachable Bytes` of a line `event:`. */
void callgrind_event(struct builder *b, struct callgrind_events *events, const char *at,
		     const char *end);
/* Returns the metric of an event, and its unit: `Time_(10ns)` is Time in units of 10 ns. */
metric_id callgrind_metric(struct builder *b, const struct callgrind_events *events,
			   const char *at, size_t len, int64_t *scale);

/* The functions of the decoder (decoder.h). */
int callgrind_probe(struct head head);

/* Returns true for a line that states a sum. */
bool callgrind_ends(const char *at, size_t len);
/* A line of costs is whole with `all` of its numbers, a stated sum with one. */
enum last_line callgrind_last_line(const char *at, const char *end, unsigned all);

#endif
