/* follow.c - the display of a trace that is still being written: the model is consistent whenever
 * the input waits, and in the end it equals that of the whole file.
 *
 * The source yields a few bytes at a time, and before that lets the decoder show what it has, as a
 * followed file does at its end. The traces are random: complete slices, written when they end, so
 * that outer ones come last; begins and ends, asyncs, names that come late. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/build/builder.h"
#include "model/build/builder_load.h"
#include "src/input/source.h"
#include "tests/lib/decoded.h"
#include "tests/lib/unit.h"

/* A number below n, by chance but always the same. */
static uint64_t
random_below(uint64_t *state, uint64_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % n;
}

struct drops {
	struct source base;
	const struct buf *bytes;
	size_t at;
	uint64_t random;
	struct watch watch;
	struct builder *b;
	struct profile *p;
	unsigned shown; /* how often there were slices in between */
};

static size_t
drops_read(struct source *s, void *out, size_t n)
{
	struct drops *d = (struct drops *)s;
	size_t left = d->bytes->len - d->at, take = 1 + random_below(&d->random, 700);
	struct err e;
	err_init(&e);
	if (d->watch.idle)
		d->watch.idle(d->watch.idle_ctx);
	builder_settle(d->b);
	ck_assert_msg(profile_check(d->p, &e), "%s", e.text);
	for (uint32_t t = 0; t < d->p->n_tracks; t++)
		d->shown += d->p->track[t].kind <= TRACK_TASK && d->p->track[t].n_series &&
			    d->p->track[t].series[0]->n;
	take = take < left ? take : left;
	take = take < n ? take : n;
	if (take)
		memcpy(out, buf_str(d->bytes) + d->at, take);
	d->at += take;
	return take;
}

static void
drops_close(struct source *s)
{
	(void)s;
}

static const struct source_ops drops_ops = {.read = drops_read, .close = drops_close};

/* As decoded(), drop by drop. */
static struct decoded
followed(const struct decoder *decoder, const struct buf *bytes, uint64_t seed)
{
	struct decoded d = {.p = profile_new()};
	struct drops *drops = mem_zalloc(1, sizeof *drops);
	struct err check;
	drops->base.ops = &drops_ops;
	drops->bytes = bytes;
	drops->random = seed;
	drops->watch.wake_fd = -1;
	drops->p = d.p;
	drops->b = builder_new(d.p, "test", decoder->name);
	struct input *in = input_over(&drops->base, "test", NULL, &drops->watch);
	err_init(&d.e);
	err_init(&check);
	d.good = decoder->decode(in, drops->b, &d.e);
	input_close(in);
	builder_finish(drops->b, &d.e);
	builder_free(drops->b);
	ck_assert_msg(profile_check(d.p, &check), "%s", check.text);
	ck_assert_uint_gt(drops->shown, 10);
	free(drops);
	return d;
}

/* ---- comparison ---- */

static struct name
function_of(const struct profile *p, stack_id s)
{
	frame_id frame = p->stacks.frame[s];
	return names_get(&p->names, p->frames.function.name[p->frames.frame.function[frame]]);
}

static void
same_stack(const struct profile *a, stack_id x, const struct profile *b, stack_id y)
{
	for (; x != STACK_EMPTY && y != STACK_EMPTY;
	     x = a->stacks.parent[x], y = b->stacks.parent[y]) {
		struct name one = function_of(a, x), other = function_of(b, y);
		ck_assert_uint_eq(one.len, other.len);
		ck_assert(!memcmp(one.at, other.at, one.len));
	}
	ck_assert(x == STACK_EMPTY && y == STACK_EMPTY);
}

static void
same_series(const struct profile *a, const struct series *x, const struct profile *b,
	    const struct series *y)
{
	struct event one, other;
	ck_assert_uint_eq(x->kind, y->kind);
	ck_assert_uint_eq(x->n, y->n);
	for (uint64_t i = 0; i < x->n; i++) {
		ck_assert(series_event(x, i, &one) && series_event(y, i, &other));
		ck_assert_int_eq(one.time, other.time);
		ck_assert_int_eq(one.end, other.end);
		ck_assert_int_eq(one.value, other.value);
		ck_assert_uint_eq(one.labels, other.labels);
		if (x->kind == SERIES_POINTS)
			continue;
		ck_assert_uint_eq(one.stack & ~STEP_STACK, other.stack & ~STEP_STACK);
		same_stack(a, one.stack & STEP_STACK, b, other.stack & STEP_STACK);
	}
}

static bool
has_events(const struct track *t)
{
	for (uint32_t i = 0; i < t->n_series; i++)
		if (t->series[i]->n)
			return true;
	return false;
}

/* All tracks of `a` with contents are tracks of `b`; they are identified by name. */
static void
same_tracks(const struct decoded *a, const struct decoded *b)
{
	unsigned n_a = 0, n_b = 0;
	for (uint32_t i = 0; i < b->p->n_tracks; i++)
		n_b += has_events(&b->p->track[i]);
	for (uint32_t i = 0; i < a->p->n_tracks; i++) {
		const struct track *x = &a->p->track[i];
		if (!has_events(x))
			continue;
		struct name name = names_get(&a->p->names, x->name);
		struct buf text = BUF_INIT;
		buf_add(&text, name.at, name.len);
		const struct track *y = decoded_track(b, buf_str(&text));
		ck_assert_msg(y && y->n_series == x->n_series, "%s", buf_str(&text));
		buf_release(&text);
		ck_assert_uint_eq(x->events, y->events);
		ck_assert_int_eq(x->start, y->start);
		ck_assert_int_eq(x->end, y->end);
		for (uint32_t k = 0; k < x->n_series; k++)
			same_series(a->p, x->series[k], b->p, y->series[k]);
		n_a++;
	}
	ck_assert_uint_eq(n_a, n_b);
	ck_assert_uint_eq(a->p->events, b->p->events);
	ck_assert_uint_eq(a->p->n_warnings, b->p->n_warnings);
	for (uint32_t i = 0; i < a->p->n_warnings; i++) {
		ck_assert_str_eq(a->p->warning[i].text, b->p->warning[i].text);
		ck_assert_uint_eq(a->p->warning[i].count, b->p->warning[i].count);
	}
}

static void
follows(const struct decoder *decoder, const struct buf *bytes, uint64_t seed)
{
	struct decoded once = decoded(decoder, bytes, FROM_BYTES, NULL);
	struct decoded grown = followed(decoder, bytes, seed);
	ck_assert_int_eq(once.good, grown.good);
	same_tracks(&once, &grown);
	decoded_free(&once);
	decoded_free(&grown);
}

/* ---- traces ---- */

/* Writes a task of thread `tid` after the tasks that it calls; some of them straddle it. */
static void
put_task(struct buf *out, uint64_t *r, int tid, int64_t *now)
{
	int64_t begin = *now, n = 1 + (int64_t)random_below(r, 4);
	while (n--) {
		int64_t lasts = (int64_t)random_below(r, 40);
		buf_addf(out, "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%lld,\"dur\":%lld,"
			 "\"name\":\"f%u\",\"args\":{\"n\":%u}},\n", tid % 2, tid, (long long)*now,
			 (long long)lasts, (unsigned)random_below(r, 5),
			 (unsigned)random_below(r, 3));
		*now += (int64_t)random_below(r, 45);
	}
	buf_addf(out, "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%lld,\"dur\":%lld,"
		 "\"name\":\"task\"},\n", tid % 2, tid, (long long)begin,
		 (long long)(*now - begin));
}

static void
put_edges(struct buf *out, uint64_t *r, int64_t now)
{
	static const char phases[] = "BBEEbeC";
	char ph = phases[random_below(r, sizeof phases - 1)];
	buf_addf(out, "{\"ph\":\"%c\",\"pid\":3,\"tid\":%u,\"ts\":%lld,\"name\":\"e%u\","
		 "\"cat\":\"c\",\"id\":%u,\"args\":{\"value\":1}},\n", ph,
		 7 + (unsigned)random_below(r, 2), (long long)now, (unsigned)random_below(r, 3),
		 (unsigned)random_below(r, 4));
}

START_TEST(test_chrome)
{
	extern const struct decoder decoder_chrome;
	struct buf out = BUF_INIT;
	uint64_t r = (uint64_t)_i + 1;
	int64_t now[2] = {10, 10};
	buf_adds(&out, "[\n");
	for (unsigned i = 0; i < 60; i++) {
		unsigned which = (unsigned)random_below(&r, 2);
		put_task(&out, &r, 4 + (int)which, &now[which]);
		put_edges(&out, &r, now[0]);
		put_edges(&out, &r, now[0] - (int64_t)random_below(&r, 60));
		if (i == 20 || i == 40)
			buf_addf(&out, "{\"ph\":\"M\",\"pid\":0,\"tid\":4,\"name\":\"%s_name\","
				 "\"args\":{\"name\":\"late\"}},\n",
				 i == 20 ? "thread" : "process");
	}
	if (_i % 2)
		buf_addf(&out, "{\"ph\":\"X\",\"pid\":0,\"tid\":4,\"ts\":0,\"dur\":%lld,"
			 "\"name\":\"whole\"}]\n", (long long)now[0] + 100);
	follows(&decoder_chrome, &out, (uint64_t)_i * 7 + 1);
	buf_release(&out);
}
END_TEST

START_TEST(test_strace)
{
	extern const struct decoder decoder_strace;
	struct buf out = BUF_INIT;
	uint64_t r = (uint64_t)_i + 1;
	for (unsigned i = 0, us = 0; i < 200; i++) {
		us += 1 + (unsigned)random_below(&r, 900);
		buf_addf(&out, "%u 1700000000.%06u %s(3, \"\", 0) = %u <0.000%03u>\n",
			 7 + (unsigned)random_below(&r, 3), us,
			 random_below(&r, 2) ? "read" : "write", (unsigned)random_below(&r, 9),
			 (unsigned)random_below(&r, 400));
	}
	follows(&decoder_strace, &out, (uint64_t)_i * 7 + 1);
	buf_release(&out);
}
END_TEST

START_TEST(test_ftrace)
{
	extern const struct decoder decoder_ftrace;
	struct buf out = BUF_INIT;
	uint64_t r = (uint64_t)_i + 1;
	buf_adds(&out, "# tracer: nop\n#\n");
	for (unsigned i = 0, us = 0, depth = 0; i < 200; i++) {
		bool ends = depth && random_below(&r, 2);
		us += 1 + (unsigned)random_below(&r, 900);
		buf_addf(&out, "  app-%u [000] ...1 5.%06u: tracing_mark_write: ",
			 7 + (unsigned)random_below(&r, 2), us);
		if (ends)
			buf_adds(&out, "E|7\n");
		else
			buf_addf(&out, "B|7|s%u\n", (unsigned)random_below(&r, 4));
		depth += ends ? -1u : 1;
	}
	follows(&decoder_ftrace, &out, (uint64_t)_i * 7 + 1);
	buf_release(&out);
}
END_TEST

/* ---- Perfetto's messages ---- */

static void
put_varint(struct buf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_addc(out, (char)(v | 0x80));
	buf_addc(out, (char)v);
}

static void
put_number(struct buf *out, unsigned field, uint64_t v)
{
	put_varint(out, field << 3);
	put_varint(out, v);
}

static void
put_bytes(struct buf *out, unsigned field, const void *at, size_t len)
{
	put_varint(out, field << 3 | 2);
	put_varint(out, len);
	buf_add(out, at, len);
}

/* Writes a packet (1) of a track event (11) or a track's descriptor (60); releases its
 * contents. */
static void
put_packet(struct buf *out, uint64_t time, unsigned field, struct buf *inside)
{
	struct buf packet = BUF_INIT;
	put_number(&packet, 8, time);
	put_number(&packet, 10, 1);
	put_bytes(&packet, field, buf_str(inside), inside->len);
	put_bytes(out, 1, buf_str(&packet), packet.len);
	buf_release(&packet);
	buf_release(inside);
}

/* Type 9: 1 a begin, 2 an end; 11 its track; 23 its name. */
static void
put_event(struct buf *out, uint64_t time, unsigned type, unsigned track, unsigned name)
{
	struct buf event = BUF_INIT, text = BUF_INIT;
	put_number(&event, 9, type);
	put_number(&event, 11, track);
	buf_addf(&text, "slice %u", name);
	if (type == 1)
		put_bytes(&event, 23, buf_str(&text), text.len);
	put_packet(out, time, 11, &event);
	buf_release(&text);
}

/* Uuid 1, thread 4 {pid 1, tid 2, name 5}, or a name 2 alone: asyncs. */
static void
put_track(struct buf *out, unsigned track)
{
	struct buf descriptor = BUF_INIT, thread = BUF_INIT;
	put_number(&descriptor, 1, track);
	put_number(&thread, 1, 7);
	put_number(&thread, 2, 7 + track);
	put_bytes(&thread, 5, "worker", 6);
	if (track < 3)
		put_bytes(&descriptor, 4, buf_str(&thread), thread.len);
	else
		put_bytes(&descriptor, 2, "requests", 8);
	put_packet(out, 1, 60, &descriptor);
	buf_release(&thread);
}

/* Begins and ends of three tracks, some out of order, some without the other. */
START_TEST(test_perfetto)
{
	extern const struct decoder decoder_perfetto;
	struct buf out = BUF_INIT;
	uint64_t r = (uint64_t)_i + 1, now = 1000;
	unsigned depth[4] = {0};
	for (unsigned t = 1; t < 4; t++)
		if (t != (unsigned)_i % 4)
			put_track(&out, t);
	for (unsigned i = 0; i < 400; i++) {
		unsigned track = 1 + (unsigned)random_below(&r, 3);
		bool ends = random_below(&r, 20) < 2 + depth[track] * 4;
		now += random_below(&r, 900);
		put_event(&out, random_below(&r, 9) ? now : now - 300, ends ? 2 : 1, track,
			  (unsigned)random_below(&r, 6));
		depth[track] += ends ? (depth[track] ? -1u : 0) : 1;
		if (i == 200)
			put_track(&out, (unsigned)_i % 4);
	}
	follows(&decoder_perfetto, &out, (uint64_t)_i * 7 + 1);
	buf_release(&out);
}
END_TEST

UNIT(follow)
{
	TCase *tcase = tcase_create("follow");
	Suite *suite = suite_create("follow");
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_chrome, 0, 8);
	tcase_add_loop_test(tcase, test_strace, 0, 2);
	tcase_add_loop_test(tcase, test_ftrace, 0, 2);
	tcase_add_loop_test(tcase, test_perfetto, 0, 4);
	return suite;
}
