/* gotrace_v1.c - execution traces of Go 1.11 to 1.21.
 *
 *	file    "go 1.N trace\0\0\0", then events
 *	event   a byte: type in the low 6 bits, n in the high 2; then n + 1 numbers.
 *	        n = 3: a length in bytes comes first, then numbers in that many bytes
 *	1 Batch      P, ticks: the events up to the next batch are of this P
 *	2 Frequency  ticks a second           35 TimerGoroutine  G
 *	3 Stack      id, n, n * (pc, function, file, line)
 *	37 String    id, length, bytes        48 Log: a length and bytes follow
 *	others       dt, arguments
 *
 * Strings and stacks are often at the end, so the file is read whole, in three passes: the first
 * finds batches and tables; the second orders the events of different Ps by their sequence numbers
 * (gotrace_order.c); the third lets them happen in the order of time. The order of time may differ:
 * a return from a system call states the moment when it really returned. */
#include "src/decode/gotrace/gotrace_v1.h"

#include <inttypes.h>

#define STACK_FRAMES_MAX 1000u
#define BREATHE 4096u
#define RECORD_BYTES (1u << 20) /* an event is shorter */

struct v1_row {
	const char *name, *args;
};
#define EVENT_ROW(number, suffix, name, args) [number] = {name, args},
static const struct v1_row v1_rows[64] = {GOTRACE_V1_EVENTS(EVENT_ROW)};
#undef EVENT_ROW

/* Reads an event. Returns false if the bytes are none, or end within it (c->torn). */
static bool
v1_read(struct cursor *c, struct gotrace_v1_record *ev)
{
	uint8_t head = *c->at++;
	const uint8_t *end = NULL;

	*ev = (struct gotrace_v1_record){.type = head & 63, .n = (head >> 6) + 1u};
	if (!v1_rows[ev->type].name)
		return false;
	if (ev->type == V1_STRING)
		ev->n = 1;
	else if (ev->n == 4) {
		uint64_t len = cursor_varint(c);
		if (c->bad || len > cursor_left(c)) {
			c->torn = true;
			return false;
		}
		end = c->at + len;
		ev->n = 0;
	}
	for (uint64_t i = 0; !c->bad && (end ? c->at < end : i < ev->n); i++) {
		uint64_t v = cursor_varint(c);
		if (i < GOTRACE_V1_NUMBERS)
			ev->number[i] = v;
		if (i < 2)
			ev->rest = c->at;
		if (end)
			ev->n = i + 1;
	}
	if (ev->type == V1_STRING || ev->type == V1_LOG) {
		ev->text_len = cursor_varint(c);
		ev->text = cursor_bytes(c, ev->text_len);
	}
	return !c->bad && (!end || c->at == end || ev->type == V1_LOG);
}

static bool
is_table(uint8_t type)
{
	return type <= V1_STACK || type == V1_TIMER_GOROUTINE || type == V1_STRING;
}

/* ---- the first pass: batches and tables ---- */

static bool
table_take(struct gotrace_v1 *v, const struct gotrace_v1_record *ev)
{
	struct gotrace *d = v->d;
	struct cursor c;

	if (ev->type == V1_FREQUENCY) {
		d->clock.frequency = ev->number[0];
	} else if (ev->type == V1_TIMER_GOROUTINE) {
		v->timer = ev->number[0];
	} else if (ev->type == V1_STRING) {
		gotrace_string_add(&d->tables, ev->text, (size_t)ev->text_len, ev->number[0]);
	} else if (ev->type == V1_STACK && ev->n >= 2) {
		if (ev->number[1] > STACK_FRAMES_MAX || ev->n < 2 + 4 * ev->number[1])
			return false;
		c = cursor_over(v->window, v->len);
		c.at = ev->rest;
		return gotrace_stack_add(&d->tables, &c, ev->number[0], ev->number[1]);
	}
	return true;
}

/* Finds batches and tables. Everything before damage is kept. */
static void
v1_find(struct gotrace_v1 *v)
{
	struct gotrace *d = v->d;
	struct gotrace_batch batch = {.lane = UINT64_MAX};
	struct cursor c = cursor_over(v->window, v->len);
	struct gotrace_v1_record ev;
	bool any = false;

	while (c.at < c.end) {
		size_t at = (size_t)(c.at - v->window);
		bool good = v1_read(&c, &ev);
		if (good && is_table(ev.type))
			good = table_take(v, &ev);
		if (!good)
			err_damage(&d->late, v->offset + at, "%s",
				   c.torn ? "the file ends within an event"
					  : "an event that cannot be read");
		if (!good || ev.type == V1_BATCH) {
			batch.len = at - batch.at;
			if (any && batch.len)
				gotrace_batch_add(&d->order, batch);
			if (!good)
				return;
			batch = (struct gotrace_batch){
				.lane = ev.number[0],
				.ticks = ev.number[1],
				.at = (size_t)(c.at - v->window),
			};
			any = true;
		} else if (!any && !is_table(ev.type)) {
			err_damage(&d->late, v->offset + at, "an event before the first batch");
			return;
		}
	}
	batch.len = v->len - batch.at;
	if (any && batch.len)
		gotrace_batch_add(&d->order, batch);
}

/* ---- the second pass: order ---- */

/* Sets the lane's next event and puts the lane among those that may be next. */
static void
v1_next(struct gotrace_v1 *v, uint32_t i)
{
	struct gotrace_order *o = &v->d->order;
	struct gotrace_lane *lane = &o->lane.at[i];
	uint64_t ticks = lane->event.ticks;
	struct gotrace_v1_record ev;

	for (;;) {
		while (lane->c.at == lane->c.end) {
			if (lane->batch == GOTRACE_NONE)
				return;
			const struct gotrace_batch *b = &o->batch.at[lane->batch];
			lane->c = cursor_over(v->window + b->at, b->len);
			ticks = b->ticks;
			lane->batch = b->next;
		}
		lane->event.offset = (uint64_t)(lane->c.at - v->window);
		v1_read(&lane->c, &ev); /* the first pass has read it */
		if (!is_table(ev.type))
			break;
	}
	lane->event.ticks = ticks + ev.number[0];
	lane->event.type = ev.type;
	for (unsigned k = 0; k < GOTRACE_ARGS; k++)
		lane->event.arg[k] = ev.number[k + 1];
	gotrace_order_put(o, i);
}

/* The status that an event gives its goroutine, and the one that it must have before;
 * GO_UNDEFINED: any. */
struct v1_step {
	uint8_t from, to;
	bool numbered; /* the second argument is its sequence number */
};
static const struct v1_step v1_steps[64] = {
	[V1_GO_CREATE] = {GO_UNDEFINED, GO_RUNNABLE, false},
	[V1_WAITING] = {GO_RUNNABLE, GO_WAITING, false},
	[V1_IN_SYSCALL] = {GO_RUNNABLE, GO_WAITING, false},
	[V1_GO_START] = {GO_RUNNABLE, GO_RUNNING, true},
	[V1_START_LABEL] = {GO_RUNNABLE, GO_RUNNING, true},
	[V1_START_LOCAL] = {GO_RUNNABLE, GO_RUNNING, false},
	[V1_GO_UNBLOCK] = {GO_WAITING, GO_RUNNABLE, true},
	[V1_SYSEXIT] = {GO_WAITING, GO_RUNNABLE, true},
	[V1_UNBLOCK_LOCAL] = {GO_WAITING, GO_RUNNABLE, false},
	[V1_SYSEXIT_LOCAL] = {GO_WAITING, GO_RUNNABLE, false},
};

/* Returns the turn for which the event waits; NULL: it may be next. */
static struct gotrace_turn *
v1_waits_for(struct gotrace *d, const struct gotrace_event *ev)
{
	const struct v1_step *s = &v1_steps[ev->type];
	struct gotrace_turn *t;

	if (ev->type == V1_GC_START)
		return ev->arg[0] == d->gc.seq ? NULL : &d->gc;
	if (!s->from)
		return NULL;
	t = gotrace_turn_of(d, ev->arg[0]);
	return t->status == s->from && (!s->numbered || t->seq == ev->arg[1]) ? NULL : t;
}

/* Takes the event into the order. */
static void
v1_order_event(struct gotrace_v1 *v, uint32_t i)
{
	struct gotrace *d = v->d;
	struct gotrace_lane *lane = &d->order.lane.at[i];
	const struct gotrace_event *ev = &lane->event;
	uint64_t ticks = ev->ticks, real = 0;
	bool stops = gotrace_v1_reason(ev->type) != NULL;
	struct gotrace_turn *t;

	if (ev->type == V1_GC_START)
		gotrace_turn_set(d, &d->gc, 0, d->gc.seq + 1);
	if (v1_steps[ev->type].to) {
		uint32_t g = gotrace_goroutine(d, ev->arg[0]);
		t = &d->actors.go.at[g].turn;
		gotrace_turn_set(d, t, v1_steps[ev->type].to, t->seq + 1);
		if (v1_steps[ev->type].to == GO_RUNNING)
			lane->goroutine = g;
	} else if (lane->goroutine != GOTRACE_NONE &&
		   (stops || ev->type == V1_SYSBLOCK || ev->type == V1_GO_END)) {
		bool runs = ev->type == V1_GO_SCHED || ev->type == V1_GO_PREEMPT;
		t = &d->actors.go.at[lane->goroutine].turn;
		gotrace_turn_set(d, t, runs ? GO_RUNNABLE : GO_WAITING, t->seq);
		lane = &d->order.lane.at[i];
		lane->goroutine = GOTRACE_NONE;
	}
	if (ev->type == V1_SYSEXIT)
		real = ev->arg[2];
	else if (ev->type == V1_SYSEXIT_LOCAL)
		real = ev->arg[1];
	else if (ev->type == V1_CPU_SAMPLE)
		real = ev->arg[0];
	ticks = real ? real : ticks;
	timed_add(&v->event, ticks <= INT64_MAX ? (int64_t)ticks : INT64_MAX,
		  (uint32_t[TIMED_NUMBERS]){(uint32_t)ev->offset, i});
	if (d->clock.begin_ticks > ev->ticks)
		d->clock.begin_ticks = ev->ticks;
}

static void
v1_order(struct gotrace_v1 *v)
{
	struct gotrace_order *o = &v->d->order;
	const struct gotrace_lane *stuck;
	struct gotrace_turn *turn;
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < o->lane.n; i++)
		v1_next(v, i);
	while ((i = gotrace_order_take(o)) != GOTRACE_NONE) {
		turn = v1_waits_for(v->d, &o->lane.at[i].event);
		if (turn) {
			gotrace_order_wait(o, i, turn);
			continue;
		}
		v1_order_event(v, i);
		v1_next(v, i);
		if (++n % BREATHE == 0)
			input_breathe(v->d->in);
	}
	stuck = gotrace_order_stuck(o);
	if (stuck)
		err_damage(&v->d->late, v->offset + stuck->event.offset,
			   "%s waits for an event that is missing",
			   v1_rows[stuck->event.type].name);
}

/* ---- the third pass: in the order of time ---- */

static void
v1_happen(struct gotrace_v1 *v)
{
	struct gotrace *d = v->d;
	struct gotrace_v1_record ev;
	struct timed_reader events;
	uint32_t of[TIMED_NUMBERS]; /* offset, lane */
	int64_t ticks;

	for (size_t i = 0; i < d->order.lane.n; i++)
		d->order.lane.at[i].goroutine = GOTRACE_NONE;
	timed_read(&events, &v->event);
	while (!err_is_set(d->e) && timed_next(&events, &ticks, of)) {
		struct cursor c = cursor_over(v->window, v->len);
		c.at += of[0];
		v1_read(&c, &ev);
		gotrace_v1_happens(v, &d->order.lane.at[of[1]], &ev, (uint64_t)ticks,
				   v->offset + of[0]);
		if (++d->events % BREATHE == 0)
			input_breathe(d->in);
	}
	timed_read_end(&events);
	gotrace_v1_begin(v);
}

bool
gotrace_v1(struct gotrace *d)
{
	struct gotrace_v1 v = {.d = d};

	while (input_have(d->in) < INPUT_WINDOW_MAX && input_more(d->in))
		;
	v.window = input_window(d->in, &v.len, &v.offset);
	gotrace_tables_begin(&d->tables, v.window, v.len);
	d->clock.begin_ticks = UINT64_MAX;
	v1_find(&v);
	if (!d->clock.frequency) {
		d->clock.frequency = 1000000000;
		builder_info(d->b, "assumed",
			     "ticks of 1 ns: the file does not state the frequency");
	}
	v1_order(&v);
	v1_happen(&v);
	timed_release(&v.event);
	vec_release(&v.there);
	return !err_is_set(d->e);
}

/* ---- dump ---- */

static bool
v1_dump_event(struct dump *out, uint64_t offset, const struct gotrace_v1_record *ev)
{
	static const char *const tables[64] = {
		[V1_BATCH] = "P ticks",	  [V1_FREQUENCY] = "ticks", [V1_STACK] = "id frames",
		[V1_TIMER_GOROUTINE] = "G", [V1_STRING] = "id",
	};
	const struct v1_row *row = &v1_rows[ev->type];
	const char *name = tables[ev->type] ? tables[ev->type] : row->args;
	struct buf text = BUF_INIT, scratch = BUF_INIT;

	if (!tables[ev->type])
		buf_addf(&text, " dt %" PRIu64, ev->number[0]);
	for (uint64_t i = !tables[ev->type]; i < ev->n && *name; i++) {
		size_t len = strcspn(name, " ");
		uint64_t v = ev->number[i];
		bool none = v == UINT64_MAX;
		buf_addf(&text, " %.*s %s%" PRIu64, (int)len, name, none ? "-" : "", none ? 1 : v);
		name += len + (name[len] == ' ');
	}
	if (ev->text)
		buf_addf(&text, " %s", dump_bytes(out, &scratch, ev->text, (size_t)ev->text_len));
	bool good = dump_record(out, offset, "%s%s", row->name, buf_str(&text));
	buf_release_all(&text, &scratch);
	return good;
}

bool
gotrace_v1_dump(struct input *in, struct dump *out, struct err *e)
{
	bool good = true;

	while (good && (input_need(in, RECORD_BYTES), input_have(in) > 0)) {
		struct cursor c = cursor_over(input_at(in), input_have(in));
		struct gotrace_v1_record ev;
		if (!v1_read(&c, &ev))
			return err_damage(e, input_offset(in), "%s",
					  c.torn ? "the file ends within an event"
						 : "an event that cannot be read");
		good = v1_dump_event(out, input_offset(in), &ev);
		input_skip(in, (size_t)(c.at - c.start));
	}
	return good;
}
