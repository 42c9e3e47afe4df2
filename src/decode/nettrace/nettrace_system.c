/* The events of version 6 that do not come from .NET: processes, what they map, symbols, and events
 * with a value and a stack (PerfView's UniversalProviders.md). Integers have 7 bits a byte, texts
 * a u16 length and UTF-8.
 *
 *	ProcessCreate           pid in its namespace, name, namespace
 *	ProcessMapping          id, process, start, end, offset in the file, file, id of metadata
 *	ProcessMappingMetadata  id, JSON with the build id, JSON with the version
 *	ProcessSymbol           id, mapping, start, end, name
 *	cpu, cswitch, others    value */
#include "src/decode/nettrace/nettrace_inside.h"

#include <string.h>

#include "src/input/json.h"

static struct name
system_text(struct cursor *c)
{
	unsigned len = cursor_u16(c);
	const uint8_t *p = cursor_bytes(c, len);

	return (struct name){.at = p ? (const char *)p : "", .len = p ? len : 0};
}

/* ---- processes ---- */

static bool
take_process(struct nettrace *d, const struct nettrace_event *ev)
{
	struct cursor c = cursor_over(ev->payload, ev->size);
	uint32_t process = nettrace_thread_of(d, ev)->process;

	cursor_varint(&c);
	struct name name = system_text(&c);
	if (!c.bad && name.len)
		d->cast.process.at[process].name = builder_name(d->b, name.at, name.len);
	return true;
}

static bool
take_mapping(struct nettrace *d, const struct nettrace_event *ev)
{
	struct nettrace_frames *f = &d->frames;
	struct cursor c = cursor_over(ev->payload, ev->size);
	struct nettrace_range r = {.ticks = (int64_t)ev->ticks};
	struct nettrace_mapping m = {.start = 0};

	r.process = nettrace_thread_of(d, ev)->process;
	r.module = cursor_varint(&c);
	if (!d->types.at.at[d->types.current].no_process) {
		uint64_t pid = cursor_varint(&c);
		if (!c.bad)
			r.process = cast_process(&d->cast, nettrace_id(pid));
	}
	r.start = m.start = cursor_varint(&c);
	r.end = cursor_varint(&c);
	m.offset = cursor_varint(&c);
	struct name path = system_text(&c);
	m.metadata = cursor_varint(&c);
	if (c.bad || f->mapping.n >= IDMAP_NONE - 1)
		return true;
	m.process = r.process;
	r.name = m.path = builder_name(d->b, path.at, path.len);
	const char *slash = memrchr(path.at, '/', path.len);
	const char *base = slash ? slash + 1 : path.at;
	m.module = builder_name(d->b, base, (size_t)(path.at + path.len - base));
	idmap_put(&f->mapping_of, r.module, (uint32_t)f->mapping.n);
	*vec_push(&f->mapping) = m;
	*vec_push(&f->mapped.range) = r;
	return true;
}

static bool
take_mapping_metadata(struct nettrace *d, const struct nettrace_event *ev)
{
	struct cursor c = cursor_over(ev->payload, ev->size);
	uint64_t id = cursor_varint(&c);
	struct name text = system_text(&c);
	struct json_token t;
	struct json j;
	bool wanted = false;

	if (c.bad || !text.len)
		return true;
	struct input *in = input_open_bytes(text.at, text.len, "metadata");
	json_init(&j, in);
	while (json_next(&j, &t)) {
		if (wanted && t.kind == JSON_STRING && t.len)
			idmap_put(&d->frames.build_of, id, builder_name(d->b, t.at, t.len));
		wanted = t.kind == JSON_KEY && t.len == 8 && !memcmp(t.at, "build_id", 8);
	}
	input_close(in);
	return true;
}

static bool
take_symbol(struct nettrace *d, const struct nettrace_event *ev)
{
	struct nettrace_frames *f = &d->frames;
	struct cursor c = cursor_over(ev->payload, ev->size);
	struct nettrace_range r = {.ticks = (int64_t)ev->ticks};

	cursor_varint(&c);
	r.module = cursor_varint(&c);
	r.start = cursor_varint(&c);
	r.end = cursor_varint(&c);
	struct name name = system_text(&c);
	if (c.bad)
		return true;
	uint32_t mapping = idmap_get(&f->mapping_of, r.module);
	r.process = mapping != IDMAP_NONE
			    ? f->mapping.at[mapping].process
			    : nettrace_thread_of(d, ev)->process;
	r.name = builder_name(d->b, name.at, name.len);
	*vec_push(&f->methods.range) = r;
	f->n_methods++;
	return true;
}

/* ---- events with a value ---- */

static bool
take_value(struct nettrace *d, const struct nettrace_event *ev)
{
	const struct nettrace_type *type = &d->types.at.at[d->types.current];
	struct cursor c = cursor_over(ev->payload, ev->size);
	uint64_t value = cursor_varint(&c);
	struct nettrace_row row = {.ticks = (int64_t)ev->ticks,
				   .value = value < INT64_MAX ? (int64_t)value : INT64_MAX};

	if (c.bad)
		return true;
	row.stack = nettrace_stack_of(d, ev);
	row.labels = nettrace_labels_of(d, ev);
	if (type->measure == NETTRACE_OFF_CPU &&
	    __builtin_sub_overflow(row.ticks, row.value, &row.ticks))
		row.ticks = INT64_MIN;
	nettrace_row_put(d, nettrace_thread_at(d, ev->thread), type->measure, row);
	return true;
}

void
nettrace_type_bind_universal(struct nettrace *d, struct nettrace_type *type)
{
	static const struct {
		const char *name;
		nettrace_handler *take;
	} known[] = {
		{"ProcessCreate", take_process},
		{"ProcessMapping", take_mapping},
		{"ProcessMappingMetadata", take_mapping_metadata},
		{"ProcessSymbol", take_symbol},
	};
	struct name provider = builder_name_get(d->b, type->provider);
	struct name name = builder_name_get(d->b, type->name);

	if (!strcmp(provider.at, "Universal.System")) {
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (!strcmp(name.at, known[i].name))
				type->take = known[i].take;
	} else if (!strcmp(provider.at, "Universal.Events") && name.len) {
		type->take = take_value;
		type->measure = !strcmp(name.at, "cpu")       ? NETTRACE_CPU
				: !strcmp(name.at, "cswitch") ? NETTRACE_OFF_CPU
				: nettrace_measure_named(&d->rows, type->name);
	}
}
