/* nearest.h - describes a file that no format claims, and suggests similar formats. */
#ifndef PNAV_SRC_DECODE_NEAREST_H
#define PNAV_SRC_DECODE_NEAREST_H

#include "model/base/err.h"
#include "src/decode/decoder.h"

/* Refuses the file with a description of its first bytes and the nearest formats. */
void nearest_refuse(struct head head, struct err *e);

#endif
