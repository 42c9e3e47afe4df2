/* by_time.h - sorts rows by time, for events that a file contains in any order. */
#ifndef PNAV_SRC_DECODE_COMMON_BY_TIME_H
#define PNAV_SRC_DECODE_COMMON_BY_TIME_H

#include <stddef.h>

/* Sorts n rows of `size` bytes by their first member, an int64_t time; rows with equal times keep
 * their order. The rows must come from mem_alloc() or a VEC. Returns the array that replaces them,
 * with room for n; the same one if they were in order. */
void *rows_by_time(void *rows, size_t n, size_t size);
/* The same for a copy, which the caller frees; the rows stay unchanged. NULL if there are none. */
void *rows_by_time_copy(const void *rows, size_t n, size_t size);

#endif
