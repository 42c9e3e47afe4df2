/* compare.h - a number and its base: how it changed, and the change as text.
 *
 * Numbers and changes are displayed as sides.h says. Percentages refer to the base before it is
 * rounded. */
#ifndef PNAV_MODEL_COMPARE_COMPARE_H
#define PNAV_MODEL_COMPARE_COMPARE_H

#include <stdint.h>

#include "model/base/buf.h"
#include "model/fold/sides.h"
#include "model/profile/metrics.h"

/* How a number changed. */
enum fate { FATE_SAME, FATE_GREW, FATE_SHRANK, FATE_NEW, FATE_GONE };

/* Numbers that are displayed alike are the same, unless one side has nothing at all. */
enum fate compare_fate(struct sides x);
/* Appends a number for people: "1,234", below ten "0.3 ms", "<0.01". metric NULL: a count. */
void compare_value(const struct metric *m, double exact, struct buf *out);
/* Appends a change or a limit of one: "+1.2 s", "-300 ms", "+0.5", "0". metric NULL: a count. */
void compare_amount(const struct metric *m, double change, struct buf *out);
/* Appends "+12.5%" of the base, "new", "gone", or nothing if the number did not change. */
void compare_share(struct sides x, struct buf *out);
/* Appends both: "+2 +12.5%", "+2 new", "gone" of what was displayed as nothing, "0". */
void compare_both(const struct metric *m, struct sides x, struct buf *out);

#endif
