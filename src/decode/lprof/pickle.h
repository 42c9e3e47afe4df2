/* pickle.h - reads Python's pickles, protocols 0 to 5, as far as plain data need them: numbers,
 * texts, tuples, lists, dictionaries, and objects of a class that the caller names.
 *
 * Nothing is executed: a class is only its name, and an object only its state. Any other opcode is
 * refused. For lprof.c alone.
 *
 *	struct pickle p = {.c = cursor_over(bytes, len), .is_class = is_line_stats};
 *	struct pickle_value v = pickle_load(&p, e);    -- PICKLE_ABSENT: *e is set
 *	for (uint32_t i = p.node.at[v.at].list.first; i != PICKLE_NO; i = p.element.at[i].next)
 *		... p.element.at[i].value
 *	pickle_release(&p); */
#ifndef PNAV_SRC_DECODE_LPROF_PICKLE_H
#define PNAV_SRC_DECODE_LPROF_PICKLE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/input/cursor.h"

#define PICKLE_NO UINT32_MAX /* no element */

enum pickle_kind {
	PICKLE_ABSENT, /* no value */
	PICKLE_NONE,   /* also True and False */
	PICKLE_INTEGER,
	PICKLE_FLOAT,
	PICKLE_STRING,
	PICKLE_TUPLE,
	PICKLE_LIST,
	PICKLE_DICT, /* keys and values alternate */
	PICKLE_CLASS,
	PICKLE_OBJECT,
};

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
	uint8_t kind;     /* enum pickle_kind of a number, text or None; else PICKLE_ABSENT */
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

/* A number, text or None is its opcode, which is read again when it is needed. So is a tuple of
 * `n` of these that follow each other: nearly all values of a file are in such. A malicious file
 * may refer to one value any number of times, so values that take long to read are refused. */
#define PICKLE_LINE_MAX 4096u
#define PICKLE_NUMBER_MAX 64u
struct pickle_value {
	uint64_t kind : 4; /* enum pickle_kind */
	uint64_t n : 4;    /* of a tuple that is no node; else 0 */
	/* The offset of the opcode, of the first one of a tuple; of a class: twice its offset, plus
	 * 1 if it is the caller's; of all others: the node. */
	uint64_t at : 56;
};
#define PICKLE_ROW_MAX 15u
#define PICKLE_AT UINT64_C(0xffffffffffffff)

struct pickle_node {
	uint64_t offset; /* of the opcode that made it */
	union {
		struct {
			uint32_t first, last; /* elements; PICKLE_NO: none */
		} list;
		struct pickle_value state; /* of an object */
	};
};

struct pickle_element {
	struct pickle_value value;
	uint32_t next; /* PICKLE_NO at the end */
};

struct pickle {
	struct cursor c;
	/* Returns true if objects of this class are read. */
	bool (*is_class)(const char *module, uint64_t module_len, const char *name, uint64_t len);
	VEC(struct pickle_node) node;
	VEC(struct pickle_element) element;
	VEC(struct pickle_value) stack, memo;
	VEC(uint32_t) mark; /* lengths of the stack */
	struct idmap memo_of; /* number -> index */
	uint32_t n_memo;
	unsigned fresh; /* this many of the last opcodes pushed a number, text or None */
	uint64_t offset; /* of the current opcode */
};

/* Reads the pickle. Returns its value; PICKLE_ABSENT with damage or a refusal in *e. */
struct pickle_value pickle_load(struct pickle *p, struct err *e);
/* Reads the opcode of a number, text or None. */
struct pickle_op pickle_read(const struct pickle *p, struct pickle_value v);
/* Reads the first n elements of a tuple or list, and the offset of the opcode that made it. Those
 * that are missing, or no number, text or None, are PICKLE_ABSENT. */
void pickle_read_row(const struct pickle *p, struct pickle_value list, struct pickle_op *op,
		     unsigned n, uint64_t *offset);
void pickle_release(struct pickle *p);

#endif
