/* err.h - one fault, told once.
 *
 * What can fail takes a `struct err *` last and returns false.  The fault is
 * described where it is seen, with the byte offset of the record that could not
 * be read; callers pass the false on and add nothing. */
#ifndef PNAV_MODEL_ERR_H
#define PNAV_MODEL_ERR_H

#include <stdbool.h>
#include <stdint.h>

#define ERR_TEXT_MAX 512

enum err_class {
	ERR_NONE,
	ERR_USAGE,   /* the user asked for something that cannot be (exit 2) */
	ERR_REFUSED, /* not readable as a profile at all (exit 1) */
	ERR_DAMAGED, /* the good prefix is kept (exit 3) */
};

struct err {
	enum err_class class;
	bool has_offset;
	uint64_t offset; /* bytes from the start of the (uncompressed) input */
	char text[ERR_TEXT_MAX];
};

/* Empties *e: no fault. */
void err_init(struct err *e);

/* True when a fault has been set. */
static inline bool
err_is_set(const struct err *e)
{
	return e->class != ERR_NONE;
}

/* Records damage at byte `offset`.  The first fault stays: a second call changes
 * nothing.  Text that does not fit is cut inside; what would act on a terminal is
 * escaped (human_shown()).
 * Always returns false, so that `return err_damage(...)` reads well. */
bool err_damage(struct err *e, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for input that is no profile (no offset), and for wrong usage. */
bool err_refuse(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool err_usage(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
