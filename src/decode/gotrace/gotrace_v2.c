/* gotrace_v2.c - the bytes of Go 1.22 and later.
 *
 *	file         "go 1.N trace\0\0\0", then batches
 *	batch        1, generation, M, time, size, then `size` bytes:
 *	  strings      4, (5, id, length, bytes)*
 *	  stacks       2, (3, id, n, n * (pc, function, file, line))*     function, file: strings
 *	  CPU samples  6, (7, time, M, P, G, stack)*
 *	  clock        8, ticks a second          from 1.25 on: 50, 8, ticks, 51, dt, mono, s, ns
 *	  events       (type, dt, arguments)*     of this M
 *	experiment   49, number, then as a batch; counted
 *	end          52, from 1.26 on; before, the next generation begins with its first batch
 *
 * All numbers are unsigned LEB128. Strings and stacks hold for their generation alone, wherever
 * they are in it. So a generation is read whole, and then its events in their order. */
#include "src/decode/gotrace/gotrace_v2.h"

#include <inttypes.h>
#include <string.h>

enum {
	BATCH = 1,
	STACKS = 2,
	STACK = 3,
	STRINGS = 4,
	STRING = 5,
	SAMPLES = 6,
	SAMPLE = 7,
	FREQUENCY = 8,
	EXPERIMENT = 49,
	SYNC = 50,
	CLOCK = 51,
	GENERATION_END = 52,
};

#define BATCH_HEAD_MAX 64u
#define BATCH_BYTES_MAX 65536u
#define STRING_BYTES_MAX 1024u
#define STACK_FRAMES_MAX 128u
#define GENERATION_BYTES_MAX (INPUT_WINDOW_MAX - (1u << 20))
#define BREATHE 4096u

struct event_row {
	const char *name, *args;
	uint8_t n;
	bool known;
};

#define EVENT_ROW(number, suffix, name, n, args) [number] = {name, args, n, true},
static const struct event_row event_rows[256] = {GOTRACE_V2_EVENTS(EVENT_ROW)};
#undef EVENT_ROW

/* ---- batches ---- */

struct batch_head {
	uint8_t type;
	uint64_t generation, thread, ticks, size;
	size_t len; /* of the head */
};

enum batch_found { BATCH_FOUND, BATCH_NONE, BATCH_CUT, BATCH_BAD };

/* Reads the head of the batch `at` bytes after the beginning of the window, and makes its bytes
 * available. */
static enum batch_found
batch_find(struct input *in, size_t at, struct batch_head *h)
{
	input_need(in, at + BATCH_HEAD_MAX);
	size_t have = input_have(in);
	if (have <= at)
		return BATCH_NONE;
	struct cursor c = cursor_over(input_at(in) + at, have - at);
	*h = (struct batch_head){.type = *c.at++, .len = 1};
	if (h->type == GENERATION_END)
		return BATCH_FOUND;
	if (h->type != BATCH && h->type != EXPERIMENT)
		return BATCH_BAD;
	if (h->type == EXPERIMENT)
		cursor_varint(&c); /* its number */
	h->generation = cursor_varint(&c);
	h->thread = cursor_varint(&c);
	h->ticks = cursor_varint(&c);
	h->size = cursor_varint(&c);
	h->len = (size_t)(c.at - c.start);
	if (c.bad)
		return c.torn ? BATCH_CUT : BATCH_BAD;
	if (h->size > BATCH_BYTES_MAX)
		return BATCH_BAD;
	return input_need(in, at + h->len + (size_t)h->size) ? BATCH_FOUND : BATCH_CUT;
}

/* Reads the next event. *offset of c->start is known to the caller. Returns false if the bytes
 * are no event. */
static bool
event_read(struct cursor *c, uint64_t *ticks, struct gotrace_event *ev)
{
	const struct event_row *row = &event_rows[*c->at];

	if (!row->known)
		return false;
	ev->type = *c->at++;
	*ticks += cursor_varint(c);
	ev->ticks = *ticks;
	ev->n = row->n;
	for (unsigned i = 0; i < row->n; i++)
		ev->arg[i] = cursor_varint(c);
	return !c->bad;
}

/* ---- tables of a generation ---- */

static bool
clock_read(struct gotrace *d, struct cursor *c, uint64_t begin_ticks)
{
	if (*c->at == SYNC)
		c->at++;
	while (c->at < c->end) {
		uint8_t type = *c->at++;
		if (type == FREQUENCY) {
			uint64_t ticks = cursor_varint(c);
			d->clock.frequency = ticks ? ticks : d->clock.frequency;
		} else if (type == CLOCK) {
			uint64_t now_ticks = begin_ticks + cursor_varint(c);
			cursor_varint(c); /* of the monotonic clock */
			uint64_t s = cursor_varint(c), ns = cursor_varint(c);
			if (!d->clock.wall_s && !c->bad) {
				d->clock.wall_s = s;
				d->clock.wall_ns = ns;
				d->clock.wall_ticks = now_ticks;
			}
		} else {
			return false;
		}
	}
	return !c->bad;
}

/* Reads the rows of a table after its first byte. */
static bool
table_read(struct gotrace *d, struct cursor *c, uint8_t row)
{
	while (c->at < c->end) {
		if (*c->at++ != row)
			return false;
		uint64_t id = cursor_varint(c), n = cursor_varint(c);
		if (row == STACK) {
			if (n > STACK_FRAMES_MAX || !gotrace_stack_add(&d->tables, c, id, n))
				return false;
			continue;
		}
		const uint8_t *at = n <= STRING_BYTES_MAX ? cursor_bytes(c, n) : NULL;
		if (!at)
			return false;
		gotrace_string_add(&d->tables, at, (size_t)n, id);
	}
	return true;
}

/* Reads the CPU samples of a batch. */
static bool
samples_read(struct gotrace *d, struct cursor *c, uint64_t offset)
{
	while (c->at < c->end) {
		uint64_t at = offset + (uint64_t)(c->at - c->start);
		if (*c->at++ != SAMPLE)
			return false;
		uint64_t ticks = cursor_varint(c), thread = cursor_varint(c);
		uint64_t proc = cursor_varint(c), goroutine = cursor_varint(c);
		uint64_t stack = cursor_varint(c);
		if (c->bad)
			return false;
		int64_t time_ns = gotrace_ns(d, ticks);
		if (d->last_ns != INT64_MIN && time_ns < d->first_ns)
			time_ns = d->first_ns;
		gotrace_sample(d, thread, proc, goroutine, time_ns, stack, at);
	}
	return true;
}

/* ---- a generation ---- */

struct generation {
	size_t len;      /* of its bytes in the window */
	uint64_t offset; /* of the window */
	struct err cut;  /* damage that ends it */
	VEC(struct gotrace_batch) samples;
};

static void
damage_batch(struct generation *g, size_t at, enum batch_found how)
{
	err_damage(&g->cut, g->offset + at,
		   how == BATCH_CUT ? "the file ends within a batch" : "no batch of events");
}

/* Takes a batch, whose bytes are in the window. */
static void
batch_take(struct gotrace *d, struct generation *g, const struct batch_head *h, size_t at)
{
	struct gotrace_batch batch = {
		.lane = h->thread, .ticks = h->ticks, .at = at, .len = (size_t)h->size};
	uint8_t first = h->size ? input_at(d->in)[at] : 0;

	if (h->type == EXPERIMENT) {
		d->experimental++;
		return;
	}
	if (!h->size)
		return;
	if (first == SAMPLES) {
		batch.at++;
		batch.len--;
		*vec_push(&g->samples) = batch;
	} else {
		if (first == STRINGS || first == STACKS || first == FREQUENCY || first == SYNC)
			batch.lane = UINT64_MAX - 1;
		gotrace_batch_add(&d->order, batch);
	}
}

/* Finds the batches of the next generation. Returns false if there is none. */
static bool
generation_find(struct gotrace *d, struct generation *g)
{
	struct batch_head h;
	enum batch_found found;
	uint64_t number = 0;

	g->offset = input_offset(d->in);
	for (;;) {
		if (g->len > GENERATION_BYTES_MAX) {
			err_damage(&g->cut, g->offset, "a generation of more than 255 MB");
			break;
		}
		found = batch_find(d->in, g->len, &h);
		if (found == BATCH_NONE)
			break;
		if (found == BATCH_FOUND && h.type == GENERATION_END) {
			g->len += h.len;
			if (number)
				break;
			continue;
		}
		if (found != BATCH_FOUND || !h.generation) {
			damage_batch(g, g->len, found);
			break;
		}
		if (number && h.generation != number) {
			if (h.generation != number + 1)
				damage_batch(g, g->len, BATCH_BAD);
			break;
		}
		number = h.generation;
		batch_take(d, g, &h, g->len + h.len);
		g->len += h.len + (size_t)h.size;
	}
	d->generation = number;
	return number != 0;
}

/* Reads the tables, which are the batches of a lane of their own. */
static bool
tables_read(struct gotrace *d, struct generation *g)
{
	const uint8_t *window = input_at(d->in);
	uint32_t lane = idmap_get(&d->order.lane_of, UINT64_MAX - 1);
	uint32_t i = lane == IDMAP_NONE ? GOTRACE_NONE : d->order.lane.at[lane].batch;
	bool good = true;

	gotrace_tables_begin(&d->tables, window, g->len);
	for (; good && i != GOTRACE_NONE; i = d->order.batch.at[i].next) {
		const struct gotrace_batch *b = &d->order.batch.at[i];
		struct cursor c = cursor_over(window + b->at, b->len);
		if (*c.at == FREQUENCY || *c.at == SYNC)
			good = clock_read(d, &c, b->ticks);
		else if (*c.at++ == STRINGS)
			good = table_read(d, &c, STRING);
		else
			good = table_read(d, &c, STACK);
		if (!good)
			err_damage(&d->late, g->offset + b->at + (uint64_t)(c.at - c.start),
				   "a row of a table that cannot be read");
	}
	if (lane != IDMAP_NONE)
		d->order.lane.at[lane].batch = GOTRACE_NONE;
	return good;
}

/* Reads the next event of a lane and puts the lane among those that may be next. Returns false
 * with damage in d->late if its bytes are no event. */
static bool
lane_next(struct gotrace *d, struct generation *g, uint32_t i)
{
	struct gotrace_lane *lane = &d->order.lane.at[i];
	const uint8_t *window = input_at(d->in);
	uint64_t ticks = lane->event.ticks;

	while (lane->c.at == lane->c.end) {
		if (lane->batch == GOTRACE_NONE)
			return true;
		const struct gotrace_batch *b = &d->order.batch.at[lane->batch];
		lane->c = cursor_over(window + b->at, b->len);
		ticks = b->ticks;
		lane->batch = b->next;
	}
	lane->event.offset = g->offset + (uint64_t)(lane->c.at - window);
	if (!event_read(&lane->c, &ticks, &lane->event))
		return err_damage(&d->late, lane->event.offset, "an event that cannot be read");
	gotrace_order_put(&d->order, i);
	return true;
}

/* Reports an event that waits for something that never comes, if there is one. */
static bool
none_waits(struct gotrace *d)
{
	const struct gotrace_lane *lane = gotrace_order_stuck(&d->order);

	return !lane || err_damage(&d->late, lane->event.offset,
				   "%s waits for an event that is missing",
				   event_rows[lane->event.type].name);
}

/* Lets all events of the generation happen. Returns false if the rest of it is lost. */
static bool
events_take(struct gotrace *d, struct generation *g)
{
	struct gotrace_turn *turn;
	uint32_t i;

	for (i = 0; i < d->order.lane.n; i++)
		if (!lane_next(d, g, i))
			return false;
	while ((i = gotrace_order_take(&d->order)) != GOTRACE_NONE) {
		turn = gotrace_v2_waits_for(d, &d->order.lane.at[i]);
		if (turn) {
			gotrace_order_wait(&d->order, i, turn);
			continue;
		}
		gotrace_v2_happens(d, &d->order.lane.at[i]);
		if (err_is_set(d->e) || !lane_next(d, g, i))
			return false;
		if (++d->events % BREATHE == 0)
			input_breathe(d->in);
	}
	return none_waits(d);
}

static void
generation_read(struct gotrace *d, struct generation *g, bool *lost)
{
	bool good;

	d->n_generations++;
	d->since_ns = d->n_generations == 1 || *lost ? INT64_MAX : INT64_MIN;
	good = tables_read(d, g);
	if (!d->clock.frequency) {
		err_damage(&d->late, g->offset, "a generation without the frequency of its clock");
		good = false;
	}
	good = events_take(d, g) && good;
	for (size_t i = 0; i < g->samples.n; i++) {
		const struct gotrace_batch *b = &g->samples.at[i];
		struct cursor c = cursor_over(input_at(d->in) + b->at, b->len);
		if (!samples_read(d, &c, g->offset + b->at))
			err_damage(&d->late, g->offset + b->at + (uint64_t)(c.at - c.start),
				   "a sample of CPU time that cannot be read");
	}
	*lost = !good;
	if (*lost)
		gotrace_forget(d);
	gotrace_order_reset(&d->order);
}

bool
gotrace_v2(struct gotrace *d)
{
	bool lost = false, more = true;

	while (more && !err_is_set(d->e)) {
		struct generation g = {0};
		err_init(&g.cut);
		more = generation_find(d, &g);
		if (more)
			generation_read(d, &g, &lost);
		if (err_is_set(&g.cut)) {
			more = false;
			if (!err_is_set(&d->late))
				d->late = g.cut;
		}
		vec_release(&g.samples);
		input_skip(d->in, g.len);
		if (more && input_looked_at(d->in))
			gotrace_marks_write(d, false);
	}
	return !err_is_set(d->e);
}

/* ---- dump ---- */

/* Prints names and numbers of arguments. */
static bool
dump_event(struct dump *out, uint64_t offset, const struct gotrace_event *ev, uint64_t dt)
{
	const struct event_row *row = &event_rows[ev->type];
	const char *name = row->args;
	struct buf text = BUF_INIT;

	for (unsigned i = 0; i < ev->n; i++) {
		size_t len = strcspn(name, " ");
		buf_addf(&text, " %.*s %" PRIu64, (int)len, name, ev->arg[i]);
		name += len + (name[len] == ' ');
	}
	bool good = dump_record(out, offset, "%s dt %" PRIu64 "%s", row->name, dt, buf_str(&text));
	buf_release(&text);
	return good;
}

/* Prints a row of a table. */
static bool
dump_row(struct dump *out, uint64_t offset, struct cursor *c, struct buf *scratch)
{
	uint8_t type = *c->at++;
	uint64_t a = cursor_varint(c), n;

	if (type == STRING) {
		n = cursor_varint(c);
		const uint8_t *at = n <= STRING_BYTES_MAX ? cursor_bytes(c, n) : NULL;
		c->bad |= !at;
		return c->bad || dump_record(out, offset, "string %" PRIu64 " %s", a,
					     dump_bytes(out, scratch, at, (size_t)n));
	}
	if (type == FREQUENCY)
		return c->bad || dump_record(out, offset, "frequency %" PRIu64, a);
	uint64_t b = cursor_varint(c);
	if (type == STACK) {
		buf_reset(scratch);
		for (uint64_t i = 0; i < b && !c->bad; i++) {
			uint64_t pc = cursor_varint(c), f = cursor_varint(c);
			uint64_t file = cursor_varint(c), line = cursor_varint(c);
			buf_addf(scratch, ", 0x%" PRIx64 " %" PRIu64 " %" PRIu64 ":%" PRIu64, pc,
				 f, file, line);
		}
		return c->bad || dump_record(out, offset, "stack %" PRIu64 " frames %" PRIu64 "%s",
					     a, b, buf_str(scratch));
	}
	uint64_t x = cursor_varint(c), y = cursor_varint(c);
	if (type == CLOCK)
		return c->bad || dump_record(out, offset,
					     "clock dt %" PRIu64 " mono %" PRIu64 " wall %" PRIu64
					     " s %" PRIu64 " ns", a, b, x, y);
	uint64_t stack = cursor_varint(c);
	c->bad |= type != SAMPLE;
	return c->bad || dump_record(out, offset,
				     "sample time %" PRIu64 " M %" PRId64 " P %" PRId64
				     " G %" PRIu64 " stack %" PRIu64,
				     a, (int64_t)b, (int64_t)x, y, stack);
}

static bool
dump_batch(struct input *in, const struct batch_head *h, struct dump *out, struct err *e)
{
	uint64_t start = input_offset(in) + h->len, ticks = 0;
	struct cursor c = cursor_over(input_at(in) + h->len, (size_t)h->size);
	struct buf scratch = BUF_INIT;
	struct gotrace_event ev;
	bool good = true;

	while (good && !c.bad && c.at < c.end) {
		uint64_t offset = start + (uint64_t)(c.at - c.start), before = ticks;
		if (*c.at == STRINGS || *c.at == STACKS || *c.at == SAMPLES || *c.at == SYNC)
			c.at++;
		else if (*c.at <= FREQUENCY || *c.at == CLOCK)
			good = dump_row(out, offset, &c, &scratch);
		else if (event_read(&c, &ticks, &ev))
			good = dump_event(out, offset, &ev, ticks - before);
		else
			c.bad = true;
		if (c.bad)
			err_damage(e, offset, "an event that cannot be read");
	}
	buf_release(&scratch);
	return good && !c.bad;
}

bool
gotrace_v2_dump(struct input *in, struct dump *out, struct err *e)
{
	struct batch_head h;
	enum batch_found found;
	bool good = true;

	while (good && (found = batch_find(in, 0, &h)) != BATCH_NONE) {
		uint64_t offset = input_offset(in);
		if (found != BATCH_FOUND)
			return err_damage(e, offset, found == BATCH_CUT
							     ? "the file ends within a batch"
							     : "no batch of events");
		if (h.type == GENERATION_END)
			good = dump_record(out, offset, "end of generation");
		else
			good = dump_record(out, offset,
					   "%s generation %" PRIu64 " M %" PRId64 " time %" PRIu64
					   " bytes %" PRIu64,
					   h.type == EXPERIMENT ? "experiment" : "batch",
					   h.generation, (int64_t)h.thread, h.ticks, h.size);
		if (h.type == BATCH)
			good = good && dump_batch(in, &h, out, e);
		input_skip(in, h.len + (size_t)h.size);
	}
	return good && !err_is_set(e);
}
