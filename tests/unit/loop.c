/* loop.c - how often the browser draws while a work runs.
 *
 * The screen here has no user, and a clock of its own: each time the browser asks for a key a
 * tenth of a second has passed, which is what a portion of work may take on a slow machine.
 * The calls of a function are read in portions; a picture after each would be useless, and
 * would load the line.  If the line has not taken the last picture yet, new data cause no
 * picture: only keys do. */
#include <check.h>
#include <string.h>
#include <time.h>

#include "model/build/builder.h"
#include "tests/lib/unit.h"
#include "ui/app/app.h"

#define CALLS 400000u /* many portions */
#define ASKED_NS 100000000
#define A_SECOND 4 /* pictures that a second may have */

static int64_t now_ns = 1000000000;

int
clock_gettime(clockid_t id, struct timespec *t)
{
	(void)id;
	t->tv_sec = (time_t)(now_ns / 1000000000);
	t->tv_nsec = (long)(now_ns % 1000000000);
	return 0;
}

struct watcher {
	struct screen screen;
	const char *keys;
	unsigned pictures; /* since the last key */
	int64_t since_ns;  /* when that was */
	unsigned worked;   /* how often it asked without a wish to wait */
	bool over;	   /* too many pictures */
};

static void
watcher_size(struct screen *s, int *w, int *h)
{
	(void)s;
	*w = 80;
	*h = 24;
}

static void
watcher_show(struct screen *s, const struct canvas *c)
{
	struct watcher *w = (struct watcher *)s;
	(void)c;
	w->pictures++;
	/* the one that answers the key, and the one that is the end */
	w->over |= w->pictures > 2 + (now_ns - w->since_ns) * A_SECOND / 1000000000;
}

static struct event_in
watcher_read(struct screen *s, int timeout_ms)
{
	struct watcher *w = (struct watcher *)s;
	now_ns += ASKED_NS;
	if (!timeout_ms) { /* there is work, or more keys may follow this one */
		w->worked++;
		return (struct event_in){.kind = EVENT_NONE};
	}
	if (!*w->keys)
		return (struct event_in){.kind = EVENT_END};
	w->pictures = 0;
	w->since_ns = now_ns;
	return (struct event_in){.kind = EVENT_KEY, .key = (uint32_t)*w->keys++};
}

static const struct screen_ops watcher_ops = {
	.size = watcher_size, .show = watcher_show, .read = watcher_read};

/* `work` and `rest` in turn. */
static struct profile *
calls_with(const char *metric)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "calls", "steps");
	struct err e;
	stack_id stack[2];
	bool good = true;
	err_init(&e);
	builder_metric(b, metric, UNIT_NS, ROLE_TIME);
	struct series *s = builder_steps(b, builder_track(b, "main", 4, TRACK_THREAD));
	for (unsigned i = 0; i < 2; i++) {
		function_id f = builder_function_named(b, i ? "rest" : "work", 4);
		stack[i] = builder_child(b, STACK_EMPTY, builder_frame(b, f, line_unknown()));
	}
	for (unsigned i = 0; i < CALLS; i++)
		good &= builder_step(b, s, (int64_t)i * 10, stack[i % 2],
				     STEP_CALL | (i ? STEP_RETURN : 0), 0, &e);
	ck_assert(good);
	builder_finish(b, &e);
	builder_free(b);
	return p;
}

static struct profile *
many_calls(void)
{
	return calls_with("time");
}

static void
nothing(void *ctx)
{
	(void)ctx;
}

static struct app_state
all_loaded(void *ctx)
{
	(void)ctx;
	return (struct app_state){.done = true, .generation = 1, .format = "steps"};
}

START_TEST(the_list_of_calls_draws_four_times_a_second)
{
	/* the calls of one function, then of all, then in another order */
	struct watcher w = {.screen.ops = &watcher_ops, .keys = "7oa>"};
	struct app_feed feed = {.loader = {NULL, all_loaded, nothing}};
	const char *file = "calls";
	struct lens lens;
	struct err e;
	err_init(&e);
	lens_init(&lens);
	struct app_config config = {.files = &file, .n_files = 1, .lens = &lens, .frees = true};
	struct profile *p = many_calls();
	ck_assert(app_run(&config, p, &feed, &w.screen, &e));
	ck_assert_msg(w.worked >= 4, "it worked in %u portions: nothing was tried", w.worked);
	ck_assert_msg(!w.over, "invisible pictures");
	lens_release(&lens);
	profile_free(p);
}
END_TEST

/* ---- a slow line ---- */

#define KEY_AT 20 /* reads until a key comes */
#define FREE_AT 30 /* and until the line has taken all */
#define END_AT 40

struct slow_line {
	struct screen screen;
	unsigned reads;
	unsigned shown[END_AT + 1]; /* [read] pictures before it */
};

static void
line_show(struct screen *s, const struct canvas *c)
{
	struct slow_line *l = (struct slow_line *)s;
	(void)c;
	l->shown[l->reads]++;
}

static bool
line_keeps_up(struct screen *s)
{
	return ((struct slow_line *)s)->reads >= FREE_AT;
}

static struct event_in
line_read(struct screen *s, int timeout_ms)
{
	struct slow_line *l = (struct slow_line *)s;
	now_ns += ASKED_NS;
	if (!timeout_ms)
		return (struct event_in){.kind = EVENT_NONE};
	l->reads++;
	if (l->reads == END_AT)
		return (struct event_in){.kind = EVENT_END};
	return (struct event_in){.kind = l->reads == KEY_AT ? EVENT_KEY : EVENT_NONE, .key = '3'};
}

static const struct screen_ops line_ops = {.size = watcher_size,
					   .show = line_show,
					   .read = line_read,
					   .keeps_up = line_keeps_up};

/* There is more, each time one looks. */
static struct app_state
still_loading(void *ctx)
{
	uint64_t *generation = ctx;
	return (struct app_state){.generation = ++*generation, .format = "steps"};
}

static unsigned
pictures(const struct slow_line *l, unsigned from, unsigned to)
{
	unsigned n = 0;
	for (; from < to; from++)
		n += l->shown[from];
	return n;
}

START_TEST(a_slow_line_has_the_pictures_of_keys)
{
	struct slow_line l = {.screen.ops = &line_ops};
	uint64_t generation = 0;
	struct app_feed feed = {.loader = {&generation, still_loading, nothing}};
	const char *file = "calls";
	struct lens lens;
	struct err e;
	err_init(&e);
	lens_init(&lens);
	struct app_config config = {.files = &file, .n_files = 1, .lens = &lens, .frees = true};
	struct profile *p = many_calls();
	ck_assert(app_run(&config, p, &feed, &l.screen, &e));
	ck_assert_uint_eq(l.shown[0], 1); /* the first one */
	ck_assert_uint_eq(pictures(&l, 1, KEY_AT), 0);
	ck_assert_uint_eq(l.shown[KEY_AT], 1);
	ck_assert_uint_eq(pictures(&l, KEY_AT + 1, FREE_AT), 0);
	ck_assert_uint_gt(pictures(&l, FREE_AT, END_AT), 2);
	lens_release(&lens);
	profile_free(p);
}
END_TEST

/* ---- the parts of a recording ---- */

#define PART_READS 20 /* then the user quits */

/* A screen that remembers its text. */
struct part_screen {
	struct screen screen;
	struct buf text;
	unsigned reads;
};

static void
part_show(struct screen *s, const struct canvas *c)
{
	struct part_screen *x = (struct part_screen *)s;
	buf_reset(&x->text);
	canvas_write(c, &x->text);
}

static struct event_in
part_read(struct screen *s, int timeout_ms)
{
	struct part_screen *x = (struct part_screen *)s;
	(void)timeout_ms;
	now_ns += ASKED_NS;
	return (struct event_in){.kind = x->reads++ < PART_READS ? EVENT_NONE : EVENT_END};
}

static const struct screen_ops part_ops = {
	.size = watcher_size, .show = part_show, .read = part_read};

static struct app_state
state_of_part(void *ctx)
{
	return *(const struct app_state *)ctx;
}

/* Runs the browser of one part, until it ends or the user quits. */
static bool
run_part(struct part_screen *x, struct profile *p, struct app_carried *c,
	 const struct lens *lens, struct app_state state)
{
	struct app_feed feed = {.loader = {&state, state_of_part, nothing}};
	const char *file = "calls";
	struct err e;
	err_init(&e);
	state.format = "steps";
	state.generation = 1;
	x->reads = 0;
	struct app_config config = {
		.files = &file, .n_files = 1, .lens = lens, .carried = c, .frees = true};
	return app_run(&config, p, &feed, &x->screen, &e);
}

START_TEST(only_a_newer_part_follows_one)
{
	const struct app_state next = {.live = true, .over = true, .rolls = true};
	struct part_screen x = {.screen.ops = &part_ops};
	struct app_carried *c = app_carried_new();
	struct profile *p = many_calls();
	struct lens lens;
	lens_init(&lens);
	ck_assert(!app_carried_is_due(c));
	ck_assert(run_part(&x, p, c, &lens, next));
	ck_assert_msg(app_carried_is_due(c), "a newer part makes no way");
	/* a part that is refused at once has no successor, though the state was not restored */
	run_part(&x, p, c, &lens, (struct app_state){.done = true, .refused = true});
	ck_assert(!app_carried_is_due(c));
	ck_assert(run_part(&x, p, c, &lens, (struct app_state){.live = true}));
	ck_assert_msg(!app_carried_is_due(c), "the user has quit");
	app_carried_free(c);
	buf_release(&x.text);
	lens_release(&lens);
	profile_free(p);
}
END_TEST

/* A part without the chosen metric shows another one, and makes way for the next. */
START_TEST(a_part_may_lack_the_chosen_metric)
{
	const struct app_state now = {.live = true}, done = {.done = true},
			       next = {.live = true, .over = true, .rolls = true};
	struct part_screen x = {.screen.ops = &part_ops};
	struct app_carried *c = app_carried_new();
	struct profile *has = many_calls(), *lacks = calls_with("other"), *none = profile_new();
	struct lens lens;
	lens_init(&lens);
	lens_set_metric(&lens, "time");
	ck_assert(run_part(&x, has, c, &lens, next));
	ck_assert(run_part(&x, lacks, c, &lens, next));
	ck_assert_msg(app_carried_is_due(c), "it makes no way");
	ck_assert_ptr_nonnull(strstr(buf_str(&x.text), "what is kept has no time any more"));
	ck_assert(run_part(&x, has, c, &lens, next));
	ck_assert(run_part(&x, lacks, c, &lens, now));
	ck_assert(!app_carried_is_due(c));
	app_carried_free(c);
	/* the same at the end of the recording */
	c = app_carried_new();
	ck_assert(run_part(&x, has, c, &lens, next));
	ck_assert_msg(run_part(&x, lacks, c, &lens, done), "it refuses the lens");
	app_carried_free(c);
	/* one without events passes the state on */
	c = app_carried_new();
	ck_assert(run_part(&x, has, c, &lens, next));
	ck_assert(run_part(&x, none, c, &lens, next));
	ck_assert_msg(app_carried_is_due(c), "it makes no way");
	ck_assert(run_part(&x, has, c, &lens, now));
	ck_assert_ptr_null(strstr(buf_str(&x.text), "what is kept has no"));
	app_carried_free(c);
	buf_release(&x.text);
	lens_release(&lens);
	profile_free(has);
	profile_free(lacks);
	profile_free(none);
}
END_TEST

UNIT_ALONE(loop)
{
	Suite *suite = suite_create("loop");
	TCase *tests = tcase_create("loop");
	tcase_add_test(tests, the_list_of_calls_draws_four_times_a_second);
	tcase_add_test(tests, a_slow_line_has_the_pictures_of_keys);
	tcase_add_test(tests, a_part_may_lack_the_chosen_metric);
	tcase_add_test(tests, only_a_newer_part_follows_one);
	suite_add_tcase(suite, tests);
	return suite;
}
