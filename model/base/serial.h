/* serial.h - numbers that no two things of this process have.
 *
 * What is remembered of a thing (a picture, a list, columns) keeps the number of that thing and
 * compares it; an address would not do, since the next thing may lie where the last one did. */
#ifndef PNAV_MODEL_SERIAL_H
#define PNAV_MODEL_SERIAL_H

#include <stdint.h>

/* The next number, never 0.  Any thread may call it. */
uint64_t serial_next(void);

#endif
