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

struct builder {
	struct profile *p;
	uint16_t group;
	struct series_scratch scratch;

	struct map whole;      /* hash of frame ids -> index in whole_stack */
	stack_id *whole_stack; /* what was found under it */
	uint32_t n_whole, whole_cap;
	frame_id *last; /* frames of the last stack, root first */
	stack_id *last_stack;
	size_t n_last, last_cap;

	size_t long_name; /* of a name that is longer than any is; 0: none came */
	bool deep;        /* a stack that is deeper than any is was asked for */

	uint8_t role[METRICS_MAX];  /* enum metric_role as this file has it; or NO_ROLE */
	bool whole_numbers[METRICS_MAX]; /* values lack the metric's decimals */
	bool multiplies;            /* any of those is set */
	bool default_free;          /* no file before has chosen the default metric */
	char *label;                /* in front of the names of tracks; or NULL */
	struct alike alike;         /* functions of the files before; empty when not compared */
	track_id first_track;
	uint64_t first_event;       /* of p->events */
};

#endif
