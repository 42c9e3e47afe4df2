/* br_read.h - reads the records of a BR profiler log. Probing, decoding and dumping share it: it
 * knows the bytes and the grammar. */
#ifndef PNAV_SRC_DECODE_BR_BR_READ_H
#define PNAV_SRC_DECODE_BR_BR_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/input/cursor.h"

enum br_tag {
	BR_MAP = 1,
	BR_CURRENT = 3,
	BR_TIME = 4,
	BR_BACKTRACE = 5,
	BR_END = 6,
	BR_FUNCTION = 7,
	BR_GOSUB = 8,
	BR_MAIN = 9,
};

struct br_record {
	uint8_t tag;
	uint8_t clause;
	uint16_t module;
	uint32_t line;
	uint64_t time;    /* ns */
	const char *name; /* of a file or a function; points into the bytes read */
	uint16_t len;
};

/* The state, which determines the records that may follow. */
enum br_state {
	BR_OUTSIDE, /* outside of groups */
	BR_INSIDE,
	BR_PLACE, /* inside, directly after CURRENT or BACKTRACE: a routine may follow */
	BR_FAULT,
};
extern const uint8_t br_next_state[3][16]; /* [state][tag] */

static inline size_t
br_named(const uint8_t *at, size_t have, size_t head, uint16_t len, struct br_record *r)
{
	r->name = (const char *)at + head;
	r->len = len;
	return head + len <= have ? head + len : 0;
}

/* Returns the length of the record at `at` and sets its fields in *r; `have` bytes are available
 * there. Returns 0 if more bytes are needed. An unknown tag has length 1. */
static inline size_t
br_record(const uint8_t *at, size_t have, struct br_record *r)
{
	if (!have)
		return 0;
	r->tag = at[0];
	switch (at[0]) {
	case BR_MAP:
		if (have < 5)
			return 0;
		r->module = bytes_u16(at + 1, true);
		return br_named(at, have, 5, bytes_u16(at + 3, true), r);
	case BR_CURRENT:
	case BR_BACKTRACE:
		if (have < 8)
			return 0;
		r->module = bytes_u16(at + 1, true);
		r->line = bytes_u32(at + 3, true);
		r->clause = at[7];
		return 8;
	case BR_TIME:
		if (have < 9)
			return 0;
		r->time = bytes_u64(at + 1, true);
		return 9;
	case BR_FUNCTION:
		return have < 2 ? 0 : br_named(at, have, 2, at[1], r);
	}
	return 1;
}

/* Returns the state after a record; BR_FAULT if it must not occur here, or is malformed. */
static inline enum br_state
br_step(enum br_state state, const struct br_record *r)
{
	if (r->tag > BR_MAIN || ((r->tag == BR_MAP || r->tag == BR_FUNCTION) && !r->len))
		return BR_FAULT;
	return (enum br_state)br_next_state[state][r->tag];
}

/* Returns what is wrong with a record for which br_step() returned BR_FAULT. */
const char *br_fault(enum br_state state, const struct br_record *r);
/* Returns "a MAP record", for messages; also for unknown tags. */
const char *br_tag_name(uint8_t tag);

#endif
