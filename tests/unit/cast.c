/* cast.c - tracks of traces: their names and slices.
 *
 * Random slices, nested or not, become the same steps if they are complete, if they are begins
 * and ends in the order of the file, and if these come in any order; and if they are written
 * repeatedly or only at the end. */
#include "src/decode/common/cast.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "model/build/builder_load.h"
#include "model/profile/profile.h"
#include "src/decode/common/flows.h"
#include "tests/lib/unit.h"

#define SLICES 400u
#define SEEDS 40

struct made {
	struct profile *p;
	struct builder *b;
	struct cast c;
	struct err e;
	metric_id time, async;
	bool finished; /* its builder */
};

static void
made_init(struct made *m)
{
	*m = (struct made){.p = profile_new()};
	m->b = builder_new(m->p, "file", "test");
	m->c = (struct cast){.b = m->b, .labelled = true};
	m->time = builder_time(m->b, "time");
	m->async = builder_time(m->b, "async");
	err_init(&m->e);
}

static void
made_release(struct made *m)
{
	cast_release(&m->c);
	if (!m->finished)
		builder_finish(m->b, &m->e);
	ck_assert_msg(profile_check(m->p, &m->e), "%s", m->e.text);
	builder_free(m->b);
	profile_free(m->p);
}

static void
write(struct made *m, bool last)
{
	ck_assert(cast_write(&m->c, m->time, m->async, last, 0, &m->e));
	cast_rename(&m->c);
	builder_settle(m->b);
}

static name_id
named(const struct made *m, const char *text)
{
	return builder_name(m->b, text, strlen(text));
}

static frame_id
frame(const struct made *m, uint32_t i)
{
	char name[] = {'f', (char)('a' + i % 26), 0};

	return builder_frame(m->b, builder_function_named(m->b, name, 2), line_unknown());
}

static void
check_called(const struct made *m, uint32_t track, const char *text)
{
	struct name n = names_get(&m->p->names, m->p->track[m->c.track.at[track].track].name);

	ck_assert_uint_eq(n.len, strlen(text));
	ck_assert_int_eq(memcmp(n.at, text, n.len), 0);
}

/* ---- names ---- */

START_TEST(test_the_process_is_named_once_there_are_two)
{
	struct made m;
	made_init(&m);
	uint32_t shop = cast_process(&m.c, 40);
	uint32_t main = cast_thread(&m.c, shop, 42);
	ck_assert_uint_eq(cast_thread(&m.c, cast_process(&m.c, 40), 42), main);
	cast_made(&m.c, main);
	check_called(&m, main, "thread 42");
	m.c.track.at[main].name = named(&m, "loop ");
	write(&m, false);
	check_called(&m, main, "loop 42");
	ck_assert_uint_eq(m.p->n_processes, 0);
	uint32_t beside = cast_add(&m.c, (struct cast_track){.process = shop, .thread = main,
							     .name = named(&m, "(markers)"),
							     .kind = TRACK_TASK});
	uint32_t plain = cast_track(&m.c, (struct cast_track){
						  .process = cast_process(&m.c, 7),
						  .thread = CAST_NONE,
						  .name = named(&m, "queue"),
						  .kind = TRACK_COUNTER});
	cast_made(&m.c, beside);
	check_called(&m, beside, "loop 42 (markers)");
	cast_made(&m.c, plain);
	m.c.process.at[shop].name = named(&m, "shop");
	write(&m, true);
	check_called(&m, main, "shop 40 / loop 42");
	check_called(&m, beside, "shop 40 / loop 42 (markers)");
	check_called(&m, plain, "process 7 / queue");
	ck_assert_uint_eq(m.p->n_processes, 2);
	made_release(&m);
}
END_TEST

START_TEST(test_a_name_has_its_number_once)
{
	static const struct {
		const char *name, *text;
	} cases[] = {
		{"worker", "worker 7"},
		{"stream 7", "stream 7"},
		{"stream 7 (gpu)", "stream 7 (gpu)"},
		{"stream 70", "stream 70 7"},
		{"7", "7 7"},
		{"stream7", "stream7 7"},
	};
	struct made m;
	made_init(&m);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint32_t t = cast_thread(&m.c, cast_process(&m.c, 1), 7);
		cast_made(&m.c, t);
		m.c.track.at[t].name = named(&m, cases[i].name);
		cast_rename(&m.c);
		check_called(&m, t, cases[i].text);
	}
	uint32_t t = cast_thread(&m.c, CAST_NONE, cast_id_of(named(&m, "gpu")));
	cast_made(&m.c, t);
	check_called(&m, t, "gpu");
	made_release(&m);
}
END_TEST

START_TEST(test_marks_beyond_the_thousandth_kind_are_one_track)
{
	struct made m;
	uint32_t last = CAST_NONE;
	made_init(&m);
	for (unsigned i = 0; i < 1010; i++) {
		char name[24];
		snprintf(name, sizeof name, "mark %u", i);
		struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE,
					  .name = named(&m, name)};
		uint32_t t = cast_marks(&m.c, like);
		cast_points(&m.c, t, false, false);
		ck_assert(i > 1000 ? t == last : t != last);
		ck_assert_uint_eq(cast_marks(&m.c, like), t);
		last = t;
	}
	check_called(&m, last, "other marks");
	made_release(&m);
}
END_TEST

/* ---- slices ---- */

static uint64_t
chance(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % below;
}

struct interval {
	int64_t start, length;
};

/* Intervals that nest, by start, the outer first; no two times are equal. */
static void
intervals_make(struct interval *x, uint64_t *state)
{
	int64_t end[SLICES], now = 0;
	unsigned n_open = 0, n = 0;
	unsigned open[SLICES];

	while (n < SLICES || n_open) {
		now += 1 + (int64_t)chance(state, 5);
		if (n < SLICES && (!n_open || (n_open < 20 && chance(state, 2)))) {
			x[n].start = now;
			open[n_open++] = n++;
		} else {
			unsigned i = open[--n_open];
			end[i] = now;
			x[i].length = end[i] - x[i].start;
		}
	}
}

enum way { WHOLE, WAY_BACKWARDS, WAY_NAMELESS };

/* Adds the intervals complete, or as begins and then ends from the last to the first, each with
 * or without a name. */
static uint32_t
intervals_tell(struct made *m, const struct interval *x, enum way way, unsigned shows)
{
	uint32_t t = cast_thread(&m->c, cast_process(&m->c, 1), 1);

	for (unsigned k = SLICES; k-- > 0;) {
		unsigned i = way == WHOLE ? SLICES - 1 - k : k;
		char name[24];
		snprintf(name, sizeof name, "slice %u", i);
		name_id id = way == WAY_NAMELESS ? NAME_EMPTY : named(m, name);
		if (way == WHOLE) {
			cast_slice(&m->c, t, x[i].start, x[i].length, frame(m, i), LABELS_NONE);
		} else {
			cast_end(&m->c, t, x[i].start + x[i].length, id);
			cast_begin(&m->c, t, x[i].start, id, frame(m, i), LABELS_NONE);
		}
		if (shows && k % (SLICES / shows) == 0)
			write(m, false);
	}
	write(m, true);
	return t;
}

/* The time of a track's first series, of whichever metric it is. */
static int64_t
time_on(const struct made *m, track_id track)
{
	const struct series *s = m->p->track[track].series[0];

	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->metric[i] == m->time || s->metric[i] == m->async)
			return series_whole(s, i);
	return -1;
}

static int64_t
time_of(const struct made *m, uint32_t track)
{
	return time_on(m, m->c.track.at[track].track);
}

static void
check_alike(const struct made *a, const struct made *b, uint32_t track)
{
	const struct track *x = &a->p->track[a->c.track.at[track].track];
	const struct track *y = &b->p->track[b->c.track.at[track].track];

	ck_assert_uint_eq(a->p->n_tracks, b->p->n_tracks);
	ck_assert_uint_eq(x->events, y->events);
	ck_assert_int_eq(x->start, y->start);
	ck_assert_int_eq(x->end, y->end);
	ck_assert_uint_eq(x->series[0]->n, y->series[0]->n);
	ck_assert_int_eq(time_of(a, track), time_of(b, track));
}

START_TEST(test_slices_are_the_same_however_they_are_written)
{
	struct interval x[SLICES];
	uint64_t state = (uint64_t)_i * 2654435761u + 1;
	struct made m[4];
	static const enum way ways[] = {WHOLE, WAY_BACKWARDS, WAY_NAMELESS, WAY_BACKWARDS};
	static const unsigned shows[] = {0, 0, 3, 5};
	uint32_t t = 0;

	intervals_make(x, &state);
	for (unsigned i = 0; i < 4; i++) {
		made_init(&m[i]);
		t = intervals_tell(&m[i], x, ways[i], shows[i]);
		ck_assert_uint_eq(m[i].p->track[m[i].c.track.at[t].track].events, SLICES);
		if (i)
			check_alike(&m[0], &m[i], t);
	}
	for (unsigned i = 0; i < 4; i++)
		made_release(&m[i]);
}
END_TEST

START_TEST(test_a_begin_without_an_end_lasts_as_long_as_what_is_around_it)
{
	struct made m;
	made_init(&m);
	uint32_t t = cast_thread(&m.c, cast_process(&m.c, 1), 1);
	cast_begin(&m.c, t, 0, named(&m, "outer"), frame(&m, 0), LABELS_NONE);
	cast_begin(&m.c, t, 10, named(&m, "inner"), frame(&m, 1), LABELS_NONE);
	cast_end(&m.c, t, 30, named(&m, "outer"));
	cast_end(&m.c, t, 40, named(&m, "other"));
	write(&m, true);
	const struct track *x = &m.p->track[m.c.track.at[t].track];
	ck_assert_int_eq(time_of(&m, t), 30);
	ck_assert_uint_eq(x->events, 2);
	made_release(&m);
}
END_TEST

/* ---- begins and ends in the order of time ---- */

#define EDGES 300u
#define FINALLY 1000000 /* ns */

/* Adds a slice at the end of the track. If it comes first, the edges after it are out of order. */
static void
last_slice(struct made *m, uint32_t t)
{
	cast_begin(&m->c, t, FINALLY, NAME_EMPTY, frame(m, 0), LABELS_NONE);
	cast_end(&m->c, t, FINALLY + 1, NAME_EMPTY);
}

/* Adds begins and ends, many at the same time, with or without names and labels, some without the
 * other. Writes previews between them. */
static uint32_t
edges_tell(struct made *m, uint64_t state, bool sorted)
{
	uint32_t t = cast_thread(&m->c, cast_process(&m->c, 1), 1);
	bool names = chance(&state, 2);
	uint64_t ends = 4 + chance(&state, 3), steps = 1 + chance(&state, 4);
	name_id open[EDGES + 1] = {NAME_EMPTY};
	label_id label = builder_label_text(m->b, named(m, "key"), named(m, "value"));
	int64_t time = -50;
	size_t n = 0;

	if (!sorted)
		last_slice(m, t);
	for (unsigned i = 0; i < EDGES; i++) {
		char name[] = {'n', (char)('a' + chance(&state, 3)), 0};
		uint32_t function = (uint32_t)chance(&state, 5);
		bool labelled = chance(&state, 2);
		time += (int64_t)chance(&state, steps);
		if (chance(&state, 10) < ends) {
			bool says = names && n && chance(&state, 2);
			cast_end(&m->c, t, time, says ? open[n] : NAME_EMPTY);
			n -= n > 0;
		} else {
			open[++n] = names ? named(m, name) : NAME_EMPTY;
			cast_begin(&m->c, t, time, open[n], frame(m, function),
				   labelled ? builder_labels(m->b, &label, 1) : LABELS_NONE);
		}
		if (i == EDGES / 2)
			write(m, false);
	}
	ck_assert(edgelog_any(&m->c.track.at[t].edges.log) == sorted);
	if (sorted)
		last_slice(m, t);
	write(m, true);
	return t;
}

/* Previews make stacks in another order. */
static void
check_same_stack(const struct made *a, stack_id x, const struct made *b, stack_id y)
{
	for (; x && y; x = a->p->stacks.parent[x], y = b->p->stacks.parent[y])
		ck_assert_uint_eq(a->p->stacks.frame[x], b->p->stacks.frame[y]);
	ck_assert_uint_eq(x, y);
}

START_TEST(test_edges_in_order_become_the_steps_of_sorted_slices)
{
	struct made m[2];
	uint32_t t = 0;
	struct event x, y;

	for (int k = 0; k < 2; k++) {
		made_init(&m[k]);
		for (uint32_t f = 0; f < 5; f++)
			frame(&m[k], f);
		t = edges_tell(&m[k], (uint64_t)_i * 2654435761u + 1, !k);
	}
	check_alike(&m[0], &m[1], t);
	const struct series *a = m[0].p->track[m[0].c.track.at[t].track].series[0];
	const struct series *b = m[1].p->track[m[1].c.track.at[t].track].series[0];
	for (uint64_t i = 0; series_event(a, i, &x) && series_event(b, i, &y); i++) {
		ck_assert_int_eq(x.time, y.time);
		ck_assert_int_eq(x.end, y.end);
		ck_assert_uint_eq(x.stack & ~STEP_STACK, y.stack & ~STEP_STACK);
		check_same_stack(&m[0], x.stack & STEP_STACK, &m[1], y.stack & STEP_STACK);
		ck_assert_uint_eq(x.labels, y.labels);
	}
	for (int k = 0; k < 2; k++)
		made_release(&m[k]);
}
END_TEST

START_TEST(test_edges_in_order_wait_in_few_bytes)
{
	struct made m;

	made_init(&m);
	uint32_t t = cast_thread(&m.c, CAST_NONE, 1);
	const struct edgelog *log = &m.c.track.at[t].edges.log;
	for (int64_t i = 0; i < 1000; i++) {
		cast_begin(&m.c, t, i * 10, NAME_EMPTY, frame(&m, 0), LABELS_NONE);
		cast_end(&m.c, t, i * 10 + 5, NAME_EMPTY);
	}
	ck_assert_uint_eq(log->n, 1000);
	ck_assert_uint_eq(log->open.n, 0);
	ck_assert_uint_le(log->block.n, 4); /* 256 bytes, and each four times the one before */
	ck_assert_uint_eq(m.c.track.at[t].slices.n, 0);
	/* what does not nest, or comes late, is sorted */
	cast_slice(&m.c, t, 3, 1, frame(&m, 0), LABELS_NONE);
	ck_assert(!edgelog_any(log));
	ck_assert_uint_eq(m.c.track.at[t].slices.n, 1001);
	write(&m, true);
	ck_assert_int_eq(time_of(&m, t), 5000);
	made_release(&m);
}
END_TEST

START_TEST(test_files_in_order_need_no_room_for_edges)
{
	struct made m;
	made_init(&m);
	m.c.ordered = true;
	uint32_t t = cast_thread(&m.c, CAST_NONE, 1);
	for (int64_t i = 0; i < 1000; i++) {
		cast_begin(&m.c, t, i * 10, NAME_EMPTY, frame(&m, 0), LABELS_NONE);
		ck_assert(cast_end(&m.c, t, i * 10 + 5, NAME_EMPTY));
	}
	ck_assert(!cast_end(&m.c, t, 10000, NAME_EMPTY));
	ck_assert_uint_le(m.c.track.at[t].edges.open.cap, 8);
	ck_assert_uint_eq(m.c.track.at[t].edges.waiting.bytes.len, 0);
	write(&m, true);
	const struct track *x = &m.p->track[m.c.track.at[t].track];
	ck_assert_int_eq(time_of(&m, t), 5000);
	ck_assert_int_eq(x->end, 10000);
	made_release(&m);
}
END_TEST

START_TEST(test_asyncs_of_one_key_share_the_track_of_the_outer_one)
{
	struct made m;
	made_init(&m);
	uint32_t p = cast_process(&m.c, 1);
	uint32_t outer = cast_async_track(&m.c, p, named(&m, "net"), named(&m, "load"));
	uint32_t inner = cast_async_track(&m.c, p, named(&m, "net"), named(&m, "read"));
	cast_async_add(&m.c, (struct cast_async){50, 7, CAST_NONE, NAME_EMPTY, 0, LABELS_NONE});
	cast_async_add(&m.c, (struct cast_async){10, 7, inner, NAME_EMPTY, frame(&m, 1), 0});
	cast_async_add(&m.c, (struct cast_async){0, 7, outer, NAME_EMPTY, frame(&m, 0), 0});
	cast_async_add(&m.c, (struct cast_async){30, 7, CAST_NONE, NAME_EMPTY, 0, LABELS_NONE});
	ck_assert_uint_eq(cast_asyncs(&m.c), 4);
	write(&m, false);
	write(&m, true);
	check_called(&m, outer, "net:load");
	ck_assert(!m.c.track.at[inner].made);
	const struct track *x = &m.p->track[m.c.track.at[outer].track];
	ck_assert_int_eq(time_of(&m, outer), 50);
	ck_assert_uint_eq(x->events, 2);
	made_release(&m);
}
END_TEST

/* The i-th lasts from i to 10,000 + i, so all are open at 1,000; each has a child of 2. */
START_TEST(test_a_thousand_asyncs_at_a_time_keep_their_times)
{
	struct made m;
	int64_t sum = 0;
	made_init(&m);
	uint32_t track = cast_async_track(&m.c, CAST_NONE, named(&m, "net"), named(&m, "load"));
	for (int64_t i = 0; i < 1000; i++) {
		struct cast_async ends = {.key = (uint64_t)i + 1, .track = CAST_NONE};
		struct cast_async begins = {.key = ends.key, .track = track};
		for (unsigned k = 0; k < 2; k++) {
			begins.time = i + k * 5000;
			begins.frame = frame(&m, k);
			ends.time = k ? i + 5002 : i + 10000;
			cast_async_add(&m.c, begins);
			cast_async_add(&m.c, ends);
		}
	}
	write(&m, false);
	write(&m, true);
	ck_assert_uint_eq(m.p->n_tracks, 1000);
	for (track_id i = 0; i < m.p->n_tracks; i++) {
		ck_assert_uint_eq(m.p->track[i].events, 2);
		sum += time_on(&m, i);
	}
	ck_assert_int_eq(sum, 1000 * 10000);
	made_release(&m);
}
END_TEST

/* A chain of two flows, and a link from the first thread, on one actor a track. */
START_TEST(test_flows_and_links_are_edges_of_their_kinds)
{
	static const enum edge_kind kinds[] = {EDGE_FLOW, EDGE_LINK, EDGE_FLOW};
	struct flows flows = {.at = VEC_INIT};
	struct made m;
	made_init(&m);
	uint32_t one = cast_thread(&m.c, CAST_NONE, 1), two = cast_thread(&m.c, CAST_NONE, 2);
	for (int64_t i = 0; i < 3; i++)
		cast_slice(&m.c, i % 2 ? two : one, i * 10, 5, frame(&m, 0), LABELS_NONE);
	flows_add(&flows, 7, one, 1, FLOW_BEGINS);
	flows_add(&flows, 7, two, 11, 0);
	flows_add(&flows, 7, one, 21, FLOW_ENDS);
	flows_add(&flows, 8, one, 2, FLOW_BEGINS);
	flows_add(&flows, 8, two, 12, FLOW_ENDS | FLOW_LINK);
	flows_bind(&flows, &m.c);
	write(&m, true);
	flows_write(&flows, &m.c);
	flows_release(&flows);
	builder_finish(m.b, &m.e);
	m.finished = true;
	ck_assert_uint_eq(m.p->n_actors, 2);
	ck_assert_uint_eq(m.p->n_edges, 3);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_int_eq(m.p->edge[i].to_time, i == 2 ? 21 : 11 + i);
		ck_assert_int_eq(edge_kind(&m.p->edge[i]), kinds[i]);
	}
	made_release(&m);
}
END_TEST

UNIT(cast)
{
	Suite *s = suite_create("cast");
	TCase *t = tcase_create("cast");

	tcase_add_test(t, test_the_process_is_named_once_there_are_two);
	tcase_add_test(t, test_a_name_has_its_number_once);
	tcase_add_test(t, test_marks_beyond_the_thousandth_kind_are_one_track);
	tcase_add_loop_test(t, test_slices_are_the_same_however_they_are_written, 0, SEEDS);
	tcase_add_test(t, test_a_begin_without_an_end_lasts_as_long_as_what_is_around_it);
	tcase_add_loop_test(t, test_edges_in_order_become_the_steps_of_sorted_slices, 0, SEEDS);
	tcase_add_test(t, test_edges_in_order_wait_in_few_bytes);
	tcase_add_test(t, test_files_in_order_need_no_room_for_edges);
	tcase_add_test(t, test_asyncs_of_one_key_share_the_track_of_the_outer_one);
	tcase_add_test(t, test_a_thousand_asyncs_at_a_time_keep_their_times);
	tcase_add_test(t, test_flows_and_links_are_edges_of_their_kinds);
	suite_add_tcase(s, t);
	return s;
}
