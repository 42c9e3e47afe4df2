#include "src/decode/lprof/pickle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The machine of a pickle: opcodes push values on a stack, collect those above a mark in lists, and
 * number values, so that later opcodes can refer to them.
 *
 *	(  K 3  K 2  M 4698  t        a mark, three numbers, a tuple of what is above the mark
 *	]  p 7  ...  e                an empty list; its number; values that are appended to it
 *	c module name  )  0x81        a class, no arguments, an object of it
 *	}  ...  b                     a dictionary, which becomes the state of the object below
 *
 * Protocols 0 and 1 make objects by calling copy_reg._reconstructor(class, object, None); that
 * call alone is recognised, as an object of the class. */

static uint32_t
pickle_add(struct pickle *p, struct pickle_node node)
{
	node.offset = p->offset & UINT64_C(0xffffffffffffff);
	*vec_push(&p->node) = node;
	return (uint32_t)p->node.n - 1;
}

static void
pickle_push(struct pickle *p, uint32_t value)
{
	*vec_push(&p->stack) = value;
}

/* Returns the value on top, or PICKLE_NO if there is none above the last mark. */
static uint32_t
pickle_pop(struct pickle *p)
{
	size_t floor = p->mark.n ? p->mark.at[p->mark.n - 1] : 0;

	return p->stack.n > floor ? p->stack.at[--p->stack.n] : PICKLE_NO;
}

static bool
pickle_is(const struct pickle *p, uint32_t value, enum pickle_kind kind)
{
	return value != PICKLE_NO && p->node.at[value].kind == kind;
}

/* Appends the values of the stack from `from` on to a list, and takes them off. */
static void
pickle_collect(struct pickle *p, uint32_t list, size_t from)
{
	for (size_t i = from; i < p->stack.n; i++) {
		struct pickle_node *l = &p->node.at[list];
		uint32_t e = (uint32_t)p->element.n;
		*vec_push(&p->element) = (struct pickle_element){p->stack.at[i], PICKLE_NO};
		if (l->list.last == PICKLE_NO)
			l->list.first = e;
		else
			p->element.at[l->list.last].next = e;
		l->list.last = e;
	}
	p->stack.n = from;
}

/* Makes a list of the n values on top. */
static bool
pickle_make(struct pickle *p, enum pickle_kind kind, size_t n)
{
	size_t floor = p->mark.n ? p->mark.at[p->mark.n - 1] : 0;

	if (p->stack.n < floor + n || (kind == PICKLE_DICT && n % 2))
		return false;
	uint32_t list = pickle_add(p, (struct pickle_node){.kind = (uint8_t)kind,
							   .list = {PICKLE_NO, PICKLE_NO}});
	pickle_collect(p, list, p->stack.n - n);
	pickle_push(p, list);
	return true;
}

/* Takes the mark away; *from is where it was. */
static bool
pickle_unmark(struct pickle *p, size_t *from)
{
	if (!p->mark.n)
		return false;
	*from = p->mark.at[--p->mark.n];
	return true;
}

static bool
pickle_make_marked(struct pickle *p, enum pickle_kind kind)
{
	size_t from;

	return pickle_unmark(p, &from) && pickle_make(p, kind, p->stack.n - from);
}

/* Appends the n values on top to the list or dictionary below them. */
static bool
pickle_append(struct pickle *p, size_t n, enum pickle_kind kind)
{
	if (p->stack.n <= n || (kind == PICKLE_DICT && n % 2))
		return false;
	uint32_t list = p->stack.at[p->stack.n - n - 1];
	if (!pickle_is(p, list, kind))
		return false;
	pickle_collect(p, list, p->stack.n - n);
	return true;
}

static bool
pickle_append_marked(struct pickle *p, enum pickle_kind kind)
{
	size_t from;

	return pickle_unmark(p, &from) && pickle_append(p, p->stack.n - from, kind);
}

static bool
pickle_memo(struct pickle *p, int64_t number)
{
	if (!p->stack.n || number < 0)
		return false;
	idmap_put(&p->memo, (uint64_t)number, p->stack.at[p->stack.n - 1]);
	p->n_memo++;
	return true;
}

static bool
pickle_recall(struct pickle *p, int64_t number)
{
	uint32_t value = number < 0 ? IDMAP_NONE : idmap_get(&p->memo, (uint64_t)number);

	if (value == IDMAP_NONE)
		return false;
	pickle_push(p, value);
	return true;
}

/* ---- classes and objects ---- */

static bool
pickle_text_is(const char *at, uint64_t len, const char *word)
{
	return len == strlen(word) && !memcmp(at, word, len);
}

/* A class is kept as true if it is the caller's, and false if it helps to make an object. */
static bool
pickle_class(struct pickle *p, const char *module, uint64_t module_len, const char *name,
	     uint64_t len)
{
	bool ours = p->is_class(module, module_len, name, len);
	bool helps = pickle_text_is(name, len, "_reconstructor")
			     ? pickle_text_is(module, module_len, "copy_reg") ||
				       pickle_text_is(module, module_len, "copyreg")
			     : pickle_text_is(name, len, "object") &&
				       (pickle_text_is(module, module_len, "__builtin__") ||
					pickle_text_is(module, module_len, "builtins"));

	if (ours || helps)
		pickle_push(p, pickle_add(p, (struct pickle_node){.kind = PICKLE_CLASS,
								  .integer = ours}));
	return ours || helps;
}

static bool
pickle_stack_global(struct pickle *p)
{
	uint32_t name = pickle_pop(p), module = pickle_pop(p);

	if (!pickle_is(p, name, PICKLE_STRING) || !pickle_is(p, module, PICKLE_STRING))
		return false;
	struct pickle_node m = p->node.at[module], n = p->node.at[name];
	return pickle_class(p, m.text.at, m.text.len, n.text.at, n.text.len);
}

/* Makes an object; of _reconstructor's arguments the first is the class. */
static bool
pickle_object(struct pickle *p, bool reduce)
{
	uint32_t arguments = pickle_pop(p), class = pickle_pop(p);

	if (!pickle_is(p, arguments, PICKLE_TUPLE) || !pickle_is(p, class, PICKLE_CLASS))
		return false;
	if (reduce && !p->node.at[class].integer) {
		uint32_t first = p->node.at[arguments].list.first;
		class = first == PICKLE_NO ? PICKLE_NO : p->element.at[first].value;
	}
	if (!pickle_is(p, class, PICKLE_CLASS) || !p->node.at[class].integer)
		return false;
	pickle_push(p, pickle_add(p, (struct pickle_node){.kind = PICKLE_OBJECT,
							  .state = PICKLE_NO}));
	return true;
}

static bool
pickle_build(struct pickle *p)
{
	uint32_t state = pickle_pop(p);

	if (state == PICKLE_NO || !p->stack.n ||
	    !pickle_is(p, p->stack.at[p->stack.n - 1], PICKLE_OBJECT))
		return false;
	p->node.at[p->stack.at[p->stack.n - 1]].state = state;
	return true;
}

/* ---- opcodes ---- */

static bool
pickle_scalar(struct pickle *p, const struct pickle_op *op)
{
	struct pickle_node n = {.kind = PICKLE_NONE};

	if (op->argument >= PICKLE_TEXT1 && op->argument <= PICKLE_TEXT8) {
		n = (struct pickle_node){.kind = PICKLE_STRING,
					 .text = {op->text, op->len}};
	} else if (op->code == 'V' || op->code == 'S') {
		bool quoted = op->code == 'S' && op->len >= 2;
		n = (struct pickle_node){.kind = PICKLE_STRING,
					 .text = {op->text + quoted, op->len - 2 * quoted}};
	} else if (op->code == 'F' || op->code == 'G') {
		n = (struct pickle_node){.kind = PICKLE_FLOAT, .real = op->real};
	} else if (op->argument != PICKLE_NOTHING) {
		if (op->large)
			return false;
		n = (struct pickle_node){.kind = PICKLE_INTEGER, .integer = op->integer};
	}
	pickle_push(p, pickle_add(p, n));
	return true;
}

/* Performs opcodes that make containers or append to them, and those of plain values. */
static bool
pickle_container(struct pickle *p, const struct pickle_op *op)
{
	switch (op->code) {
	case ')':
	case 0x85:
	case 0x86:
	case 0x87:
		return pickle_make(p, PICKLE_TUPLE, op->code == ')' ? 0 : op->code - 0x84u);
	case ']':
	case '}':
		return pickle_make(p, op->code == ']' ? PICKLE_LIST : PICKLE_DICT, 0);
	case 't':
	case 'l':
	case 'd':
		return pickle_make_marked(p, op->code == 't'   ? PICKLE_TUPLE
					     : op->code == 'l' ? PICKLE_LIST
							       : PICKLE_DICT);
	case 'a':
	case 's':
		return pickle_append(p, op->code == 'a' ? 1 : 2,
				     op->code == 'a' ? PICKLE_LIST : PICKLE_DICT);
	case 'e':
	case 'u':
		return pickle_append_marked(p, op->code == 'e' ? PICKLE_LIST : PICKLE_DICT);
	}
	return pickle_scalar(p, op);
}

/* Performs an opcode. Returns false if the values that it needs are not there. */
static bool
pickle_act(struct pickle *p, const struct pickle_op *op)
{
	size_t from;

	switch (op->code) {
	case '(':
		*vec_push(&p->mark) = (uint32_t)p->stack.n;
		return true;
	case '0':
		return pickle_pop(p) != PICKLE_NO;
	case '1':
		if (!pickle_unmark(p, &from))
			return false;
		p->stack.n = from;
		return true;
	case '2':
		if (!p->stack.n)
			return false;
		pickle_push(p, p->stack.at[p->stack.n - 1]);
		return true;
	case 'p':
	case 'q':
	case 'r':
		return !op->large && pickle_memo(p, op->integer);
	case 0x94:
		return pickle_memo(p, p->n_memo);
	case 'g':
	case 'h':
	case 'j':
		return !op->large && pickle_recall(p, op->integer);
	case 'c':
		return pickle_class(p, op->text, op->len, op->second, op->second_len);
	case 0x93:
		return pickle_stack_global(p);
	case 'R':
	case 0x81:
		return pickle_object(p, op->code == 'R');
	case 'b':
		return pickle_build(p);
	case 0x80:
		return op->integer <= 5;
	case 0x95:
		return true;
	}
	return pickle_container(p, op);
}

uint32_t
pickle_load(struct pickle *p, struct err *e)
{
	struct pickle_op op;

	for (;;) {
		const char *why = pickle_next(&p->c, &op);
		if (!why && op.code == '.')
			break;
		p->offset = op.offset;
		if (!why && pickle_act(p, &op))
			continue;
		if (why && !p->c.bad)
			err_refuse(e, "at byte %" PRIu64 ": opcode 0x%02x: %s", op.offset, op.code,
				   why);
		else if (!why && (op.code == 'c' || op.code == 0x93))
			err_refuse(e, "at byte %" PRIu64 ": %s of a class that is not read",
				   op.offset, op.name);
		else
			err_damage(e, op.offset, "%s%s", why ? why : op.name,
				   why ? "" : " without its values");
		return PICKLE_NO;
	}
	uint32_t value = pickle_pop(p);
	if (value == PICKLE_NO)
		err_damage(e, op.offset, "%s without its values", op.name);
	return value;
}

void
pickle_release(struct pickle *p)
{
	vec_release_all(&p->node, &p->element, &p->stack, &p->mark);
	idmap_release_all(&p->memo);
}
