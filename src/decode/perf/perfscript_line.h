/* perfscript_line.h - parses one line of `perf script`. All slices point into the line. */
#ifndef PNAV_SRC_DECODE_PERF_PERFSCRIPT_LINE_H
#define PNAV_SRC_DECODE_PERF_PERFSCRIPT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/decode/common/slice.h"

enum perf_kind {
	PERF_BLANK,
	PERF_COMMENT, /* "# key : value" */
	PERF_SAMPLE,  /* begins a sample */
	PERF_RECORD,  /* another record of perf.data: PERF_RECORD_MMAP ... */
	PERF_FRAME,   /* of the sample's chain */
	PERF_SOURCE,  /* source position of the previous frame: "  file.c:12" */
	PERF_FIELD,   /* of a sample, but not a frame: registers, brstack */
	PERF_OTHER,
};

struct perf_sample {
	struct text_slice pid;              /* the number before the tid */
	struct text_slice comm, tid, event; /* empty if not printed; event without its ':' */
	bool has_time, has_period, huge; /* huge: a number beyond 2^63 */
	int64_t time_ns, period;
	int64_t cpu;        /* -1: not printed */
	struct text_slice text;  /* after the event */
	struct text_slice frame; /* of the one-line form, from its address on */
	bool branch;        /* the frame was "from => to" */
};

struct perf_symbol {
	struct text_slice name, module; /* without "+0x2c7", without brackets */
	bool inlined;
	bool whole; /* ends with a bracket, so nothing is missing */
};

struct perf_source {
	struct text_slice file;
	uint32_t line; /* 0: not in the line */
	bool inlined;
};

/* Classifies a line. `open`: it follows a sample's header; `framed`: the sample already has frames;
 * `one_line`: the frames are in the header. *sample is set only for PERF_SAMPLE. */
enum perf_kind perf_line(const char *at, size_t len, bool open, bool framed,
			 bool one_line, struct perf_sample *sample);

/* Gets the part of a frame's line after its address; false if there is no address. */
bool perf_address(const char *at, size_t len, struct text_slice *address,
		  struct text_slice *behind);
struct perf_symbol perf_symbol(struct text_slice behind);
struct perf_source perf_source(const char *at, size_t len);
/* Parses the comment "event : name = cycles:u, , id = { 1 }, ..., { sample_period, sample_freq } =
 * 4000, ..., freq = 1, ...": the name, and the period if it is fixed, else 0. Returns false for
 * other comments. */
bool perf_event(struct text_slice key, struct text_slice value,
		struct text_slice *name, int64_t *interval_ns);
/* "# key : value" */
bool perf_comment(const char *at, size_t len, struct text_slice *key,
		  struct text_slice *value);

#endif
