/* The meaning of the events of .NET's runtime. Payloads are fixed by provider and number of the
 * event; integers are little-endian, texts UTF-16 and end with 0.
 *
 *	143, 144 method   u64 method, u64 module, u64 start, u32 size, u32 token, u32 flags,
 *	                  namespace, name, signature
 *	152-154 module    u64 module, u64 assembly, u32 flags, u32, IL path, native path
 *	 10 allocation    u32 bytes, u32 kind, u16 runtime [, u64 bytes, address, type]
 *	  1, 2 collection u32 number, u32 generation [, u32 reason, u32 type]
 *	 80 exception     type, message */
#include "src/decode/nettrace/nettrace_inside.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

#define MESSAGE_MAX 200u /* bytes of an exception's message */
#define BACKGROUND 1u
#define RUNTIME "Microsoft-Windows-DotNETRuntime"

/* Reads a text as a name; at most `most` bytes of it. */
static name_id
event_text(struct nettrace *d, struct cursor *c, size_t most)
{
	buf_reset(&d->text);
	nettrace_utf16(c, &d->text);
	size_t len = d->text.len;
	if (len > most)
		for (len = most; len && is_utf8_tail(buf_str(&d->text)[len]); len--)
			;
	return builder_name(d->b, buf_str(&d->text), len);
}

static struct nettrace_row
event_row(struct nettrace *d, const struct nettrace_event *ev)
{
	return (struct nettrace_row){.ticks = (int64_t)ev->ticks,
				     .value = 1,
				     .stack = nettrace_stack_of(d, ev),
				     .labels = nettrace_labels_of(d, ev)};
}

/* ---- samples ---- */

/* Returns the labels of a sample of this kind without others. */
static labels_id
kind_labels(struct nettrace *d, uint32_t kind, label_id *one)
{
	static const char *const names[] = {"Error", "External", "Managed"};

	*one = builder_label_text(d->b, builder_name(d->b, "type", 4),
				  builder_name(d->b, names[kind], strlen(names[kind])));
	label_id only = *one;
	return builder_labels(d->b, &only, 1);
}

static bool
take_profiler_sample(struct nettrace *d, const struct nettrace_event *ev)
{
	struct nettrace_row row = event_row(d, ev);
	uint32_t kind = ev->size >= 4 ? bytes_u32(ev->payload, false) : 0;
	label_id one;

	kind = kind < 3 ? kind : 0;
	if (d->kind_labels[kind] == LABELS_NONE)
		d->kind_labels[kind] = kind_labels(d, kind, &one);
	if (row.labels == LABELS_NONE) {
		row.labels = d->kind_labels[kind];
	} else {
		kind_labels(d, kind, &one);
		row.labels = builder_labels_with(d->b, row.labels, one);
	}
	nettrace_row_put(d, nettrace_thread_at(d, ev->thread), NETTRACE_SAMPLES, row);
	return true;
}

static bool
take_allocation(struct nettrace *d, const struct nettrace_event *ev)
{
	struct cursor c = cursor_over(ev->payload, ev->size);
	struct nettrace_row row = event_row(d, ev);
	uint64_t bytes = cursor_u32(&c);

	cursor_u32(&c);
	cursor_u16(&c);
	if (cursor_left(&c) >= 8 + d->file.pointer) {
		bytes = cursor_u64(&c);
		cursor_bytes(&c, d->file.pointer);
		name_id type = event_text(d, &c, NAME_LEN_MAX);
		name_id key = builder_name(d->b, "class", 5);
		if (type != NAME_EMPTY)
			row.labels = builder_labels_with(d->b, row.labels,
							 builder_label_text(d->b, key, type));
	}
	row.value = bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
	nettrace_row_put(d, nettrace_thread_at(d, ev->thread), NETTRACE_ALLOC, row);
	return true;
}

static bool
take_contention(struct nettrace *d, const struct nettrace_event *ev)
{
	struct nettrace_thread *t = nettrace_thread_of(d, ev);

	d->facts.unfinished_locks += t->waits;
	t->waits = true;
	t->lock = event_row(d, ev);
	return true;
}

static bool
take_contention_end(struct nettrace *d, const struct nettrace_event *ev)
{
	uint32_t thread = nettrace_thread_at(d, ev->thread);
	struct nettrace_thread *t = &d->threads.at.at[thread];

	if (!t->waits)
		return true;
	t->waits = false;
	struct nettrace_row row = t->lock;
	if (__builtin_sub_overflow((int64_t)ev->ticks, row.ticks, &row.value) || row.value < 0)
		row.value = 0;
	nettrace_row_put(d, thread, NETTRACE_LOCK, row);
	return true;
}

static bool
take_exception(struct nettrace *d, const struct nettrace_event *ev)
{
	struct cursor c = cursor_over(ev->payload, ev->size);
	struct nettrace_row row = event_row(d, ev);
	name_id type = event_text(d, &c, NAME_LEN_MAX), message = event_text(d, &c, MESSAGE_MAX);

	row.labels = builder_labels_with(
		d->b, row.labels,
		builder_label_text(d->b, builder_name(d->b, "type", 4), type));
	if (message != NAME_EMPTY)
		row.labels = builder_labels_with(
			d->b, row.labels,
			builder_label_text(d->b, builder_name(d->b, "message", 7), message));
	nettrace_row_put(d, nettrace_thread_at(d, ev->thread), NETTRACE_EXCEPTIONS, row);
	return true;
}

/* ---- names ---- */

static bool
take_method(struct nettrace *d, const struct nettrace_event *ev)
{
	struct cursor c = cursor_over(ev->payload, ev->size);
	struct nettrace_range r = {.ticks = (int64_t)ev->ticks,
				   .process = nettrace_thread_of(d, ev)->process};

	cursor_u64(&c);
	r.module = cursor_u64(&c);
	r.start = cursor_u64(&c);
	uint32_t size = cursor_u32(&c);
	cursor_u64(&c);
	buf_reset(&d->text);
	nettrace_utf16(&c, &d->text);
	size_t space = d->text.len;
	if (space)
		buf_addc(&d->text, '.');
	nettrace_utf16(&c, &d->text);
	if (c.bad || __builtin_add_overflow(r.start, size, &r.end))
		return true; /* counted as an event, names nothing */
	r.name = builder_name(d->b, buf_str(&d->text), d->text.len);
	*vec_push(&d->frames.methods.range) = r;
	d->frames.n_methods++;
	return true;
}

static bool
take_module(struct nettrace *d, const struct nettrace_event *ev)
{
	struct cursor c = cursor_over(ev->payload, ev->size);
	uint64_t id = cursor_u64(&c);

	cursor_u64(&c);
	cursor_u64(&c);
	if (c.bad)
		return true;
	struct name path = builder_name_get(d->b, event_text(d, &c, NAME_LEN_MAX));
	size_t base = path.len; /* Windows' paths, too */
	while (base && path.at[base - 1] != '/' && path.at[base - 1] != '\\')
		base--;
	if (base < path.len)
		idmap_put(&d->frames.module_of, id,
			  builder_name(d->b, path.at + base, path.len - base));
	return true;
}

static bool
take_command(struct nettrace *d, const struct nettrace_event *ev)
{
	struct cursor c = cursor_over(ev->payload, ev->size);

	d->facts.command = event_text(d, &c, NAME_LEN_MAX);
	d->facts.system = event_text(d, &c, NAME_LEN_MAX);
	d->facts.machine = event_text(d, &c, NAME_LEN_MAX);
	return true;
}

/* ---- the garbage collector ---- */

static bool
mark_put(struct nettrace *d, const struct nettrace_event *ev, struct nettrace_mark mark)
{
	mark.ticks = (int64_t)ev->ticks;
	mark.process = nettrace_thread_of(d, ev)->process;
	*vec_push(&d->mark) = mark;
	return true;
}

static bool
take_collection(struct nettrace *d, const struct nettrace_event *ev)
{
	struct cursor c = cursor_over(ev->payload, ev->size);
	struct nettrace_mark m = {.kind = NETTRACE_GC_BEGINS, .count = cursor_u32(&c)};

	m.generation = cursor_u32(&c);
	m.reason = cursor_u32(&c);
	m.background = cursor_u32(&c) == BACKGROUND;
	return c.bad || mark_put(d, ev, m);
}

static bool
take_collection_end(struct nettrace *d, const struct nettrace_event *ev)
{
	struct cursor c = cursor_over(ev->payload, ev->size);
	struct nettrace_mark m = {.kind = NETTRACE_GC_ENDS, .count = cursor_u32(&c)};

	return c.bad || mark_put(d, ev, m);
}

static bool
take_suspension(struct nettrace *d, const struct nettrace_event *ev)
{
	struct cursor c = cursor_over(ev->payload, ev->size);
	struct nettrace_mark m = {.kind = NETTRACE_SUSPENDS, .reason = cursor_u32(&c)};

	return c.bad || mark_put(d, ev, m);
}

static bool
take_restart(struct nettrace *d, const struct nettrace_event *ev)
{
	return mark_put(d, ev, (struct nettrace_mark){.kind = NETTRACE_RESUMES});
}

/* ---- the table ---- */

static const struct {
	const char *provider;
	unsigned event;
	nettrace_handler *take;
} known[] = {
	{"Microsoft-DotNETCore-SampleProfiler", 0, take_profiler_sample},
	{"Microsoft-DotNETCore-EventPipe", 1, take_command},
	{RUNTIME, 1, take_collection},
	{RUNTIME, 2, take_collection_end},
	{RUNTIME, 3, take_restart},
	{RUNTIME, 9, take_suspension},
	{RUNTIME, 10, take_allocation},
	{RUNTIME, 80, take_exception},
	{RUNTIME, 81, take_contention},
	{RUNTIME, 91, take_contention_end},
	{RUNTIME, 143, take_method},
	{RUNTIME, 152, take_module},
	{RUNTIME "Rundown", 143, take_method},
	{RUNTIME "Rundown", 144, take_method},
	{RUNTIME "Rundown", 153, take_module},
	{RUNTIME "Rundown", 154, take_module},
};

void
nettrace_type_bind(struct nettrace *d, struct nettrace_type *type)
{
	struct name provider = builder_name_get(d->b, type->provider);

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (type->event == known[i].event && name_is(provider, known[i].provider))
			type->take = known[i].take;
	if (d->file.version >= 6)
		nettrace_type_bind_universal(d, type);
}
