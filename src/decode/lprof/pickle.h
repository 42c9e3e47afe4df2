/* pickle.h - reads Python's pickles, protocols 0 to 5, as far as plain data need them: numbers,
 * texts, tuples, lists, dictionaries, and objects of a class that the caller names.
 *
 * Nothing is executed: a class is only its name, and an object only its state. Any other opcode is
 * refused. For lprof.c alone.
 *
 *	struct pickle p = {.c = cursor_over(bytes, len), .is_class = is_line_stats};
 *	uint32_t v = pickle_load(&p, e);    -- PICKLE_NO: *e is set
 *	for (uint32_t i = p.node.at[v].list.first; i != PICKLE_NO; i = p.element.at[i].next)
 *		... p.node.at[p.element.at[i].value]
 *	pickle_release(&p); */
#ifndef PNAV_SRC_DECODE_LPROF_PICKLE_H
#define PNAV_SRC_DECODE_LPROF_PICKLE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/input/cursor.h"

#define PICKLE_NO UINT32_MAX

/* ---- opcodes ---- */

/* The form of the argument after the byte of an opcode. */
enum pickle_argument {
	PICKLE_UNKNOWN, /* no opcode that is read here */
	PICKLE_NOTHING,
	PICKLE_U1,
	PICKLE_U2,
	PICKLE_I4,
	PICKLE_U4,
	PICKLE_U8,
	PICKLE_LONG1, /* a length of one byte, and a number of as many, little-endian */
	PICKLE_LONG4,
	PICKLE_REAL, /* 8 bytes, big-endian */
	PICKLE_TEXT1, /* a length of one byte, and the text */
	PICKLE_TEXT4,
	PICKLE_TEXT8,
	PICKLE_LINE,  /* a line of text */
	PICKLE_LINES, /* two of them */
};

struct pickle_op {
	uint8_t code;
	uint8_t argument; /* enum pickle_argument */
	const char *name; /* as pickletools prints it */
	uint64_t offset;
	int64_t integer; /* of numbers */
	bool large;      /* the integer does not fit */
	double real;
	const char *text, *second; /* of texts and lines, without the line's end */
	uint64_t len, second_len;
};

/* Reads the next opcode. Returns why it cannot; NULL if it can. */
const char *pickle_next(struct cursor *c, struct pickle_op *op);

/* ---- values ---- */

enum pickle_kind {
	PICKLE_NONE, /* also True and False */
	PICKLE_INTEGER,
	PICKLE_FLOAT,
	PICKLE_STRING,
	PICKLE_TUPLE,
	PICKLE_LIST,
	PICKLE_DICT, /* keys and values alternate */
	PICKLE_CLASS,
	PICKLE_OBJECT,
};

struct pickle_node {
	uint64_t kind : 8;    /* enum pickle_kind */
	uint64_t offset : 56; /* of the opcode that made it */
	union {
		int64_t integer;
		double real;
		struct {
			const char *at;
			uint64_t len;
		} text; /* in the bytes */
		struct {
			uint32_t first, last; /* elements; PICKLE_NO: none */
		} list;
		uint32_t state; /* of an object; PICKLE_NO: none */
	};
};

struct pickle_element {
	uint32_t value, next; /* next: PICKLE_NO at the end */
};

struct pickle {
	struct cursor c;
	/* Returns true if objects of this class are read. */
	bool (*is_class)(const char *module, uint64_t module_len, const char *name, uint64_t len);
	VEC(struct pickle_node) node;
	VEC(struct pickle_element) element;
	VEC(uint32_t) stack, mark; /* nodes; lengths of the stack */
	struct idmap memo;         /* number -> node */
	uint32_t n_memo;
	uint64_t offset; /* of the current opcode */
};

/* Reads the pickle. Returns its value; PICKLE_NO with damage or a refusal in *e. */
uint32_t pickle_load(struct pickle *p, struct err *e);
void pickle_release(struct pickle *p);

#endif
