/* perfscript_frames.h - the chain of the open sample, as frames of the profile.
 * Zero-initialise; release with perf_frames_release(). */
#ifndef PNAV_SRC_DECODE_PERF_PERFSCRIPT_FRAMES_H
#define PNAV_SRC_DECODE_PERF_PERFSCRIPT_FRAMES_H

#include <stdbool.h>

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/text_cache.h"
#include "src/decode/perf/perfscript_line.h"

/* Beside the id of a frame while its module is not known. */
#define PERF_INLINED 0x80000000u

struct perf_frames {
	VEC(uint32_t) chain; /* leaf first: frame ids, with a flag while inlined */
	bool any_inlined;
	struct text_cache text;    /* line behind the address -> frame and flag */
	struct text_cache refined; /* frame and what was learned of it -> frame */
};

void perf_frames_reset(struct perf_frames *f);
/* The next frame towards the root. */
void perf_frames_push(struct perf_frames *f, struct builder *b, struct slice address,
		      struct slice behind);
/* The same for a line whose text behind the address was pushed before; false when it
 * was not, and nothing was pushed. */
static inline bool
perf_frames_push_known(struct perf_frames *f, struct slice behind)
{
	uint32_t value = *text_cache_find(&f->text, hash128(behind.at, behind.len));
	if (!value)
		return false;
	*vec_push(&f->chain) = value - 1;
	f->any_inlined |= value - 1 >= PERF_INLINED;
	return true;
}
/* Where the frame pushed last is. */
void perf_frames_source(struct perf_frames *f, struct builder *b,
			struct perf_source source);
/* The stack of all frames pushed; `[unknown]` where there are none. */
stack_id perf_frames_stack(struct perf_frames *f, struct builder *b);
void perf_frames_release(struct perf_frames *f);

#endif
