/* ruler.h - ticks of a time axis, and times that are not rounded. */
#ifndef PNAV_UI_PART_RULER_H
#define PNAV_UI_PART_RULER_H

#include <stdint.h>

#include "model/base/buf.h"
#include "model/profile/metrics.h"
#include "ui/screen/canvas.h"

/* Appends 2310004512 as "2.310004512 s", 1500 as "1.5 µs". */
void ruler_write(int64_t t, enum unit axis, struct buf *out);
/* 1, 2 or 5 times a power of ten: the distance of ticks that are at least `apart` columns
 * apart where `span` is `cols` columns wide (> 0). */
int64_t ruler_step(int64_t span, int cols, int apart);
/* The run [0, end] in the columns of one line `a`: ticks with their times, the end's at the
 * right. */
void ruler_draw(struct canvas *c, struct area a, int64_t end, enum unit axis);

#endif
