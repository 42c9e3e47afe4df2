/* moment.h - a moment of a run, as people say it. */
#ifndef PNAV_MODEL_MOMENT_H
#define PNAV_MODEL_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"

/* A moment, as it was said: resolved against a profile by lens_range(). */
enum moment_kind {
	MOMENT_OPEN,    /* from the first event, to the last */
	MOMENT_NS,      /* value: ns from the first event */
	MOMENT_ORDINAL, /* value: a bare number, on an ordinal axis */
	MOMENT_PERCENT, /* value: billionths of the whole */
};
struct moment {
	enum moment_kind kind;
	int64_t value;
	bool back; /* counted from the last event: of what grows another moment each time */
};

bool moment_equal(struct moment a, struct moment b);
/* "12", "1.5ms", "12.5%", "-10s" from the end: usage in *e when it is none of them. */
bool moment_parse(const char *text, struct moment *out, struct err *e);
/* The same, or "-" for an open end. */
bool moment_read(const char *text, struct moment *out, struct err *e);
/* Appends what moment_read() reads as m. */
void moment_write(struct buf *out, struct moment m);

#endif
