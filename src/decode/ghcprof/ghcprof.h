/* ghcprof.h - the state while a profile of GHC is read.  For ghcprof*.c only. */
#ifndef PNAV_SRC_DECODE_GHCPROF_GHCPROF_H
#define PNAV_SRC_DECODE_GHCPROF_GHCPROF_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/build/builder.h"
#include "src/input/input.h"

#define GHC_DEPTH_MAX 4096u

enum { GHC_TIME, GHC_ALLOC, GHC_CALLS, GHC_METRICS };

struct ghc_out {
	struct builder *b;
	struct err *e;
	track_id track;
	struct series *series;
};

/* Declares the metrics and the track of trees with ticks and bytes. */
void ghc_begin(struct ghc_out *o);
/* Returns the frame of a cost centre: label, module, `FILE:LINE:COL-COL` or `FILE:(L,C)-(L,C)`. */
frame_id ghc_frame(struct ghc_out *o, const char *label, size_t label_len, const char *module,
		   size_t module_len, const char *place, size_t place_len);
/* Adds the self values of a node of the tree. */
bool ghc_node(struct ghc_out *o, stack_id stack, const int64_t *value, uint64_t offset);

/* Each reads one of the three notations; returns false with the error in *o->e. */
bool ghc_read_json(struct ghc_out *o, struct input *in);
bool ghc_read_text(struct ghc_out *o, struct input *in);
bool ghc_read_heap(struct ghc_out *o, struct input *in);

#endif
