/* The first pass over a pprof message.
 *
 * Ids are any numbers; a string is an index. This pass resolves nothing, since references may point
 * forward: locations become frames when a sample first uses them.
 *
 * By the rules of protocol buffers, two concatenated messages are one, but the result would be
 * wrong: indexes would refer to both tables of strings. A second message begins with a sample type
 * after strings and after the numbers that end a profile, and with the empty string that begins
 * each table of strings. Then only the first message is read. (The type alone does not suffice:
 * Go's own profiles write their time before it.) */
#include "src/decode/pprof/pprof_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void
pprof_tables_init(struct pprof_tables *t, struct input *in, struct builder *b)
{
	*t = (struct pprof_tables){.b = b, .end = UINT64_MAX};
	pprof_frames_init(&t->frames, in, b);
}

void
pprof_tables_release(struct pprof_tables *t)
{
	pprof_frames_release(&t->frames);
	vec_release_all(&t->string, &t->type, &t->mapping, &t->function, &t->line, &t->location,
			&t->bound, &t->frame, &t->comment, &t->keys.key);
	idmap_release_all(&t->mapping_of, &t->function_of, &t->location_of, &t->missing,
			  &t->keys.of);
}

/* Each sample has a value of each type: no profiler writes more. */
#define TYPES_MAX 1024u

/* ---- messages within ---- */

static bool
line_end(struct rows_proto *r, void *location, void *element)
{
	struct pprof_tables *t = r->context;
	struct pprof_location *l = location;

	if (!l->n_lines++)
		l->first_line = (uint32_t)t->line.n;
	*vec_push(&t->line) = *(struct pprof_line *)element;
	return true;
}

static bool
string_take(struct rows_proto *r, void *profile UNUSED, const struct proto_field *f)
{
	struct pprof_tables *t = r->context;

	*vec_push(&t->string) = builder_name(t->b, f->len ? f->at : (const void *)"", f->len);
	return true;
}

static bool
comment_take(struct rows_proto *r, void *profile UNUSED, uint64_t index)
{
	struct pprof_tables *t = r->context;

	*vec_push(&t->comment) = index;
	return true;
}

/* ---- the schema: profile.proto ---- */

static const struct proto_row type_rows[] = {
	[1] = {"type", FIELD_UINT(struct pprof_type, name)},
	[2] = {"unit", FIELD_UINT(struct pprof_type, unit)},
};
static const struct proto_row label_rows[] = {
	[PPROF_LABEL_KEY] = {"key", FIELD_UNREAD(PROTO_VARINT)},
	[2] = {"str", FIELD_UNREAD(PROTO_VARINT)},
	[3] = {"num", FIELD_UNREAD(PROTO_VARINT)},
	[4] = {"num_unit", FIELD_UNREAD(PROTO_VARINT)},
};
static const struct proto_row mapping_rows[] = {
	[1] = {"id", FIELD_UINT(struct pprof_raw_mapping, id)},
	[2] = {"memory_start", FIELD_UINT(struct pprof_raw_mapping, start)},
	[3] = {"memory_limit", FIELD_UINT(struct pprof_raw_mapping, limit)},
	[4] = {"file_offset", FIELD_UINT(struct pprof_raw_mapping, offset)},
	[5] = {"filename", FIELD_UINT(struct pprof_raw_mapping, file)},
	[6] = {"build_id", FIELD_UINT(struct pprof_raw_mapping, build_id)},
	[7] = {"has_functions", FIELD_UNREAD(PROTO_VARINT)},
	[8] = {"has_filenames", FIELD_UNREAD(PROTO_VARINT)},
	[9] = {"has_line_numbers", FIELD_UNREAD(PROTO_VARINT)},
	[10] = {"has_inline_frames", FIELD_UNREAD(PROTO_VARINT)},
};
static const struct proto_row line_rows[] = {
	[1] = {"function_id", FIELD_UINT(struct pprof_line, function)},
	[2] = {"line", FIELD_INT(struct pprof_line, line)},
	[3] = {"column", FIELD_UNREAD(PROTO_VARINT)},
};
static const struct proto_table type_table = PROTO_TABLE("ValueType", type_rows);
static const struct proto_table label_table = PROTO_TABLE("Label", label_rows);
static const struct proto_table mapping_table = PROTO_TABLE("Mapping", mapping_rows);
static const struct proto_table line_table = PROTO_TABLE("Line", line_rows);
static const struct proto_row location_rows[] = {
	[1] = {"id", FIELD_UINT(struct pprof_location, id)},
	[2] = {"mapping_id", FIELD_UINT(struct pprof_location, mapping)},
	[3] = {"address", FIELD_UINT(struct pprof_location, address)},
	[4] = {"line", FIELD_LIST_OF(struct pprof_line, &line_table, line_end)},
	[5] = {"is_folded", FIELD_UNREAD(PROTO_VARINT)},
};
static const struct proto_row function_rows[] = {
	[1] = {"id", FIELD_UINT(struct pprof_function, id)},
	[2] = {"name", FIELD_UINT(struct pprof_function, name)},
	[3] = {"system_name", FIELD_UINT(struct pprof_function, system_name)},
	[4] = {"filename", FIELD_UINT(struct pprof_function, file)},
	[5] = {"start_line", FIELD_INT(struct pprof_function, line)},
};
/* for dumps; pprof_samples.c reads samples */
static const struct proto_row sample_rows[] = {
	[PPROF_SAMPLE_LOCATION] = {"location_id", FIELD_NUMBERS(PROTO_VARINT, NULL)},
	[PPROF_SAMPLE_VALUE] = {"value", FIELD_NUMBERS(PROTO_VARINT, NULL)},
	[PPROF_SAMPLE_LABEL] = {"label", FIELD_UNREAD(PROTO_BYTES), .inner = &label_table},
};
static const struct proto_table location_table = PROTO_TABLE("Location", location_rows);
static const struct proto_table function_table = PROTO_TABLE("Function", function_rows);
static const struct proto_table sample_table = PROTO_TABLE("Sample", sample_rows);
static const struct proto_row profile_rows[] = {
	[PPROF_SAMPLE_TYPE] = {"sample_type", FIELD_VEC(struct pprof_tables, type, &type_table)},
	[PPROF_SAMPLE] = {"sample", FIELD_UNREAD(PROTO_BYTES), .inner = &sample_table},
	[PPROF_MAPPING] = {"mapping", FIELD_VEC(struct pprof_tables, mapping, &mapping_table)},
	[PPROF_LOCATION] = {"location", FIELD_VEC(struct pprof_tables, location, &location_table)},
	[PPROF_FUNCTION] = {"function", FIELD_VEC(struct pprof_tables, function, &function_table)},
	[PPROF_STRING] = {"string_table", FIELD_EACH(PROTO_BYTES, string_take)},
	[PPROF_DROP_FRAMES] = {"drop_frames", FIELD_UINT(struct pprof_tables, about.drop)},
	[8] = {"keep_frames", FIELD_UINT(struct pprof_tables, about.keep)},
	[PPROF_TIME] = {"time_nanos", FIELD_INT(struct pprof_tables, about.time)},
	[10] = {"duration_nanos", FIELD_INT(struct pprof_tables, about.duration)},
	[PPROF_PERIOD_TYPE] = {"period_type",
			       FIELD_IN(struct pprof_tables, about.period_type, &type_table)},
	[12] = {"period", FIELD_INT(struct pprof_tables, about.period)},
	[PPROF_COMMENT] = {"comment", FIELD_NUMBERS(PROTO_VARINT, comment_take)},
	[14] = {"default_sample_type", FIELD_UINT(struct pprof_tables, about.default_type)},
	[PPROF_DOC] = {"doc_url", FIELD_UINT(struct pprof_tables, about.doc)},
};
const struct proto_table pprof_profile_table = PROTO_TABLE("Profile", profile_rows);

/* ---- keys of labels ---- */

/* Neighbours have the same keys. */
static void
count_key(struct pprof_keys *k, uint64_t string)
{
	if (k->last >= k->key.n || k->key.at[k->last].string != string) {
		uint32_t at;
		if (idmap_add(&k->of, string, k->key.n, &at))
			*vec_push(&k->key) = (struct pprof_key){.string = string};
		k->last = at;
	}
	k->key.at[k->last].n++;
}

static void
read_keys(struct pprof_keys *k, const struct proto_field *sample)
{
	struct proto_field label, in;
	const uint8_t *at, *end, *skip;
	size_t len;

	if (sample->type != PROTO_BYTES)
		return;
	at = sample->at;
	end = at + sample->len;
	/* nearly all begin so */
	if ((skip = pprof_field_at(at, end, PPROF_SAMPLE_LOCATION, &len)))
		at = skip + len;
	if ((skip = pprof_field_at(at, end, PPROF_SAMPLE_VALUE, &len)))
		at = skip + len;
	for (struct proto p = proto_over(at, (size_t)(end - at)); proto_next(&p, &label);) {
		if (label.number != PPROF_SAMPLE_LABEL)
			continue;
		for (struct proto l = proto_inside(&label); proto_next(&l, &in);)
			if (in.number == PPROF_LABEL_KEY)
				count_key(k, in.value);
	}
}

/* ---- the message ---- */

static void
pprof_forget(struct pprof_tables *t)
{
	struct pprof_tables fresh = {.b = t->b, .end = t->end};

	fresh.frames = t->frames;
	t->frames = (struct pprof_frames){0};
	t->frames.symbols = symbols_new();
	pprof_tables_release(t);
	*t = fresh;
}

/* Makes one pass up to t->end.  Returns where a second profile begins, else 0. */
static uint64_t
scan(struct pprof_tables *t, struct input *in, struct err *e)
{
	struct rows_proto r = {.context = t};
	struct proto_field f;
	uint64_t offset = 0, second = 0;
	bool ends = false;

	while (input_offset(in) < t->end && proto_next_of_input(in, &f, &offset, e)) {
		if (f.number == PPROF_SAMPLE) {
			read_keys(&t->keys, &f);
			continue;
		}
		ends |= f.number >= PPROF_TIME;
		if (f.number == PPROF_SAMPLE_TYPE && ends && t->string.n && !second)
			second = offset;
		if (f.number == PPROF_STRING && !f.len && second)
			return second;
		if (f.number == PPROF_SAMPLE_TYPE && t->type.n == TYPES_MAX)
			err_damage(e, offset, "more than %u kinds of values", TYPES_MAX);
		else if (!rows_proto_field(&r, &pprof_profile_table, &f, f.at, t))
			err_damage(e, offset, "a malformed field");
	}
	if (t->end == UINT64_MAX)
		t->end = input_offset(in);
	return 0;
}

/* Returns true if a function has an id. The profiler of Pyroscope for .NET writes none; each of its
 * functions has the id of the location at the same place. */
static bool
any_id(const struct pprof_tables *t)
{
	for (size_t i = 0; i < t->function.n; i++)
		if (t->function.at[i].id)
			return true;
	return false;
}

void
pprof_tables_read(struct pprof_tables *t, struct input *in, struct err *e)
{
	struct err first = {0};

	uint64_t second = scan(t, in, &first);
	if (second && input_seek(in, 0)) {
		pprof_forget(t);
		t->end = second;
		err_init(&first);
		scan(t, in, &first);
		err_damage(&first, second, "several profiles in one file: the first is read");
	}
	*e = first;
	for (size_t i = 0; i < t->location.n; i++) {
		idmap_put(&t->location_of, t->location.at[i].id, (uint32_t)i);
		*vec_push(&t->bound) = (struct pprof_bound){0};
	}
	bool own = any_id(t) || t->function.n != t->location.n;
	for (size_t i = 0; i < t->function.n; i++)
		idmap_put(&t->function_of, own ? t->function.at[i].id : t->location.at[i].id,
			  (uint32_t)i);
	for (size_t i = 0; i < t->mapping.n; i++) {
		const struct pprof_raw_mapping *m = &t->mapping.at[i];
		idmap_put(&t->mapping_of, m->id, (uint32_t)i);
		pprof_mapping_add(&t->frames, m->start, m->limit, m->offset,
				  pprof_string(t, m->file), pprof_string(t, m->build_id));
	}
}

/* ---- look-ups for samples ---- */

static name_id
unknown(struct builder *b)
{
	return builder_name(b, "[unknown]", 9);
}

name_id
pprof_string(struct pprof_tables *t, uint64_t index)
{
	if (index < t->string.n)
		return t->string.at[index];
	if (!index)
		return NAME_EMPTY;
	t->strings_missing++;
	return unknown(t->b);
}

static uint32_t
line_number(int64_t n)
{
	return n > 0 && n <= UINT32_MAX ? (uint32_t)n : 0;
}

static frame_id
pprof_frame_of(struct pprof_tables *t, const struct pprof_location *l, uint32_t mapping,
	       struct pprof_line line)
{
	uint32_t at = idmap_get(&t->function_of, line.function);

	if (at == IDMAP_NONE && !line.function)
		return pprof_frame_nameless(&t->frames, mapping, l->address);
	if (at == IDMAP_NONE) {
		t->ids_missing++;
		return pprof_frame(&t->frames, mapping, unknown(t->b), NAME_EMPTY, 0, 0);
	}
	const struct pprof_function *fn = &t->function.at[at];
	name_id name = pprof_string(t, fn->name);
	if (name == NAME_EMPTY)
		name = pprof_string(t, fn->system_name);
	if (name == NAME_EMPTY)
		return pprof_frame_nameless(&t->frames, mapping, l->address);
	return pprof_frame(&t->frames, mapping, name, pprof_string(t, fn->file),
			   line_number(fn->line), line_number(line.line));
}

static void
pprof_bind(struct pprof_tables *t, const struct pprof_location *l, struct pprof_bound *out)
{
	uint32_t mapping = idmap_get(&t->mapping_of, l->mapping);
	size_t first = t->frame.n;

	if (mapping == IDMAP_NONE) {
		mapping = PPROF_NO_MAPPING;
		t->ids_missing += l->mapping != 0;
	}
	for (uint32_t i = 0; i < l->n_lines; i++) {
		frame_id frame = pprof_frame_of(t, l, mapping, t->line.at[l->first_line + i]);
		if (i + 1 < l->n_lines) /* the last has a call of its own */
			frame = builder_frame_inlined(t->b, frame);
		*vec_push(&t->frame) = frame;
	}
	if (!l->n_lines) {
		vec_reserve(&t->frame, t->frame.n + SYMBOLS_DEPTH);
		t->frame.n += pprof_frames_at(&t->frames, mapping, l->address,
					      t->frame.at + t->frame.n);
	}
	out->n = (uint32_t)(t->frame.n - first);
	out->first = out->n == 1 ? t->frame.at[first] : (uint32_t)first;
	t->frame.n -= out->n == 1;
}

const frame_id *
pprof_location_bind(struct pprof_tables *t, uint32_t location, uint32_t *n)
{
	if (location == IDMAP_NONE) {
		/* location 0 of the frames' pool is free for it */
		vec_reserve(&t->frame, t->frame.n + 1);
		t->frame.at[t->frame.n] = pprof_frame(&t->frames, PPROF_NO_MAPPING,
						      unknown(t->b), NAME_EMPTY, 0, 0);
		*n = 1;
		return &t->frame.at[t->frame.n];
	}
	struct pprof_bound *bound = &t->bound.at[location];
	if (!bound->n)
		pprof_bind(t, &t->location.at[location], bound);
	*n = bound->n;
	return bound->n == 1 ? &bound->first : &t->frame.at[bound->first];
}

/* Files are not opened if there are only addresses. */
frame_id
pprof_location_bind_leaf(struct pprof_tables *t, uint32_t location)
{
	uint32_t n;
	frame_id frame = pprof_location_frames(t, location, &n)[0];

	if (location == IDMAP_NONE)
		return frame;
	const struct pprof_location *l = &t->location.at[location];
	uint32_t mapping = idmap_get(&t->mapping_of, l->mapping);
	uint64_t address = l->address;
	if (!l->n_lines && mapping != IDMAP_NONE)
		address = pprof_address(&t->frames, mapping, address);
	frame = builder_frame_at(t->b, frame, address);
	t->bound.at[location].leaf = frame + 1;
	return frame;
}

/* ---- info ---- */

static void
info_string(struct pprof_tables *t, const char *key, uint64_t index)
{
	struct name n = builder_name_get(t->b, pprof_string(t, index));

	if (index && n.len)
		builder_info_bytes(t->b, key, n.at, n.len);
}

void
pprof_tables_info(struct pprof_tables *t)
{
	const struct pprof_about *a = &t->about;
	struct builder *b = t->b;

	if (a->time)
		builder_info(b, "time", "%" PRId64 " ns since 1970", a->time);
	if (a->duration)
		builder_info(b, "duration", "%" PRId64 " ns", a->duration);
	if (a->period || a->period_type.name || a->period_type.unit) {
		struct name type = builder_name_get(b, pprof_string(t, a->period_type.name));
		struct name unit = builder_name_get(b, pprof_string(t, a->period_type.unit));
		builder_info(b, "period", "%.*s%s%" PRId64 "%s%.*s", (int)type.len, type.at,
			     type.len ? " " : "", a->period, unit.len ? " " : "", (int)unit.len,
			     unit.at);
	}
	for (size_t i = 0; i < t->comment.n; i++)
		info_string(t, "comment", t->comment.at[i]);
	info_string(t, "documentation", a->doc);
	pprof_frames_info(&t->frames);
	info_string(t, "drop frames", a->drop);
	info_string(t, "keep frames", a->keep);
	builder_warn_count(b, t->ids_missing, "id is not defined in the file: [unknown]",
			   "ids are not defined in the file: [unknown]");
	builder_warn_count(b, t->strings_missing, "string is not in the table: [unknown]",
			   "strings are not in the table: [unknown]");
}
