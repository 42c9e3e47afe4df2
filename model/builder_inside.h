/* builder_inside.h - what a builder holds.  For builder.c and builder_stacks.c alone. */
#ifndef PNAV_MODEL_BUILDER_INSIDE_H
#define PNAV_MODEL_BUILDER_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/alike.h"
#include "model/builder.h"
#include "model/map.h"
#include "model/profile.h"
#include "model/series.h"

/* A metric as one file has it. */
struct own_metric {
	uint8_t role; /* enum metric_role; or NO_ROLE */
	bool whole;   /* values lack the metric's decimals */
};

struct builder {
	struct profile *p;
	uint32_t group;
	struct series_scratch scratch;

	struct map whole;      /* hash of frame ids -> index in whole_stack */
	stack_id *whole_stack; /* what was found under it */
	uint32_t n_whole, whole_cap;
	frame_id *last; /* frames of the last stack, root first */
	stack_id *last_stack;
	size_t n_last, last_cap;

	size_t long_name; /* of a name that is longer than any is; 0: none came */
	bool deep;        /* a stack that is deeper than any is was asked for */

	struct own_metric *own;     /* [metric] what this file says of it */
	uint32_t n_own, own_cap;
	metric_id counted;          /* what this file shows its events as; or METRIC_NONE */
	struct map metric_map;      /* hash of a name -> metrics that are called so */
	bool multiplies;            /* any of those is set */
	bool default_free;          /* no file before has chosen the default metric */
	char *label;                /* in front of the names of tracks; or NULL */
	struct alike alike;         /* functions of the files before; empty when not compared */
	track_id first_track;
	uint64_t first_event;       /* of p->events */
};

#endif
