/* err.h - one error, reported once.
 *
 * A function that can fail takes a `struct err *` last and returns false. The code that detects
 * the fault describes it, with the byte offset of the unreadable record. Callers return the
 * false and add nothing. */
#ifndef PNAV_MODEL_BASE_ERR_H
#define PNAV_MODEL_BASE_ERR_H

#include <stdbool.h>
#include <stdint.h>

#define ERR_TEXT_MAX 1024

enum err_class {
	ERR_NONE,
	ERR_USAGE,   /* the request is invalid (exit 2) */
	ERR_REFUSED, /* not readable as a profile at all (exit 1) */
	ERR_DAMAGED, /* the prefix before the damage is kept (exit 3) */
};

struct err {
	enum err_class class;
	bool has_offset;
	uint64_t offset; /* bytes from the start of the (uncompressed) input */
	char text[ERR_TEXT_MAX];
};

/* Clears *e: no error. */
void err_init(struct err *e);

/* Returns true if an error has been set. */
static inline bool
err_is_set(const struct err *e)
{
	return e->class != ERR_NONE;
}

/* Records damage at byte `offset`. The first error stays: later calls change nothing. Long text
 * is shortened in the middle, and characters that would act on a terminal are escaped
 * (escape_shown()). Always returns false, so that callers can write `return err_damage(...)`. */
bool err_damage(struct err *e, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for input that is not a profile (no offset), and for invalid usage. */
bool err_refuse(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool err_usage(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
