/* marshal.h - reads values of Python's marshal, versions 0 to 5, into a table of nodes.
 *
 * Values are read one at a time. Those to which later ones may refer by number stay in the table.
 * It reads numbers, strings, and lists of values, but no functions, sets and complex numbers.
 *
 *	struct marshal m = {.in = in};
 *	marshal_byte(&m) ...                  -- a dictionary: its entries one by one
 *	uint32_t v = marshal_value(&m);       -- MARSHAL_NO: m.why, or a dictionary's end
 *	for (c = m.node.at[v].first; c != MARSHAL_NO; c = m.node.at[c].next) ... marshal_get(&m, c)
 *	marshal_release(&m); */
#ifndef PNAV_SRC_DECODE_COMMON_MARSHAL_H
#define PNAV_SRC_DECODE_COMMON_MARSHAL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/input/input.h"

#define MARSHAL_NO UINT32_MAX
#define MARSHAL_DEPTH_MAX 32u

enum marshal_kind {
	MARSHAL_NOTHING, /* None, True, False, Ellipsis, StopIteration */
	MARSHAL_INTEGER,
	MARSHAL_REAL,
	MARSHAL_STRING,
	MARSHAL_LIST, /* dictionaries: keys and values alternate */
	MARSHAL_REFERENCE,
	MARSHAL_END, /* of a dictionary */
};

struct marshal_node {
	uint8_t kind; /* enum marshal_kind */
	bool stays; /* later values may refer to it, or to a list that contains it */
	uint32_t next; /* in its list; MARSHAL_NO */
	union {
		struct {
			uint32_t first, n; /* of a list: its first value, their number */
		};
		int64_t integer;
		double real;
		struct {
			uint32_t at, len; /* in `text` */
		} string;
		uint32_t node; /* the node it refers to */
	};
};

struct marshal {
	struct input *in; /* borrowed */
	VEC(struct marshal_node) node;
	VEC(uint32_t) referred; /* targets of `r`: nodes in the order of their beginnings */
	VEC(uint32_t) interned; /* targets of `R` in Python 2 */
	struct buf text;
	uint32_t n_kept; /* nodes that marshal_forget() has kept */
	size_t n_kept_referred, n_kept_interned, text_kept;
	const char *why; /* a fault, or NULL */
};

void marshal_release(struct marshal *m);
/* Reads one value with its contents. Returns its node, or MARSHAL_NO with m->why set. */
uint32_t marshal_value(struct marshal *m);
/* Drops the values to which no later one can refer; the nodes of all values become invalid. */
void marshal_forget(struct marshal *m);
/* Steps over the beginning of a dictionary; false if there is none. */
bool marshal_begin(struct marshal *m);
/* Returns the node itself, or the one that it refers to. */
const struct marshal_node *marshal_get(const struct marshal *m, uint32_t node);
/* Convert a value to a number; false if it is not one. marshal_real() also accepts integers. */
bool marshal_real(const struct marshal *m, uint32_t node, double *out);
bool marshal_integer(const struct marshal *m, uint32_t node, int64_t *out);

#endif
