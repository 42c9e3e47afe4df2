/* comms.h - the names of threads: a program that is executed gives its thread another one, and the
 * number of a thread that ended is used again.
 *
 *	struct comms c = {0};
 *	comms_named(&c, tid, time_ns, name);	-- in any order of time
 *	comms_ends(&c, tid, time_ns);
 *	comms_settle(&c);
 *	name = comms_at(&c, tid, time_ns);
 *	comms_release(&c);
 *
 * A name holds for all of a thread's life, and the latest one in time counts. */
#ifndef PNAV_SRC_DECODE_COMMON_COMMS_H
#define PNAV_SRC_DECODE_COMMON_COMMS_H

#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"

/* A statement about a thread: a name from one time to another, or that it ended. */
struct comm {
	int64_t tid, first_ns, last_ns;
	name_id name; /* NAME_EMPTY: it ended */
};

struct comm_life {
	int64_t tid, until_ns; /* the last time of it */
	name_id name;          /* NAME_EMPTY: none is known */
};

/* Initialise with zeros. */
struct comms {
	VEC(struct comm) said;
	struct idmap last_of; /* tid to index of the last that was said about it */
	VEC(struct comm_life) life; /* in the order of tid and time */
};

/* Notes that a thread has this name at this time. */
void comms_named(struct comms *c, int64_t tid, int64_t time_ns, name_id name);
/* Notes that the life of a thread ends at this time: later names are those of another one. */
void comms_ends(struct comms *c, int64_t tid, int64_t time_ns);
/* Notes that a life begins: earlier names are those of another thread. */
void comms_begins(struct comms *c, int64_t tid, int64_t time_ns);
/* Finds the names of all lives by what was said so far. */
void comms_settle(struct comms *c);
/* Returns the name of the thread that has this number at this time; NAME_EMPTY if none is known.
 * It is as of the last comms_settle(). */
name_id comms_at(const struct comms *c, int64_t tid, int64_t time_ns);
/* Returns that life of the thread; NULL if nothing was said about it. */
const struct comm_life *comms_life_at(const struct comms *c, int64_t tid, int64_t time_ns);
void comms_release(struct comms *c);

#endif
