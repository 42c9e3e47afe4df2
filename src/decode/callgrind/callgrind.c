/* Callgrind's profile format, as valgrind (callgrind, cachegrind, xtree), Xdebug, yappi,
 * ruby-prof and others write it: the Valgrind manual, "Callgrind Format Specification".
 *
 *	events: Ir Dr
 *	fl=(1) main.c
 *	fn=(1) main
 *	16 20 3          line 16: 20 Ir, 3 Dr
 *	cfn=(2) func
 *	calls=1 50       called once; func begins at line 50
 *	16 400 12        what that cost, at line 16
 *
 * Lines set the context of the next ones: object (ob), file (fl), function (fn), other files
 * whose code the function contains (fi, fe), and the same for a callee (cob, cfi, cfl, cfn),
 * which is reset after its call.  Names may be abbreviated, `(2) func` once and then `(2)`.
 * Numbers may be relative to those of the line before: +3, -3, *.  So may costs; but in files
 * of Xdebug, -3 means that memory was freed.
 *
 * A header after lines of costs begins another part, which gets its own track; so do the runs
 * that Xdebug appends.  The file has arcs and no stacks; callgraph.h makes the stacks. */

#include <inttypes.h>
#include <string.h>

#include "src/decode/callgrind/callgrind_known.h"
#include "src/decode/callgrind/callgrind_names.h"
#include "src/decode/callgrind/callgrind_sums.h"
#include "src/decode/callgrind/callgrind_text.h"
#include "src/decode/common/graph_totals.h"
#include "src/decode/common/odd_lines.h"
#include "src/decode/common/words.h"
#include "src/input/lines.h"

/* The place to which lines of costs refer. */
struct spot {
	name_id object, file, function;
	bool has_function;
};

/* A function of the graph whose name, file or object is not defined yet. */
struct owing {
	uint32_t function;
	struct spot spot;
};

/* The place that the next lines of costs belong to. */
struct about {
	struct spot at, callee;
	name_id inner; /* the file that fi or fe named; else that of the function */
	uint32_t self; /* the function of the graph that costs are of; CALLGRAPH_NONE */
	bool calling;  /* the next line of costs is that of a call */
	int64_t times;
};

/* How numbers are written, and those of the line before, which may be referred to. */
struct callgrind_written {
	unsigned n_positions, line_at;    /* the line is position line_at */
	int64_t scale[GRAPH_METRICS_MAX]; /* of an event: of Time_(10ns) 10 */
	bool sinks; /* a cost with a minus is below zero, not relative: Xdebug's and pnav's */
	int64_t position[3], cost[GRAPH_METRICS_MAX];
};

#define UNCOUNTED "calls are not counted"

struct callgrind {
	struct input *in;
	struct builder *b;
	struct err *e;
	uint64_t offset;
	struct callgrind_names names;
	VEC(struct owing) owing; /* of this part */
	struct callgrind_events event;
	struct callgrind_written written;
	struct graph_totals part;
	struct known known;
	bool inside;    /* the part had a line of its body */
	bool is_thread; /* the part named its thread */
	unsigned parts;
	struct about about;
	struct callgrind_sums sums;
	bool xdebug, xtree;
	bool uncounted; /* pnav's own file, whose calls are 1 because others need some number */
	uint64_t jumps;
	struct odd_lines odd;
};

static bool
callgrind_bad_line(struct callgrind *c, const char *what)
{
	return err_damage(c->e, c->offset, "%s", what);
}

/* Skips a line without a meaning here; the lines after it do not depend on it. */
static bool
callgrind_odd_line(struct callgrind *c)
{
	odd_at(&c->odd, c->offset);
	return true;
}

/* ---- the graph ---- */

static function_id
function_named(struct callgrind *c, name_id name, name_id file, name_id module)
{
	name = callgrind_names_bound(&c->names, name);
	struct name text = builder_name_get(c->b, name);
	enum kind kind = kind_of_name(text.at, text.len);

	if (c->xdebug)
		kind = text.len > 5 && !memcmp(text.at, "php::", 5) ? KIND_SYSTEM : KIND_USER;
	return builder_function(
		c->b, (struct function){.name = name,
					.file = callgrind_names_bound(&c->names, file),
					.module = callgrind_names_bound(&c->names, module),
					.kind = (uint8_t)kind});
}

/* Returns true for the placeholder at the root of an xtree: its callees are roots. Its self cost
 * was allocated at an unknown place. */
static bool
stands_for_nothing(const struct callgrind *c, name_id function)
{
	if (!c->xtree)
		return false;
	struct name text = builder_name_get(c->b, callgrind_names_bound(&c->names, function));
	return name_is(text, "UnknownFn???");
}

static bool
owes(const struct spot *s)
{
	return callgrind_name_owed(s->function) || callgrind_name_owed(s->file) ||
	       callgrind_name_owed(s->object);
}

static uint32_t
graph_function(struct callgrind *c, const struct spot *s)
{
	bool hit;

	if (!s->has_function)
		return CALLGRAPH_NONE;
	struct known_function *k =
		known_function(&c->known, c->parts, s->function, s->file, s->object, &hit);
	if (hit)
		return k->at;
	for (size_t i = 0; owes(s) && i < c->owing.n; i++)
		if (c->owing.at[i].spot.function == s->function &&
		    c->owing.at[i].spot.file == s->file && c->owing.at[i].spot.object == s->object)
			return k->at = c->owing.at[i].function;
	function_id f = function_named(c, s->function, s->file, s->object);
	if (!owes(s))
		return k->at = graph_totals_function(&c->part, f);
	k->at = graph_totals_reserve(&c->part, f);
	*vec_push(&c->owing) = (struct owing){k->at, *s};
	return k->at;
}

/* Binds the functions that were used before the definition of their names. */
static void
pay(struct callgrind *c)
{
	for (size_t i = 0; i < c->owing.n; i++) {
		const struct spot *s = &c->owing.at[i].spot;
		graph_totals_bind(&c->part, c->owing.at[i].function,
				  function_named(c, s->function, s->file, s->object));
	}
	c->owing.n = 0;
}

/* Returns the line in the current function; in another file it is inlined code. */
static uint32_t
graph_place(struct callgrind *c, uint32_t line)
{
	bool below = c->about.inner != c->about.at.file;
	function_id f =
		below ? function_named(c, c->about.at.function, c->about.inner, c->about.at.object)
		      : c->part.function.at[c->about.self];

	frame_id frame = builder_frame(c->b, f, line_numbered(line));
	return graph_totals_place(&c->part, below ? builder_frame_inlined(c->b, frame) : frame,
				  below);
}

/* Adds to the self cost of the current function. */
static bool
graph_self(struct callgrind *c, const int64_t *cost)
{
	int64_t at = c->written.line_at == UINT32_MAX ? 0 : c->written.position[c->written.line_at];
	uint32_t line = at > 0 && at <= UINT32_MAX ? (uint32_t)at : 0;
	struct known_place *k =
		known_place(&c->known, c->parts, c->about.self, c->about.inner, line);

	return callgraph_self_at(c->part.graph, &k->at, c->about.self,
				 k->at ? 0 : graph_place(c, line), cost);
}

/* ---- parts ---- */

static void
part_begin(struct callgrind *c)
{
	char name[32] = "main";

	if (c->parts == 1 && !c->is_thread)
		builder_track_rename(c->b, c->part.track, "part 1", 6);
	if (c->parts)
		snprintf(name, sizeof name, "part %u", c->parts + 1);
	graph_totals_release(&c->part);
	c->part.b = c->b;
	c->part.in = c->in;
	c->part.track = builder_track(c->b, name, strlen(name), TRACK_THREAD);
	c->parts++;
	c->about = (struct about){.self = CALLGRAPH_NONE};
	c->inside = c->is_thread = false;
	memset(c->written.position, 0, sizeof c->written.position);
	memset(c->written.cost, 0, sizeof c->written.cost);
}

static bool
part_write(struct callgrind *c)
{
	pay(c);
	bool good = graph_totals_write(&c->part, c->offset, c->e);

	callgrind_sums_part(&c->sums, c->part.n_metrics);
	graph_totals_release(&c->part);
	return good;
}

/* ---- headers ---- */

static bool
header_events(struct callgrind *c, const char *at, const char *end)
{
	c->part.n_metrics = 0;
	while ((at = skip_blanks(at, end)) < end) {
		const char *stop = word_end(at, end);
		if (c->part.n_metrics == GRAPH_METRICS_MAX)
			return callgrind_bad_line(c, "more events than pnav reads");
		unsigned n = c->part.n_metrics;
		metric_id metric = callgrind_metric(c->b, &c->event, at, (size_t)(stop - at),
						    &c->written.scale[n]);
		for (unsigned i = 0; i < n; i++)
			if (c->part.metric[i] == metric)
				return callgrind_bad_line(c, "an event named twice");
		c->part.metric[c->part.n_metrics++] = metric;
		at = stop;
	}
	if (!c->part.n_metrics)
		return callgrind_bad_line(c, "no events");
	c->part.calls = builder_metric(c->b, "calls", UNIT_CALLS, ROLE_VALUE);
	builder_default_metric(c->b, c->part.metric[0]);
	return true;
}

static bool
header_positions(struct callgrind *c, const char *at, const char *end)
{
	struct callgrind_written *w = &c->written;

	w->n_positions = 0;
	w->line_at = UINT32_MAX;
	while ((at = skip_blanks(at, end)) < end) {
		const char *stop = word_end(at, end);
		if (w->n_positions == 3)
			return callgrind_bad_line(c, "more than 3 positions");
		if (stop - at == 4 && !memcmp(at, "line", 4))
			w->line_at = w->n_positions;
		w->n_positions++;
		at = stop;
	}
	return w->n_positions ? true : callgrind_bad_line(c, "no positions");
}

/* A line `KEY: VALUE`. */
static bool
header(struct callgrind *c, const char *key, size_t len, const char *at, const char *end)
{
	char name[32];

	at = skip_blanks(at, end);
	if (is_key(key, len, "totals")) {
		callgrind_sums_said(&c->sums, c->part.n_metrics, true, at, end);
		return true;
	}
	if (c->inside && !is_key(key, len, "summary")) {
		if (!part_write(c))
			return false;
		part_begin(c);
	}
	if (is_key(key, len, "events"))
		return header_events(c, at, end);
	if (is_key(key, len, "positions"))
		return header_positions(c, at, end);
	if (is_key(key, len, "summary"))
		callgrind_sums_said(&c->sums, c->part.n_metrics, c->inside, at, end);
	else
		callgrind_sums_header(&c->sums, key, len, at, end);
	if (is_key(key, len, "event"))
		callgrind_event(c->b, &c->event, at, end);
	if (is_key(key, len, "creator")) {
		c->event.has_creator = true;
		c->xdebug = end - at >= 6 && !memcmp(at, "xdebug", 6);
		c->written.sinks = c->xdebug || (end - at >= 5 && !memcmp(at, "pnav ", 5));
		c->xtree = end - at >= 5 && !memcmp(at, "xtree", 5);
	}
	c->uncounted |= is_key(key, len, "desc") && end - at == sizeof UNCOUNTED - 1 &&
			!memcmp(at, UNCOUNTED, sizeof UNCOUNTED - 1);
	if (is_key(key, len, "thread")) {
		int n = snprintf(name, sizeof name, "thread %.*s",
				 (int)(end - at > 20 ? 20 : end - at), at);
		builder_track_rename(c->b, c->part.track, name, (size_t)n);
		c->is_thread = true;
	}
	if (len < sizeof name && len && !is_key(key, len, "version")) {
		memcpy(name, key, len);
		name[len] = '\0';
		builder_info_bytes(c->b, name, at, (size_t)(end - at));
	}
	return true;
}

/* ---- the body ---- */

static const struct key {
	char name[4];
	enum callgrind_space space;
	bool of_callee, names_only; /* of a jump: it may define a name, but changes nothing else */
} keys[] = {
	{"ob", SPACE_OBJECT, false, false},  {"fl", SPACE_FILE, false, false},
	{"fi", SPACE_FILE, false, false},    {"fe", SPACE_FILE, false, false},
	{"fn", SPACE_FUNCTION, false, false}, {"cob", SPACE_OBJECT, true, false},
	{"cfi", SPACE_FILE, true, false},    {"cfl", SPACE_FILE, true, false},
	{"cfn", SPACE_FUNCTION, true, false}, {"jfi", SPACE_FILE, false, true},
	{"jfn", SPACE_FUNCTION, false, true},
};

/* Resets the callee to the place of the call, including inlined code, which is the default of all
 * its attributes. */
static void
callee_forget(struct about *a)
{
	a->callee = (struct spot){.object = a->at.object, .file = a->inner};
}

static void
position_set(struct callgrind *c, const struct key *key, name_id name)
{
	struct about *a = &c->about;
	struct spot *s = key->of_callee ? &a->callee : &a->at;

	switch (key->space) {
	case SPACE_OBJECT:
		s->object = name;
		break;
	case SPACE_FILE:
		if (key->name[0] == 'f' && key->name[1] != 'l') { /* fi, fe: inlined code */
			a->inner = name;
			callee_forget(a);
			return;
		}
		s->file = name;
		break;
	case SPACE_FUNCTION:
		s->function = name;
		s->has_function = true;
		break;
	case SPACES:
		break;
	}
	if (key->of_callee)
		return;
	a->inner = a->at.file;
	a->self = CALLGRAPH_NONE;
	if (key->space == SPACE_FUNCTION)
		a->self = graph_function(c, &a->at);
	callee_forget(a);
}

/* Reads `fn=(1) main` and similar lines; false for other lines. */
static bool
position(struct callgrind *c, const char *line, const char *equals, const char *end)
{
	size_t len = (size_t)(equals - line);
	char key[4] = {0};

	if (len < 2 || len > 3 || !line[len - 1])
		return false;
	memcpy(key, line, len);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (memcmp(key, keys[i].name, sizeof key))
			continue;
		name_id name = callgrind_name(&c->names, keys[i].space, equals + 1, end);
		if (!memcmp(key, "fn", 3))
			callgrind_sums_named(&c->sums, equals + 1, end);
		if (!keys[i].names_only)
			position_set(c, &keys[i], name);
		return true;
	}
	return false;
}

/* Reads positions, then costs; omitted ones are 0.  position[] contains the line number.
 * Returns false for a line with other contents, without an error unless a number is too large. */
static bool
numbers(struct callgrind *c, const char *at, const char *end, int64_t *cost)
{
	struct callgrind_written *w = &c->written;

	for (unsigned i = 0; i < w->n_positions; i++) {
		at = skip_blanks(at, end);
		if (plain_parse(&at, end, &w->position[i]))
			continue;
		const char *stop = word_end(at, end);
		if (at == stop || !relative_parse(at, stop, true, &w->position[i]))
			return false;
		at = stop;
	}
	for (unsigned i = 0; i < c->part.n_metrics; i++) {
		at = skip_blanks(at, end);
		if (!plain_parse(&at, end, &w->cost[i])) {
			const char *stop = word_end(at, end);
			if (at == stop)
				w->cost[i] = 0;
			else if (!relative_parse(at, stop, !w->sinks, &w->cost[i]))
				return false;
			at = stop;
		}
		if (__builtin_mul_overflow(w->cost[i], w->scale[i], &cost[i]))
			return callgrind_bad_line(c, "the sum of the values exceeds 2^63");
	}
	return skip_blanks(at, end) == end;
}

static bool
costs(struct callgrind *c, const char *at, const char *end)
{
	int64_t cost[GRAPH_METRICS_MAX];
	struct about *a = &c->about;
	bool fits = true;

	if (!c->part.n_metrics)
		return callgrind_odd_line(c);
	if (!numbers(c, at, end, cost)) {
		a->calling = false;
		return !err_is_set(c->e) && callgrind_odd_line(c);
	}
	builder_track_event(c->b, c->part.track);
	if (a->calling) {
		uint32_t callee = graph_function(c, &a->callee);
		a->calling = false;
		if (callee == CALLGRAPH_NONE)
			return callgrind_odd_line(c);
		if (a->self != CALLGRAPH_NONE && !stands_for_nothing(c, a->at.function))
			fits = callgraph_arc(c->part.graph, a->self, callee, a->times, cost);
		callee_forget(a);
		return fits ? true : callgrind_bad_line(c, "the sum of the values exceeds 2^63");
	}
	if (!a->at.has_function)
		return callgrind_odd_line(c);
	if (a->self == CALLGRAPH_NONE)
		return true;
	c->sums.costed++;
	if (!graph_self(c, cost))
		return callgrind_bad_line(c, "the sum of the values exceeds 2^63");
	for (unsigned i = 0; i < c->part.n_metrics; i++) {
		/* bounded by the graph's own sums */
		c->sums.of[i] += cost[i] / c->written.scale[i];
		c->sums.costs[i] |= cost[i] != 0;
	}
	return true;
}

/* Reads `calls=N POSITIONS`; the next line has the cost of these calls. */
static bool
calls(struct callgrind *c, const char *at, const char *end)
{
	const char *stop = word_end(at, end);

	/* Even if it is invalid: the next line is not a self cost of the function */
	c->about.calling = true;
	if (!c->uncounted && c->part.n_metrics) /* cachegrind has none */
		builder_calls_metric(c->b, c->part.calls);
	if (at < stop && number_parse(at, stop, &c->about.times) && c->about.times >= 0) {
		if (c->uncounted)
			c->about.times = 0;
		return true;
	}
	c->about.times = 0;
	return callgrind_odd_line(c);
}

static bool
callgrind_line_read(struct callgrind *c, const char *at, const char *end)
{
	const char *mark, *whole = end;

	at = skip_blanks(at, end);
	end = drop_blanks(at, end);
	if (at == end || *at == '#')
		return true;
	if ((*at >= '0' && *at <= '9') || *at == '+' || *at == '-' || *at == '*') {
		c->inside |= c->part.n_metrics != 0;
		return costs(c, at, end);
	}
	for (mark = at; mark < end && *mark != '=' && *mark != ':'; mark++)
		;
	if (mark == end)
		return callgrind_odd_line(c);
	size_t len = (size_t)(mark - at);
	if (callgrind_is_run(at, (size_t)(end - at)))
		return true;
	if (*mark == ':')
		return c->inside && !callgrind_is_header(at, len)
			       ? callgrind_odd_line(c)
			       : header(c, at, len, mark + 1, end);
	c->inside |= c->part.n_metrics != 0;
	if (!c->inside)
		return callgrind_odd_line(c);
	if (is_key(at, len, "calls"))
		return calls(c, mark + 1, end);
	if (is_key(at, len, "jump") || is_key(at, len, "jcnd")) {
		c->jumps++;
		return true;
	}
	return position(c, at, mark, whole) || callgrind_odd_line(c); /* a name may end in blanks */
}

/* ---- the decoder ---- */

static void
callgrind_report(struct callgrind *c)
{
	for (unsigned i = 0; i < c->part.n_metrics; i++)
		if (c->sums.costs[i]) { /* the first function with a cost; sums may cancel out */
			builder_default_metric(c->b, c->part.metric[i]);
			break;
		}
	if (c->part.n_metrics)
		builder_metric_unused(c->b, c->part.calls);
	callgrind_names_report(&c->names);
	odd_lines_report(&c->odd, c->b);
	builder_info_count(c->b, "jumps", c->jumps, ", not shown");
	builder_info(c->b, "assumed", GRAPH_ASSUMED);
}

static bool
callgrind_decode(struct input *in, struct builder *b, struct err *e)
{
	struct callgrind c = {
		.in = in, .b = b, .e = e, .written.n_positions = 1, .names = {.b = b}};
	struct text_line line;
	struct lines lines;
	bool good = true;

	known_init(&c.known);
	part_begin(&c);
	lines_init(&lines, in);
	while (good && lines_next(&lines, &line)) {
		const char *end = line.at + line.len;
		c.offset = line.offset;
		if (!line.ended && callgrind_sums_open(&c.sums) &&
		    !callgrind_ends(line.at, line.len))
			break; /* a number of it may be cut */
		good = line.cut ? callgrind_bad_line(&c, "the line is too long")
				: last_line_whole(in, line.ended, line.offset,
						  callgrind_last_line(line.at, end,
								      c.written.n_positions +
									      c.part.n_metrics),
						  e) &&
					  callgrind_line_read(&c, line.at, end);
	}
	bool open = callgrind_sums_open(&c.sums);
	good = part_write(&c) && good;
	if (good && !input_stopped(in))
		good = callgrind_sums_finish(&c.sums, open, b, c.offset, e);
	callgrind_report(&c);
	callgrind_names_release(&c.names);
	vec_release_all(&c.owing, &c.event.unit);
	known_release(&c.known);
	return good;
}

const struct decoder decoder_callgrind = {
	.name = "callgrind",
	.title = "callgrind, cachegrind, xtree, Xdebug, yappi, ruby-prof",
	.made_of = MADE_TEXT,
	.mangled = true,
	.probe = callgrind_probe,
	.decode = callgrind_decode,
};
