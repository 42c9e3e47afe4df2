/* nearest.h - a file that no format claims: what it looks like, and what it could be. */
#ifndef PNAV_SRC_DECODE_NEAREST_H
#define PNAV_SRC_DECODE_NEAREST_H

#include "model/base/err.h"
#include "src/decode/decoder.h"

/* Refuses it: its first bytes, described, and the formats nearest to it. */
void nearest_refuse(struct head head, struct err *e);

#endif
