/* timed.h - events that wait until all of a file is read: a time and a few numbers each, packed,
 * and returned in the order of time.
 *
 *	struct timed_list t = {0};
 *	timed_add(&t, time_ns, (uint32_t[TIMED_NUMBERS]){thread, cpu});	-- in any order
 *	timed_read(&r, &t);
 *	while (timed_next(&r, &time_ns, number)) ...
 *	timed_read_end(&r);
 *	timed_release(&t);
 *
 * Events of equal times are returned in the order of adding. Numbers that are 0 take no memory. */
#ifndef PNAV_SRC_DECODE_COMMON_TIMED_H
#define PNAV_SRC_DECODE_COMMON_TIMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"

#define TIMED_NUMBERS 3

/* Events that were added in the order of time. */
struct timed_run {
	int64_t first_ns;
	size_t at, len; /* in the bytes; len is for readers */
};

struct timed_list {
	struct buf bytes;
	VEC(struct timed_run) run;
	int64_t last_ns;
};

/* Where the events of a run continue. */
struct timed_head {
	int64_t time_ns;         /* of its next event */
	const uint8_t *at, *end; /* that event, and the end of the run */
};

/* The runs that have begun are a heap, the next event first. */
struct timed_reader {
	const struct timed_list *t;
	struct timed_run *run; /* all of them, by their first events */
	size_t begun;
	VEC(struct timed_head) head;
};

/* `number` has TIMED_NUMBERS elements. */
void timed_add(struct timed_list *t, int64_t time_ns, const uint32_t *number);
/* Begins to return the events. None may be added until timed_read_end(). */
void timed_read(struct timed_reader *r, const struct timed_list *t);
/* Returns the next event and its numbers; false after the last. */
bool timed_next(struct timed_reader *r, int64_t *time_ns, uint32_t *number);
void timed_read_end(struct timed_reader *r);
void timed_release(struct timed_list *t);

#endif
