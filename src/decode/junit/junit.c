/* junit: JUnit XML, the reports of test runners (pytest, CTest, node, Maven, gtest and others).
 *
 *	<testsuites>
 *	  <testsuite name="shop" time="0.9">             shop                  0.1 s, the rest
 *	    <testcase name="pays" classname="Till"         Till
 *	              time="0.5"/>                           pays              0.5 s
 *	    <testsuite name="stock" time="0.3"> ...        stock               0.3 s with its cases
 *
 * There is no schema that all of them follow, so elements are known by their names alone, at any
 * depth. Times of day exist for suites only; hence there is no axis. The time of a suite is that of
 * its cases and of what it does between them. It may also be smaller, since some runners write 0
 * and others run cases side by side: then nothing remains for the suite itself. NUnit writes the
 * time from the first to the last case of a suite, in which those of other suites ran. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/sum.h"
#include "src/decode/common/contradiction.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/words.h"
#include "src/decode/common/xml_dump.h"
#include "src/input/decimal.h"
#include "src/input/xml.h"

#define MESSAGE_BYTES 200u /* of a message: its first line, up to here */
#define NO_GROUP UINT32_MAX
#define ROUNDING_SHARE 50 /* of a suite's time, that what it contains may take more */
#define LONG_NS (INT64_C(100) * 86400 * 1000000000) /* of one test: its unit is not the second */

enum junit_status { JUNIT_PASSED, JUNIT_SKIPPED, JUNIT_FAILED, JUNIT_ERROR, JUNIT_STATUSES };
static const struct {
	const char *name, *tag, *fact;
} statuses[JUNIT_STATUSES] = {
	[JUNIT_PASSED] = {"passed", NULL, NULL},
	[JUNIT_SKIPPED] = {"skipped", "skipped", "skipped"},
	[JUNIT_FAILED] = {"failed", "failure", "failed"},
	[JUNIT_ERROR] = {"error", "error", "errors"},
};

struct junit_suite {
	unsigned depth; /* of its element */
	uint32_t group;
	stack_id stack;
	name_id name, host;
	int64_t time_ns, below_ns; /* of what is in it; time_ns -1: unknown */
	int64_t cases_ns;          /* of the cases in it, at any depth */
	size_t own; /* the first cost in `own` of the suites in it */
	uint64_t offset;
};

/* A test case, or a suite's own time. */
struct junit_cost {
	stack_id stack;
	labels_id labels;
	int64_t time_ns, calls;
	uint64_t offset;
};

struct junit_case {
	unsigned depth; /* of its element; 0: outside cases */
	enum junit_status status;
	bool needs_text; /* the text that follows is the message */
	struct buf message;
	struct junit_cost cost;
};

/* An outermost suite, or all with its name. */
struct junit_group {
	name_id name;
	track_id track;
	struct series *series;
};

struct junit {
	struct builder *b;
	struct err *e;
	metric_id metric[2];
	VEC(struct junit_suite) suite; /* those that are open */
	VEC(struct junit_group) group;
	struct idmap group_of; /* name -> group */
	/* Costs outside the outermost suites. Their track depends on the number of suites. */
	VEC(struct junit_cost) loose;
	/* Own times of the suites in the outermost one, whose time may contradict them. */
	VEC(struct junit_cost) own;
	struct junit_case at;
	struct {
		name_id status, message, host;
	} key;
	name_id suites; /* what has no name itself, nor around it */
	uint64_t cases, flaky, bad_times, long_times, n[JUNIT_STATUSES];
	int64_t dropped_ns, kept_ns; /* own times of suites; times of all else */
};

/* ---- groups and costs ---- */

static struct junit_group *
junit_new_group(struct junit *j, name_id name, const char *shown, size_t len)
{
	track_id track = j->group.n ? builder_track(j->b, shown, len, TRACK_THREAD)
				    : builder_main(j->b);
	struct junit_group *g = vec_push(&j->group);

	*g = (struct junit_group){name, track, builder_totals(j->b, track, j->metric, 2)};
	builder_labelled(j->b, g->series);
	return g;
}

static struct name
junit_shown(const struct junit *j, name_id name)
{
	return name == NAME_EMPTY ? (struct name){.at = "(unnamed)", .len = 9}
				  : builder_name_get(j->b, name);
}

/* Returns the group of the outermost suites of this name. The first is the track `main`, and gets
 * its own name when there is another. */
static uint32_t
junit_group(struct junit *j, name_id name)
{
	struct name shown = junit_shown(j, name);
	uint32_t group;

	if (idmap_add(&j->group_of, name, j->group.n, &group)) {
		if (j->group.n == 1) {
			struct name first = junit_shown(j, j->group.at[0].name);
			builder_track_rename(j->b, j->group.at[0].track, first.at, first.len);
		}
		junit_new_group(j, name, shown.at, shown.len);
	}
	return group;
}

static bool
junit_put(struct junit *j, const struct junit_group *g, const struct junit_cost *c)
{
	int64_t value[2] = {c->time_ns, c->calls};
	stack_id stack = c->stack;

	if (stack == STACK_EMPTY)
		stack = builder_child(j->b, stack, builder_frame_named(j->b, j->suites));
	j->kept_ns = sum_clipped(j->kept_ns, c->time_ns);
	builder_next_labels(j->b, g->series, c->labels);
	builder_track_event(j->b, g->track);
	return builder_total(j->b, g->series, stack, value, c->offset, j->e);
}

static bool
junit_cost(struct junit *j, uint32_t group, struct junit_cost c)
{
	if (group != NO_GROUP)
		return junit_put(j, &j->group.at[group], &c);
	*vec_push(&j->loose) = c;
	return true;
}

static bool
junit_put_loose(struct junit *j)
{
	struct junit_group *g = j->group.n == 1 ? j->group.at : NULL;

	if (!g && (j->loose.n || !j->group.n))
		g = junit_new_group(j, NAME_EMPTY, "main", 4);
	for (size_t i = 0; i < j->loose.n; i++)
		if (!junit_put(j, g, &j->loose.at[i]))
			return false;
	return true;
}

/* ---- attributes ---- */

static name_id
junit_name(struct junit *j, const char *const *attribute, const char *name)
{
	const char *value = xml_attribute(attribute, name);

	return value && *value ? builder_name(j->b, value, strlen(value)) : NAME_EMPTY;
}

/* Parses the attribute `time`: seconds, with commas between thousands, or one instead of the point
 * (`0,25`: no thousands follow a zero). Returns -1 without one, and counts those that are no
 * numbers. */
static int64_t
junit_time(struct junit *j, const char *const *attribute)
{
	const char *text = xml_attribute(attribute, "time");
	char digits[64];
	size_t n = 0;
	int64_t ns;

	if (!text || !*text)
		return -1;
	bool point = text[0] == '0' && text[1] == ',';
	for (; *text && n < sizeof digits; text++)
		if (*text != ',')
			digits[n++] = *text;
		else if (point)
			digits[n++] = '.';
	if (!*text && decimal_scaled(digits, n, 9, &ns) && ns >= 0) {
		j->long_times += ns >= LONG_NS;
		return ns;
	}
	j->bad_times++;
	return -1;
}

/* Returns the stack of a suite or a case of this name below another. */
static stack_id
junit_child(struct junit *j, stack_id parent, name_id name, const char *const *attribute)
{
	const char *line = xml_attribute(attribute, "line");
	int64_t number = 0;

	if (!line || !number_parse(line, line + strlen(line), &number) || number < 0 ||
	    number > UINT32_MAX)
		number = 0;
	struct function f = {
		.name = name,
		.file = junit_name(j, attribute, "file"),
		.line = (uint32_t)number,
		.kind = KIND_USER,
	};
	return builder_child(j->b, parent, builder_frame_of(j->b, f, 0));
}

static size_t
junit_label(struct junit *j, label_id *id, size_t n, name_id key, name_id value)
{
	if (value != NAME_EMPTY)
		id[n++] = builder_label_text(j->b, key, value);
	return n;
}

/* ---- suites ---- */

static const struct junit_suite *
junit_suite(const struct junit *j)
{
	static const struct junit_suite none = {.group = NO_GROUP, .stack = STACK_EMPTY,
						.name = NAME_EMPTY, .host = NAME_EMPTY};

	return j->suite.n ? &j->suite.at[j->suite.n - 1] : &none;
}

static void
suite_begin(struct junit *j, const struct xml_reader *x, const char *tag,
	    const char *const *attribute)
{
	const struct junit_suite *above = junit_suite(j);
	struct junit_suite s = {
		.depth = x->depth,
		.group = above->group,
		.stack = above->stack,
		.name = junit_name(j, attribute, "name"),
		.host = junit_name(j, attribute, "hostname"),
		.time_ns = junit_time(j, attribute),
		.own = j->own.n,
		.offset = x->offset,
	};

	if (s.host == NAME_EMPTY)
		s.host = above->host;
	if (s.name != NAME_EMPTY)
		s.stack = junit_child(j, s.stack, s.name, attribute);
	if (s.group == NO_GROUP && !strcmp(tag, "testsuite"))
		s.group = junit_group(j, s.name);
	*vec_push(&j->suite) = s;
}

static bool
own_write(struct junit *j, uint32_t group)
{
	bool good = true;

	for (size_t i = 0; i < j->own.n && good; i++)
		good = junit_put(j, &j->group.at[group], &j->own.at[i]);
	j->own.n = 0;
	return good;
}

/* Leaves out the own times of the suites in a suite that took less time than they, though the cases
 * do not: other suites ran meanwhile. Those of <testsuites> run side by side in some runners. */
static void
check_inner(struct junit *j, struct junit_suite *s)
{
	int64_t slack = s->time_ns / ROUNDING_SHARE, dropped = 0;

	if (s->group == NO_GROUP || s->time_ns <= 0 || s->cases_ns > s->time_ns ||
	    s->below_ns <= sum_clipped(s->time_ns, slack) || j->own.n == s->own)
		return;
	for (size_t i = s->own; i < j->own.n; i++)
		dropped = sum_clipped(dropped, j->own.at[i].time_ns);
	j->own.n = s->own;
	s->below_ns = s->cases_ns;
	j->dropped_ns = sum_clipped(j->dropped_ns, dropped);
	struct name n = junit_shown(j, s->name);
	builder_warn(j->b, "%.*s took less time than the suites in it: their own times are 0",
		     (int)n.len, n.at);
}

/* Gives the suite the time that is not below it. */
static bool
suite_end(struct junit *j)
{
	struct junit_suite s = *junit_suite(j);
	bool good = true;
	label_id id;

	check_inner(j, &s);
	int64_t own = s.time_ns > s.below_ns ? s.time_ns - s.below_ns : 0;
	if (--j->suite.n) {
		struct junit_suite *above = &j->suite.at[j->suite.n - 1];
		above->below_ns = sum_clipped(above->below_ns, s.below_ns + own);
		above->cases_ns = sum_clipped(above->cases_ns, s.cases_ns);
	}
	struct junit_cost cost = {.stack = s.stack, .time_ns = own, .offset = s.offset};
	cost.labels = builder_labels(j->b, &id, junit_label(j, &id, 0, j->key.host, s.host));
	if (own && s.group == NO_GROUP)
		good = junit_cost(j, s.group, cost);
	else if (own)
		*vec_push(&j->own) = cost;
	return good && (junit_suite(j)->group == s.group || own_write(j, s.group));
}

/* ---- cases ---- */

static void
case_begin(struct junit *j, struct xml_reader *x, const char *const *attribute)
{
	const struct junit_suite *suite = junit_suite(j);
	name_id name = junit_name(j, attribute, "name");
	name_id class = junit_name(j, attribute, "classname");
	struct junit_case *c = &j->at;
	int64_t time_ns = junit_time(j, attribute);

	x->record = x->offset;
	if (name == NAME_EMPTY)
		name = builder_name(j->b, "(unnamed)", 9);
	c->depth = x->depth;
	c->status = JUNIT_PASSED;
	c->needs_text = false;
	buf_reset(&c->message);
	c->cost = (struct junit_cost){
		.stack = suite->stack,
		.time_ns = time_ns < 0 ? 0 : time_ns,
		.calls = 1,
		.offset = x->offset,
	};
	if (class != NAME_EMPTY && class != suite->name && class != name)
		c->cost.stack = builder_child(j->b, c->cost.stack,
					      builder_frame_named(j->b, class));
	c->cost.stack = junit_child(j, c->cost.stack, name, attribute);
}

/* Appends text to the message, up to the end of its first line that is not blank. */
static void
message_add(struct junit_case *c, const char *at, size_t len)
{
	const char *end = at + len;

	for (; at < end && c->message.len <= MESSAGE_BYTES; at++) {
		bool ends = *at == '\n' || *at == '\r';
		if (ends && c->message.len) {
			c->needs_text = false;
			return;
		}
		if (c->message.len || (!ends && !is_blank(*at)))
			buf_addc(&c->message, *at);
	}
}

static name_id
message_name(struct junit *j, const struct junit_case *c)
{
	const char *at = buf_str(&c->message);
	size_t len = c->message.len;

	if (len > MESSAGE_BYTES)
		for (len = MESSAGE_BYTES; len && is_utf8_tail(at[len]); len--)
			;
	while (len && is_blank(at[len - 1]))
		len--;
	return len ? builder_name(j->b, at, len) : NAME_EMPTY;
}

/* Takes an element in a case. The worst result counts, and of equals the first. */
static void
result_begin(struct junit *j, const char *tag, const char *const *attribute)
{
	struct junit_case *c = &j->at;
	const char *message = xml_attribute(attribute, "message");

	j->flaky += !strcmp(tag, "flakyFailure") || !strcmp(tag, "flakyError");
	for (enum junit_status s = JUNIT_SKIPPED; s < JUNIT_STATUSES; s++) {
		if (s <= c->status || strcmp(tag, statuses[s].tag) != 0)
			continue;
		c->status = s;
		buf_reset(&c->message);
		if (message)
			message_add(c, message, strlen(message));
		c->needs_text = !c->message.len;
	}
}

static bool
case_end(struct junit *j)
{
	struct junit_suite *suite = j->suite.n ? &j->suite.at[j->suite.n - 1] : NULL;
	struct junit_case *c = &j->at;
	const char *status = statuses[c->status].name;
	label_id id[3];
	size_t n = 0;

	n = junit_label(j, id, n, j->key.status, builder_name(j->b, status, strlen(status)));
	n = junit_label(j, id, n, j->key.message, message_name(j, c));
	n = junit_label(j, id, n, j->key.host, junit_suite(j)->host);
	c->cost.labels = builder_labels(j->b, id, n);
	c->depth = 0;
	j->cases++;
	j->n[c->status]++;
	if (suite) {
		suite->below_ns = sum_clipped(suite->below_ns, c->cost.time_ns);
		suite->cases_ns = sum_clipped(suite->cases_ns, c->cost.time_ns);
	}
	return junit_cost(j, junit_suite(j)->group, c->cost);
}

/* ---- the document ---- */

static bool
is_suite(const char *tag)
{
	return !strcmp(tag, "testsuite") || !strcmp(tag, "testsuites");
}

static bool
junit_begin(struct xml_reader *x, void *state, const char *tag, const char *const *attribute)
{
	struct junit *j = state;

	if (x->depth == 1 && !is_suite(tag))
		return err_refuse(x->e, "a document in XML (%s), but no report of JUnit", tag);
	if (j->at.depth) {
		if (x->depth == j->at.depth + 1)
			result_begin(j, tag, attribute);
	} else if (!strcmp(tag, "testcase")) {
		case_begin(j, x, attribute);
	} else if (is_suite(tag)) {
		suite_begin(j, x, tag, attribute);
	}
	return true;
}

static bool
junit_end(struct xml_reader *x, void *state, const char *tag UNUSED)
{
	struct junit *j = state;

	if (j->at.depth && x->depth == j->at.depth) {
		x->record = XML_NO_RECORD;
		return case_end(j);
	}
	if (j->at.depth && x->depth == j->at.depth + 1)
		j->at.needs_text = false;
	if (!j->at.depth && j->suite.n && junit_suite(j)->depth == x->depth)
		return suite_end(j);
	return true;
}

static void
junit_text(struct xml_reader *x UNUSED, void *state, const char *at, size_t len)
{
	struct junit *j = state;

	if (j->at.needs_text)
		message_add(&j->at, at, len);
}

static void
junit_facts(struct junit *j)
{
	builder_info(j->b, "cases", "%" PRIu64, j->cases);
	for (int s = JUNIT_STATUSES; s-- > JUNIT_SKIPPED;)
		builder_info_count(j->b, statuses[s].fact, j->n[s], "");
	builder_info_count(j->b, "flaky", j->flaky, "");
	builder_warn_count(j->b, j->bad_times,
			   "time attribute is no number and was ignored",
			   "time attributes are no numbers and were ignored");
	builder_warn_count(j->b, j->long_times,
			   "time is longer than 100 days: it may not be in seconds, as those of "
			   "container-structure-test",
			   "times are longer than 100 days: they may not be in seconds, as those "
			   "of container-structure-test");
	contradiction_report(j->b, j->dropped_ns, j->kept_ns);
}

static int
junit_probe(struct head head)
{
	enum { SURE = 95 };

	return xml_begins_with(head.at, head.len, "testsuites") ||
			       xml_begins_with(head.at, head.len, "testsuite")
		       ? SURE
		       : 0;
}

static bool
junit_decode(struct input *in, struct builder *b, struct err *e)
{
	static const struct xml_calls calls = {junit_begin, junit_end, junit_text};
	struct err later = {0};
	struct junit j = {
		.b = b,
		.e = e,
		.metric = {builder_metric(b, "time", UNIT_NS, ROLE_VALUE),
			   builder_metric(b, "calls", UNIT_CALLS, ROLE_VALUE)},
		.key = {builder_name(b, "status", 6), builder_name(b, "message", 7),
			builder_name(b, "host", 4)},
		.suites = builder_name(b, "[testsuites]", 12),
	};

	builder_calls_metric(b, j.metric[1]);
	builder_default_metric(b, j.metric[0]);
	bool read = xml_read(in, &calls, &j, e);
	j.e = read ? e : &later;
	bool good = !j.suite.n || own_write(&j, junit_suite(&j)->group);
	good = good && junit_put_loose(&j) && read;
	junit_facts(&j);
	buf_release(&j.at.message);
	vec_release_all(&j.suite, &j.group, &j.loose, &j.own);
	idmap_release(&j.group_of);
	return good;
}

const struct decoder decoder_junit = {
	.name = "junit",
	.title = "JUnit XML: reports of test runners",
	.made_of = MADE_TEXT,
	.probe = junit_probe,
	.decode = junit_decode,
	.dump = xml_dump,
};
