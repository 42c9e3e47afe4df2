/* valgrind_frame.h - a place in a program as valgrind's tools write it. */
#ifndef PNAV_SRC_DECODE_VALGRIND_VALGRIND_FRAME_H
#define PNAV_SRC_DECODE_VALGRIND_VALGRIND_FRAME_H

#include "model/build/builder.h"

/* Returns the frame of `0xADDR: FUNC (FILE:LINE)`, `0xADDR: FUNC (in OBJECT)` or `0xADDR: ???` in
 * [at, end). Without a name, the address becomes the name. */
frame_id valgrind_frame(struct builder *b, const char *at, const char *end);

#endif
