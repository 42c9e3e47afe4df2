#include "src/decode/lprof/pickle.h"

#include <stdlib.h>
#include <string.h>

#include "src/input/decimal.h"

/* The opcodes, as in Python's pickletools.py: a byte, then an argument of a form that the byte
 * determines. Protocols only add opcodes. */

static const struct {
	uint8_t argument;
	const char *name;
	uint8_t kind;
} pickle_ops[256] = {
	['('] = {PICKLE_NOTHING, "MARK"},
	['.'] = {PICKLE_NOTHING, "STOP"},
	['0'] = {PICKLE_NOTHING, "POP"},
	['1'] = {PICKLE_NOTHING, "POP_MARK"},
	['2'] = {PICKLE_NOTHING, "DUP"},
	['F'] = {PICKLE_LINE, "FLOAT", PICKLE_FLOAT},
	['I'] = {PICKLE_LINE, "INT", PICKLE_INTEGER},
	['J'] = {PICKLE_I4, "BININT", PICKLE_INTEGER},
	['K'] = {PICKLE_U1, "BININT1", PICKLE_INTEGER},
	['L'] = {PICKLE_LINE, "LONG", PICKLE_INTEGER},
	['M'] = {PICKLE_U2, "BININT2", PICKLE_INTEGER},
	['N'] = {PICKLE_NOTHING, "NONE", PICKLE_NONE},
	['R'] = {PICKLE_NOTHING, "REDUCE"},
	['S'] = {PICKLE_LINE, "STRING", PICKLE_STRING},
	['T'] = {PICKLE_TEXT4, "BINSTRING", PICKLE_STRING},
	['U'] = {PICKLE_TEXT1, "SHORT_BINSTRING", PICKLE_STRING},
	['V'] = {PICKLE_LINE, "UNICODE", PICKLE_STRING},
	['X'] = {PICKLE_TEXT4, "BINUNICODE", PICKLE_STRING},
	['a'] = {PICKLE_NOTHING, "APPEND"},
	['b'] = {PICKLE_NOTHING, "BUILD"},
	['c'] = {PICKLE_LINES, "GLOBAL"},
	['d'] = {PICKLE_NOTHING, "DICT"},
	['}'] = {PICKLE_NOTHING, "EMPTY_DICT"},
	['e'] = {PICKLE_NOTHING, "APPENDS"},
	['g'] = {PICKLE_LINE, "GET"},
	['h'] = {PICKLE_U1, "BINGET"},
	['j'] = {PICKLE_U4, "LONG_BINGET"},
	['l'] = {PICKLE_NOTHING, "LIST"},
	[']'] = {PICKLE_NOTHING, "EMPTY_LIST"},
	['p'] = {PICKLE_LINE, "PUT"},
	['q'] = {PICKLE_U1, "BINPUT"},
	['r'] = {PICKLE_U4, "LONG_BINPUT"},
	['s'] = {PICKLE_NOTHING, "SETITEM"},
	['t'] = {PICKLE_NOTHING, "TUPLE"},
	[')'] = {PICKLE_NOTHING, "EMPTY_TUPLE"},
	['u'] = {PICKLE_NOTHING, "SETITEMS"},
	['G'] = {PICKLE_REAL, "BINFLOAT", PICKLE_FLOAT},
	[0x80] = {PICKLE_U1, "PROTO"},
	[0x81] = {PICKLE_NOTHING, "NEWOBJ"},
	[0x85] = {PICKLE_NOTHING, "TUPLE1"},
	[0x86] = {PICKLE_NOTHING, "TUPLE2"},
	[0x87] = {PICKLE_NOTHING, "TUPLE3"},
	[0x88] = {PICKLE_NOTHING, "NEWTRUE", PICKLE_NONE},
	[0x89] = {PICKLE_NOTHING, "NEWFALSE", PICKLE_NONE},
	[0x8a] = {PICKLE_LONG1, "LONG1", PICKLE_INTEGER},
	[0x8b] = {PICKLE_LONG4, "LONG4", PICKLE_INTEGER},
	[0x8c] = {PICKLE_TEXT1, "SHORT_BINUNICODE", PICKLE_STRING},
	[0x8d] = {PICKLE_TEXT8, "BINUNICODE8", PICKLE_STRING},
	[0x93] = {PICKLE_NOTHING, "STACK_GLOBAL"},
	[0x94] = {PICKLE_NOTHING, "MEMOIZE"},
	[0x95] = {PICKLE_U8, "FRAME"},
};

/* Reads a line, without its end. */
static const char *
pickle_line(struct cursor *c, uint64_t *len)
{
	const uint8_t *end = memchr(c->at, '\n', cursor_left(c));
	const char *at = (const char *)c->at;

	*len = end ? (uint64_t)(end - c->at) : 0;
	cursor_bytes(c, end ? *len + 1 : UINT64_MAX);
	return at;
}

/* A number of any length in two's complement. */
static void
pickle_long(struct cursor *c, struct pickle_op *op, uint64_t len)
{
	const uint8_t *at = cursor_bytes(c, len);
	uint64_t value = 0;

	op->len = len;
	if (!at || !len)
		return;
	uint8_t sign = at[len - 1] & 0x80 ? 0xff : 0;
	for (uint64_t i = 0; i < len; i++)
		if (i < 8)
			value |= (uint64_t)at[i] << 8 * i;
		else if (at[i] != sign)
			op->large = true;
	for (uint64_t i = len; i < 8; i++)
		value |= (uint64_t)sign << 8 * i;
	op->integer = (int64_t)value;
	op->large |= (op->integer < 0) != (sign != 0);
}

/* Converts the line of INT, LONG, FLOAT, GET or PUT. */
static void
pickle_number(struct pickle_op *op)
{
	uint64_t len = op->len - (op->code == 'L' && op->len && op->text[op->len - 1] == 'L');

	if (op->code == 'F')
		decimal_double(op->text, len, &op->real);
	else if (op->code != 'V' && op->code != 'S')
		op->large = !decimal_scaled(op->text, len, 0, &op->integer);
}

static void
pickle_argument(struct cursor *c, struct pickle_op *op)
{
	uint64_t bits;

	switch ((enum pickle_argument)op->argument) {
	case PICKLE_UNKNOWN:
	case PICKLE_NOTHING:
		break;
	case PICKLE_U1:
	case PICKLE_TEXT1:
	case PICKLE_LONG1:
		op->integer = cursor_u8(c);
		break;
	case PICKLE_U2:
		op->integer = cursor_u16(c);
		break;
	case PICKLE_I4:
		op->integer = (int32_t)cursor_u32(c);
		break;
	case PICKLE_U4:
	case PICKLE_TEXT4:
	case PICKLE_LONG4:
		op->integer = cursor_u32(c);
		break;
	case PICKLE_U8:
	case PICKLE_TEXT8:
		bits = cursor_u64(c);
		op->integer = bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
		break;
	case PICKLE_REAL:
		bits = __builtin_bswap64(cursor_u64(c));
		memcpy(&op->real, &bits, sizeof bits);
		break;
	case PICKLE_LINE:
		op->text = pickle_line(c, &op->len);
		pickle_number(op);
		break;
	case PICKLE_LINES:
		op->text = pickle_line(c, &op->len);
		op->second = pickle_line(c, &op->second_len);
		break;
	}
}

const char *
pickle_next(struct cursor *c, struct pickle_op *op)
{
	*op = (struct pickle_op){.offset = (uint64_t)(c->at - c->start)};
	const uint8_t *code = cursor_bytes(c, 1);
	if (!code)
		return "the pickle ends early";
	op->code = *code;
	op->argument = pickle_ops[*code].argument;
	op->name = pickle_ops[*code].name;
	op->kind = pickle_ops[*code].kind;
	if (op->argument == PICKLE_UNKNOWN)
		return "an opcode that plain data do not need";
	pickle_argument(c, op);
	if (op->argument == PICKLE_LONG1 || op->argument == PICKLE_LONG4)
		pickle_long(c, op, (uint64_t)op->integer);
	if (op->argument == PICKLE_TEXT1 || op->argument == PICKLE_TEXT4 ||
	    op->argument == PICKLE_TEXT8) {
		op->len = (uint64_t)op->integer;
		op->text = (const char *)cursor_bytes(c, op->len);
	}
	return c->bad ? "the pickle ends early" : NULL;
}
