/* serial.h - serial numbers that are unique in the process.
 *
 * A cache (a picture, a list, columns) keeps the serial of the object that it was made from and
 * compares it. An address would not do, since the next object may have the address of the last. */
#ifndef PNAV_MODEL_BASE_SERIAL_H
#define PNAV_MODEL_BASE_SERIAL_H

#include <stdint.h>

/* Returns the next number, never 0. Thread-safe. */
uint64_t serial_next(void);

#endif
