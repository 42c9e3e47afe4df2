/* perfstat: the counts of perf stat, in intervals (-I) or as sums, in its three forms:
 *
 *	{"interval" : 0.05, "counter-value" : "20.1", "unit" : "msec", "event" : "task-clock", ...}
 *	     0.05;CPU0;20.1;msec;task-clock;20082825;100.00;0.502;CPUs utilized        -x\; -A
 *	     0.05              20.1 msec task-clock        #    0.502 CPUs utilized    text
 *
 * Each line is read alone (perfstat_line.h). Several runs in one file have tracks of their own. A
 * value in an interval is a point at its end. A sum is the total of a metric. */
#include "src/decode/decoder.h"

#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/vec.h"
#include "src/decode/common/decimal_comma.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/odd_lines.h"
#include "src/decode/perfstat/perfstat_line.h"
#include "src/input/decimal.h"

/* An event, or an event of one CPU or the like. */
struct stat_counter {
	struct series *series;
	track_id track;  /* of sums */
	metric_id metric; /* of sums */
	int scale;        /* of sums: the power of ten that makes the metric's unit of the value */
	bool is_time;     /* of sums */
};

/* A command that was counted, from its header on. */
struct stat_run {
	name_id command, elapsed;
	bool used; /* it has sums */
};

/* A track of the current run's sums. */
struct stat_track {
	name_id where; /* CPU or the like; NAME_EMPTY: all */
	track_id track;
};

struct perfstat {
	struct builder *b;
	struct err *e;
	uint64_t offset;
	char separator;     /* of a table; NUL: not known yet */
	bool text;          /* a header of text has been read */
	char sign;          /* the decimal sign; NUL: not known */
	struct buf plain;   /* the line without them */
	bool intervals;     /* a value with a time has been read */
	size_t event_column; /* of text: its units are before this column; 0: unknown */
	struct idmap point_of, sum_of; /* names -> index in `counter` */
	VEC(struct stat_run) run;
	VEC(struct stat_track) track;
	struct idmap decimals_of;      /* metrics whose values have decimals -> 0 */
	VEC(struct stat_counter) counter;
	uint64_t runs, not_counted, not_supported, scaled;
	double least; /* percent of the time in which a scaled event ran */
};

/* ---- counters ---- */

static name_id
stat_name(struct perfstat *s, const struct stat_row *r)
{
	double number;
	bool cpu = stat_cell_number(r->where, &number); /* in JSON */
	int where = (int)stat_cell_len(r->where), cgroup = (int)stat_cell_len(r->cgroup);

	if (!where && !cgroup)
		return NAME_EMPTY;
	return builder_namef(s->b, "%s%.*s%s%.*s", cpu ? "CPU" : "", where, r->where.at,
			     where && cgroup ? " " : "", cgroup, r->cgroup.at);
}

static bool
stat_point(struct perfstat *s, const struct stat_row *r, int64_t time_ns, double value)
{
	struct name where = builder_name_get(s->b, stat_name(s, r));
	name_id name = builder_namef(s->b, where.len ? "%.*s[%.*s]" : "%.*s",
				     (int)stat_cell_len(r->event), r->event.at, (int)where.len,
				     where.at);
	uint32_t i;

	if (idmap_add(&s->point_of, name, s->counter.n, &i)) {
		struct name shown = builder_name_get(s->b, name);
		track_id t = builder_track(s->b, shown.at, shown.len, TRACK_COUNTER);
		*vec_push(&s->counter) = (struct stat_counter){
			.track = t, .series = builder_points(s->b, t, true)};
		builder_track_unit(s->b, t, r->unit.at, stat_cell_len(r->unit));
	}
	return builder_point_double(s->b, s->counter.at[i].series, time_ns, value, s->offset,
				    s->e);
}

/* Returns the name of a track of a run's sums, if there are several runs. */
static name_id
run_track_name(struct perfstat *s, size_t run, name_id where)
{
	struct name command = builder_name_get(s->b, s->run.at[run].command);
	struct name place = builder_name_get(s->b, where);

	return command.len ? builder_namef(s->b, place.len ? "%.*s %.*s" : "%.*s",
					   (int)command.len, command.at, (int)place.len, place.at)
			   : builder_namef(s->b, place.len ? "run %zu %.*s" : "run %zu", run + 1,
					   (int)place.len, place.at);
}

/* Begins a run, unless the current one has only its header so far. */
static void
run_begin(struct perfstat *s, name_id command)
{
	struct stat_run *last = s->run.n ? &s->run.at[s->run.n - 1] : NULL;

	if (last && !last->used) {
		last->command = command == NAME_EMPTY ? last->command : command;
		return;
	}
	*vec_push(&s->run) = (struct stat_run){command, NAME_EMPTY, false};
	for (size_t i = 0; s->run.n == 2 && i < s->track.n; i++) {
		struct name n = builder_name_get(
			s->b, run_track_name(s, 0, s->track.at[i].where));
		builder_track_rename(s->b, s->track.at[i].track, n.at, n.len);
	}
	s->track.n = 0;
	idmap_release(&s->sum_of);
}

static struct stat_run *
run_current(struct perfstat *s)
{
	if (!s->run.n)
		run_begin(s, NAME_EMPTY);
	return &s->run.at[s->run.n - 1];
}

/* Returns the track of sums of a CPU or the like, or of the whole. */
static track_id
sum_track(struct perfstat *s, name_id where)
{
	struct name place = builder_name_get(s->b, where);
	track_id track;

	for (size_t i = s->track.n; i-- > 0;)
		if (s->track.at[i].where == where)
			return s->track.at[i].track;
	if (where == NAME_EMPTY && s->run.n < 2) {
		track = builder_main(s->b);
	} else {
		name_id name = s->run.n < 2 ? where : run_track_name(s, s->run.n - 1, where);
		struct name shown = builder_name_get(s->b, name);
		track = builder_track(s->b, shown.at, shown.len,
				      name_begins(place, "CPU") ? TRACK_CORE : TRACK_THREAD);
	}
	*vec_push(&s->track) = (struct stat_track){where, track};
	return track;
}

static struct stat_counter *
sum_counter(struct perfstat *s, const struct stat_row *r)
{
	name_id where = stat_name(s, r);
	name_id event = builder_name(s->b, r->event.at, stat_cell_len(r->event));
	bool ms = stat_cell_is(r->unit, "msec"), ns = stat_cell_is(r->unit, "ns");
	uint32_t i;

	if (idmap_add(&s->sum_of, (uint64_t)where << 32 | event, s->counter.n, &i)) {
		metric_id m = builder_metric(s->b, builder_name_get(s->b, event).at,
					     ms || ns ? UNIT_NS : UNIT_COUNT, ROLE_VALUE);
		if (!i)
			builder_default_metric(s->b, m);
		track_id t = sum_track(s, where);
		*vec_push(&s->counter) = (struct stat_counter){
			builder_totals(s->b, t, &m, 1), t, m, ms ? 6 : 0, ms || ns};
	}
	return &s->counter.at[i];
}

/* Converts a value to an integer of its metric's unit. The first one with decimals gives the metric
 * decimals. */
static bool
sum_value(struct perfstat *s, const struct stat_counter *c, struct text_cell text, int64_t *value)
{
	char digits[64];
	size_t n = 0;
	int scale = c->scale;

	for (const char *p = text.at; p < text.end && n < sizeof digits; p++)
		if (*p != ',')
			digits[n++] = *p;
	bool known = idmap_get(&s->decimals_of, c->metric) != IDMAP_NONE;
	if (!c->is_time && !known && decimal_is_fraction(digits, n)) {
		if (!builder_metric_decimals(s->b, c->metric, s->offset, s->e))
			return false;
		idmap_put(&s->decimals_of, c->metric, 0);
		known = true;
	}
	if (known)
		scale = 6;
	return decimal_scaled(digits, n, scale, value) ||
	       err_damage(s->e, s->offset, "a value exceeds 2^63");
}

static bool
stat_sum(struct perfstat *s, const struct stat_row *r)
{
	run_current(s)->used = true;
	struct stat_counter *c = sum_counter(s, r);
	int64_t value;

	if (!sum_value(s, c, r->value, &value))
		return false;
	name_id name = builder_name(s->b, "[total]", 7);
	stack_id stack = builder_child(s->b, STACK_EMPTY, builder_frame_named(s->b, name));
	builder_track_event(s->b, c->track);
	return builder_total(s->b, c->series, stack, &value, s->offset, s->e);
}

/* ---- lines ---- */

static bool
stat_row(struct perfstat *s, const struct stat_row *r)
{
	int64_t time_ns = 0;
	double value, percent;
	bool timed = r->time.at < r->time.end;

	if (timed && (!decimal_scaled(r->time.at, stat_cell_len(r->time), 9, &time_ns) ||
		      time_ns < 0))
		return false;
	if (!timed && s->intervals)
		return true; /* of a summary (--summary), which repeats the intervals */
	if (timed && !s->intervals) {
		s->intervals = true;
		builder_run_end(s->b, 0); /* the first interval begins there */
	}
	if (stat_cell_is(r->value, "<not counted>") || stat_cell_is(r->value, "<not supported>")) {
		*(r->value.at[5] == 'c' ? &s->not_counted : &s->not_supported) += 1;
		return true;
	}
	if (!stat_cell_number(r->value, &value))
		return false;
	if (stat_cell_number(r->percent, &percent) && percent < 100)
		s->least = s->scaled++ && s->least < percent ? s->least : percent;
	return timed ? stat_point(s, r, time_ns, value) : stat_sum(s, r);
}

/* Returns the command of a header, `'CMD' (3 runs):`; without quotes `process id 7:`. */
static name_id
command_of(struct perfstat *s, const char *at, const char *end)
{
	at = skip_blanks(at, end);
	const char *first = at < end ? memchr(at, '\'', (size_t)(end - at)) : NULL;
	const char *last = first ? memrchr(at, '\'', (size_t)(end - at)) : NULL;

	if (first == at && last > first)
		return builder_name(s->b, first + 1, (size_t)(last - first) - 1);
	while (end > at && (end[-1] == ':' || is_blank(end[-1])))
		end--;
	return builder_name(s->b, at, (size_t)(end - at));
}

/* Reads the lines that are none of a counter. Returns false for others. */
static bool
stat_other(struct perfstat *s, const char *at, const char *end)
{
	const char *line = at;

	at = skip_blanks(at, end);
	if (at == end)
		return true;
	if (stat_is_text_header(line, end)) {
		s->text = true;
		s->event_column = (size_t)(text_find(line, end, " events") + 1 - line);
		return true;
	}
	if (begins_with(line, end, PERFSTAT_SUMS)) {
		run_begin(s, command_of(s, line + strlen(PERFSTAT_SUMS), end));
		s->text = true;
		s->event_column = 0;
		return true;
	}
	if (begins_with(line, end, "# started on ")) {
		s->runs++;
		run_begin(s, NAME_EMPTY);
		builder_info_bytes(s->b, "started", line + 13, (size_t)(end - line - 13));
	}
	if (*at == '#' || begins_with(at, end, "summary"))
		return true;
	const char *unit = text_find(at, end, " seconds ");
	if (s->text && unit) {
		if (begins_with(unit, end, " seconds time elapsed"))
			run_current(s)->elapsed =
				builder_name(s->b, at, (size_t)(unit + 8 - at));
		return true;
	}
	return false;
}

/* Returns true for a line of a table that has only a metric, of the event in an earlier line. */
static bool
is_metric_row(const char *at, const char *end, char separator)
{
	return text_find(at, end, (char[]){separator, separator, separator, '\0'});
}

static bool
stat_line(void *state, const char *at, const char *end)
{
	struct perfstat *s = state;
	struct stat_row r = {0};

	if (s->sign == ',') {
		decimal_comma_plain(at, end, &s->plain);
		at = buf_str(&s->plain);
		end = at + s->plain.len;
	}
	if (stat_other(s, at, end))
		return true;
	if (*at == '{') {
		if (!stat_row_json(at, end, &r))
			return false;
		return r.event.at == r.event.end || stat_row(s, &r); /* else: a metric alone */
	}
	if (s->text)
		return stat_row_text(s->event_column, at, end, &r) ? stat_row(s, &r)
						     : memchr(at, '#', (size_t)(end - at)) != NULL;
	char separator = s->separator ? s->separator : stat_separator(at, end);
	if (!separator)
		return false;
	if (!stat_row_table(at, end, separator, &r))
		return is_metric_row(at, end, separator);
	s->separator = separator;
	return stat_row(s, &r);
}

/* ---- the decoder ---- */

static int
perfstat_probe(struct head head)
{
	enum { SURE = 95 };
	const char *next = NULL, *at, *end;
	bool started = false;

	if (head_has(head, "\n" PERFSTAT_SUMS)) /* the program's own output may precede it */
		return SURE;
	while (head_line_filled(head, &next, &at, &end)) {
		if (stat_is_text_header(at, end) || begins_with(at, end, PERFSTAT_SUMS))
			return SURE;
		if (*at == '{')
			return text_find(at, end, "\"counter-value\"") &&
					       text_find(at, end, "\"event\"")
				       ? SURE
				       : 0;
		if (*at != '#')
			return !stat_is_table_row(at, end) ? 0 : started ? 85 : 75;
		started = started || begins_with(at, end, "# started on ");
	}
	return 0;
}

static void
runs_facts(struct perfstat *s)
{
	for (size_t i = 0; i < s->run.n; i++) {
		bool several = s->run.n > 1;
		name_id command = several ? run_track_name(s, i, NAME_EMPTY)
					  : s->run.at[i].command;
		struct name name = builder_name_get(s->b, command);
		struct name time = builder_name_get(s->b, s->run.at[i].elapsed);
		if (name.len && !several)
			builder_info_bytes(s->b, "command", name.at, name.len);
		if (time.len)
			builder_info(s->b, "elapsed", "%.*s%s%.*s", several ? (int)name.len : 0,
				     name.at, several ? ": " : "", (int)time.len, time.at);
	}
}

static void
perfstat_facts(struct perfstat *s)
{
	runs_facts(s);
	builder_info_count(s->b, "not counted", s->not_counted, " values");
	builder_info_count(s->b, "not supported", s->not_supported, " values");
	if (s->scaled)
		builder_warn(s->b, "scaled: %" PRIu64 " values are estimates of perf; their events "
				   "were counted in %.2f %% of the time or more",
			     s->scaled, s->least);
	if (s->runs > 1 && s->intervals)
		builder_warn(s->b, "%" PRIu64 " recordings in one file: all begin at 0", s->runs);
}

/* Finds the decimal sign; the program's own output may precede a header of text. */
static char
find_sign(struct input *in)
{
	input_need(in, 1u << 16);
	struct head head = {.at = input_at(in), .len = input_have(in), .whole = true};
	bool text = false, sums = head_has(head, PERFSTAT_SUMS);
	const char *next = NULL, *at, *end;
	char sign = '\0';

	while (!sign && head_line(head, &next, &at, &end)) {
		if (text_find(at, end, PERFSTAT_SUMS) || stat_is_text_header(at, end))
			text = true;
		else if (text || !sums)
			sign = decimal_sign_of(at, end, text);
	}
	return sign;
}

static bool
perfstat_decode(struct input *in, struct builder *b, struct err *e)
{
	struct perfstat s = {.b = b, .e = e, .plain = BUF_INIT};
	s.sign = find_sign(in);
	bool good = text_lines(in, b, e, &s.offset, stat_last_line, stat_line, &s);

	perfstat_facts(&s);
	buf_release(&s.plain);
	vec_release_all(&s.counter, &s.run, &s.track);
	idmap_release_all(&s.point_of, &s.sum_of, &s.decimals_of);
	return good;
}

const struct decoder decoder_perfstat = {
	.name = "perfstat",
	.title = "perf stat: counters in intervals, or their sums",
	.made_of = MADE_TEXT | MADE_JSON,
	.members = "counter-value event",
	.sure = 95,
	.probe = perfstat_probe,
	.decode = perfstat_decode,
	.dump = lines_dump,
};
