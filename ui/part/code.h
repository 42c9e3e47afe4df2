/* code.h - the instructions of a function, from a source: the browser itself reads no code.
 *
 *	if (source->make(source->ctx, fold, p, function, ADDRESS_NONE, pace))
 *		for (size_t i = 0; i < source->count(source->ctx); i++)
 *			struct code_hit x = source->at(source->ctx, i); */
#ifndef PNAV_UI_PART_CODE_H
#define PNAV_UI_PART_CODE_H

#include "model/base/pace.h"
#include "model/fold/fold.h"
#include "model/table/instruction.h"

/* An instruction, or a sampled address without code, with is->text NULL. */
struct code_hit {
	const struct instruction *is; /* valid until the next call of make() */
	int64_t self;
};

struct code_source {
	void *ctx;
	/* Makes the instructions of this function, by address, with costs from the fold, which is
	 * by address and of p.  If `at` is not ADDRESS_NONE, makes those around it in the same
	 * module. Takes rests; returns false, without instructions, if the pace cancelled. */
	bool (*make)(void *ctx, const struct fold *f, const struct profile *p, function_id fn,
		     uint64_t at, struct pace *pace);
	size_t (*count)(void *ctx);
	struct code_hit (*at)(void *ctx, size_t i);
	/* Appends why some of the code is missing; nothing if it is complete. */
	void (*why)(void *ctx, struct buf *out);
};

#endif
