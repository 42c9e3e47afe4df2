/* serial.c - see serial.h. The counter is process-wide; all that matters is that no two serials
 * are equal. */
#include "model/base/serial.h"

#include <stdatomic.h>

uint64_t
serial_next(void)
{
	static atomic_uint_fast64_t given;

	return atomic_fetch_add(&given, 1) + 1;
}
