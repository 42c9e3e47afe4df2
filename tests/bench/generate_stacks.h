/* generate_stacks.h - the call paths of the invented program, numbered: for formats that name a
 * path once and refer to it. */
#ifndef PNAV_TESTS_BENCH_GENERATE_STACKS_H
#define PNAV_TESTS_BENCH_GENERATE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "tests/bench/workload.h"

struct path {
	uint32_t parent, function;
};

/* A tree of paths; 0 is that of main. */
struct paths {
	struct workload program;
	struct walk walk;
	VEC(uint32_t) child; /* [path * callees + site] 0: not seen yet */
	VEC(struct path) path;
	uint32_t at[WALK_DEPTH_MAX]; /* of the walk's stack */
};

void paths_init(struct paths *p);
void paths_release(struct paths *p);
/* One call (true) or one return of the walk.  *made: the path of the innermost was new. */
bool paths_move(struct paths *p, bool *made);
/* The path of the walk's stack. */
uint32_t paths_now(const struct paths *p);
/* Walks until there are n, or hardly more come. */
void paths_make(struct paths *p, uint32_t n);
/* The path after some moves, of those that are there. */
uint32_t paths_sample(struct paths *p);

#endif
