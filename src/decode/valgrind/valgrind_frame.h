/* valgrind_frame.h - a place in a program as valgrind's tools write it. */
#ifndef PNAV_SRC_DECODE_VALGRIND_VALGRIND_FRAME_H
#define PNAV_SRC_DECODE_VALGRIND_VALGRIND_FRAME_H

#include "model/build/builder.h"

/* `0xADDR: FUNC (FILE:LINE)`, `0xADDR: FUNC (in OBJECT)`, `0xADDR: ???`: [at, end).  What has
 * no name is called by its address. */
frame_id valgrind_frame(struct builder *b, const char *at, const char *end);

#endif
