/* text1_quick.h - rows of a timeline as nearly all exports write them.  Part of text1.h. */
#ifndef PNAV_SRC_DECODE_TEXT1_TEXT1_QUICK_H
#define PNAV_SRC_DECODE_TEXT1_TEXT1_QUICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/err.h"
#include "src/decode/text1/text1.h"

/* Are there such rows in a timeline of this format? */
bool text1_quick_fits(const struct text1_format *f);
/* Reads rows from the front of at[0..len), which lies at `offset`, up to the first that is
 * written otherwise; *used: their bytes.  False with damage. */
bool text1_quick_rows(struct text1 *t, const struct text1_format *f, const char *at, size_t len,
		      uint64_t offset, size_t *used, struct err *e);

#endif
