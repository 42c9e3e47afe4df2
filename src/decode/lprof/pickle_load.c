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

static struct pickle_value
pickle_add(struct pickle *p, enum pickle_kind kind)
{
	*vec_push(&p->node) = (struct pickle_node){.offset = p->offset,
						   .list = {PICKLE_NO, PICKLE_NO}};
	return (struct pickle_value){.kind = kind, .at = p->node.n - 1};
}

static void
pickle_push(struct pickle *p, struct pickle_value value)
{
	*vec_push(&p->stack) = value;
}

/* Returns the value on top, or PICKLE_ABSENT if there is none above the last mark. */
static struct pickle_value
pickle_pop(struct pickle *p)
{
	size_t floor = p->mark.n ? p->mark.at[p->mark.n - 1] : 0;

	return p->stack.n > floor ? p->stack.at[--p->stack.n]
				  : (struct pickle_value){.kind = PICKLE_ABSENT};
}

/* Appends the values of the stack from `from` on to a list, and takes them off. */
static void
pickle_collect(struct pickle *p, struct pickle_value list, size_t from)
{
	for (size_t i = from; i < p->stack.n; i++) {
		struct pickle_node *l = &p->node.at[list.at];
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
	if (kind == PICKLE_TUPLE && n && n <= p->fresh && n <= PICKLE_ROW_MAX) {
		struct pickle_value first = p->stack.at[p->stack.n -= n];
		first.n = n & PICKLE_ROW_MAX;
		first.kind = kind;
		pickle_push(p, first);
		return true;
	}
	struct pickle_value list = pickle_add(p, kind);
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
	struct pickle_value list = p->stack.at[p->stack.n - n - 1];
	if (list.kind != kind)
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
	idmap_put(&p->memo_of, (uint64_t)number, (uint32_t)p->memo.n);
	*vec_push(&p->memo) = p->stack.at[p->stack.n - 1];
	p->n_memo++;
	return true;
}

static bool
pickle_recall(struct pickle *p, int64_t number)
{
	uint32_t i = number < 0 ? IDMAP_NONE : idmap_get(&p->memo_of, (uint64_t)number);

	if (i == IDMAP_NONE)
		return false;
	pickle_push(p, p->memo.at[i]);
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
		pickle_push(p, (struct pickle_value){.kind = PICKLE_CLASS,
						     .at = (p->offset << 1 | ours) & PICKLE_AT});
	return ours || helps;
}

static bool
pickle_stack_global(struct pickle *p)
{
	struct pickle_value name = pickle_pop(p), module = pickle_pop(p);

	if (name.kind != PICKLE_STRING || module.kind != PICKLE_STRING)
		return false;
	struct pickle_op m = pickle_read(p, module), n = pickle_read(p, name);
	return pickle_class(p, m.text, m.len, n.text, n.len);
}

/* Makes an object; of _reconstructor's arguments the first is the class. */
static bool
pickle_object(struct pickle *p, bool reduce)
{
	struct pickle_value arguments = pickle_pop(p), class = pickle_pop(p);

	if (arguments.kind != PICKLE_TUPLE || class.kind != PICKLE_CLASS)
		return false;
	if (reduce && !(class.at & 1)) {
		uint32_t first = arguments.n ? PICKLE_NO : p->node.at[arguments.at].list.first;
		class = first == PICKLE_NO ? (struct pickle_value){.kind = PICKLE_ABSENT}
					   : p->element.at[first].value;
	}
	if (class.kind != PICKLE_CLASS || !(class.at & 1))
		return false;
	struct pickle_value object = pickle_add(p, PICKLE_OBJECT);
	p->node.at[object.at].state = (struct pickle_value){.kind = PICKLE_ABSENT};
	pickle_push(p, object);
	return true;
}

static bool
pickle_build(struct pickle *p)
{
	struct pickle_value state = pickle_pop(p);

	if (state.kind == PICKLE_ABSENT || !p->stack.n ||
	    p->stack.at[p->stack.n - 1].kind != PICKLE_OBJECT)
		return false;
	p->node.at[p->stack.at[p->stack.n - 1].at].state = state;
	return true;
}

/* ---- opcodes ---- */

/* Returns why a value is refused that takes long to read; NULL if it does not. */
static const char *
too_long(const struct pickle_op *op)
{
	bool number = op->kind == PICKLE_INTEGER || op->kind == PICKLE_FLOAT;

	if (number && op->len > PICKLE_NUMBER_MAX)
		return "a number of more than 64 bytes";
	if (op->argument == PICKLE_LINE && op->len > PICKLE_LINE_MAX)
		return "a line of more than 4,096 bytes";
	return NULL;
}

static bool
pickle_scalar(struct pickle *p, const struct pickle_op *op)
{
	if (op->kind == PICKLE_ABSENT || (op->kind == PICKLE_INTEGER && op->large))
		return false;
	pickle_push(p, (struct pickle_value){.kind = op->kind & 15, .at = op->offset & PICKLE_AT});
	p->fresh++;
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
		return pickle_pop(p).kind != PICKLE_ABSENT;
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

struct pickle_value
pickle_load(struct pickle *p, struct err *e)
{
	struct pickle_op op;

	for (;;) {
		const char *why = pickle_next(&p->c, &op);
		if (!why && op.code == '.')
			break;
		if (!why)
			why = too_long(&op);
		unsigned fresh = p->fresh;
		p->offset = op.offset;
		if (!why && pickle_act(p, &op)) {
			p->fresh = p->fresh == fresh ? 0 : p->fresh;
			continue;
		}
		if (why && !p->c.bad)
			err_refuse(e, "at byte %" PRIu64 ": opcode 0x%02x: %s", op.offset, op.code,
				   why);
		else if (!why && (op.code == 'c' || op.code == 0x93))
			err_refuse(e, "at byte %" PRIu64 ": %s of a class that is not read",
				   op.offset, op.name);
		else
			err_damage(e, op.offset, "%s%s", why ? why : op.name,
				   why ? "" : " without its values");
		return (struct pickle_value){.kind = PICKLE_ABSENT};
	}
	struct pickle_value value = pickle_pop(p);
	vec_release_all(&p->memo, &p->stack);
	idmap_release(&p->memo_of);
	if (value.kind == PICKLE_ABSENT)
		err_damage(e, op.offset, "%s without its values", op.name);
	return value;
}

/* ---- reading values ---- */

static struct cursor
cursor_at(const struct pickle *p, uint64_t offset)
{
	return cursor_over(p->c.start + offset, (size_t)(p->c.end - p->c.start) - offset);
}

static void
pickle_reread(struct cursor *c, struct pickle_op *op)
{
	pickle_next(c, op);
	if (op->code == 'S' && op->len >= 2) { /* without the quotes */
		op->text++;
		op->len -= 2;
	}
}

struct pickle_op
pickle_read(const struct pickle *p, struct pickle_value v)
{
	struct cursor c = cursor_at(p, v.at);
	struct pickle_op op;

	pickle_reread(&c, &op);
	return op;
}

static bool
is_node(struct pickle_value v)
{
	return v.kind >= PICKLE_TUPLE && v.kind != PICKLE_CLASS && !v.n;
}

void
pickle_read_row(const struct pickle *p, struct pickle_value list, struct pickle_op *op, unsigned n,
		uint64_t *offset)
{
	struct cursor c = cursor_at(p, list.n ? list.at : 0);
	struct pickle_op more;
	uint32_t e = PICKLE_NO;

	*offset = list.kind == PICKLE_CLASS ? list.at >> 1 : list.at;
	if (is_node(list))
		*offset = p->node.at[list.at].offset;
	if (is_node(list) && (list.kind == PICKLE_TUPLE || list.kind == PICKLE_LIST))
		e = p->node.at[list.at].list.first;
	for (unsigned i = 0; i < n; i++) {
		op[i] = (struct pickle_op){.kind = PICKLE_ABSENT};
		if (i < list.n) {
			pickle_reread(&c, &op[i]);
		} else if (e != PICKLE_NO) {
			struct pickle_value v = p->element.at[e].value;
			if (v.kind < PICKLE_TUPLE)
				op[i] = pickle_read(p, v);
			e = p->element.at[e].next;
		}
	}
	for (unsigned i = n; i < list.n; i++)
		pickle_next(&c, &more);
	if (list.n)
		*offset = (uint64_t)(c.at - c.start) + list.at;
}

void
pickle_release(struct pickle *p)
{
	vec_release_all(&p->node, &p->element, &p->stack, &p->memo, &p->mark);
	idmap_release_all(&p->memo_of);
}
