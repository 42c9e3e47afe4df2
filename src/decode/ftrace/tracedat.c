/* trace.dat of trace-cmd (trace-cmd.dat.v6(5), .v7(5); the kernel's ring_buffer.c).
 *
 *	17 08 44 "tracing" "6" 0   u8 big-endian   u8 size of a long   u32 page size
 *	version 6: "header_page" 0 u64 n text, "header_event" 0 ..., formats of events,
 *	   kallsyms, printk formats, command lines, u32 CPUs, "options  " 0, "flyrecord" 0,
 *	   for each CPU u64 offset, u64 size
 *	version 7: compressor 0, its version 0, u64 offset of the first options;
 *	   options say where the sections are: u16 id, u16 flags, u32 description, u64 size
 *	page of a CPU: u64 time, long commit (length, bit 31: events were lost before), records
 *	record: u32: length in words (5 bits), time since the one before (27 bits); data:
 *	   u16 id of the event, then fields as its format says
 *
 * tracedat_pages.c reads the records, tracedat_events.c passes them to the reader of ftrace's
 * text. */
#include "src/decode/ftrace/tracedat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_FIRST (1u << 20)  /* bytes of version 6 that are tried first */
#define CPUS_MAX 8192u

enum { /* options of version 7, and some of version 6 */
	OPTION_DONE = 0, OPTION_BUFFER = 3, OPTION_CLOCK = 4, OPTION_TSC2NSEC = 14,
	OPTION_HEADER = 16, OPTION_FTRACE = 17, OPTION_EVENTS = 18, OPTION_KALLSYMS = 19,
	OPTION_PRINTK = 20, OPTION_COMMS = 21,
};

bool
tracedat_is(const uint8_t *at, size_t len)
{
	return len >= 12 && !memcmp(at, "\x17\x08\x44tracing", 10);
}

/* ---- parts of the file ---- */

/* Copies bytes of the file, which stay as long as the reader. Returns an empty cursor with `torn`
 * if the file does not have them. */
static struct cursor
part_read(struct tracedat *t, uint64_t at, uint64_t len)
{
	struct cursor c = cursor_over(NULL, 0);
	struct buf part = BUF_INIT;

	c.big_endian = t->big;
	c.bad = c.torn = len > TRACEDAT_PART_MAX;
	if (c.bad || !len)
		return c;
	char *bytes = tracedat_space(&part, (size_t)len);
	c.bad = c.torn = !input_read_at(t->in, at, bytes, (size_t)len);
	part.len = (size_t)len;
	*vec_push(&t->part) = part;
	if (!c.bad)
		c = cursor_over(part.at, part.len);
	c.big_endian = t->big;
	return c;
}

static struct text_slice
cursor_sized(struct cursor *c, uint64_t size)
{
	const uint8_t *at = cursor_bytes(c, size);

	return at ? slice_of((const char *)at, (size_t)size)
		  : slice_of("", 0);
}

/* ---- tables ---- */

/* Reads `header_page` 0, u64 n, its format; `header_event` 0, u64 n, text. */
static void
header_read(struct tracedat *t, struct cursor *c)
{
	struct text_slice page;
	struct tracefmt_field field;
	size_t len;

	cursor_cstring(c, &len);
	page = cursor_sized(c, cursor_u64(c));
	while (tracefmt_next(&page, &field)) {
		if (is_key(field.name.at, field.name.len, "commit")) {
			t->page.commit_at = field.offset;
			t->page.commit_size = field.size;
		} else if (is_key(field.name.at, field.name.len, "data")) {
			t->page.data_at = field.offset;
		}
	}
	cursor_cstring(c, &len);
	cursor_sized(c, cursor_u64(c));
}

static void
formats_read(struct tracedat *t, struct cursor *c)
{
	for (uint32_t n = cursor_u32(c); n && !c->bad; n--) {
		struct text_slice text = cursor_sized(c, cursor_u64(c));
		if (!c->bad)
			tracedat_format(t, text);
	}
}

static void
events_read(struct tracedat *t, struct cursor *c)
{
	size_t len;

	for (uint32_t systems = cursor_u32(c); systems && !c->bad; systems--) {
		cursor_cstring(c, &len);
		formats_read(t, c);
	}
}

static void
clock_read(struct tracedat *t, struct cursor c)
{
	t->clock.mult = cursor_u32(&c);
	t->clock.shift = cursor_u32(&c);
}

/* The clock in use is in brackets, or alone. */
static void
clock_named(struct tracedat *t, struct text_slice text)
{
	struct text_slice now = tracefmt_behind(text, "[", "]");

	if (!now.len)
		now = (struct text_slice){text.at, strnlen(text.at, text.len)};
	t->clock.name = now;
}

/* Adds a processor whose pages lie at `at`. */
static void
cpu_add(struct tracedat *t, int64_t number, uint64_t at, uint64_t size)
{
	struct tracedat_cpu cpu = {.number = number, .at = at, .end = at + size};
	struct cursor c;

	if (!size || at + size < at)
		return;
	if (t->compressed) {
		c = part_read(t, at, 4);
		cpu.chunks = cursor_u32(&c);
		cpu.at += 4;
		cpu.end += 4;
	}
	*vec_push(&t->cpu) = cpu;
}

/* ---- version 6 ---- */

/* Reads all before the pages. Returns false if `c` ends before that. */
static bool
six_read(struct tracedat *t, struct cursor c)
{
	const uint8_t *word;
	uint32_t cpus;
	size_t len;

	header_read(t, &c);
	formats_read(t, &c);
	events_read(t, &c);
	tracedat_symbols(t, cursor_sized(&c, cursor_u32(&c)));
	tracedat_formats(t, cursor_sized(&c, cursor_u32(&c)));
	tracedat_comms(t, cursor_sized(&c, cursor_u64(&c)));
	cpus = cursor_u32(&c);
	word = (const uint8_t *)cursor_cstring(&c, &len);
	if (word && len == 9 && !memcmp(word, "options  ", 9)) {
		for (uint16_t id = cursor_u16(&c); id && !c.bad; id = cursor_u16(&c)) {
			struct text_slice value = cursor_sized(&c, cursor_u32(&c));
			struct cursor v = cursor_over(value.at, value.len);
			v.big_endian = t->big;
			if (id == OPTION_TSC2NSEC)
				clock_read(t, v);
			else if (id == OPTION_CLOCK)
				clock_named(t, value);
		}
		word = (const uint8_t *)cursor_cstring(&c, &len);
	}
	if (word && !memcmp(word, "latency  ", 9 < len ? 9 : len))
		return err_refuse(t->e, "a trace.dat of a latency tracer; "
				  "trace-cmd report FILE | pnav -");
	for (uint32_t i = 0; i < cpus && i < CPUS_MAX && !c.bad; i++) {
		uint64_t at = cursor_u64(&c), size = cursor_u64(&c);
		if (!c.bad)
			cpu_add(t, i, at, size);
	}
	return !c.bad;
}

static void
tables_forget(struct tracedat *t)
{
	for (size_t i = 0; i < t->part.n; i++)
		buf_release(&t->part.at[i]);
	t->part.n = t->event.n = t->symbol.n = t->format.n = t->cpu.n = 0;
}

/* The tables have no length in front, so more and more bytes are tried. */
static bool
six(struct tracedat *t, uint64_t at, uint64_t size)
{
	for (uint64_t len = HEAD_FIRST; !err_is_set(t->e); len *= 4) {
		bool all = at + len >= size || len > TRACEDAT_PART_MAX;
		tables_forget(t);
		struct cursor c = part_read(t, at, all ? size - at : len);
		if (c.bad || six_read(t, c))
			return !c.bad;
		if (all)
			return false;
	}
	return false;
}

/* ---- version 7 ---- */

/* Returns the contents of a section; *id becomes its number. */
static struct cursor
section_read(struct tracedat *t, uint64_t at, uint16_t *id)
{
	struct cursor head = part_read(t, at, 16), c, none = head;
	struct buf plain = BUF_INIT;

	*id = cursor_u16(&head);
	bool packed = cursor_u16(&head) & 1;
	cursor_u32(&head);
	uint64_t size = cursor_u64(&head);
	c = part_read(t, at + 16, size);
	if (head.bad || c.bad || !packed)
		return head.bad ? head : c;
	uint32_t len = cursor_u32(&c), unpacked = cursor_u32(&c);
	const uint8_t *bytes = cursor_bytes(&c, len);
	none.bad = true;
	if (!bytes || unpacked > TRACEDAT_PART_MAX ||
	    !tracedat_unpack(t, bytes, len, unpacked, &plain)) {
		buf_release(&plain);
		return none;
	}
	*vec_push(&t->part) = plain;
	c = cursor_over(plain.at, plain.len);
	c.big_endian = t->big;
	return c;
}

static void
buffer_read(struct tracedat *t, struct cursor c)
{
	size_t len;

	cursor_u64(&c);
	cursor_cstring(&c, &len);
	if (len) { /* of an instance beside the main one */
		if (t->f)
			builder_warn(t->f->b, "events of instances, left out");
		return;
	}
	const char *clock = cursor_cstring(&c, &len);
	if (clock)
		clock_named(t, slice_of(clock, len));
	t->page.size = cursor_u32(&c);
	for (uint32_t n = cursor_u32(&c); n && !c.bad && t->cpu.n < CPUS_MAX; n--) {
		uint32_t cpu = cursor_u32(&c);
		uint64_t at = cursor_u64(&c), size = cursor_u64(&c);
		if (!c.bad)
			cpu_add(t, cpu, at, size);
	}
}

/* Reads the section to which an option points. */
static bool
option_section(struct tracedat *t, uint16_t option, uint64_t at)
{
	uint16_t id;
	struct cursor c = section_read(t, at, &id);

	if (option == OPTION_HEADER)
		header_read(t, &c);
	else if (option == OPTION_FTRACE)
		formats_read(t, &c);
	else if (option == OPTION_EVENTS)
		events_read(t, &c);
	else if (option == OPTION_KALLSYMS)
		tracedat_symbols(t, cursor_sized(&c, cursor_u32(&c)));
	else if (option == OPTION_PRINTK)
		tracedat_formats(t, cursor_sized(&c, cursor_u32(&c)));
	else
		tracedat_comms(t, cursor_sized(&c, cursor_u64(&c)));
	return !c.bad;
}

/* Reads an options section. Returns the offset of the next one; 0 if there is none. */
static uint64_t
options_read(struct tracedat *t, struct cursor c, bool *good)
{
	while (*good && !c.bad && cursor_left(&c)) {
		uint16_t option = cursor_u16(&c);
		struct text_slice value = cursor_sized(&c, cursor_u32(&c));
		struct cursor v = cursor_over(value.at, value.len);
		v.big_endian = t->big;
		if (option == OPTION_DONE)
			return cursor_u64(&v);
		if (option == OPTION_BUFFER)
			buffer_read(t, v);
		else if (option == OPTION_TSC2NSEC)
			clock_read(t, v);
		else if (option >= OPTION_HEADER && option <= OPTION_COMMS)
			*good = option_section(t, option, cursor_u64(&v));
	}
	*good = *good && !c.bad;
	return 0;
}

static bool
seven(struct tracedat *t, struct cursor head, uint64_t size)
{
	size_t len, n;
	const char *name = cursor_cstring(&head, &len);
	bool good = true;

	cursor_cstring(&head, &n);
	uint64_t at = cursor_u64(&head);
	if (head.bad)
		return false;
	t->compressed = !is_key(name, len, "none");
	t->zstd = is_key(name, len, "zstd");
	if (t->compressed && !t->zstd && !is_key(name, len, "zlib"))
		return err_refuse(t->e, "a trace.dat compressed by %.*s", (int)len, name);
	for (unsigned sections = 0; good && at && at < size && sections < 1000; sections++) {
		uint16_t id;
		struct cursor c = section_read(t, at, &id);
		good = !c.bad;
		at = options_read(t, c, &good);
	}
	return good;
}

/* ---- the file ---- */

static void
tracedat_release(struct tracedat *t)
{
	for (size_t i = 0; i < t->cpu.n; i++) {
		buf_release_all(&t->cpu.at[i].plain, &t->cpu.at[i].copy);
	}
	tables_forget(t);
	vec_release_all(&t->part, &t->event, &t->symbol, &t->format, &t->cpu, &t->comm);
	idmap_release_all(&t->event_of, &t->comm_of);
}

static bool
tables_read(struct tracedat *t)
{
	struct cursor c = cursor_over(input_at(t->in), input_have(t->in));
	uint8_t head[64] = {0}; /* of version 7, after the size of pages */
	uint64_t size;
	size_t len;

	cursor_bytes(&c, 10);
	const char *version = cursor_cstring(&c, &len);
	const uint8_t *sizes = cursor_bytes(&c, 2);
	if (!version || !sizes)
		return false;
	uint32_t number = tracefmt_number(slice_of(version, len));
	if (number != 6 && number != 7)
		return err_refuse(t->e, "a trace.dat of version %" PRIu32 "; 6 and 7 are read",
				  number);
	t->big = c.big_endian = sizes[0];
	t->page.size = cursor_u32(&c);
	if (number == 7) {
		memcpy(head, c.at, cursor_left(&c) < sizeof head ? cursor_left(&c) : sizeof head);
		c = (struct cursor){head, head, head + sizeof head, t->big, false, false};
	}
	uint64_t at = (uint64_t)(c.at - c.start);
	input_keep(t->in);
	while (input_have(t->in) || input_more(t->in))
		input_skip(t->in, input_have(t->in));
	size = input_offset(t->in);
	return number == 6 ? six(t, at, size) : seven(t, c, size);
}

static bool
tracedat_read_all(struct tracedat *t)
{
	input_need(t->in, 256);
	bool good = tables_read(t);

	if (!good && !err_is_set(t->e))
		err_refuse(t->e, "a trace.dat without its tables: the file ends before them");
	if (good && (!t->page.data_at || t->page.size < 64 || t->page.size > TRACEDAT_PART_MAX ||
		     t->page.data_at >= t->page.size || t->page.commit_at + 8 > t->page.size))
		good = err_refuse(t->e, "a trace.dat without the format of its pages");
	t->clock.ticks = !t->clock.mult && (slice_is(t->clock.name, "counter") ||
					    slice_is(t->clock.name, "uptime") ||
					    slice_is(t->clock.name, "x86-tsc"));
	if (good && t->f && t->clock.name.len)
		builder_info_bytes(t->f->b, "clock", t->clock.name.at, t->clock.name.len);
	good = good && tracedat_records(t);
	tracedat_release(t);
	return good && !err_is_set(t->e);
}

bool
tracedat_read(struct ftrace *f, struct input *in, struct err *e)
{
	struct tracedat t = {.f = f, .in = in, .e = e};

	return tracedat_read_all(&t);
}

bool
tracedat_dump(struct input *in, struct dump *d, struct err *e)
{
	struct tracedat t = {.dump = d, .in = in, .e = e};

	return tracedat_read_all(&t);
}
