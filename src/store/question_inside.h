/* question_inside.h - parts of queries; for question*.c alone. */
#ifndef PNAV_SRC_STORE_QUESTION_INSIDE_H
#define PNAV_SRC_STORE_QUESTION_INSIDE_H

#include "src/store/question.h"

/* When a profile begins and ends, in ns since 1970. */
#define BEGIN "(toInt64(toUInt32(start)) * 1000000000 + start_ns)"
#define END "(" BEGIN " + toInt64(duration_ns))"

/* Which profiles of the range: all that overlap it, those inside, those that an end cuts. */
enum lies { LIES_SOMEHOW, LIES_WHOLE, LIES_CUT };

/* Selects the ids of the profiles of the service, hosts and labels that overlap the range. */
void question_add_visible(const struct question *q, enum lies lies, struct buf *out);

#endif
