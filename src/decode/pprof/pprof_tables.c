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

#include "model/base/buf.h"

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
	vec_release(&t->string);
	vec_release(&t->type);
	vec_release(&t->mapping);
	vec_release(&t->function);
	vec_release(&t->line);
	vec_release(&t->location);
	vec_release(&t->bound);
	vec_release(&t->frame);
	vec_release(&t->comment);
	vec_release(&t->key);
	idmap_release(&t->mapping_of);
	idmap_release(&t->function_of);
	idmap_release(&t->location_of);
	idmap_release(&t->key_of);
}

/* Each sample has a value of each type: no profiler writes more. */
#define TYPES_MAX 1024u

/* ---- messages within ---- */

/* How profile.proto has their fields: nearly all are numbers, texts among them as indexes. */
static const struct proto_types type_types = {.numbers = PROTO_BITS(1, 2)};
static const struct proto_types mapping_types = {.numbers = PROTO_BITS(1, 10)};
static const struct proto_types function_types = {.numbers = PROTO_BITS(1, 5)};
static const struct proto_types line_types = {.numbers = PROTO_BITS(1, 3)};
static const struct proto_types location_types = {.numbers = PROTO_BITS(1, 3) | PROTO_BIT(5),
						  .bytes = PROTO_BIT(4)};
static const struct proto_types profile_types = {
	.numbers = PROTO_BITS(PPROF_DROP_FRAMES, PPROF_DURATION) | PROTO_BIT(PPROF_PERIOD) |
		   PROTO_BITS(PPROF_DEFAULT_TYPE, PPROF_DOC),
	.lists = PROTO_BIT(PPROF_COMMENT),
	.bytes = PROTO_BITS(PPROF_SAMPLE_TYPE, PPROF_STRING) | PROTO_BIT(PPROF_PERIOD_TYPE),
};

static bool
read_type(const struct proto_field *f, struct pprof_type *out)
{
	struct proto p = proto_inside(f);
	struct proto_field in;

	*out = (struct pprof_type){0};
	while (proto_next_of(&p, &type_types, &in)) {
		if (in.number == 1)
			out->name = in.value;
		else if (in.number == 2)
			out->unit = in.value;
	}
	return !p.c.bad;
}

static bool
read_mapping(struct pprof_tables *t, const struct proto_field *f)
{
	struct proto p = proto_inside(f);
	struct proto_field in;
	struct pprof_raw_mapping m = {0};

	while (proto_next_of(&p, &mapping_types, &in))
		switch (in.number) {
		case 1:
			m.id = in.value;
			break;
		case 2:
			m.start = in.value;
			break;
		case 3:
			m.limit = in.value;
			break;
		case 4:
			m.offset = in.value;
			break;
		case 5:
			m.file = in.value;
			break;
		case 6:
			m.build_id = in.value;
			break;
		}
	if (p.c.bad)
		return false;
	idmap_put(&t->mapping_of, m.id, (uint32_t)t->mapping.n);
	*vec_push(&t->mapping) = m;
	return true;
}

static bool
read_function(struct pprof_tables *t, const struct proto_field *f)
{
	struct proto p = proto_inside(f);
	struct proto_field in;
	struct pprof_function fn = {0};
	uint64_t id = 0;

	while (proto_next_of(&p, &function_types, &in))
		switch (in.number) {
		case 1:
			id = in.value;
			break;
		case 2:
			fn.name = in.value;
			break;
		case 3:
			fn.system_name = in.value;
			break;
		case 4:
			fn.file = in.value;
			break;
		case 5:
			fn.line = (int64_t)in.value;
			break;
		}
	if (p.c.bad)
		return false;
	idmap_put(&t->function_of, id, (uint32_t)t->function.n);
	*vec_push(&t->function) = fn;
	return true;
}

static bool
read_line(struct pprof_tables *t, const struct proto_field *f)
{
	struct proto p = proto_inside(f);
	struct proto_field in;
	struct pprof_line line = {0};

	while (proto_next_of(&p, &line_types, &in)) {
		if (in.number == 1)
			line.function = in.value;
		else if (in.number == 2)
			line.line = (int64_t)in.value;
	}
	if (!p.c.bad)
		*vec_push(&t->line) = line;
	return !p.c.bad;
}

static bool
read_location(struct pprof_tables *t, const struct proto_field *f)
{
	struct proto p = proto_inside(f);
	struct proto_field in;
	struct pprof_location l = {.first_line = (uint32_t)t->line.n};
	uint64_t id = 0;
	bool good = true;

	while (proto_next_of(&p, &location_types, &in)) {
		if (in.number == 1)
			id = in.value;
		else if (in.number == 2)
			l.mapping = in.value;
		else if (in.number == 3)
			l.address = in.value;
		else if (in.number == 4)
			good = read_line(t, &in) && good;
	}
	if (p.c.bad || !good) {
		t->line.n = l.first_line;
		return false;
	}
	l.n_lines = (uint32_t)t->line.n - l.first_line;
	idmap_put(&t->location_of, id, (uint32_t)t->location.n);
	*vec_push(&t->location) = l;
	*vec_push(&t->bound) = (struct pprof_bound){0};
	return true;
}

/* ---- keys of labels ---- */

/* Neighbours have the same keys. */
static void
count_key(struct pprof_tables *t, uint64_t string)
{
	if (t->last_key >= t->key.n || t->key.at[t->last_key].string != string) {
		uint32_t at = idmap_get(&t->key_of, string);
		if (at == IDMAP_NONE) {
			at = (uint32_t)t->key.n;
			idmap_put(&t->key_of, string, at);
			*vec_push(&t->key) = (struct pprof_key){.string = string};
		}
		t->last_key = at;
	}
	t->key.at[t->last_key].n++;
}

static void
read_keys(struct pprof_tables *t, const struct proto_field *sample)
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
				count_key(t, in.value);
	}
}

/* ---- the message ---- */

static void
read_number(struct pprof_tables *t, const struct proto_field *f)
{
	switch (f->number) {
	case PPROF_DROP_FRAMES:
		t->drop = f->value;
		break;
	case PPROF_KEEP_FRAMES:
		t->keep = f->value;
		break;
	case PPROF_TIME:
		t->time = (int64_t)f->value;
		break;
	case PPROF_DURATION:
		t->duration = (int64_t)f->value;
		break;
	case PPROF_PERIOD:
		t->period = (int64_t)f->value;
		break;
	case PPROF_DEFAULT_TYPE:
		t->default_type = f->value;
		break;
	case PPROF_DOC:
		t->doc = f->value;
		break;
	default:
		break;
	}
}

static bool
read_comments(struct pprof_tables *t, const struct proto_field *f)
{
	struct proto_numbers n = proto_numbers(f, PROTO_VARINT);
	uint64_t index;

	while (proto_number(&n, &index))
		*vec_push(&t->comment) = index;
	return !n.c.bad;
}

/* False where what the field holds is malformed. */
static bool
read_field(struct pprof_tables *t, const struct proto_field *f)
{
	struct pprof_type type;

	if (!proto_fits(f, &profile_types))
		return false;
	switch (f->number) {
	case PPROF_SAMPLE_TYPE:
		if (!read_type(f, &type))
			return false;
		*vec_push(&t->type) = type;
		return true;
	case PPROF_MAPPING:
		return read_mapping(t, f);
	case PPROF_LOCATION:
		return read_location(t, f);
	case PPROF_FUNCTION:
		return read_function(t, f);
	case PPROF_STRING:
		*vec_push(&t->string) =
			builder_name(t->b, f->len ? f->at : (const void *)"", f->len);
		return true;
	case PPROF_PERIOD_TYPE:
		t->period_typed = true;
		return read_type(f, &t->period_type);
	case PPROF_COMMENT:
		return read_comments(t, f);
	default:
		read_number(t, f);
		return true;
	}
}

static void
forget(struct pprof_tables *t)
{
	struct pprof_tables fresh = {.b = t->b, .end = t->end};

	fresh.frames = t->frames;
	t->frames = (struct pprof_frames){0};
	t->frames.symbols = symbols_new();
	pprof_tables_release(t);
	*t = fresh;
}

/* One pass up to t->end.  Where a second profile begins, else 0. */
static uint64_t
scan(struct pprof_tables *t, struct input *in, struct err *e)
{
	struct proto_field f;
	uint64_t offset = 0, second = 0;
	bool ends = false;

	while (input_offset(in) < t->end && proto_next_of_input(in, &f, &offset, e)) {
		if (f.number == PPROF_SAMPLE) {
			read_keys(t, &f);
			continue;
		}
		ends |= f.number >= PPROF_TIME;
		if (f.number == PPROF_SAMPLE_TYPE && ends && t->string.n && !second)
			second = offset;
		if (f.number == PPROF_STRING && !f.len && second)
			return second;
		if (f.number == PPROF_SAMPLE_TYPE && t->type.n == TYPES_MAX)
			err_damage(e, offset, "more than %u kinds of values", TYPES_MAX);
		else if (!read_field(t, &f))
			err_damage(e, offset, "a field that is malformed");
	}
	if (t->end == UINT64_MAX)
		t->end = input_offset(in);
	return 0;
}

void
pprof_tables_read(struct pprof_tables *t, struct input *in, struct err *e)
{
	struct err first;

	err_init(&first);
	uint64_t second = scan(t, in, &first);
	if (second && input_seek(in, 0)) {
		forget(t);
		t->end = second;
		err_init(&first);
		scan(t, in, &first);
		err_damage(&first, second, "several profiles in one file: the first is read");
	}
	*e = first;
	for (size_t i = 0; i < t->mapping.n; i++) {
		const struct pprof_raw_mapping *m = &t->mapping.at[i];
		pprof_mapping_add(&t->frames, m->start, m->limit, m->offset,
				  pprof_string(t, m->file), pprof_string(t, m->build_id));
	}
}

/* ---- what samples ask for ---- */

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
frame_of(struct pprof_tables *t, const struct pprof_location *l, uint32_t mapping,
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
bind(struct pprof_tables *t, const struct pprof_location *l, struct pprof_bound *out)
{
	uint32_t mapping = idmap_get(&t->mapping_of, l->mapping);
	size_t first = t->frame.n;

	if (mapping == IDMAP_NONE) {
		mapping = PPROF_NO_MAPPING;
		t->ids_missing += l->mapping != 0;
	}
	for (uint32_t i = 0; i < l->n_lines; i++) {
		frame_id frame = frame_of(t, l, mapping, t->line.at[l->first_line + i]);
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
		bind(t, &t->location.at[location], bound);
	*n = bound->n;
	return bound->n == 1 ? &bound->first : &t->frame.at[bound->first];
}

/* Files are not opened for addresses alone. */
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
	struct builder *b = t->b;

	if (t->time)
		builder_info(b, "time", "%" PRId64 " ns since 1970", t->time);
	if (t->duration)
		builder_info(b, "duration", "%" PRId64 " ns", t->duration);
	if (t->period || t->period_typed) {
		struct name type = builder_name_get(b, pprof_string(t, t->period_type.name));
		struct name unit = builder_name_get(b, pprof_string(t, t->period_type.unit));
		builder_info(b, "period", "%.*s%s%" PRId64 "%s%.*s", (int)type.len, type.at,
			     type.len ? " " : "", t->period, unit.len ? " " : "",
			     (int)unit.len, unit.at);
	}
	for (size_t i = 0; i < t->comment.n; i++)
		info_string(t, "comment", t->comment.at[i]);
	info_string(t, "documentation", t->doc);
	pprof_frames_info(&t->frames);
	info_string(t, "drop frames", t->drop);
	info_string(t, "keep frames", t->keep);
	if (t->ids_missing)
		builder_warn(b, "%" PRIu64 " %s of nothing in the file: [unknown]",
			     t->ids_missing, t->ids_missing == 1 ? "id is" : "ids are");
	if (t->strings_missing)
		builder_warn(b, "%" PRIu64 " %s not in the table: [unknown]",
			     t->strings_missing,
			     t->strings_missing == 1 ? "string is" : "strings are");
}
