/* ghcprof.h - the state while a profile of GHC is read.  For this folder only. */
#ifndef PNAV_SRC_DECODE_GHCPROF_GHCPROF_H
#define PNAV_SRC_DECODE_GHCPROF_GHCPROF_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"
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

/* Heap profiles: the bytes of each stack, a band, at moments of the run.
 *
 *	ghc_bands_begin(&g, o);             -- o has its track
 *	ghc_bands_sample(&g, time_ns, offset);
 *	ghc_band_add(&g, stack, bytes, offset);
 *	ghc_bands_sample_end(&g);
 *	ghc_bands_end(&g);
 *
 * The changes since the previous sample are written when a sample is complete; the sample with the
 * highest sum is `peak`. */
struct ghc_band {
	stack_id stack;
	int64_t before, now, at_peak;
};

struct ghc_bands {
	struct ghc_out *o;
	metric_id live, peak;
	struct series *samples;
	VEC(struct ghc_band) band;
	struct idmap band_of; /* stack -> index */
	int64_t time_ns, total, most;
	bool inside; /* a sample */
	bool any;
	uint64_t begun, count;
};

void ghc_bands_begin(struct ghc_bands *g, struct ghc_out *o);
/* Returns the stack in the name of a band, leaf first, after a number: `(303)load/main/CAF`. */
stack_id ghc_band_stack(struct ghc_out *o, const char *at, const char *end);
/* Begins a sample. `offset` is that of its record. */
void ghc_bands_sample(struct ghc_bands *g, int64_t time_ns, uint64_t offset);
/* Adds bytes, at least 0, to a band of the sample. The next three return false with an error in
 * *g->o->e. */
bool ghc_band_add(struct ghc_bands *g, stack_id stack, int64_t bytes, uint64_t offset);
bool ghc_bands_sample_end(struct ghc_bands *g);
/* Writes the peak, and releases the memory. */
bool ghc_bands_end(struct ghc_bands *g);

/* Each reads one of the three notations; returns false with the error in *o->e. */
bool ghc_read_json(struct ghc_out *o, struct input *in);
bool ghc_read_text(struct ghc_out *o, struct input *in);
bool ghc_read_heap(struct ghc_out *o, struct input *in);

#endif
