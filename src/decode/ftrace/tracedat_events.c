/* tracedat_events.c - records of trace.dat become lines of ftrace's text.
 *
 * The reader of the text knows what events mean. It takes a line as its parts, so a record becomes
 * these parts. If the reader uses the arguments of an event, they are printed as the kernel prints
 * them. Calls of function_graph have their times in ns, which the text rounds. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/chars.h"
#include "model/base/ordered.h"
#include "src/decode/common/words.h"
#include "src/decode/ftrace/tracedat.h"

/* ---- tables ---- */

void
tracedat_format(struct tracedat *t, struct text_slice text)
{
#define NAME(name) #name,
	static const char *const names[] = {TRACEDAT_FIELDS(NAME)};
#undef NAME
	struct tracedat_event event = {.name = tracefmt_behind(text, "name: ", "\n")};
	struct text_slice rest = text;
	struct tracefmt_field field;
	/* older kernels print 64 as x: dead; newer ones as P: parked */
	event.ends = 0x30 | (slice_has(text, "64, \"x\"") ? 64 : 0);
	uint32_t id = tracefmt_number(tracefmt_behind(text, "\nID: ", "\n"));

	while (tracefmt_next(&rest, &field))
		for (unsigned i = 0; i < TRACEDAT_FIELD_COUNT; i++)
			if (is_key(field.name.at, field.name.len, names[i]))
				event.field[i] = (struct tracedat_field){
					.is_there = true,
					.offset = field.offset,
					.size = field.size,
					.is_signed = field.is_signed,
					.place = slice_has(field.declared, "__data_loc"),
					.relative = slice_has(field.declared, "__rel_loc"),
				};
	idmap_put(&t->event_of, id, (uint32_t)t->event.n);
	*vec_push(&t->event) = event;
}

/* Returns the next line of a text. */
static bool
line_of(struct text_slice *rest, const char **at, const char **end)
{
	const char *stop;

	if (!rest->len)
		return false;
	stop = memchr(rest->at, '\n', rest->len);
	*at = rest->at;
	*end = stop ? stop : rest->at + rest->len;
	rest->len -= (size_t)(*end - *at) + (stop != NULL);
	rest->at = *end + (stop != NULL);
	return true;
}

static void
comm_set(struct tracedat *t, int64_t pid, const char *at, size_t len, bool again)
{
	uint32_t i = idmap_get(&t->comm_of, (uint64_t)pid);

	if (pid <= 0 || !len || !t->f)
		return;
	if (i == IDMAP_NONE) {
		idmap_put(&t->comm_of, (uint64_t)pid, (uint32_t)t->comm.n);
		*vec_push(&t->comm) = builder_name(t->f->b, at, len);
	} else if (again) {
		t->comm.at[i] = builder_name(t->f->b, at, len);
	}
}

void
tracedat_comms(struct tracedat *t, struct text_slice text)
{
	const char *at, *end, *blank;
	int64_t pid;

	while (line_of(&text, &at, &end)) {
		blank = word_end(at, end);
		if (number_parse(at, blank, &pid) && blank < end)
			comm_set(t, pid, blank + 1, (size_t)(end - blank) - 1, true);
	}
}

ORDERED_BY(symbol_compare, struct tracedat_symbol, address)

static bool
hex_parse(const char **at, const char *end, uint64_t *out)
{
	const char *from = *at;

	*at = hex_digits(begins_with(from, end, "0x") ? from + 2 : from, end, out);
	return *at > from;
}

void
tracedat_symbols(struct tracedat *t, struct text_slice text)
{
	struct tracedat_symbol s;
	const char *at, *end;

	while (line_of(&text, &at, &end)) {
		if (!hex_parse(&at, end, &s.address))
			continue;
		at = skip_blanks(word_end(skip_blanks(at, end), end), end);
		s.name = (struct text_slice){at, (size_t)(end - at)}; /* `name [module]` */
		if (s.name.len && s.address)
			*vec_push(&t->symbol) = s;
	}
	vec_sort(&t->symbol, symbol_compare);
}

void
tracedat_formats(struct tracedat *t, struct text_slice text)
{
	struct tracedat_symbol s;
	const char *at, *end;

	while (line_of(&text, &at, &end)) {
		if (!hex_parse(&at, end, &s.address))
			continue;
		const char *quote = memchr(at, '"', (size_t)(end - at));
		if (!quote || end[-1] != '"' || end - quote < 2)
			continue;
		s.name = slice_of(quote + 1, (size_t)(end - quote) - 2);
		*vec_push(&t->format) = s;
	}
	vec_sort(&t->format, symbol_compare);
}

/* Returns the last row that begins at or before the address; NULL if there is none. */
static const struct tracedat_symbol *
symbol_at(const struct tracedat_symbol *at, size_t n, uint64_t address)
{
	size_t behind = bisect(i, n, at[i].address <= address);

	return behind ? &at[behind - 1] : NULL;
}

/* ---- fields ---- */

struct tracedat_record {
	struct tracedat *t;
	const struct tracedat_event *event;
	const uint8_t *at;
	size_t len;
};

static uint64_t
number_at(const struct tracedat_record *r, uint32_t offset, uint32_t size, bool is_signed)
{
	if (offset > r->len || size > r->len - offset)
		return 0;
	const uint8_t *p = r->at + offset;
	uint64_t v = size == 8   ? bytes_u64(p, r->t->big)
		     : size == 4 ? bytes_u32(p, r->t->big)
		     : size == 2 ? bytes_u16(p, r->t->big)
		     : size == 1 ? *p
				 : 0;
	if (is_signed && size < 8 && size && v >> (8 * size - 1))
		v |= UINT64_MAX << (8 * size);
	return v;
}

static uint64_t
number_of(const struct tracedat_record *r, unsigned field)
{
	const struct tracedat_field *f = &r->event->field[field];

	return number_at(r, f->offset, f->size, f->is_signed);
}

static bool
has_field(const struct tracedat_record *r, unsigned field)
{
	const struct tracedat_field *f = &r->event->field[field];

	return f->size && f->offset <= r->len && f->size <= r->len - f->offset;
}

/* Returns a text up to its NUL. The text of a print has the size 0: it is the rest of the event. */
static struct text_slice
text_of(const struct tracedat_record *r, unsigned field)
{
	const struct tracedat_field *f = &r->event->field[field];
	size_t at = f->offset, len = f->size;

	if (f->place || f->relative) {
		uint64_t place = number_at(r, f->offset, 4, false);
		at = (place & 0xffff) + (f->relative ? f->offset + 4u : 0);
		len = place >> 16;
	} else if (field == TRACEDAT_buf && f->is_there) {
		len = at < r->len ? r->len - at : 0;
	}
	if (at > r->len || len > r->len - at)
		return slice_of("", 0);
	const char *text = (const char *)r->at + at;
	return (struct text_slice){text, strnlen(text, len)};
}

static void
print_text(const struct tracedat_record *r, struct buf *out, const char *key, unsigned field)
{
	struct text_slice text = text_of(r, field);

	buf_adds(out, key);
	buf_add(out, text.at, text.len);
}

static void
print_number(const struct tracedat_record *r, struct buf *out, const char *key, unsigned field)
{
	if (has_field(r, field))
		buf_addf(out, "%s%" PRId64, key, (int64_t)number_of(r, field));
}

static void
print_symbol(const struct tracedat *t, struct buf *out, uint64_t address)
{
	const struct tracedat_symbol *s = symbol_at(t->symbol.at, t->symbol.n, address);

	if (s)
		buf_add(out, s->name.at, s->name.len);
	else
		buf_addf(out, "0x%" PRIx64, address);
}

/* ---- events ---- */

static void
print_switch(const struct tracedat_record *r, struct buf *out)
{
	uint64_t state = number_of(r, TRACEDAT_prev_state);
	const char *letter = state & 2 ? "D" : state & 1 ? "S" : state & r->event->ends ? "X"
			     : state & 0xff ? "t" : "R";

	print_text(r, out, "prev_comm=", TRACEDAT_prev_comm);
	print_number(r, out, " prev_pid=", TRACEDAT_prev_pid);
	buf_addf(out, " prev_state=%s", letter);
	print_text(r, out, " ==> next_comm=", TRACEDAT_next_comm);
	print_number(r, out, " next_pid=", TRACEDAT_next_pid);
}

static void
print_wake(const struct tracedat_record *r, struct buf *out)
{
	print_text(r, out, "comm=", TRACEDAT_comm);
	print_number(r, out, " pid=", TRACEDAT_pid);
	buf_adds(out, " prio=0");
}

static void
print_cpu(const struct tracedat_record *r, struct buf *out)
{
	print_number(r, out, "state=", TRACEDAT_state);
	print_number(r, out, " min=", TRACEDAT_min_freq);
	print_number(r, out, " max=", TRACEDAT_max_freq);
	print_number(r, out, " cpu_id=", TRACEDAT_cpu_id);
}

static void
print_mark(const struct tracedat_record *r, struct buf *out)
{
	print_text(r, out, "", TRACEDAT_buf);
	while (out->len && (out->at[out->len - 1] == '\n' || out->at[out->len - 1] == '\r'))
		out->len--;
}

static void
print_string(const struct tracedat_record *r, struct buf *out)
{
	const struct tracedat *t = r->t;
	uint64_t address = number_of(r, TRACEDAT_str);
	const struct tracedat_symbol *s = symbol_at(t->format.at, t->format.n, address);

	if (s && s->address == address)
		buf_add(out, s->name.at, s->name.len);
}

static void
print_function(const struct tracedat_record *r, struct buf *out)
{
	print_symbol(r->t, out, number_of(r, TRACEDAT_ip));
	buf_adds(out, " <-");
	print_symbol(r->t, out, number_of(r, TRACEDAT_parent_ip));
}

static void
print_syscall(const struct tracedat_record *r, struct buf *out)
{
	print_number(r, out, "NR ", TRACEDAT_id);
}

static const struct {
	const char *name;
	void (*print)(const struct tracedat_record *r, struct buf *out);
} tracedat_rows[] = {
	{"sched_switch", print_switch},	      {"sched_waking", print_wake},
	{"sched_wakeup", print_wake},	      {"sched_wakeup_new", print_wake},
	{"cpu_frequency", print_cpu},	      {"cpu_idle", print_cpu},
	{"cpu_frequency_limits", print_cpu},  {"print", print_mark},
	{"bputs", print_string},	      {"function", print_function},
	{"sys_enter", print_syscall},	      {"sys_exit", print_syscall},
};

/* A call of function_graph that ended: its begin and end are in the record. */
static void
graph_call(struct tracedat *t, const struct tracedat_record *r, int64_t pid)
{
	struct ftrace *f = t->f;
	int64_t from = (int64_t)number_of(r, TRACEDAT_calltime);
	int64_t to = (int64_t)number_of(r, TRACEDAT_rettime);
	struct buf name = BUF_INIT;

	print_symbol(t, &name, number_of(r, TRACEDAT_func));
	if (from >= 0 && to >= from)
		cast_slice(&f->cast, ftrace_thread(f, pid), from, to - from,
			   ftrace_symbol(f, buf_str(&name), buf_str(&name) + name.len),
			   LABELS_NONE);
	buf_release(&name);
}

/* The stack of the event before, unless that is of another thread, on another processor. */
static void
kernel_stack(struct tracedat *t, const struct tracedat_record *r, int64_t pid)
{
	const struct tracedat_field *field = &r->event->field[TRACEDAT_caller];
	uint32_t size = t->page.commit_size == 4 ? 4 : 8;
	struct ftrace *f = t->f;
	struct buf name = BUF_INIT;

	if (!f->pending.frame.n || !field->is_there || f->pending.track != ftrace_thread(f, pid))
		return;
	for (size_t at = field->offset; at + size <= r->len; at += size) {
		uint64_t address = number_at(r, (uint32_t)at, size, false);
		if (!address || address == UINT64_MAX || (size == 4 && address == UINT32_MAX) ||
		    f->pending.frame.n >= STACK_DEPTH_MAX)
			break;
		buf_reset(&name);
		print_symbol(t, &name, address);
		ftrace_caller(f, ftrace_symbol(f, buf_str(&name), buf_str(&name) + name.len));
	}
	buf_release(&name);
}

/* Learns names that the event has. */
static void
comms_learn(struct tracedat *t, const struct tracedat_record *r)
{
	static const unsigned pairs[][2] = {{TRACEDAT_prev_pid, TRACEDAT_prev_comm},
					    {TRACEDAT_next_pid, TRACEDAT_next_comm}};

	for (size_t i = 0; i < 2; i++)
		if (has_field(r, pairs[i][0]) && r->event->field[pairs[i][1]].size) {
			struct text_slice text = text_of(r, pairs[i][1]);
			comm_set(t, (int64_t)number_of(r, pairs[i][0]), text.at, text.len, false);
		}
	if (r->event->field[TRACEDAT_newcomm].size && has_field(r, TRACEDAT_pid)) {
		struct text_slice text = text_of(r, TRACEDAT_newcomm);
		comm_set(t, (int64_t)number_of(r, TRACEDAT_pid), text.at, text.len, true);
	}
}

static struct text_slice
comm_of(struct tracedat *t, int64_t pid)
{
	uint32_t i = idmap_get(&t->comm_of, (uint64_t)pid);

	if (!pid)
		return slice_of("<idle>", 6);
	if (i == IDMAP_NONE)
		return slice_of("<...>", 5);
	struct name name = builder_name_get(t->f->b, t->comm.at[i]);
	return slice_of(name.at, name.len);
}

static bool
dump_event(struct tracedat *t, const struct tracedat_cpu *cpu, const struct tracedat_record *r,
	   unsigned id)
{
	struct text_slice name = r->event ? r->event->name : slice_of("?", 1);

	return dump_record(t->dump, cpu->record_at,
			   "event %u %.*s cpu %" PRId64 " time %" PRIu64 " pid %" PRId64
			   " bytes %zu", id, (int)name.len, name.at, cpu->number, cpu->record_ns,
			   r->event ? (int64_t)number_of(r, TRACEDAT_common_pid) : 0, r->len);
}

bool
tracedat_take(struct tracedat *t, const struct tracedat_cpu *cpu)
{
	struct tracedat_record r = {.t = t, .at = cpu->record.at,
				    .len = cursor_left(&cpu->record)};
	unsigned id = r.len >= 2 ? bytes_u16(r.at, t->big) : 0;
	uint32_t i = idmap_get(&t->event_of, id);
	struct buf text = BUF_INIT;
	struct ftrace_line l = {.tgid = -1, .cpu = cpu->number, .ticks = t->clock.ticks,
				.time_ns = (int64_t)cpu->record_ns};

	r.event = i == IDMAP_NONE ? NULL : &t->event.at[i];
	if (t->dump)
		return dump_event(t, cpu, &r, id);
	if (!r.event)
		return true;
	t->f->offset = cpu->record_at;
	l.pid = (int64_t)(int32_t)number_of(&r, TRACEDAT_common_pid);
	l.interrupts = number_of(&r, TRACEDAT_common_flags) & FTRACE_IN_INTERRUPT;
	struct text_slice comm = comm_of(t, l.pid);
	l.comm = comm.at;
	l.comm_end = comm.at + comm.len;
	comms_learn(t, &r);
	buf_add(&text, r.event->name.at, r.event->name.len);
	buf_adds(&text, ": ");
	for (size_t k = 0; k < sizeof tracedat_rows / sizeof *tracedat_rows; k++)
		if (is_key(r.event->name.at, r.event->name.len, tracedat_rows[k].name))
			tracedat_rows[k].print(&r, &text);
	l.event = buf_str(&text);
	l.event_end = l.event + r.event->name.len;
	l.args = l.event_end + 2;
	l.end = l.event + text.len;
	ftrace_learn(t->f, &l);
	bool good = true;
	if (is_key(l.event, r.event->name.len, "kernel_stack"))
		kernel_stack(t, &r, l.pid);
	else if (is_key(l.event, r.event->name.len, "funcgraph_exit"))
		graph_call(t, &r, l.pid);
	else if (!is_key(l.event, r.event->name.len, "funcgraph_entry") &&
		 !is_key(l.event, r.event->name.len, "fgraph_retaddr_entry"))
		good = ftrace_event(t->f, &l);
	buf_release(&text);
	return good;
}
