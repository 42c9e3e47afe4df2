#include "src/decode/nytprof/nytprof.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/base/wide.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/graph_totals.h"

/* Calls are recorded when they return, callees before callers, each with its depth: read backwards,
 * they form a tree from its root.
 *
 * A line belongs to the innermost sub that contains it, else to the code of the file, which NYTProf
 * calls main::RUNTIME. */

struct output {
	struct nytprof *n;
	struct input *in;
	const struct nyt_process *p;
	process_id process;
	bool under; /* there are several processes */
	bool assumed; /* the note that stacks are estimated was added */
	metric_id time, calls, statements;
};

/* ---- functions ---- */

static function_id
function_in(struct nytprof *n, name_id name, uint32_t file, uint32_t line)
{
	struct name text = builder_name_get(n->b, name);
	uint32_t path = idmap_get(&n->file_of, file);
	bool core = text.len && memmem(text.at, text.len, "::CORE:", 7);
	struct function f = {
		.name = name,
		.file = path == IDMAP_NONE ? NAME_EMPTY : path,
		.line = line,
		.kind = (uint8_t)(core ? KIND_SYSTEM : KIND_USER),
	};

	return name == NAME_EMPTY ? builder_function_unknown(n->b) : builder_function(n->b, f);
}

static function_id
function_of(struct nytprof *n, name_id name)
{
	uint32_t i = idmap_get(&n->sub_of, name);
	const struct nyt_sub *s = i == IDMAP_NONE ? NULL : &n->sub.at[i];

	return function_in(n, name, s ? s->file : 0, s ? s->first : 0);
}

static frame_id
nytprof_frame_of(struct nytprof *n, name_id name)
{
	return builder_frame(n->b, function_of(n, name), line_unknown());
}

static track_id
track(struct output *o, const char *name)
{
	track_id t = builder_track(o->n->b, name, strlen(name), TRACK_THREAD);

	if (o->under)
		builder_track_under(o->n->b, t, o->process);
	return t;
}

/* ---- times ---- */

static bool
rounded(struct output *o, double ns, uint64_t offset, int64_t *out)
{
	*out = 0;
	if (!(fabs(ns) < 9e18))
		return err_damage(o->n->e, offset, "a time that exceeds 2^63");
	*out = (int64_t)round(ns);
	return true;
}

static bool
ticks_ns(struct output *o, int64_t ticks, int64_t *out)
{
	wide ns = wide_div(wide_mul(wide_of(ticks), wide_of(1000000000)),
			   wide_of(o->n->ticks_per_second));

	*out = wide_clipped(ns);
	return wide_cmp(ns, wide_of(*out)) == 0 || err_damage(o->n->e, 0, "times exceed 2^63");
}

/* ---- calls that returned ---- */

struct path_step {
	uint32_t depth;
	stack_id stack;
};

static bool
write_calls(struct output *o)
{
	struct builder *b = o->n->b;
	track_id main = track(o, "main");
	metric_id metric[] = {o->time, o->calls};
	struct series *series = builder_totals(b, main, metric, 2);
	VEC(struct path_step) path = VEC_INIT;
	bool good = true;

	for (size_t i = o->p->call.n; i-- && good;) {
		const struct nyt_call *c = &o->p->call.at[i];
		int64_t value[2] = {0, 1};
		while (path.n && path.at[path.n - 1].depth >= c->depth)
			path.n--;
		stack_id above = path.n ? path.at[path.n - 1].stack : STACK_EMPTY, stack;
		stack = path.n >= STACK_DEPTH_MAX ? builder_too_deep(b)
			: above == STACK_NONE
				? STACK_NONE
				: builder_child(b, above, nytprof_frame_of(o->n, c->name));
		*vec_push(&path) = (struct path_step){c->depth, stack};
		builder_track_event(b, main);
		good = rounded(o, c->self_ticks * 1e9 / (double)o->n->ticks_per_second, c->offset,
			       &value[0]) &&
		       builder_total(b, series, stack, value, c->offset, o->n->e);
	}
	vec_release(&path);
	return good;
}

/* ---- calls that were entered, too ---- */

/* A return states the time of its call, an entry no time at all. So a call lasts as long as its own
 * time and the calls in it. Its own time lies between these calls, as the statements do that ran
 * there; a call from outside of all subs begins when the statements have come to it.
 *
 *	statements        20        5     15         of g, of f, of g
 *	entries        >g        >f    <f        <g
 *	returns                     4            37  so of 37 ticks 20/35 are before f */
struct nyt_laid {
	int64_t start, self; /* ns */
	int64_t inside;      /* ns of the calls in it; while they get places, of those before */
	int64_t own, passed; /* ticks of its own statements; those before the place reached */
	int64_t reached;     /* ticks of all statements at that place */
};

/* Sets how long each call lasts: callees follow their callers. */
static bool
calls_measure(struct output *o, struct nyt_laid *laid)
{
	double tick_ns = 1e9 / (double)o->n->ticks_per_second;

	for (size_t i = o->p->slice.n; i--;) {
		const struct nyt_slice *s = &o->p->slice.at[i];
		struct nyt_laid *x = &laid[i], *up = s->up ? &laid[s->up - 1] : NULL;
		int64_t leaves = s->name == NAME_EMPTY ? o->p->ticks : s->leaves;
		int64_t ticks = leaves > s->enters ? leaves - s->enters : 0;
		x->own += ticks;
		x->own = x->own > 0 ? x->own : 0;
		x->reached = s->enters;
		double self_ns = s->self_ticks * tick_ns;
		if (s->name == NAME_EMPTY ? !ticks_ns(o, x->own, &x->self)
					  : !rounded(o, self_ns, s->offset, &x->self))
			return false;
		x->self = x->self > 0 ? x->self : 0;
		if (up && (__builtin_add_overflow(up->inside, x->inside, &up->inside) ||
			   __builtin_add_overflow(up->inside, x->self, &up->inside)))
			return err_damage(o->n->e, s->offset, "times exceed 2^63");
		if (up)
			up->own -= ticks;
	}
	return true;
}

/* Returns the time of x before the place to which its statements have come. */
static int64_t
self_before(const struct nyt_laid *x)
{
	if (x->passed <= 0 || x->own <= 0)
		return 0;
	if (x->passed >= x->own)
		return x->self;
	return wide_clipped(wide_div(wide_mul(wide_of(x->self), wide_of(x->passed)),
				     wide_of(x->own)));
}

/* Sets where each call begins, in the order of begins; `laid` has how long they last. */
static bool
calls_place(struct output *o, struct nyt_laid *laid, const int64_t *lasts)
{
	int64_t end = 0, statements;

	for (size_t i = 0; i < o->p->slice.n; i++) {
		const struct nyt_slice *s = &o->p->slice.at[i];
		struct nyt_laid *x = &laid[i], *up = s->up ? &laid[s->up - 1] : NULL;
		if (up) {
			up->passed += s->enters - up->reached;
			up->reached = s->name == NAME_EMPTY ? o->p->ticks : s->leaves;
			x->start = up->start + self_before(up) + up->inside;
			up->inside += lasts[i];
			continue;
		}
		if (!ticks_ns(o, s->enters, &statements))
			return false;
		x->start = statements > end ? statements : end;
		if (__builtin_add_overflow(x->start, lasts[i], &end))
			return err_damage(o->n->e, s->offset, "times exceed 2^63");
	}
	return true;
}

/* Passes the calls to the cast. */
static bool
calls_cast(struct output *o, struct cast *c, uint32_t main)
{
	size_t n = o->p->slice.n;
	struct nyt_laid *laid = mem_zalloc(n + 1, sizeof *laid);
	int64_t *lasts = mem_zalloc(n + 1, sizeof *lasts);
	bool good = calls_measure(o, laid);

	for (size_t i = 0; i < n && good; i++) {
		good = !__builtin_add_overflow(laid[i].inside, laid[i].self, &lasts[i]) ||
		       err_damage(o->n->e, o->p->slice.at[i].offset, "times exceed 2^63");
		laid[i].inside = 0;
	}
	good = good && calls_place(o, laid, lasts);
	for (size_t i = 0; i < n && good; i++) {
		name_id name = o->p->slice.at[i].name;
		frame_id frame = nytprof_frame_of(o->n, name);
		if (name == NAME_EMPTY)
			cast_begin(c, main, laid[i].start, NAME_EMPTY, frame, LABELS_NONE);
		else
			cast_slice(c, main, laid[i].start, lasts[i], frame, LABELS_NONE);
	}
	free(laid);
	free(lasts);
	return good;
}

static bool
write_slices(struct output *o)
{
	struct cast c = {.in = o->in, .b = o->n->b, .ordered = true};
	struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE,
				  .kind = TRACK_THREAD, .name = builder_name(o->n->b, "main", 4)};
	uint32_t main = cast_add(&c, like);
	int64_t end;
	bool good = ticks_ns(o, o->p->ticks, &end);

	if (o->under)
		builder_track_under(o->n->b, cast_made(&c, main), o->process);
	cast_made(&c, main);
	cast_reach(&c, main, 0);
	cast_reach(&c, main, end);
	good = good && calls_cast(o, &c, main);
	good = cast_write(&c, o->time, METRIC_NONE, true, 0, o->n->e) && good;
	cast_release(&c);
	return good;
}

/* ---- sums by caller and callee ---- */

static bool
write_arcs(struct output *o)
{
	struct graph_totals t = {.b = o->n->b, .track = track(o, "main"), .calls = o->calls};
	bool good = true;

	t.metric[t.n_metrics++] = o->time;
	if (!o->assumed)
		builder_info(o->n->b, "assumed", GRAPH_ASSUMED);
	o->assumed = true;
	for (size_t i = 0; i < o->p->arc.n && good; i++) {
		const struct nyt_arc *a = &o->p->arc.at[i];
		uint32_t from = graph_totals_function(&t, function_of(o->n, a->caller));
		uint32_t to = graph_totals_function(&t, function_of(o->n, a->called));
		int64_t all, self;
		good = rounded(o, a->seconds * 1e9, a->offset, &all) &&
		       rounded(o, a->self_seconds * 1e9, a->offset, &self);
		if (good && !(graph_totals_self(&t, to, &self) &&
			      callgraph_arc(t.graph, from, to, a->count, &all)))
			good = err_damage(o->n->e, a->offset, "the sum of the values exceeds 2^63");
		builder_track_event(o->n->b, t.track);
	}
	good = graph_totals_write(&t, 0, o->n->e) && good;
	graph_totals_release(&t);
	return good;
}

/* ---- statements ---- */

ORDERED_BY_TWO(by_place, struct nyt_line, file, line)

/* Among subs that begin together, the longer one comes first: the last one that contains a line
 * is the innermost. */
static int
by_begin(const void *a, const void *b)
{
	const struct nyt_sub *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->last < y->last) - (x->last > y->last);
}

static bool
write_statements(struct output *o)
{
	struct nytprof *n = o->n;
	track_id t = track(o, "statements");
	struct series *series = builder_totals(n->b, t, &o->statements, 1);
	name_id runtime = builder_name(n->b, "main::RUNTIME", 13);
	struct nyt_line *line = o->p->line.at;
	VEC(struct nyt_sub) open = VEC_INIT;
	bool good = true;
	size_t sub = 0;

	qsort(line, o->p->line.n, sizeof *line, by_place);
	for (size_t i = 0; i < o->p->line.n && good; i++) {
		uint32_t file = line[i].file, at = line[i].line;
		for (; sub < n->sub.n && (n->sub.at[sub].file < file ||
					  (n->sub.at[sub].file == file &&
					   n->sub.at[sub].first <= at)); sub++)
			*vec_push(&open) = n->sub.at[sub];
		while (open.n &&
		       (open.at[open.n - 1].file != file || open.at[open.n - 1].last < at))
			open.n--;
		function_id f = open.n ? function_in(n, open.at[open.n - 1].name, file,
						     open.at[open.n - 1].first)
				       : function_in(n, runtime, file, 0);
		frame_id frame = builder_frame(n->b, f, line_numbered(at));
		int64_t ns;
		good = ticks_ns(o, line[i].ticks, &ns) &&
		       builder_total(n->b, series, builder_child(n->b, STACK_EMPTY, frame), &ns, 0,
				     n->e);
	}
	for (uint64_t i = 0; i < o->p->statements; i++)
		builder_track_event(n->b, t);
	vec_release(&open);
	return good;
}

/* ---- the decoder ---- */

static void
name_process(struct output *o)
{
	struct name path = builder_name_get(o->n->b, o->n->application);
	size_t from = path.len;

	while (from && path.at[from - 1] != '/')
		from--;
	struct name name = builder_name_get(
		o->n->b, builder_namef(o->n->b, "%s %" PRIu32,
				       path.len > from ? path.at + from : "process", o->p->pid));
	o->process = builder_process(o->n->b, name.at, name.len);
}

static bool
write_process(struct output *o)
{
	const struct nyt_process *p = o->p;

	if (o->under)
		name_process(o);
	return (p->slice.n  ? write_slices(o)
		: p->call.n ? write_calls(o)
		: p->arc.n  ? write_arcs(o)
			    : true) &&
	       (!p->line.n || write_statements(o));
}

bool
nyt_write(struct nytprof *n, struct input *in)
{
	struct output o = {.n = n, .in = in, .under = n->process.n > 1};
	bool slices = false, calls = false, lines = false, good = true;

	for (size_t i = 0; i < n->process.n; i++) {
		slices |= n->process.at[i].slice.n;
		calls |= n->process.at[i].call.n || n->process.at[i].arc.n;
		lines |= n->process.at[i].line.n;
	}
	if (slices || calls) {
		o.time = builder_metric(n->b, "time", UNIT_NS, slices ? ROLE_TIME : ROLE_VALUE);
		o.calls = builder_metric(n->b, "calls", UNIT_CALLS,
					 slices ? ROLE_CALLS : ROLE_VALUE);
		if (!slices)
			builder_calls_metric(n->b, o.calls);
		builder_default_metric(n->b, o.time);
	}
	if (lines)
		o.statements = builder_metric(n->b, "statements", UNIT_NS, ROLE_VALUE);
	vec_sort(&n->sub, by_begin);
	idmap_release(&n->sub_of);
	n->sub_of = (struct idmap){0};
	for (size_t i = 0; i < n->sub.n; i++)
		if (idmap_get(&n->sub_of, n->sub.at[i].name) == IDMAP_NONE)
			idmap_put(&n->sub_of, n->sub.at[i].name, (uint32_t)i);
	for (size_t i = 0; i < n->process.n && good; i++) {
		o.p = &n->process.at[i];
		good = write_process(&o);
	}
	return good;
}
