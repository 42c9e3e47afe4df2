/* terminal_keys.h - the keys that `terminal` measures, in the order in which they are pressed. */
#ifndef PNAV_TESTS_BENCH_TERMINAL_KEYS_H
#define PNAV_TESTS_BENCH_TERMINAL_KEYS_H

#include <stddef.h>

#define NO_KEY "\033[20~"

struct measured_key {
	const char *figure, *budget;
	const char *before; /* pressed once, not measured */
	const char *key;    /* pressed again and again; % is replaced by different digits */
	const char *back;   /* pressed after each, not measured; NULL for nothing */
};

extern const struct measured_key measured_keys[];
extern const size_t measured_keys_count;

#endif
