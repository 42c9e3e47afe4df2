/* The dictionary: tables that profiles refer to by index, 0 being none.  Frames and stacks are
 * made when a sample has them. */
#include "src/decode/otlp/otlp_inside.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* How profiles.proto and common.proto have the fields of what is read here. */
static const struct proto_types any_types = {.numbers = PROTO_BITS(2, 3) | PROTO_BIT(8),
					     .bytes = PROTO_BIT(1) | PROTO_BITS(5, 7),
					     .fixed64 = PROTO_BIT(4)};
static const struct proto_types key_value_types = {.numbers = PROTO_BIT(3),
						   .bytes = PROTO_BITS(1, 2)};
static const struct proto_types attribute_types = {.numbers = PROTO_BIT(1) | PROTO_BIT(3),
						   .bytes = PROTO_BIT(2)};
static const struct proto_types function_types = {.numbers = PROTO_BITS(1, 4)};
static const struct proto_types mapping_types = {.numbers = PROTO_BITS(1, 4),
						 .lists = PROTO_BIT(5)};
static const struct proto_types line_types = {.numbers = PROTO_BITS(1, 3)};
static const struct proto_types location_types = {.numbers = PROTO_BITS(1, 2),
						  .bytes = PROTO_BIT(3),
						  .lists = PROTO_BIT(4)};
static const struct proto_types stack_types = {.lists = PROTO_BIT(1)};
static const struct proto_types dictionary_types = {.bytes = PROTO_BITS(1, 7)};

void
otlp_dictionary_release(struct otlp *d)
{
	vec_release(&d->string);
	vec_release(&d->attribute);
	vec_release(&d->function);
	vec_release(&d->mapping);
	vec_release(&d->line);
	vec_release(&d->location);
	vec_release(&d->at);
	vec_release(&d->stack);
	vec_release(&d->frame);
}

name_id
otlp_string(struct otlp *d, uint64_t index)
{
	if (index < d->string.n)
		return d->string.at[index];
	if (!index)
		return NAME_EMPTY;
	d->missing++;
	return builder_name(d->b, "[unknown]", 9);
}

static name_id
bytes_name(struct otlp *d, const struct proto_field *f)
{
	return f->type == PROTO_BYTES
		       ? builder_name(d->b, f->len ? (const void *)f->at : "", f->len)
		       : NAME_EMPTY;
}

/* ---- attributes ---- */

static void
number_text(struct otlp *d, struct otlp_attribute *a, uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof x);
	buf_reset(&d->text);
	buf_addf(&d->text, "%.17g", x);
	a->text = builder_name(d->b, buf_str(&d->text), d->text.len);
}

/* An AnyValue; lists and maps are counted. */
static void
any_value(struct otlp *d, struct otlp_attribute *a, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;

	while (otlp_next(d, &p, &any_types, &f)) {
		a->there = true;
		a->is_number = f.number == 3;
		if (f.number == 1)
			a->text = bytes_name(d, &f);
		else if (f.number == 2)
			a->text = builder_name(d->b, f.value ? "true" : "false", f.value ? 4 : 5);
		else if (f.number == 3)
			a->number = (int64_t)f.value;
		else if (f.number == 4)
			number_text(d, a, f.value);
		else if (f.number == 7)
			a->text = bytes_name(d, &f);
		else if (f.number == 8)
			a->text = otlp_string(d, f.value);
		else {
			a->there = false;
			d->deeper++;
		}
	}
}

struct otlp_attribute
otlp_key_value(struct otlp *d, struct proto_field data)
{
	struct otlp_attribute a = {0};
	struct proto p = proto_inside(&data);
	struct proto_field f;

	while (otlp_next(d, &p, &key_value_types, &f)) {
		if (f.number == 1)
			a.key = bytes_name(d, &f);
		if (f.number == 2)
			any_value(d, &a, f);
		if (f.number == 3 && f.type == PROTO_VARINT)
			a.key = otlp_string(d, f.value);
	}
	return a;
}

static struct otlp_attribute
attribute_read(struct otlp *d, struct proto_field data)
{
	struct otlp_attribute a = {0};
	struct proto p = proto_inside(&data);
	struct proto_field f;

	while (otlp_next(d, &p, &attribute_types, &f)) {
		if (f.number == 1)
			a.key = otlp_string(d, f.value);
		if (f.number == 2)
			any_value(d, &a, f);
		if (f.number == 3)
			a.unit = otlp_string(d, f.value);
	}
	return a;
}

/* ---- the other tables ---- */

static void
function_read(struct otlp *d, struct proto_field data)
{
	struct otlp_function x = {0};
	struct proto p = proto_inside(&data);
	struct proto_field f;
	name_id system = NAME_EMPTY;

	while (otlp_next(d, &p, &function_types, &f)) {
		x.name = f.number == 1 ? otlp_string(d, f.value) : x.name;
		system = f.number == 2 ? otlp_string(d, f.value) : system;
		x.file = f.number == 3 ? otlp_string(d, f.value) : x.file;
		if (f.number == 4)
			x.line = f.value < UINT32_MAX ? (uint32_t)f.value : 0;
	}
	x.name = x.name != NAME_EMPTY ? x.name : system;
	*vec_push(&d->function) = x;
}

static bool
is(struct otlp *d, name_id name, const char *text)
{
	struct name n = builder_name_get(d->b, name);

	return n.len == strlen(text) && !memcmp(n.at, text, n.len);
}

/* The text of an attribute of this key among those that a field names. */
static name_id
attribute_text(struct otlp *d, const struct proto_field *f, const char *key)
{
	struct proto_numbers n = proto_numbers(f, PROTO_VARINT);
	uint64_t i;
	name_id found = NAME_EMPTY;

	while (proto_number(&n, &i))
		if (i < d->attribute.n && is(d, d->attribute.at[i].key, key))
			found = d->attribute.at[i].text;
	return found;
}

static void
mapping_read(struct otlp *d, struct proto_field data)
{
	struct otlp_mapping x = {.index = PPROF_NO_MAPPING};
	struct proto p = proto_inside(&data);
	struct proto_field f;

	while (otlp_next(d, &p, &mapping_types, &f)) {
		x.start = f.number == 1 ? f.value : x.start;
		x.limit = f.number == 2 ? f.value : x.limit;
		x.offset = f.number == 3 ? f.value : x.offset;
		x.file = f.number == 4 ? otlp_string(d, f.value) : x.file;
		if (f.number == 5 && x.build_id == NAME_EMPTY)
			x.build_id = attribute_text(d, &f, "process.executable.build_id.gnu");
	}
	*vec_push(&d->mapping) = x;
}

static void
location_read(struct otlp *d, struct proto_field data)
{
	struct otlp_location x = {.first_line = (uint32_t)d->line.n};
	struct proto p = proto_inside(&data), q;
	struct proto_field f, g;

	while (otlp_next(d, &p, &location_types, &f)) {
		x.mapping = f.number == 1 ? f.value : x.mapping;
		x.address = f.number == 2 ? f.value : x.address;
		if (f.number == 4)
			x.kernel |= is(d, attribute_text(d, &f, "profile.frame.type"), "kernel");
		if (f.number != 3 || f.type != PROTO_BYTES)
			continue;
		struct otlp_line line = {0};
		for (q = proto_inside(&f); otlp_next(d, &q, &line_types, &g);) {
			line.function = g.number == 1 ? g.value : line.function;
			line.line = g.number == 2 ? (int64_t)g.value : line.line;
		}
		*vec_push(&d->line) = line;
	}
	x.n_lines = (uint32_t)d->line.n - x.first_line;
	*vec_push(&d->location) = x;
}

static void
stack_read(struct otlp *d, struct proto_field data)
{
	struct otlp_stack x = {.first = (uint32_t)d->at.n};
	struct proto p = proto_inside(&data);
	struct proto_field f;
	uint64_t i;

	while (otlp_next(d, &p, &stack_types, &f)) {
		struct proto_numbers n = proto_numbers(&f, PROTO_VARINT);
		while (f.number == 1 && proto_number(&n, &i))
			*vec_push(&d->at) = i < UINT32_MAX ? (uint32_t)i : UINT32_MAX;
	}
	x.n = (uint32_t)d->at.n - x.first;
	*vec_push(&d->stack) = x;
}

/* Reads the parts that others refer to first, whatever the order in the file. */
void
otlp_dictionary(struct otlp *d, struct proto_field data)
{
	static const uint8_t order[] = {5, 6, 3, 1, 2, 7};
	struct proto_field f;

	d->has_dictionary = true;
	for (size_t i = 0; i < sizeof order; i++) {
		struct proto p = proto_inside(&data);
		while (otlp_next(d, &p, &dictionary_types, &f)) {
			if (f.number != order[i] || f.type != PROTO_BYTES)
				continue;
			switch (f.number) {
			case 5:
				*vec_push(&d->string) = bytes_name(d, &f);
				break;
			case 6: {
				struct otlp_attribute a = attribute_read(d, f);
				*vec_push(&d->attribute) = a;
				break;
			}
			case 3:
				function_read(d, f);
				break;
			case 1:
				mapping_read(d, f);
				break;
			case 2:
				location_read(d, f);
				break;
			default:
				stack_read(d, f);
			}
		}
		if (p.c.bad && !i)
			builder_warn(d->b, "a dictionary that is not whole");
	}
}

/* ---- binding ---- */

static uint32_t
mapping_of(struct otlp *d, uint64_t index)
{
	if (!index)
		return PPROF_NO_MAPPING;
	if (index >= d->mapping.n) {
		d->missing++;
		return PPROF_NO_MAPPING;
	}
	struct otlp_mapping *m = &d->mapping.at[index];
	if (m->index == PPROF_NO_MAPPING)
		m->index = pprof_mapping_add(&d->frames, m->start, m->limit, m->offset, m->file,
					     m->build_id);
	return m->index;
}

static frame_id
frame_of(struct otlp *d, const struct otlp_location *l, uint32_t mapping,
	 const struct otlp_line *line)
{
	if (!line->function)
		return pprof_frame_nameless(&d->frames, mapping, l->address);
	if (line->function >= d->function.n) {
		d->missing++;
		return pprof_frame(&d->frames, mapping, builder_name(d->b, "[unknown]", 9),
				   NAME_EMPTY, 0, 0);
	}
	const struct otlp_function *f = &d->function.at[line->function];
	uint32_t at = line->line > 0 && line->line < UINT32_MAX ? (uint32_t)line->line : 0;
	if (f->name == NAME_EMPTY)
		return pprof_frame_nameless(&d->frames, mapping, l->address);
	return pprof_frame(&d->frames, mapping, f->name, f->file, f->line, at);
}

/* The same frame, of the kernel. */
static frame_id
of_kernel(struct otlp *d, frame_id id)
{
	struct frame frame = builder_frame_get(d->b, id);
	struct function f = builder_function_get(d->b, frame.function);

	f.kind = KIND_SYSTEM;
	id = builder_frame(d->b, builder_function(d->b, f), frame.line);
	return frame.inlined ? builder_frame_inlined(d->b, id) : id;
}

static void
bind(struct otlp *d, struct otlp_location *l)
{
	uint32_t mapping = mapping_of(d, l->mapping);

	l->first_frame = (uint32_t)d->frame.n;
	for (uint32_t i = 0; i < l->n_lines; i++) {
		frame_id id = frame_of(d, l, mapping, &d->line.at[l->first_line + i]);
		*vec_push(&d->frame) = i + 1 < l->n_lines ? builder_frame_inlined(d->b, id) : id;
	}
	if (!l->n_lines) {
		vec_reserve(&d->frame, d->frame.n + SYMBOLS_DEPTH);
		d->frame.n += pprof_frames_at(&d->frames, mapping, l->address,
					      d->frame.at + d->frame.n);
	}
	l->n_frames = (uint32_t)d->frame.n - l->first_frame;
	for (uint32_t i = 0; l->kernel && i < l->n_frames; i++)
		d->frame.at[l->first_frame + i] = of_kernel(d, d->frame.at[l->first_frame + i]);
}

static stack_id
push(struct otlp *d, stack_id stack, uint32_t index, uint32_t *depth)
{
	if (index >= d->location.n) {
		d->missing++;
		function_id f = builder_function_named(d->b, "[unknown]", 9);
		return builder_child(d->b, stack, builder_frame(d->b, f, line_unknown()));
	}
	struct otlp_location *l = &d->location.at[index];
	if (!l->n_frames)
		bind(d, l);
	*depth += l->n_frames;
	if (*depth > STACK_DEPTH_MAX)
		return builder_too_deep(d->b);
	for (uint32_t i = l->n_frames; i-- && stack != STACK_NONE;)
		stack = builder_child(d->b, stack, d->frame.at[l->first_frame + i]);
	return stack;
}

stack_id
otlp_stack(struct otlp *d, uint64_t index)
{
	stack_id stack = STACK_EMPTY;
	uint32_t depth = 0;

	if (!index && !d->stack.n)
		return STACK_EMPTY;
	if (index >= d->stack.n) {
		d->missing++;
		return builder_child(d->b, STACK_EMPTY,
				     builder_frame(d->b,
						   builder_function_named(d->b, "[unknown]", 9),
						   line_unknown()));
	}
	struct otlp_stack *s = &d->stack.at[index];
	if (!s->bound) {
		for (uint32_t i = s->n; i-- && stack != STACK_NONE;)
			stack = push(d, stack, d->at.at[s->first + i], &depth);
		s->stack = stack;
		s->bound = true;
	}
	return s->stack;
}
