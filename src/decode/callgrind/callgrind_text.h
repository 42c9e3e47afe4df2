/* callgrind_text.h - what is callgrind's own in the text of its files. */
#ifndef PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_TEXT_H
#define PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/chars.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/decoder.h"

/* Digits, up to a blank or the end, as nearly all numbers are; false, with nothing taken, where it
 * is more than that. */
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

/* A number that may be relative to *value: `+3`, `*`, and where `minus` says so `-3`. */
bool relative_parse(const char *at, const char *end, bool minus, int64_t *value);

/* Is this, before a colon, a line of a part's header? */
bool callgrind_is_header(const char *key, size_t len);

/* Declarations about events before their list. Zero-initialised, there are none. */
struct callgrind_events {
	VEC(struct callgrind_unit {
		name_id event;
		enum unit unit;
		int64_t scale; /* what 1 of the file is */
	}) unit;
	bool has_creator;
};

/* Takes `RB : Reachable Bytes`, of a line `event:`. */
void callgrind_event(struct builder *b, struct callgrind_events *events, const char *at,
		     const char *end);
/* The metric of an event, and what a unit of it is: `Time_(10ns)` is Time, 10 ns each. */
metric_id callgrind_metric(struct builder *b, const struct callgrind_events *events,
			   const char *at, size_t len, int64_t *scale);

/* Of the decoder (decoder.h). */
int callgrind_probe(struct head head);

#endif
