/* slabs.h - the container JSLB (JsonSlabs, version 1) around a JSON document.
 *
 *	 0 DC DF "JSLB" 01 00    8 u32 version, 1    12 u32 N    16 u32 the slab of the root
 *	20 N rows: u32 type, u32 start, u32 length in bytes; then the slabs
 *
 * A slab is a text of JSON or an array of numbers. In the root, an object with the only member
 * `"$s": n` is the place of slab n. json_init_slabs() (json.h) reads the whole as one document. */
#ifndef PNAV_SRC_INPUT_SLABS_H
#define PNAV_SRC_INPUT_SLABS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"
#include "src/input/input.h"

#define SLABS_DEPTH 16u /* slabs within slabs */
#define SLABS_NONE UINT64_MAX
#define SLABS_NO_NUMBER INT64_MIN /* JSON_NO_NUMBER of json.h */

struct slab {
	uint32_t type, start, len; /* of the table */
};

/* A slab that is read at the moment, in the place of a value, and what follows that value. */
struct slab_level {
	uint32_t slab, leave;
	struct buf text;
	struct input *own, *in;
	const uint8_t *at, *end;
	uint64_t offset;
};

struct slabs {
	struct input *in;
	VEC(struct slab) slab;
	uint32_t root;
	uint64_t
		missing; /* offset of the row of the first slab that is not there; SLABS_NONE */
	uint64_t torn; /* slabs whose length is no multiple of their numbers' size */
	uint64_t no_numbers;
	struct slab_level level[SLABS_DEPTH];
	struct {
		uint32_t slab, type;
		uint64_t at, end; /* offsets of the next number and of the end */
		uint8_t *bytes;   /* from `from` on */
		uint64_t from;
		size_t n;
		char text[32];
	} column;
};

/* Returns true for the first bytes of a container. */
bool slabs_probe(const uint8_t *at, size_t len);
/* Reads the table. Borrows the input, which it keeps (input_keep()). Returns false with damage, or
 * a refusal of other versions, in *e. */
bool slabs_open(struct slabs *s, struct input *in, struct err *e);
void slabs_release(struct slabs *s);
/* Returns the offset of a row of the table. */
uint64_t slabs_row(uint32_t which);
/* Returns true if this slab is a text of JSON. */
bool slabs_is_text(const struct slabs *s, uint32_t which);
/* Appends the text of a slab. Returns false if it is missing. */
bool slabs_text(struct slabs *s, uint32_t which, struct buf *out);
/* Begins to read the numbers of a slab. Returns false if it is missing. */
bool slabs_column(struct slabs *s, uint32_t which);
/* Returns the next number of that slab as JSON has it, "null" for one that is none; NULL at the
 * end. *offset: its place. A whole number above 2^63 - 1 is "-". */
const char *slabs_next(struct slabs *s, uint64_t *offset);
/* As json_column(). */
size_t slabs_numbers(struct slabs *s, unsigned scale, bool nulls, int64_t *out, size_t n);
/* Returns the bytes of all slabs of numbers. */
uint64_t slabs_column_bytes(const struct slabs *s);
/* The name of a slab's type, for dumps. */
const char *slabs_type(const struct slabs *s, uint32_t which);

#endif
