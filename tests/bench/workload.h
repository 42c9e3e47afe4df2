/* workload.h - an invented program that runs: the source of the bench's data.
 *
 *	struct workload w;
 *	struct walk k;
 *	workload_init(&w, &(struct shape){.functions = 6000, .callees = 6, .depth = 24});
 *	walk_init(&k, &w, 1);
 *	while (...) {
 *		if (walk_move(&k)) ...  -- k.stack[k.depth - 1] was called
 *		else ...                -- something returned
 *	}
 *	walk_release(&k);
 *	workload_release(&w);
 *
 * The same arguments give the same run on every machine. */
#ifndef PNAV_TESTS_BENCH_WORKLOAD_H
#define PNAV_TESTS_BENCH_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#define WALK_DEPTH_MAX 128

struct shape {
	uint32_t functions; /* of the program */
	uint32_t callees;   /* that a function has */
	uint32_t
		depth; /* about which the stack moves up and down, < WALK_DEPTH_MAX / 2 */
};

struct workload {
	struct shape shape;
	char **name; /* [function] */
};

struct walk {
	const struct workload *of;
	uint64_t random;
	uint32_t depth;                 /* at least 1: the root never returns */
	uint32_t stack[WALK_DEPTH_MAX]; /* functions, root first */
	uint32_t site[WALK_DEPTH_MAX];  /* which of the caller's callees it is */
};

void workload_init(struct workload *w, const struct shape *shape);
void workload_release(struct workload *w);

/* `seed` distinguishes runs of one program (its threads). */
void walk_init(struct walk *k, const struct workload *w, uint32_t seed);
/* One call (true) or one return (false). */
bool walk_move(struct walk *k);
/* A few of them: from one sample to the next. */
void walk_sample(struct walk *k);
/* A number in [0, n), n > 0, from the walk's own generator. */
uint32_t walk_random(struct walk *k, uint32_t n);

#endif
