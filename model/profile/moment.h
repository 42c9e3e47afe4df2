/* moment.h - a moment of a run, as users write it. */
#ifndef PNAV_MODEL_PROFILE_MOMENT_H
#define PNAV_MODEL_PROFILE_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"

/* A moment as written; lens_range() resolves it against a profile. */
enum moment_kind {
	MOMENT_OPEN,    /* the first event for the begin of a range, the last for its end */
	MOMENT_NS,      /* value: ns from the first event */
	MOMENT_ORDINAL, /* value: a bare number, on an ordinal axis */
	MOMENT_PERCENT, /* value: billionths of the whole run */
};
struct moment {
	enum moment_kind kind;
	int64_t value;
	bool back; /* counted from the last event, so it moves while the profile grows */
};

bool moment_equal(struct moment a, struct moment b);
/* Parses "12", "1.5ms", "12.5%", or "-10s" from the end. Returns false with usage in *e for any
 * other text. */
bool moment_parse(const char *text, struct moment *out, struct err *e);
/* The same; also accepts "-" for an open end. */
bool moment_read(const char *text, struct moment *out, struct err *e);
/* Appends the text that moment_read() parses as m. */
void moment_write(struct buf *out, struct moment m);

#endif
