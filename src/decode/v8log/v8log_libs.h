/* v8log_libs.h - the libraries of a program, and the frames at an address in them. */
#ifndef PNAV_SRC_DECODE_V8LOG_V8LOG_LIBS_H
#define PNAV_SRC_DECODE_V8LOG_V8LOG_LIBS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"
#include "src/symbol/symbols.h"

struct v8_library {
	uint64_t start, end;
	name_id path;
	uint32_t symbols;
	bool asked, fits;
};

struct v8_libs {
	struct input *in;  /* borrowed, both */
	struct builder *b;
	struct symbols *symbols;
	VEC(struct v8_library) library;
	/* address -> index in `frame` of a count, followed by that many frames */
	struct idmap of_address;
	VEC(uint32_t) frame;
};

void v8_libs_add(struct v8_libs *l, uint64_t start, uint64_t end, const char *path, size_t len);
/* Returns the number of frames at an address, innermost first, valid until the next call; 0 if
 * it is in no library. */
unsigned v8_libs_at(struct v8_libs *l, uint64_t address, const frame_id **out);
/* Tells whose symbols were taken. */
void v8_libs_info(const struct v8_libs *l);
void v8_libs_release(struct v8_libs *l);

#endif
