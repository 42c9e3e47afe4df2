/* by_time.h - rows in the order of their times: events that a file has in any order. */
#ifndef PNAV_SRC_DECODE_COMMON_BY_TIME_H
#define PNAV_SRC_DECODE_COMMON_BY_TIME_H

#include <stddef.h>

/* n rows of `size` bytes, each beginning with an int64_t, its time, by these; rows of one time
 * stay as they are.  They come from mem_alloc() or a VEC; what is given back takes their place,
 * has room for n, and is the same where they were in order. */
void *rows_by_time(void *rows, size_t n, size_t size);
/* The same of a copy, which is the caller's to free(); the rows stay as they are.  NULL where
 * there are none. */
void *rows_by_time_copy(const void *rows, size_t n, size_t size);

#endif
