/* encode_text1.h - runs of invented firmware, exported as Text1, with their true numbers.
 * Written from the format's document and pnav-formats(7), not from the decoder. */
#ifndef PNAV_TESTS_ENCODE_TEXT1_H
#define PNAV_TESTS_ENCODE_TEXT1_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"

#define RUN_CONTEXTS 3
#define RUN_FUNCTIONS 8
#define RUN_LINES 2 /* of each function with an even number */

struct run_event {
	uint32_t handle;
	char event;
	int64_t time;
	unsigned context;
};

struct run_numbers {
	int64_t total, min, max, n;
};

/* The true numbers of one function in one context. */
struct run_function {
	int64_t entries, net, gross;
	struct run_numbers nets, grosses, calls, periods, outsides;
	int64_t last_entry, last_exit;
	int open;
};

struct run {
	VEC(struct run_event) events;
	struct run_function of[RUN_CONTEXTS][RUN_FUNCTIONS];
	int64_t line_net[RUN_FUNCTIONS][RUN_LINES];
	int64_t line_entries[RUN_FUNCTIONS][RUN_LINES];
	unsigned contexts;
	int64_t now;
	uint64_t random;
	int left; /* calls that may still be made */
};

/* Runs the firmware: the same seed is the same run. */
void run_make(struct run *r, uint64_t seed, unsigned contexts, int calls);
void run_release(struct run *r);

/* The file in one of RUN_STYLES ways to write it; `timeline` false leaves that section
 * without rows. */
#define RUN_STYLES 3
void run_text(const struct run *r, unsigned style, bool timeline, struct buf *out);
/* The binary timeline; version 10 or 11, contexts become cores. */
void run_bin(const struct run *r, int version, struct buf *out);

/* "f3", "task 1": the names of functions and contexts. */
void run_function_name(unsigned f, char out[16]);
void run_context_name(unsigned c, char out[32]);

#endif
