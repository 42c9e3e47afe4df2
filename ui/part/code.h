/* code.h - the instructions of a function, and who tells them: the browser reads no code.
 *
 *	if (source->make(source->ctx, fold, p, function, ADDRESS_NONE, pace))
 *		for (size_t i = 0; i < source->count(source->ctx); i++)
 *			struct code_hit x = source->at(source->ctx, i); */
#ifndef PNAV_UI_PART_CODE_H
#define PNAV_UI_PART_CODE_H

#include "model/fold/fold.h"
#include "model/table/instruction.h"
#include "model/base/pace.h"

/* One, or one address of a sample where there is no code: is->text is NULL then. */
struct code_hit {
	const struct instruction *is; /* valid until others are made */
	int64_t self;
};

struct code_source {
	void *ctx;
	/* Those of this function, by address: what it cost is told by the fold, which is by
	 * address and of p; or, where `at` is no ADDRESS_NONE, those of what lies there in the
	 * same module.  Takes rests; false when the pace gave up, and there are none. */
	bool (*make)(void *ctx, const struct fold *f, const struct profile *p, function_id fn,
		     uint64_t at, struct pace *pace);
	size_t (*count)(void *ctx);
	struct code_hit (*at)(void *ctx, size_t i);
	/* Appends why there is no code of some of them; nothing where there is all. */
	void (*why)(void *ctx, struct buf *out);
};

#endif
