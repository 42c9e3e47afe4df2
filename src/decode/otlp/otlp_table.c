/* The dictionary: tables that profiles refer to by index, where index 0 means none. Frames and
 * stacks are made when a sample uses them. Elements with a fault stay, since an index counts
 * all. */
#include "src/decode/common/words.h"
#include "src/decode/otlp/otlp_inside.h"

#include <string.h>

void
otlp_dictionary_release(struct otlp *d)
{
	struct otlp_dictionary *x = &d->dictionary;

	vec_release_all(&x->string, &x->attribute, &x->function, &x->mapping, &x->line,
			&x->location, &x->stack, &x->index, &x->frame);
}

name_id
otlp_string(void *otlp, uint64_t index)
{
	struct otlp *d = otlp;

	if (index < d->dictionary.string.n)
		return d->dictionary.string.at[index];
	if (!index)
		return NAME_EMPTY;
	d->counts.missing++;
	return builder_name(d->b, "[unknown]", 9);
}

bool
otlp_is(const struct otlp *d, name_id name, const char *text)
{
	return name_is(builder_name_get(d->b, name), text);
}

/* ---- fields that are more than a number ---- */

/* Takes a value of an AnyValue; lists and maps are counted. */
static bool
any_take(struct rows_proto *r, void *attribute, const struct proto_field *f)
{
	struct otlp *d = r->context;
	struct otlp_attribute *a = attribute;
	double x;

	a->there = f->number != 5 && f->number != 6;
	a->is_number = f->number == 3;
	d->counts.deeper += !a->there;
	if (f->number == 1 || f->number == 7) {
		a->text = builder_name(d->b, f->len ? (const void *)f->at : "", f->len);
	} else if (f->number == 2) {
		a->text = builder_name(d->b, f->value ? "true" : "false", f->value ? 4 : 5);
	} else if (f->number == 3) {
		a->number = (int64_t)f->value;
	} else if (f->number == 4) {
		memcpy(&x, &f->value, sizeof x);
		buf_reset(&d->text);
		buf_addf(&d->text, "%.17g", x);
		a->text = builder_name(d->b, buf_str(&d->text), d->text.len);
	} else if (f->number == 8) {
		a->text = otlp_string(d, f->value);
	}
	return true;
}

static bool
index_take(struct rows_proto *r, void *element, uint64_t index)
{
	struct otlp *d = r->context;
	struct otlp_list *list = element;

	if (!list->n++)
		list->first = (uint32_t)d->dictionary.index.n;
	*vec_push(&d->dictionary.index) = index < UINT32_MAX ? (uint32_t)index : UINT32_MAX;
	return true;
}

static bool
line_end(struct rows_proto *r, void *location, void *element)
{
	struct otlp *d = r->context;
	struct otlp_location *l = location;

	if (!l->n_lines++)
		l->first_line = (uint32_t)d->dictionary.line.n;
	*vec_push(&d->dictionary.line) = *(struct otlp_line *)element;
	return true;
}

/* ---- the schema: profiles.proto and common.proto ---- */

static const struct proto_row any_rows[] = {
	[1] = {"string_value", FIELD_EACH(PROTO_BYTES, any_take)},
	[2] = {"bool_value", FIELD_EACH(PROTO_VARINT, any_take)},
	[3] = {"int_value", FIELD_EACH(PROTO_VARINT, any_take)},
	[4] = {"double_value", FIELD_EACH(PROTO_FIXED64, any_take), .real = true},
	[5] = {"array_value", FIELD_EACH(PROTO_BYTES, any_take)},
	[6] = {"kvlist_value", FIELD_EACH(PROTO_BYTES, any_take)},
	[7] = {"bytes_value", FIELD_EACH(PROTO_BYTES, any_take)},
	[8] = {"string_value_strindex", FIELD_EACH(PROTO_VARINT, any_take)},
};
static const struct proto_table any_table = PROTO_TABLE("AnyValue", any_rows);
static const struct proto_row key_value_rows[] = {
	[1] = {"key", FIELD_NAME(struct otlp_attribute, key)},
	[2] = {"value", FIELD_HERE(&any_table)},
	[3] = {"key_strindex", FIELD_INDEX(struct otlp_attribute, key)},
};
const struct proto_table otlp_key_value_table = PROTO_TABLE("KeyValue", key_value_rows);
static const struct proto_row attribute_rows[] = {
	[1] = {"key_strindex", FIELD_INDEX(struct otlp_attribute, key)},
	[2] = {"value", FIELD_HERE(&any_table)},
	[3] = {"unit_strindex", FIELD_INDEX(struct otlp_attribute, unit)},
};
static const struct proto_row function_rows[] = {
	[1] = {"name_strindex", FIELD_INDEX(struct otlp_function, name)},
	[2] = {"system_name_strindex", FIELD_INDEX(struct otlp_function, system)},
	[3] = {"filename_strindex", FIELD_INDEX(struct otlp_function, file)},
	[4] = {"start_line", FIELD_UINT(struct otlp_function, line)},
};
static const struct proto_row mapping_rows[] = {
	[1] = {"memory_start", FIELD_UINT(struct otlp_mapping, start)},
	[2] = {"memory_limit", FIELD_UINT(struct otlp_mapping, limit)},
	[3] = {"file_offset", FIELD_UINT(struct otlp_mapping, offset)},
	[4] = {"filename_strindex", FIELD_INDEX(struct otlp_mapping, file)},
	[5] = {"attribute_indices", FIELD_NUMBERS(PROTO_VARINT, index_take)},
};
static const struct proto_row line_rows[] = {
	[1] = {"function_index", FIELD_UINT(struct otlp_line, function)},
	[2] = {"line", FIELD_INT(struct otlp_line, line)},
	[3] = {"column", FIELD_UNREAD(PROTO_VARINT)},
};
static const struct proto_table line_table = PROTO_TABLE("Line", line_rows);
static const struct proto_row location_rows[] = {
	[1] = {"mapping_index", FIELD_UINT(struct otlp_location, mapping)},
	[2] = {"address", FIELD_UINT(struct otlp_location, address)},
	[3] = {"lines", FIELD_LIST_OF(struct otlp_line, &line_table, line_end)},
	[4] = {"attribute_indices", FIELD_NUMBERS(PROTO_VARINT, index_take)},
};
static const struct proto_row stack_rows[] = {
	[1] = {"location_indices", FIELD_NUMBERS(PROTO_VARINT, index_take)},
};
static const struct proto_table mapping_table = PROTO_TABLE("Mapping", mapping_rows);
static const struct proto_table location_table = PROTO_TABLE("Location", location_rows);
static const struct proto_table function_table = PROTO_TABLE("Function", function_rows);
static const struct proto_table attribute_table = PROTO_TABLE("KeyValueAndUnit", attribute_rows);
static const struct proto_table stack_table = PROTO_TABLE("Stack", stack_rows);
static const struct proto_row dictionary_rows[] = {
	[1] = {"mapping_table", FIELD_VEC(struct otlp_dictionary, mapping, &mapping_table),
	       .keep = true},
	[2] = {"location_table", FIELD_VEC(struct otlp_dictionary, location, &location_table),
	       .keep = true},
	[3] = {"function_table", FIELD_VEC(struct otlp_dictionary, function, &function_table),
	       .keep = true},
	[4] = {"link_table", FIELD_UNREAD(PROTO_BYTES)},
	[5] = {"string_table", FIELD_UNREAD(PROTO_BYTES)}, /* otlp_dictionary() has read them */
	[6] = {"attribute_table", FIELD_VEC(struct otlp_dictionary, attribute, &attribute_table),
	       .keep = true},
	[7] = {"stack_table", FIELD_VEC(struct otlp_dictionary, stack, &stack_table), .keep = true},
};
const struct proto_table otlp_dictionary_table = PROTO_TABLE("ProfilesDictionary", dictionary_rows);

void
otlp_dictionary(struct otlp *d, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	const uint8_t *at = p.c.at;
	struct proto_field f;

	d->has_dictionary = true;
	while (proto_next(&p, &f)) /* the strings first: the other tables refer to them */
		if (f.number == 5 && f.type == PROTO_BYTES)
			*vec_push(&d->dictionary.string) =
				builder_name(d->b, f.len ? (const void *)f.at : "", f.len);
	if (p.c.bad)
		builder_warn(d->b, "an incomplete dictionary");
	for (p = proto_inside(&data); proto_next(&p, &f); at = p.c.at)
		rows_proto_field(&d->rows, &otlp_dictionary_table, &f, at, &d->dictionary);
}

/* ---- binding ---- */

/* Returns the text of the last listed attribute with this key. */
static name_id
attribute_text(const struct otlp *d, struct otlp_list list, const char *key)
{
	name_id found = NAME_EMPTY;

	for (uint32_t k = 0; k < list.n; k++) {
		uint32_t i = d->dictionary.index.at[list.first + k];
		if (i < d->dictionary.attribute.n &&
		    otlp_is(d, d->dictionary.attribute.at[i].key, key))
			found = d->dictionary.attribute.at[i].text;
	}
	return found;
}

static uint32_t
mapping_of(struct otlp *d, uint64_t index)
{
	if (!index)
		return PPROF_NO_MAPPING;
	if (index >= d->dictionary.mapping.n) {
		d->counts.missing++;
		return PPROF_NO_MAPPING;
	}
	struct otlp_mapping *m = &d->dictionary.mapping.at[index];
	if (!m->bound)
		m->bound = 1 + pprof_mapping_add(&d->frames, m->start, m->limit, m->offset, m->file,
						 attribute_text(d, m->attributes,
								"process.executable.build_id.gnu"));
	return m->bound - 1;
}

static frame_id
otlp_frame_of(struct otlp *d, const struct otlp_location *l, uint32_t mapping,
	      const struct otlp_line *line)
{
	if (!line->function)
		return pprof_frame_nameless(&d->frames, mapping, l->address);
	if (line->function >= d->dictionary.function.n) {
		d->counts.missing++;
		return pprof_frame(&d->frames, mapping, builder_name(d->b, "[unknown]", 9),
				   NAME_EMPTY, 0, 0);
	}
	const struct otlp_function *f = &d->dictionary.function.at[line->function];
	uint32_t at = line->line > 0 && line->line < UINT32_MAX ? (uint32_t)line->line : 0;
	name_id name = f->name != NAME_EMPTY ? f->name : f->system;
	if (name == NAME_EMPTY)
		return pprof_frame_nameless(&d->frames, mapping, l->address);
	return pprof_frame(&d->frames, mapping, name, f->file,
			   f->line < UINT32_MAX ? (uint32_t)f->line : 0, at);
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
otlp_bind(struct otlp *d, struct otlp_location *l)
{
	struct otlp_dictionary *x = &d->dictionary;
	uint32_t mapping = mapping_of(d, l->mapping);

	l->first_frame = (uint32_t)x->frame.n;
	for (uint32_t i = 0; i < l->n_lines; i++) {
		frame_id id = otlp_frame_of(d, l, mapping, &x->line.at[l->first_line + i]);
		*vec_push(&x->frame) = i + 1 < l->n_lines ? builder_frame_inlined(d->b, id) : id;
	}
	if (!l->n_lines) {
		vec_reserve(&x->frame, x->frame.n + SYMBOLS_DEPTH);
		x->frame.n +=
			pprof_frames_at(&d->frames, mapping, l->address, x->frame.at + x->frame.n);
	}
	l->n_frames = (uint32_t)x->frame.n - l->first_frame;
	if (!otlp_is(d, attribute_text(d, l->attributes, "profile.frame.type"), "kernel"))
		return;
	for (uint32_t i = 0; i < l->n_frames; i++)
		x->frame.at[l->first_frame + i] = of_kernel(d, x->frame.at[l->first_frame + i]);
}

static stack_id
otlp_push(struct otlp *d, stack_id stack, uint32_t index, uint32_t *depth)
{
	if (index >= d->dictionary.location.n) {
		d->counts.missing++;
		function_id f = builder_function_named(d->b, "[unknown]", 9);
		return builder_child(d->b, stack, builder_frame(d->b, f, line_unknown()));
	}
	struct otlp_location *l = &d->dictionary.location.at[index];
	if (!l->n_frames)
		otlp_bind(d, l);
	*depth += l->n_frames;
	if (*depth > STACK_DEPTH_MAX)
		return builder_too_deep(d->b);
	for (uint32_t i = l->n_frames; i-- && stack != STACK_NONE;)
		stack = builder_child(d->b, stack, d->dictionary.frame.at[l->first_frame + i]);
	return stack;
}

stack_id
otlp_stack(struct otlp *d, uint64_t index)
{
	stack_id stack = STACK_EMPTY;
	uint32_t depth = 0;

	if (!index && !d->dictionary.stack.n)
		return STACK_EMPTY;
	if (index >= d->dictionary.stack.n) {
		d->counts.missing++;
		function_id f = builder_function_named(d->b, "[unknown]", 9);
		return builder_child(d->b, STACK_EMPTY, builder_frame(d->b, f, line_unknown()));
	}
	struct otlp_stack *s = &d->dictionary.stack.at[index];
	if (!s->bound) {
		for (uint32_t i = s->locations.n; i-- && stack != STACK_NONE;)
			stack = otlp_push(d, stack, d->dictionary.index.at[s->locations.first + i],
				     &depth);
		s->stack = stack;
		s->bound = true;
	}
	return s->stack;
}
