/* human.h - numbers and times as text for people. All functions append to `out`; none
 * depends on a locale. */
#ifndef PNAV_MODEL_PROFILE_HUMAN_H
#define PNAV_MODEL_PROFILE_HUMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/profile/frames.h"
#include "model/profile/metrics.h"

/* 48210 -> "48,210" */
void human_count(struct buf *out, int64_t v);
/* A value of a metric, abbreviated: "4.1 s", "812 ms", "48,210", "1.2 MB" */
void human_value(struct buf *out, int64_t v, const struct metric *m);
/* A time or duration on an axis: "2.310 s", "48,210" */
void human_time(struct buf *out, int64_t v, enum unit axis);
/* Returns the share of a part in a whole that is not 0, in %. It has the sign of the part: values
 * of both signs may leave a whole below 0. */
double human_percent(int64_t part, int64_t whole);
/* That share: "33.1 %", "" if whole is 0; always one decimal */
void human_share(struct buf *out, int64_t part, int64_t whole);
/* A base-unit integer as in CSV: with decimals if the metric has them. */
void human_plain(struct buf *out, int64_t v, unsigned decimals);
/* The shortest decimal that parses to the same double; "nan", "inf", "-inf". */
void human_real(struct buf *out, double v);
/* "88", "100.2", or nothing */
void human_line(struct buf *out, struct line line);

#endif
