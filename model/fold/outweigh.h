/* outweigh.h - does time of asynchronous work outweigh what the views show first? */
#ifndef PNAV_MODEL_FOLD_OUTWEIGH_H
#define PNAV_MODEL_FOLD_OUTWEIGH_H

#include "model/base/buf.h"
#include "model/profile/profile.h"

/* Appends `async is 50 ms, 500 times time`, without what shows it, if metric `async` has at least
 * ten times the default metric, which is a time as well. Returns false otherwise, and for a
 * comparison. The cost is a few searches per series. */
bool outweigh_say(const struct profile *p, struct buf *out);

#endif
