/* perfscript_frames.h - the chain of the open sample, as frames of the profile.
 * Zero-initialise; release with perf_frames_release(). */
#ifndef PNAV_SRC_DECODE_PERF_PERFSCRIPT_FRAMES_H
#define PNAV_SRC_DECODE_PERF_PERFSCRIPT_FRAMES_H

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/text_cache.h"
#include "src/decode/perf/perfscript_line.h"

/* Added to the id of a frame while its module is unknown. */
#define PERF_INLINED 0x80000000u

struct perf_frames {
	VEC(uint32_t) chain; /* leaf first: frame ids, with the flag if inlined */
	bool any_inlined;
	struct text_cache text;    /* text of a line after the address to a frame with its flag */
	struct text_cache refined; /* a frame and its later attributes to a frame */
};

void perf_frames_reset(struct perf_frames *f);
/* Adds the next frame towards the root. */
void perf_frames_push(struct perf_frames *f, struct builder *b, struct text_slice address,
		      struct text_slice behind);
/* The same for a line whose text after the address is known. Returns false, and adds nothing, if it
 * is not. */
static inline bool
perf_frames_push_known(struct perf_frames *f, struct text_slice behind)
{
	uint32_t value = *text_cache_find(&f->text, hash128(behind.at, behind.len));
	if (!value)
		return false;
	*vec_push(&f->chain) = value - 1;
	f->any_inlined |= value - 1 >= PERF_INLINED;
	return true;
}
/* Sets the source position of the last frame. */
void perf_frames_source(struct perf_frames *f, struct builder *b,
			struct perf_source source);
/* Returns the stack of all added frames; `[unknown]` if there are none. */
stack_id perf_frames_stack(struct perf_frames *f, struct builder *b);
void perf_frames_release(struct perf_frames *f);

#endif
