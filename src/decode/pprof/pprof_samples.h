/* pprof_samples.h - the samples of a pprof message, over its tables. */
#ifndef PNAV_SRC_DECODE_PPROF_SAMPLES_H
#define PNAV_SRC_DECODE_PPROF_SAMPLES_H

#include <stdbool.h>

#include "src/decode/pprof/pprof_tables.h"

/* Reads the samples before t->end, from the beginning of the input.  Returns false with *e
 * after an error; the samples before it are kept. */
bool pprof_samples_read(struct pprof_tables *t, struct input *in, struct err *e);

#endif
