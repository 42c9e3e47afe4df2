/* hits.h - counts the samples of a collection in functions of the program, and in areas.
 *
 *	struct hits *h = hits_new(program, &functions, period_ns);
 *	collect_run(c, &(struct collect_sink){hits_take, h}, &e);
 *	hits_count(h);                      -- once after each run
 *	... h->areas, h->total, functions.at[i].hits
 *	hits_free(h); */
#ifndef PNAV_SRC_COLLECT_HITS_H
#define PNAV_SRC_COLLECT_HITS_H

#include <linux/perf_event.h>

#include "src/collect/functions.h"

/* Code outside of the program's functions: kernel, vDSO, loader, libraries, other programs. */
struct hits_area {
	char *name;       /* in brackets */
	uint64_t address; /* of its first occurrence; 0: nowhere */
	uint64_t hits;
};

struct hits_event;
struct hits_task;
struct hits {
	const char *program; /* its full path; borrowed */
	struct functions *functions;
	uint64_t period;
	uint64_t rest; /* CPU time below one period */
	uint64_t total;
	uint64_t unnamed; /* in the program, outside of its functions */
	uint64_t base;    /* its first load address */
	bool loaded;
	VEC(struct hits_area) areas;
	VEC(char *) paths;
	VEC(struct hits_event) events; /* of this run, not counted yet */
	VEC(struct hits_task) tasks;
};

struct hits *hits_new(const char *program, struct functions *f, uint64_t period);
bool hits_take(void *ctx, const struct perf_event_header *record, struct err *e);
void hits_count(struct hits *h);
/* Adds hits to an area without samples: the profiler's own. */
void hits_add(struct hits *h, const char *area, uint64_t hits);
void hits_free(struct hits *h);

#endif
