/* nytprof.h - collects a run of a Perl program and writes it as a profile. For nytprof*.c alone. */
#ifndef PNAV_SRC_DECODE_NYTPROF_NYTPROF_H
#define PNAV_SRC_DECODE_NYTPROF_NYTPROF_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"
#include "src/input/input.h"

/* A call, in the order of returns: callees precede their callers. */
struct nyt_call {
	double self_ticks;
	name_id name;
	uint32_t depth;
	uint64_t offset;
};

/* A call whose begin was recorded, too; in the order of begins. */
struct nyt_slice {
	int64_t enters, leaves; /* ticks of the statements so far */
	double self_ticks;      /* as its return states them */
	uint32_t up;            /* the call around it: index + 1 */
	name_id name;           /* NAME_EMPTY: its return is missing */
	uint64_t offset;        /* of the return */
};

/* The cost of a sub when another calls it from one place. */
struct nyt_arc {
	name_id caller, called;
	uint32_t count;
	double seconds, self_seconds;
	uint64_t offset;
};

struct nyt_line {
	uint32_t file, line;
	int64_t ticks;
};

struct nyt_sub {
	name_id name;
	uint32_t file, first, last;
};

struct nyt_process {
	uint32_t pid;
	int64_t ticks; /* of all statements so far */
	uint64_t statements;
	VEC(struct nyt_call) call;
	VEC(struct nyt_slice) slice;
	VEC(uint32_t) open; /* of the slices, innermost last */
	VEC(struct nyt_arc) arc;
	VEC(struct nyt_line) line;
	struct idmap line_of; /* index of a file and line */
};

struct nytprof {
	struct builder *b;
	struct err *e;
	int64_t ticks_per_second;
	name_id application;
	VEC(struct nyt_process) process;
	struct idmap file_of; /* id to its name */
	VEC(struct nyt_sub) sub;
	struct idmap sub_of; /* name to its sub, once all are known */
	uint64_t unmatched;
};

/* Writes everything that was read; frees nothing. */
bool nyt_write(struct nytprof *n, struct input *in);

#endif
