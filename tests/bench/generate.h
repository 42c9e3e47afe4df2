/* generate.h - files of every format, of any size, always the same. */
#ifndef PNAV_TESTS_BENCH_GENERATE_H
#define PNAV_TESTS_BENCH_GENERATE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model/base/buf.h"

/* Where a file goes.  Writers add to `text` and call sink_done() between records. */
struct sink {
	FILE *out;
	struct buf text; /* not yet written */
	uint64_t written;
	uint64_t wanted; /* how long the file shall be, about */
};

/* Writes out the collected bytes.  Returns 1 when the file is long enough. */
int sink_done(struct sink *s);
/* Little-endian, big-endian, and base-128 integers. */
void put_le(struct sink *s, uint64_t value, unsigned bytes);
void put_be(struct sink *s, uint64_t value, unsigned bytes);
void put_varint(struct sink *s, uint64_t value);

/* Fields of protobuf: a number, bytes, and a message that gathered in m, which is empty then. */
void put_proto_number(struct sink *s, unsigned field, uint64_t value);
void put_proto_bytes(struct sink *s, unsigned field, const void *at, size_t len);
void put_proto_message(struct sink *s, unsigned field, struct sink *m);

struct generator {
	const char *name, *title;
	void (*write)(struct sink *s);
};

/* The table, ended by NULL. */
extern const struct generator *const generators[];

extern const struct generator generate_folded, generate_perfscript;
extern const struct generator generate_folded_names, generate_folded_functions;
extern const struct generator generate_folded_deep, generate_perfscript_threads;
extern const struct generator generate_bsprof_paths;
extern const struct generator generate_firefox_samples, generate_firefox_weights;
extern const struct generator generate_chrome, generate_speedscope, generate_callgrind;
extern const struct generator generate_cpuprofile, generate_heaptrack, generate_jfr;
extern const struct generator generate_perfetto, generate_otlp;
extern const struct generator generate_pprof, generate_pprof_new, generate_heaptrack_new;
extern const struct generator generate_bsprof, generate_br, generate_hqnplog;
extern const struct generator generate_text1, generate_text1_names, generate_text1_bin;

#endif
