/* v8log_map.h - maps addresses to code while a program generates code: ranges that do not overlap.
 * New code replaces the code in its range.
 *
 * A zero-initialised map is empty. */
#ifndef PNAV_SRC_DECODE_V8LOG_V8LOG_MAP_H
#define PNAV_SRC_DECODE_V8LOG_V8LOG_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct v8_range {
	uint64_t start, end; /* end is the first address after the range */
	uint32_t value;
};

struct v8_map {
	void *root;
};

/* start < end. */
void v8_map_put(struct v8_map *m, uint64_t start, uint64_t end, uint32_t value);
/* Returns the range around an address, valid until the next change; NULL: none. */
const struct v8_range *v8_map_find(const struct v8_map *m, uint64_t address);
/* Moves or removes the range that begins there; returns false if there is none. */
bool v8_map_move(struct v8_map *m, uint64_t from, uint64_t to);
bool v8_map_remove(struct v8_map *m, uint64_t start);
void v8_map_release(struct v8_map *m);

#endif
