/* A sequence defines names, frames and stacks once, and refers to them by number until it
 * clears its state.  The decoder converts these numbers to its own indexes immediately, so that
 * samples keep their meaning after that.
 *
 * Frames are resolved at the end, because the symbols of their addresses may be at the end of
 * the file. */
#include "src/decode/perfetto/perfetto_inside.h"

#include <string.h>

/* The wire types of Perfetto's schema for the fields that are read here. */
static const struct proto_types text_types = {.numbers = PROTO_BIT(1), .bytes = PROTO_BIT(2)};
static const struct proto_types source_types = {
	.numbers = PROTO_BIT(1) | PROTO_BIT(4),
	.bytes = PROTO_BITS(2, 3),
};
static const struct proto_types mapping_types = {
	.numbers = PROTO_BITS(1, 6),
	.lists = PROTO_BIT(7),
};
static const struct proto_types frame_types = {.numbers = PROTO_BITS(1, 7)};
static const struct proto_types stack_types = {.numbers = PROTO_BIT(1), .lists = PROTO_BIT(2)};
static const struct proto_types inline_types = {.bytes = PROTO_BIT(1)};
static const struct proto_types inline_frame_types = {
	.bytes = PROTO_BITS(1, 2),
	.numbers = PROTO_BIT(3),
};
static const struct proto_types task_types = {.numbers = PROTO_BITS(1, 3)};
static const struct proto_types descriptor_types = {
	.numbers = PROTO_BIT(1) | PROTO_BIT(3) | PROTO_BIT(5),
	.bytes = PROTO_BIT(2) | PROTO_BIT(4),
};
static const struct proto_types iid_types = {.numbers = PROTO_BIT(1)};
static const struct proto_types interned_types = {
	.bytes = PROTO_BITS(1, 2) | PROTO_BITS(4, 7) | PROTO_BITS(16, 19),
};
static const struct proto_types event_default_types = {
	.numbers = PROTO_BIT(11),
	.lists = PROTO_BIT(31) | PROTO_BIT(45),
};
static const struct proto_types default_types = {
	.numbers = PROTO_BIT(PACKET_CLOCK),
	.bytes = PROTO_BITS(11, 12),
};

uint32_t
pf_interned(struct perfetto *d, enum pf_kind kind, uint64_t iid)
{
	uint32_t i = iid ? idmap_get(&d->s->of[kind], iid) : IDMAP_NONE;

	return i == IDMAP_NONE ? PF_NONE : i;
}

name_id
pf_interned_name(struct perfetto *d, enum pf_kind kind, uint64_t iid)
{
	uint32_t i = pf_interned(d, kind, iid);

	if (i != PF_NONE)
		return d->names.name.at[i];
	if (!iid)
		return NAME_EMPTY;
	builder_warn(d->b, "names that are not interned: [unknown]");
	return builder_name(d->b, "[unknown]", 9);
}

/* ---- entries ---- */

static uint32_t
name_read(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	name_id name = NAME_EMPTY;

	while (pf_next(d, &p, &text_types, &f))
		if (f.number == 2)
			name = pf_text(d, &f);
	*vec_push(&d->names.name) = name;
	return (uint32_t)d->names.name.n - 1;
}

static uint32_t
source_read(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	struct pf_source x = {0};

	while (pf_next(d, &p, &source_types, &f)) {
		x.file = f.number == 2 ? pf_text(d, &f) : x.file;
		x.function = f.number == 3 ? pf_text(d, &f) : x.function;
		x.line = f.number == 4 ? (uint32_t)f.value : x.line;
	}
	*vec_push(&d->names.source) = x;
	return (uint32_t)d->names.source.n - 1;
}

static uint32_t
mapping_read(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct pf_mapping x = {0};
	struct proto_field f;

	buf_reset(&d->text);
	while (pf_next(d, &p, &mapping_types, &f)) {
		uint64_t id;
		if (f.number == 2)
			x.build_id = pf_interned_name(d, PF_BUILD_ID, f.value);
		struct proto_numbers n = proto_numbers(&f, PROTO_VARINT);
		while (f.number == 7 && proto_number(&n, &id)) {
			struct name part = builder_name_get(d->b, pf_interned_name(d, PF_PATH, id));
			if (!part.len || part.at[0] != '/')
				buf_addc(&d->text, '/');
			buf_add(&d->text, part.at, part.len);
		}
	}
	const char *path = buf_str(&d->text);
	size_t len = d->text.len;
	/* names such as `[kernel.kallsyms]` are not paths */
	if (len > 1 && path[1] == '[') {
		path++;
		len--;
	}
	x.module = builder_name(d->b, path, len);
	*vec_push(&d->names.mapping) = x;
	return (uint32_t)d->names.mapping.n - 1;
}

static uint32_t
frame_read(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct pf_frame x = {.mapping = PF_NONE};
	struct proto_field f;

	while (pf_next(d, &p, &frame_types, &f)) {
		if (f.number == 2)
			x.function = pf_interned_name(d, PF_FUNCTION, f.value);
		if (f.number == 3)
			x.mapping = pf_interned(d, PF_MAPPING, f.value);
		if (f.number == 4)
			x.pc = f.value;
		if (f.number == 5)
			x.file = pf_interned_name(d, PF_SOURCE_PATH, f.value);
		if (f.number == 6)
			x.line = (uint32_t)f.value;
		if (f.number == 7)
			x.kernel = f.value == 2;
	}
	*vec_push(&d->names.frame) = x;
	return (uint32_t)d->names.frame.n - 1;
}

static uint32_t
stack_end(struct perfetto *d, size_t first)
{
	*vec_push(&d->names.stack) = (struct pf_stack){.first = (uint32_t)first,
						 .n = (uint32_t)(d->names.stack_frame.n - first)};
	return (uint32_t)d->names.stack.n - 1;
}

/* Returns the number of a stack of interned frames. */
static uint32_t
stack_read(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	size_t first = d->names.stack_frame.n;
	uint64_t id;

	while (pf_next(d, &p, &stack_types, &f)) {
		struct proto_numbers n = proto_numbers(&f, PROTO_VARINT);
		while (f.number == 2 && proto_number(&n, &id))
			*vec_push(&d->names.stack_frame) = pf_interned(d, PF_FRAME, id);
	}
	return stack_end(d, first);
}

uint32_t
pf_stack_inline(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data), q;
	struct proto_field f, g;
	size_t first = d->names.stack_frame.n;

	while (pf_next(d, &p, &inline_types, &f)) {
		struct pf_frame x = {.mapping = PF_NONE};
		if (f.number != 1 || f.type != PROTO_BYTES)
			continue;
		for (q = proto_inside(&f); pf_next(d, &q, &inline_frame_types, &g);) {
			x.function = g.number == 1 ? pf_text(d, &g) : x.function;
			x.file = g.number == 2 ? pf_text(d, &g) : x.file;
			x.line = g.number == 3 ? (uint32_t)g.value : x.line;
		}
		*vec_push(&d->names.stack_frame) = (uint32_t)d->names.frame.n;
		*vec_push(&d->names.frame) = x;
	}
	return stack_end(d, first);
}

static uint32_t
task_read(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct pf_task x = {0};
	struct proto_field f;

	while (pf_next(d, &p, &task_types, &f)) {
		x.pid = f.number == 2 ? (uint32_t)f.value : x.pid;
		x.tid = f.number == 3 ? (uint32_t)f.value : x.tid;
	}
	*vec_push(&d->names.task) = x;
	return (uint32_t)d->names.task.n - 1;
}

/* Reads which event a counter of stack samples measures (CounterDescriptor). */
uint32_t
pf_descriptor_read(struct perfetto *d, struct proto_field data)
{
	static const struct {
		const char *name;
		uint8_t unit;
	} units[] = {{"samples", UNIT_COUNT},          {"time", UNIT_NS},
		     {"cycles", UNIT_COUNT},           {"instructions", UNIT_COUNT},
		     {"bytes", UNIT_BYTES},            {"page-faults", UNIT_COUNT},
		     {"cache-misses", UNIT_COUNT},     {"cache-references", UNIT_COUNT},
		     {"branch-misses", UNIT_COUNT},    {"count", UNIT_COUNT}};
	struct pf_descriptor x = {.factor = 1, .unit = UNIT_COUNT};
	struct proto p = proto_inside(&data);
	struct proto_field f;
	name_id own = NAME_EMPTY;
	uint64_t unit = 0;

	while (pf_next(d, &p, &descriptor_types, &f)) {
		x.name = f.number == 2 ? pf_text(d, &f) : x.name;
		unit = f.number == 3 && f.value < 10 ? f.value : unit;
		own = f.number == 4 ? pf_text(d, &f) : own;
		x.factor = f.number == 5 && f.value && f.value < 1u << 30 ? (int64_t)f.value
									  : x.factor;
	}
	x.unit = units[unit].unit;
	if (x.name == NAME_EMPTY)
		x.name = builder_name(d->b, units[unit].name, strlen(units[unit].name));
	if (own != NAME_EMPTY) {
		struct name name = builder_name_get(d->b, x.name), u = builder_name_get(d->b, own);
		buf_reset(&d->text);
		buf_add(&d->text, name.at, name.len);
		buf_adds(&d->text, " (");
		buf_add(&d->text, u.at, u.len);
		buf_addc(&d->text, ')');
		x.name = builder_name(d->b, buf_str(&d->text), d->text.len);
	}
	*vec_push(&d->names.descriptor) = x;
	return (uint32_t)d->names.descriptor.n - 1;
}

/* The fields of InternedData, and the pass that reads them: after those to which they refer. */
static const struct interned {
	uint32_t field;
	enum pf_kind kind;
	uint8_t pass;
	uint32_t (*read)(struct perfetto *d, struct proto_field entry);
} fields[] = {
	{1, PF_CATEGORY, 0, name_read},
	{2, PF_EVENT_NAME, 0, name_read},
	{4, PF_SOURCE, 0, source_read},
	{5, PF_FUNCTION, 0, name_read},
	{6, PF_FRAME, 2, frame_read},
	{7, PF_STACK, 3, stack_read},
	{16, PF_BUILD_ID, 0, name_read},
	{17, PF_PATH, 0, name_read},
	{18, PF_SOURCE_PATH, 0, name_read},
	{19, PF_MAPPING, 1, mapping_read},
	{2000, PF_TASK, 0, task_read},
	{2002, PF_DESCRIPTOR, 0, pf_descriptor_read},
};

static const struct interned *
interned_of(uint32_t field)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (fields[i].field == field)
			return &fields[i];
	return NULL;
}

void
pf_intern_one(struct perfetto *d, struct proto_field f)
{
	const struct interned *x = interned_of(f.number);
	struct proto p = proto_inside(&f);
	struct proto_field g;
	uint64_t iid = 0;

	while (pf_next(d, &p, &iid_types, &g) && !iid)
		iid = g.number == 1 && g.type == PROTO_VARINT ? g.value : 0;
	if (iid && x)
		idmap_put(&d->s->of[x->kind], iid, x->read(d, f));
}

/* Reads the parts that others refer to first, whatever the order of the fields: texts, mappings,
 * frames, stacks. */
void
pf_intern(struct perfetto *d, struct proto_field data)
{
	struct proto_field f;

	for (unsigned pass = 0; pass < 4; pass++) {
		struct proto p = proto_inside(&data);
		while (pf_next(d, &p, &interned_types, &f)) {
			const struct interned *x = interned_of(f.number);
			if (x && x->pass == pass && f.type == PROTO_BYTES)
				pf_intern_one(d, f);
		}
		if (p.c.bad)
			builder_warn(d->b, "malformed interned data");
	}
}

/* ---- defaults ---- */

static void
event_defaults(struct perfetto *d, struct pf_defaults *x, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	uint64_t id;

	while (pf_next(d, &p, &event_default_types, &f)) {
		struct proto_numbers n = proto_numbers(&f, PROTO_VARINT);
		if (f.number == 11) {
			x->track = f.value;
			x->has_track = true;
		}
		while (f.number == 31 && x->n_extra < PF_EXTRA_MAX && proto_number(&n, &id))
			x->extra[x->n_extra++] = id;
		while (f.number == 45 && x->n_extra_double < PF_EXTRA_MAX && proto_number(&n, &id))
			x->extra_double[x->n_extra_double++] = id;
	}
}

void
pf_defaults(struct perfetto *d, struct proto_field data)
{
	struct pf_defaults x = {.primary = PF_NONE};
	struct proto p = proto_inside(&data), q;
	struct proto_field f, g;

	while (pf_next(d, &p, &default_types, &f)) {
		if (f.number == PACKET_CLOCK) {
			x.clock = (uint32_t)f.value;
			x.has_clock = true;
		}
		if (f.number == 11)
			event_defaults(d, &x, f);
		for (q = proto_inside(&f); f.number == 12 && proto_next(&q, &g);)
			if ((g.number == 1 || g.number == 4) && g.type == PROTO_BYTES &&
			    x.n_perf < PF_VALUES_MAX - 1)
				x.perf[x.n_perf++] = pf_perf_metric(d, g, g.number == 1);
		for (q = proto_inside(&f); f.number == 100 && proto_next(&q, &g);)
			if (g.number == 2 && g.type == PROTO_BYTES)
				x.primary = pf_descriptor_read(d, g);
	}
	d->s->defaults = x;
}
