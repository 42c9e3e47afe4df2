/* art_read.h - reads a method trace of Android's runtime, in both forms, as a sequence of
 * events. */
#ifndef PNAV_SRC_DECODE_ART_ART_READ_H
#define PNAV_SRC_DECODE_ART_ART_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "src/input/input.h"

enum art_kind {
	ART_LINE,    /* text: a line before the records */
	ART_HEADER,  /* r's description of the records is complete */
	ART_CALL,    /* tid, method, action, us */
	ART_METHOD,  /* text: a line of the methods section */
	ART_THREAD,  /* tid, text: its name */
	ART_SUMMARY, /* text: the lines at which the other form begins; the last event */
};

enum art_action { ART_ENTER, ART_EXIT, ART_UNROLL };

struct art_event {
	enum art_kind kind;
	uint64_t offset;
	unsigned tid;
	uint32_t method;
	unsigned action;   /* enum art_action */
	uint32_t us[2];    /* of the record's clocks, one or both; since the start */
	const char *at;    /* text, valid until the next call */
	size_t len;
};

struct art_reader {
	struct input *in;
	struct err *e;
	bool streaming; /* names are among the records */
	bool records;   /* the header was read */
	bool ended;     /* ... and the end, if the form has one */
	unsigned version, record_size, clocks;
	uint64_t start_us;
};

/* Starts at the beginning of the input. */
void art_read_begin(struct art_reader *r, struct input *in, struct err *e);
/* Returns false at the end, and at a fault, with *e set. */
bool art_read_next(struct art_reader *r, struct art_event *out);

#endif
