/* gotrace_tables.c - strings and stacks.
 *
 * Both stay where they are in the window, and become names and stacks of the profile at their
 * first use: many are never used. The runtime writes the tables last, so a trace that was cut may
 * lack them. Then frames are [unknown], and states, times and wake-ups remain. */
#include "src/decode/gotrace/gotrace_inside.h"

#include <string.h>

void
gotrace_tables_begin(struct gotrace_tables *t, const uint8_t *window, size_t len)
{
	uint64_t missing = t->missing;

	gotrace_tables_release(t);
	*t = (struct gotrace_tables){.window = window, .len = len, .missing = missing};
}

void
gotrace_tables_release(struct gotrace_tables *t)
{
	vec_release_all(&t->string, &t->stack, &t->frame);
	idmap_release_all(&t->string_of, &t->stack_of);
}

void
gotrace_string_add(struct gotrace_tables *t, const uint8_t *at, size_t len, uint64_t id)
{
	idmap_put(&t->string_of, id, (uint32_t)t->string.n);
	*vec_push(&t->string) =
		(struct gotrace_string){.at = (size_t)(at - t->window), .len = len};
}

bool
gotrace_stack_add(struct gotrace_tables *t, struct cursor *c, uint64_t id, uint64_t n)
{
	size_t at = (size_t)(c->at - t->window);

	for (uint64_t i = 0; i < n && !c->bad; i++)
		for (unsigned k = 0; k < 4; k++)
			cursor_varint(c);
	if (c->bad || n > UINT32_MAX)
		return false;
	idmap_put(&t->stack_of, id, (uint32_t)t->stack.n);
	*vec_push(&t->stack) = (struct gotrace_stack){
		.at = at, .n = (uint32_t)n, .outermost = GOTRACE_NONE};
	return true;
}

static struct gotrace_string *
string_at(struct gotrace *d, uint64_t id)
{
	uint32_t i = id ? idmap_get(&d->tables.string_of, id) : IDMAP_NONE;

	if (i == IDMAP_NONE) {
		d->tables.missing += id != 0;
		return NULL;
	}
	struct gotrace_string *s = &d->tables.string.at[i];
	if (!s->known)
		s->name = builder_name(d->b, d->tables.window + s->at, s->len);
	s->known = true;
	return s;
}

name_id
gotrace_string(struct gotrace *d, uint64_t id)
{
	struct gotrace_string *s = string_at(d, id);

	return s ? s->name : NAME_EMPTY;
}

/* The runtime's functions say why a goroutine waits; they are not the program's work. */
static bool
is_runtime(struct name name)
{
	return name.len > 8 && !memcmp(name.at, "runtime", 7) &&
	       (name.at[7] == '.' || name.at[7] == '/');
}

static function_id
gotrace_function(struct gotrace *d, uint64_t name, uint64_t file)
{
	struct function f = {.name = gotrace_string(d, name), .file = gotrace_string(d, file)};

	if (f.name == NAME_EMPTY)
		return builder_function_unknown(d->b);
	f.kind = is_runtime(builder_name_get(d->b, f.name)) ? KIND_SYSTEM : KIND_USER;
	return builder_function(d->b, f);
}

/* Makes the frames of a stack, leaf first. */
static void
stack_make(struct gotrace *d, struct gotrace_stack *s)
{
	struct gotrace_tables *t = &d->tables;
	struct cursor c = cursor_over(t->window + s->at, t->len - s->at);

	t->frame.n = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		cursor_varint(&c); /* the address */
		uint64_t name = cursor_varint(&c), file = cursor_varint(&c);
		uint64_t line = cursor_varint(&c);
		s->outermost = gotrace_function(d, name, file);
		*vec_push(&t->frame) = builder_frame(
			d->b, s->outermost,
			line && line <= UINT32_MAX ? line_plain((uint32_t)line) : line_unknown());
	}
	s->stack = builder_stack_leaf_first(d->b, t->frame.at, t->frame.n);
	s->known = true;
}

stack_id
gotrace_stack(struct gotrace *d, uint64_t id, function_id *outermost)
{
	uint32_t i = id ? idmap_get(&d->tables.stack_of, id) : IDMAP_NONE;
	frame_id unknown;

	*outermost = GOTRACE_NONE;
	if (!id)
		return STACK_EMPTY;
	if (i == IDMAP_NONE) {
		d->tables.missing++;
		unknown = builder_frame(d->b, builder_function_unknown(d->b), line_unknown());
		return builder_child(d->b, STACK_EMPTY, unknown);
	}
	struct gotrace_stack *s = &d->tables.stack.at[i];
	if (!s->known)
		stack_make(d, s);
	*outermost = s->outermost;
	return s->stack;
}
