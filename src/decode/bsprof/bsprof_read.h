/* bsprof_read.h - reads the records of a .bsprof file, for decoding and dumping. It knows the
 * bytes, but not their meaning.
 *
 *	struct bsprof_reader r;
 *	struct bsprof_header h;
 *	if (bsprof_header_read(&r, in, &h, err))
 *		while (bsprof_next(&r, &entry, err) == BSPROF_ENTRY) ...
 *	bsprof_header_release(&h); */
#ifndef PNAV_SRC_DECODE_BSPROF_BSPROF_READ_H
#define PNAV_SRC_DECODE_BSPROF_BSPROF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "src/input/cursor.h"
#include "src/input/input.h"

/* The texts of the header, in the order of the file. */
enum bsprof_text {
	BSPROF_TARGET_NAME,
	BSPROF_SUPPLEMENTAL,
	BSPROF_TARGET_VERSION,
	BSPROF_VENDOR,
	BSPROF_MODEL,
	BSPROF_FIRMWARE,
	BSPROF_TEXTS,
};

struct bsprof_header {
	uint64_t major, minor, patch;
	uint64_t size; /* from byte 0 to the first entry */
	float requested_ratio, actual_ratio;
	bool lines, memory;
	uint64_t start_ms;
	char *text[BSPROF_TEXTS]; /* owned; NULL if the header ends before it */
	size_t len[BSPROF_TEXTS];
	bool cut; /* it is too small for all of its fields */
};

/* The types of entries: the three lowest bits of the tag. */
enum bsprof_type {
	BSPROF_STRING,
	BSPROF_MODULE,
	BSPROF_PATH,
	BSPROF_MEMORY,
	BSPROF_CPU,
	BSPROF_CALLS,
	BSPROF_TYPES,
};

enum bsprof_op { BSPROF_ALLOC, BSPROF_FREE, BSPROF_FREE_REALLOC, BSPROF_OP_UNASSIGNED };

/* One entry; its type determines which fields are set. */
struct bsprof_entry {
	uint64_t offset;
	uint32_t id;   /* of the string, module or path element */
	uint32_t line; /* offset of the line, from 1; 0 if the file has no line data */
	uint8_t type;  /* enum bsprof_type */
	uint8_t op;    /* memory: enum bsprof_op */
	uint64_t value[2]; /* memory: address, size; CPU: cpu, time; calls: count */
	/* path elements: caller 0 is a root, and only roots name a module */
	uint32_t caller, module, file, definition, function;
	uint32_t string;  /* modules: their name */
	const char *text; /* strings: valid until the next call */
	size_t len;
};

enum bsprof_got {
	BSPROF_ENTRY,
	BSPROF_END,     /* the end marker */
	BSPROF_STOPPED, /* the user ended the loading */
	BSPROF_FAULT,   /* *err is set */
	BSPROF_MORE,    /* bsprof_here(): the window ends first */
};

struct bsprof_reader {
	struct input *in;
	struct cursor c; /* over the window of `in` */
	uint64_t base;   /* the offset of the window */
	bool lines;
};

/* Returns the position in the file. */
static inline uint64_t
bsprof_offset(const struct bsprof_reader *r)
{
	return r->base + (uint64_t)(r->c.at - r->c.start);
}

/* Starts reading and steps over the whole header. Returns false with damage at byte 0, or with a
 * refusal if the magic differs. The fields read so far are in *h; release it in any case. */
bool bsprof_header_read(struct bsprof_reader *r, struct input *in,
			struct bsprof_header *h, struct err *err);
void bsprof_header_release(struct bsprof_header *h);
enum bsprof_got bsprof_next(struct bsprof_reader *r, struct bsprof_entry *e, struct err *err);
/* The same in two steps, for callers that must act before the window moves, when other threads may
 * use the profile. bsprof_here() returns BSPROF_MORE if the window does not contain the whole
 * entry. If bsprof_more() then returns BSPROF_ENTRY, call bsprof_here() again. */
enum bsprof_got bsprof_here(struct bsprof_reader *r, struct bsprof_entry *e, struct err *err);
enum bsprof_got bsprof_more(struct bsprof_reader *r, const struct bsprof_entry *e, struct err *err);
/* Reads the end of the run after BSPROF_END. *there is false if the file ends before it. */
bool bsprof_footer_read(struct bsprof_reader *r, uint64_t *offset, uint64_t *end_ms,
			bool *there, struct err *err);

#endif
