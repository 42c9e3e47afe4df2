/* The section TRACING_DATA, as perf and trace-cmd write it (trace-cmd.dat.v6(5)):
 *
 *	"\27\10\104" "tracing" "0.6\0"   u8 big-endian   u8 size of long   u32 page size
 *	"header_page\0"  u64 size, text       "header_event\0" u64 size, text
 *	u32 n, n times   u64 size, text       (events of ftrace itself)
 *	u32 systems, each  name\0  u32 n, n times  u64 size, text
 *
 * and a text is a file `format` of tracefs:
 *
 *	name: sched_switch
 *	ID: 314
 *	format:
 *		field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *
 * Numbers and texts become labels. Pointers and arrays of numbers do not, since their values are
 * useless for filters. Fields that all events have (common_...) repeat other labels.
 *
 * A field may have another value in each sample. Labels are kept for good, so a field that has
 * VALUES_MAX values is left out from there on, which is reported. */
#include "src/decode/perf/perfdata_fields.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "src/decode/common/tracefmt.h"
#include "src/decode/common/words.h"

#define VALUES_MAX 65536u
#define NAME_MAX_LEN 128u /* of a system, of an event; the kernel's are shorter */
#define TRACEPOINT 2u /* PERF_TYPE_TRACEPOINT */

void
perfdata_fields_release(struct perfdata_fields *f)
{
	vec_release_all(&f->format, &f->field);
}

/* ---- formats ---- */

/* Returns false if the field does not become a label. */
static bool
classify(struct text_slice declared, struct perfdata_field *out)
{
	bool array = declared.len && declared.at[declared.len - 1] == ']';
	bool text = slice_has(declared, "char");
	bool place = slice_has(declared, "__data_loc"),
	     relative = slice_has(declared, "__rel_loc");

	if ((place || relative) && (!text || out->size != 4))
		return false;
	if (place || relative) {
		out->kind = relative ? PERFDATA_FIELD_RELATIVE : PERFDATA_FIELD_PLACE;
		return true;
	}
	out->kind = array ? PERFDATA_FIELD_TEXT : PERFDATA_FIELD_NUMBER;
	if (array)
		return text && out->size;
	return !slice_has(declared, "*") &&
	       (out->size == 1 || out->size == 2 || out->size == 4 || out->size == 8);
}

/* If samples already have a label of this name, the event's name is prepended. */
static name_id
perfdata_fields_key_of(struct builder *b, struct text_slice event, struct text_slice name)
{
	static const char *const own[] = {"comm", "pid", "tid", "cpu", "cgroup"};
	struct buf key = BUF_INIT;

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (is_key(name.at, name.len, own[i])) {
			buf_add(&key, event.at, event.len);
			buf_addc(&key, '.');
		}
	buf_add(&key, name.at, name.len);
	name_id id = builder_name(b, key.at, key.len);
	buf_release(&key);
	return id;
}

static void
add_field(struct perfdata_fields *f, struct builder *b, struct text_slice event,
	  const struct tracefmt_field *field)
{
	struct perfdata_field new = {
		.offset = field->offset, .size = field->size, .is_signed = field->is_signed};

	if (!field->name.len || slice_has(field->name, "common_") || new.offset > UINT16_MAX ||
	    new.size > UINT16_MAX || !classify(field->declared, &new))
		return;
	new.key = perfdata_fields_key_of(b, event, field->name);
	*vec_push(&f->field) = new;
}

static void
add_format(struct perfdata_fields *f, struct builder *b, const char *system, struct text_slice t)
{
	struct text_slice event = tracefmt_behind(t, "name: ", "\n");
	struct perfdata_format new = {
		.id = tracefmt_number(tracefmt_behind(t, "\nID: ", "\n")), .first = f->field.n};
	struct tracefmt_field field;

	while (f->field.n - new.first < PERFDATA_FIELDS_MAX && tracefmt_next(&t, &field))
		add_field(f, b, event, &field);
	new.n = (uint32_t)(f->field.n - new.first);
	size_t len = strnlen(system, NAME_MAX_LEN);
	if (event.len && event.len <= NAME_MAX_LEN)
		new.name = builder_namef(b, "%.*s:%.*s", (int)len, system, (int)event.len,
					 event.at);
	*vec_push(&f->format) = new;
}

/* u64 size, text */
static struct text_slice
sized(struct cursor *r)
{
	uint64_t size = cursor_u64(r);
	const uint8_t *at = cursor_bytes(r, size);

	return at ? slice_of((const char *)at, (size_t)size)
		  : slice_of("", 0);
}

/* A text with a NUL. */
static void
step_over_text(struct cursor *r)
{
	const uint8_t *byte;

	while ((byte = cursor_bytes(r, 1)) && *byte)
		;
}

void
perfdata_fields_read(struct perfdata_fields *f, struct builder *b, const uint8_t *at, size_t len)
{
	struct cursor r = cursor_over(at, len);
	const uint8_t *magic = cursor_bytes(&r, 10);

	if (!magic || memcmp(magic, "\27\10\104tracing", 10) != 0)
		return;
	step_over_text(&r);
	const uint8_t *order = cursor_bytes(&r, 2);
	r.big_endian = order && *order;
	cursor_u32(&r);
	for (int i = 0; i < 2; i++) {
		step_over_text(&r);
		sized(&r);
	}
	for (uint32_t n = cursor_u32(&r); n && !r.bad; n--)
		sized(&r);
	for (uint32_t systems = cursor_u32(&r); systems && !r.bad; systems--) {
		const char *system = (const char *)r.at;
		step_over_text(&r);
		for (uint32_t n = cursor_u32(&r); n && !r.bad; n--)
			add_format(f, b, system, sized(&r));
	}
}

name_id
perfdata_fields_event(const struct perfdata_fields *f, const struct perfdata_attr *a)
{
	for (size_t i = f->format.n; a->type == TRACEPOINT && i-- > 0;)
		if (f->format.at[i].id == a->config)
			return f->format.at[i].name;
	return NAME_EMPTY;
}

/* ---- samples ---- */

static int64_t
number_at(const uint8_t *at, uint32_t size, bool is_signed, bool big_endian)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < size; i++)
		value |= (uint64_t)at[i] << 8 * (big_endian ? size - 1 - i : i);
	unsigned rest = 64 - 8 * size;
	return is_signed ? (int64_t)(value << rest) >> rest : (int64_t)value;
}

/* Finds the text of a field, which contains it or refers to it; false: it is not in the raw
 * bytes. */
static bool
text_at(const struct perfdata_field *d, const struct perfdata_sample *s, bool big_endian,
	struct text_slice *out)
{
	uint64_t from = d->offset, size = d->size;

	if (d->kind != PERFDATA_FIELD_TEXT) {
		uint64_t word = (uint64_t)number_at(s->raw + from, 4, false, big_endian);
		from = (word & 0xffff) + (d->kind == PERFDATA_FIELD_RELATIVE ? from + size : 0);
		size = word >> 16;
	}
	if (from > s->raw_len || size > s->raw_len - from)
		return false;
	*out = (struct text_slice){(const char *)s->raw + from,
				      strnlen((const char *)s->raw + from, (size_t)size)};
	return true;
}

/* Labels have ascending numbers: a new value has a new label. */
static void
count_value(struct perfdata_fields *f, struct perfdata_field *d, label_id label)
{
	if (label < f->next)
		return;
	f->next = label + 1;
	d->values++;
	f->full |= d->values >= VALUES_MAX;
}

/* Returns the format of the sample's event, or NULL. */
static const struct perfdata_format *
format_of(const struct perfdata_fields *f, const struct perfdata_attr *a,
	  const struct perfdata_sample *s)
{
	for (size_t i = f->format.n; a->type == TRACEPOINT && s->raw && i-- > 0;)
		if (f->format.at[i].id == a->config)
			return &f->format.at[i];
	return NULL;
}

/* Returns the field of that name, if it lies in the raw bytes, or NULL. */
static const struct perfdata_field *
field_named(const struct perfdata_fields *f, struct builder *b, const struct perfdata_attr *a,
	    const struct perfdata_sample *s, const char *key)
{
	const struct perfdata_format *of = format_of(f, a, s);

	for (uint32_t i = 0; of && i < of->n; i++) {
		const struct perfdata_field *d = &f->field.at[of->first + i];
		struct name name = builder_name_get(b, d->key);
		const char *own = memrchr(name.at, '.', name.len); /* `sched_waking.pid` */
		if (d->offset <= s->raw_len && d->size <= s->raw_len - d->offset &&
		    !strcmp(own ? own + 1 : name.at, key))
			return d;
	}
	return NULL;
}

/* All begin with u16 type; u8 flags, preemptions; i32 thread. */
uint32_t
perfdata_field_thread(const struct perfdata_attr *a, const struct perfdata_sample *s,
		      bool big_endian)
{
	if (a->type != TRACEPOINT || !s->raw || s->raw_len < 8)
		return UINT32_MAX;
	return (uint32_t)number_at(s->raw + 4, 4, false, big_endian);
}

bool
perfdata_field_number(const struct perfdata_fields *f, struct builder *b,
		      const struct perfdata_attr *a, const struct perfdata_sample *s,
		      bool big_endian, const char *key, int64_t *out)
{
	const struct perfdata_field *d = field_named(f, b, a, s, key);

	if (!d || d->kind != PERFDATA_FIELD_NUMBER)
		return false;
	*out = number_at(s->raw + d->offset, d->size, d->is_signed, big_endian);
	return true;
}

bool
perfdata_field_text(const struct perfdata_fields *f, struct builder *b,
		    const struct perfdata_attr *a, const struct perfdata_sample *s,
		    bool big_endian, const char *key, struct name *out)
{
	const struct perfdata_field *d = field_named(f, b, a, s, key);
	struct text_slice text;

	if (!d || d->kind == PERFDATA_FIELD_NUMBER || !text_at(d, s, big_endian, &text))
		return false;
	*out = (struct name){.at = text.at, .len = (uint32_t)text.len};
	return true;
}

size_t
perfdata_fields_of(struct perfdata_fields *f, struct builder *b, const struct perfdata_attr *a,
		   const struct perfdata_sample *s, bool big_endian,
		   label_id id[PERFDATA_FIELDS_MAX])
{
	const struct perfdata_format *of = format_of(f, a, s);
	size_t n = 0;

	for (uint32_t i = 0; of && i < of->n; i++) {
		struct perfdata_field *d = &f->field.at[of->first + i];
		struct text_slice text;
		if (d->values >= VALUES_MAX || d->offset > s->raw_len ||
		    d->size > s->raw_len - d->offset)
			continue;
		if (d->kind == PERFDATA_FIELD_NUMBER)
			id[n] = builder_label_number(b, d->key,
						     number_at(s->raw + d->offset, d->size,
							       d->is_signed, big_endian),
						     NAME_EMPTY);
		else if (text_at(d, s, big_endian, &text))
			id[n] = builder_label_text(b, d->key,
						   builder_name(b, text.at, text.len));
		else
			continue;
		count_value(f, d, id[n++]);
	}
	return n;
}
