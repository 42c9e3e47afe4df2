/* serial.c - see serial.h.  The count is process-wide, and nothing depends on it but that no two
 * are equal. */
#include "model/base/serial.h"

#include <stdatomic.h>

uint64_t
serial_next(void)
{
	static atomic_uint_fast64_t given;

	return atomic_fetch_add(&given, 1) + 1;
}
