/* compare.h - a number and what it is compared with: what became of it, and in words.
 *
 * Differences are those of the plain numbers; percentages are always those of the base's
 * own value. */
#ifndef PNAV_MODEL_COMPARE_H
#define PNAV_MODEL_COMPARE_H

#include <stdint.h>

#include "model/base/buf.h"
#include "model/profile/metrics.h"

/* What became of a number. */
enum fate { FATE_SAME, FATE_GREW, FATE_SHRANK, FATE_NEW, FATE_GONE };

enum fate compare_fate(int64_t now, int64_t base);
/* "+1.2 s", "-300 ms", "0"; of counts where the metric is NULL. */
void compare_amount(const struct metric *m, int64_t now, int64_t base, struct buf *out);
/* "+12.5%" of the base; "new", "gone", or nothing where nothing has changed. */
void compare_share(int64_t now, int64_t base, struct buf *out);

#endif
