/* perfstat: the counts of perf stat, in intervals (-I) or as sums, in its three forms:
 *
 *	{"interval" : 0.05, "counter-value" : "20.1", "unit" : "msec", "event" : "task-clock", ...}
 *	     0.05;CPU0;20.1;msec;task-clock;20082825;100.00;0.502;CPUs utilized        -x\; -A
 *	     0.05              20.1 msec task-clock        #    0.502 CPUs utilized    text
 *
 * Each line is read alone. In tables and text the columns before the value depend on options and
 * have no names, so the value is found by what follows it: in a table a unit, which is no number,
 * and an event, which is neither empty nor a number; in text it is the last number before the
 * comment. Columns between the time and the value say which CPU, core, socket or thread counted.
 *
 * A value in an interval is a point at its end. A sum is the total of a metric. */
#include "src/decode/decoder.h"

#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/vec.h"
#include "src/decode/common/decimal_comma.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/odd_lines.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"

#define CELLS_MAX 64u
#define SUMS_HEADER " Performance counter stats for"

/* A line; cells that it lacks are empty. */
struct stat_row {
	struct text_cell time;  /* seconds from the begin to the end of the interval */
	struct text_cell where; /* "CPU0", "S0-D0-C1", "make-4711" */
	struct text_cell value, unit, event, cgroup, percent;
};

/* An event, or an event of one CPU or the like. */
struct stat_counter {
	struct series *series;
	track_id track;  /* of sums */
	metric_id metric; /* of sums */
	int scale;        /* of sums: the power of ten that makes the metric's unit of the value */
	bool is_time;     /* of sums */
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
	struct idmap track_of;         /* names -> tracks of sums */
	struct idmap decimals_of;      /* metrics whose values have decimals -> 0 */
	struct buf scratch;
	VEC(struct stat_counter) counter;
	uint64_t runs, not_counted, not_supported, scaled;
	double least; /* percent of the time in which a scaled event ran */
};

/* ---- cells ---- */

static size_t
cell_len(struct text_cell c)
{
	return (size_t)(c.end - c.at);
}

static bool
cell_is(struct text_cell c, const char *text)
{
	return is_key(c.at, cell_len(c), text);
}

static struct text_cell
cell_trim(struct text_cell c)
{
	c.at = skip_blanks(c.at, c.end);
	c.end = drop_blanks(c.at, c.end);
	return c;
}

/* Parses a number, with commas between thousands. */
static bool
cell_number(struct text_cell c, double *out)
{
	char digits[64];
	size_t n = 0;

	for (; c.at < c.end && n < sizeof digits; c.at++)
		if (*c.at != ',')
			digits[n++] = *c.at;
	return c.at == c.end && decimal_double(digits, n, out);
}

static bool
cell_is_number(struct text_cell c)
{
	double number;

	return cell_number(c, &number);
}

static bool
cell_is_value(struct text_cell c)
{
	return cell_is(c, "<not counted>") || cell_is(c, "<not supported>") || cell_is_number(c);
}

/* ---- the three forms ---- */

/* Returns the next string or bare word of a JSON object in one line; strings without their quotes
 * and with their escapes, which perf does not write. */
static const char *
json_word(const char *at, const char *end, struct text_cell *out)
{
	while (at < end && (is_blank(*at) || *at == ',' || *at == ':'))
		at++;
	bool quoted = at < end && *at == '"';
	at += quoted;
	out->at = at;
	while (at < end && (quoted ? *at != '"' : !strchr(" \t,:}", *at)))
		at += 1 + (*at == '\\' && end - at > 1);
	out->end = at;
	return at + (quoted && at < end);
}

static bool
json_row_read(const char *at, const char *end, struct stat_row *r)
{
	static const char *const where[] = {"cpu",  "core",  "die",     "socket",
					    "node", "cache", "cluster", "thread"};
	struct text_cell key, value;

	for (at++; at < end && *at != '}';) {
		at = json_word(at, end, &key);
		at = json_word(at, end, &value);
		if (key.at == key.end)
			return false;
		if (cell_is(key, "interval"))
			r->time = value;
		else if (cell_is(key, "counter-value"))
			r->value = value;
		else if (cell_is(key, "unit"))
			r->unit = value;
		else if (cell_is(key, "event"))
			r->event = value;
		else if (cell_is(key, "cgroup"))
			r->cgroup = value;
		else if (cell_is(key, "pcnt-running"))
			r->percent = value;
		for (size_t i = 0; i < sizeof where / sizeof *where; i++)
			if (cell_is(key, where[i]))
				r->where = value;
		at = skip_blanks(at, end);
	}
	return at < end;
}

/* Joins the cells of an event such as cpu/event=0x3c,umask=0x1/ that contains the separator.
 * Returns the index of its last cell. */
static unsigned
event_end(const struct text_cell *cell, unsigned i, unsigned n)
{
	const char *slash = memchr(cell[i].at, '/', cell_len(cell[i]));

	if (!slash || memchr(slash + 1, '/', (size_t)(cell[i].end - slash - 1)))
		return i;
	for (unsigned k = i + 1; k < n; k++)
		if (memchr(cell[k].at, '/', cell_len(cell[k])))
			return k;
	return i;
}

/* Splits a line of a table. Lines that have a metric alone have no event and are of no use. */
static bool
table_row_read(const char *at, const char *end, char separator, struct stat_row *r)
{
	struct text_cell cell[CELLS_MAX];
	unsigned n = cells_split(at, end, separator, cell, CELLS_MAX), i;

	for (i = 0; i < n; i++)
		cell[i] = cell_trim(cell[i]);
	for (i = 0; i + 2 < n; i++)
		if (cell_is_value(cell[i]) && !cell_is_number(cell[i + 1]) &&
		    cell_len(cell[i + 2]) && !cell_is_number(cell[i + 2]))
			break;
	if (i + 2 >= n)
		return false;
	bool timed = i && cell_is_number(cell[0]);
	if (timed)
		r->time = cell[0];
	if (i > timed)
		r->where = cell[timed];
	r->value = cell[i];
	r->unit = cell[i + 1];
	r->event = cell[i + 2];
	i = event_end(cell, i + 2, n);
	r->event.end = cell[i].end;
	if (++i < n && !cell_is_number(cell[i]) && cell[i].end > cell[i].at &&
	    cell[i].end[-1] != '%')
		r->cgroup = cell[i];
	while (i < n && !cell_is_number(cell[i]))
		i++;
	if (i + 1 < n)
		r->percent = cell[i + 1];
	return true;
}

/* Returns the end of the next word of a text; `<not counted>` is one. */
static const char *
text_word_end(const char *at, const char *end)
{
	const char *bracket = *at == '<' ? memchr(at, '>', (size_t)(end - at)) : NULL;

	return bracket ? bracket + 1 : word_end(at, end);
}

/* Splits a line of text. */
static bool
text_row_read(const struct perfstat *s, const char *at, const char *end, struct stat_row *r)
{
	struct text_cell word[CELLS_MAX];
	const char *line = at, *stop = memchr(at, '#', (size_t)(end - at));
	unsigned n = 0, value = CELLS_MAX;

	for (at = skip_blanks(at, end); at < (stop ? stop : end) && n < CELLS_MAX; n++) {
		word[n] = (struct text_cell){at, text_word_end(at, end)};
		if (*at == '(' || cell_is(word[n], "+-"))
			break;
		if ((n || !s->event_column) && cell_is_value(word[n]))
			value = n;
		at = skip_blanks(word[n].end, end);
	}
	if (value == CELLS_MAX || value + 1 >= n)
		return false;
	for (const char *p = end; p > line + 1 && !r->percent.at; p--)
		if (p[-1] == '(' && memchr(p, '%', (size_t)(end - p)) && is_digit(*p))
			r->percent = (struct text_cell){p, memchr(p, '%', (size_t)(end - p))};
	unsigned first = s->event_column != 0;
	if (first)
		r->time = word[0];
	if (value > first + 1 && cell_is_number(word[value - 1]))
		r->where = (struct text_cell){word[first].at, word[value - 2].end};
	else if (value > first)
		r->where = (struct text_cell){word[first].at, word[value - 1].end};
	r->value = word[value++];
	if (value + 1 < n &&
	    (!s->event_column || (size_t)(word[value].at - line) < s->event_column))
		r->unit = word[value++];
	r->event = word[value++];
	if (value < n)
		r->cgroup = word[value];
	return true;
}

/* ---- counters ---- */

static name_id
stat_name(struct perfstat *s, const struct stat_row *r)
{
	bool cpu = cell_is_number(r->where); /* in JSON */
	int where = (int)cell_len(r->where), cgroup = (int)cell_len(r->cgroup);

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
				     (int)cell_len(r->event), r->event.at, (int)where.len,
				     where.at);
	uint32_t i;

	if (idmap_add(&s->point_of, name, s->counter.n, &i)) {
		struct name shown = builder_name_get(s->b, name);
		track_id t = builder_track(s->b, shown.at, shown.len, TRACK_COUNTER);
		*vec_push(&s->counter) = (struct stat_counter){
			.track = t, .series = builder_points(s->b, t, true)};
		builder_track_unit(s->b, t, r->unit.at, cell_len(r->unit));
	}
	return builder_point_double(s->b, s->counter.at[i].series, time_ns, value, s->offset,
				    s->e);
}

/* Returns the track of sums of a CPU or the like, or of the whole. */
static track_id
sum_track(struct perfstat *s, name_id where)
{
	uint32_t track = idmap_get(&s->track_of, where);

	if (track != IDMAP_NONE)
		return track;
	struct name shown = builder_name_get(s->b, where);
	if (where == NAME_EMPTY)
		track = builder_main(s->b);
	else
		track = builder_track(s->b, shown.at, shown.len,
				      name_begins(shown, "CPU") ? TRACK_CORE : TRACK_THREAD);
	idmap_put(&s->track_of, where, track);
	return track;
}

static struct stat_counter *
sum_counter(struct perfstat *s, const struct stat_row *r)
{
	name_id where = stat_name(s, r);
	name_id event = builder_name(s->b, r->event.at, cell_len(r->event));
	bool ms = cell_is(r->unit, "msec"), ns = cell_is(r->unit, "ns");
	uint32_t i;

	if (idmap_add(&s->sum_of, (uint64_t)where << 32 | event, s->counter.n, &i)) {
		buf_reset(&s->scratch);
		buf_add(&s->scratch, r->event.at, cell_len(r->event));
		metric_id m = builder_metric(s->b, buf_str(&s->scratch),
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

	if (timed && (!decimal_scaled(r->time.at, cell_len(r->time), 9, &time_ns) || time_ns < 0))
		return false;
	if (!timed && s->intervals)
		return true; /* of a summary (--summary), which repeats the intervals */
	if (timed && !s->intervals) {
		s->intervals = true;
		builder_run_end(s->b, 0); /* the first interval begins there */
	}
	if (cell_is(r->value, "<not counted>") || cell_is(r->value, "<not supported>")) {
		*(r->value.at[5] == 'c' ? &s->not_counted : &s->not_supported) += 1;
		return true;
	}
	if (!cell_number(r->value, &value))
		return false;
	if (cell_number(r->percent, &percent) && percent < 100)
		s->least = s->scaled++ && s->least < percent ? s->least : percent;
	return timed ? stat_point(s, r, time_ns, value) : stat_sum(s, r);
}

/* Returns true for the line above the columns of text. */
static bool
is_text_header(const char *at, const char *end)
{
	return begins_with(at, end, "#") &&
	       begins_with(skip_blanks(at + 1, end), end, "time ") &&
	       text_find(at, end, " counts ") && text_find(at, end, " events");
}

/* Reads the lines that are none of a counter. Returns false for others. */
static bool
stat_other(struct perfstat *s, const char *at, const char *end)
{
	const char *line = at;

	at = skip_blanks(at, end);
	if (at == end)
		return true;
	if (is_text_header(line, end)) {
		s->text = true;
		s->event_column = (size_t)(text_find(line, end, " events") + 1 - line);
		return true;
	}
	if (begins_with(line, end, SUMS_HEADER)) {
		s->text = true;
		s->event_column = 0;
		return true;
	}
	if (begins_with(line, end, "# started on ")) {
		s->runs++;
		builder_info_bytes(s->b, "started", line + 13, (size_t)(end - line - 13));
	}
	if (*at == '#' || begins_with(at, end, "summary"))
		return true;
	const char *unit = text_find(at, end, " seconds ");
	if (s->text && unit) {
		if (begins_with(unit, end, " seconds time elapsed"))
			builder_info_bytes(s->b, "elapsed", at, (size_t)(unit + 8 - at));
		return true;
	}
	return false;
}

/* Returns the separator of a table whose first line this is: what follows the first number, or the
 * first cell if that is none; NUL if it is not a table. */
static char
separator_of(const char *at, const char *end)
{
	at = skip_blanks(at, end);
	if (at < end && *at == '<')
		at = text_word_end(at, end);
	while (at < end && (is_digit(*at) || *at == '.' || *at == '-'))
		at++;
	if (at < end && strchr(",;:|!/\t~^@", *at))
		return *at;
	while (at < end && !strchr(",;|\t", *at))
		at++;
	return at < end ? *at : '\0';
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
		if (!json_row_read(at, end, &r))
			return false;
		return r.event.at == r.event.end || stat_row(s, &r); /* else: a metric alone */
	}
	if (s->text)
		return text_row_read(s, at, end, &r) ? stat_row(s, &r)
						     : memchr(at, '#', (size_t)(end - at)) != NULL;
	char separator = s->separator ? s->separator : separator_of(at, end);
	if (!separator)
		return false;
	if (!table_row_read(at, end, separator, &r))
		return is_metric_row(at, end, separator);
	s->separator = separator;
	return stat_row(s, &r);
}

/* ---- the decoder ---- */

/* Returns how sure it is that this line, which is no comment, is one of a table. */
static int
table_sure(const char *at, const char *end, bool started)
{
	struct buf plain = BUF_INIT;
	struct stat_row r = {0};
	int64_t time;

	if (decimal_sign_of(at, end, false) == ',') {
		decimal_comma_plain(at, end, &plain);
		at = buf_str(&plain);
		end = at + plain.len;
	}
	char separator = separator_of(at, end);
	bool good = separator && table_row_read(at, end, separator, &r) &&
		    cell_is_number(r.percent) &&
		    (!r.time.at || decimal_scaled(r.time.at, cell_len(r.time), 9, &time));
	buf_release(&plain);
	return !good ? 0 : started ? 85 : 75;
}

static int
perfstat_probe(struct head head)
{
	enum { SURE = 95 };
	const char *next = NULL, *at, *end;
	bool started = false;

	if (head_has(head, "\n" SUMS_HEADER)) /* the program's own output may precede it */
		return SURE;
	while (head_line_filled(head, &next, &at, &end)) {
		if (is_text_header(at, end) || begins_with(at, end, SUMS_HEADER))
			return SURE;
		if (*at == '{')
			return text_find(at, end, "\"counter-value\"") &&
					       text_find(at, end, "\"event\"")
				       ? SURE
				       : 0;
		if (*at != '#')
			return table_sure(at, end, started);
		started = started || begins_with(at, end, "# started on ");
	}
	return 0;
}

static void
perfstat_facts(struct perfstat *s)
{
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
	bool text = false, sums = head_has(head, SUMS_HEADER);
	const char *next = NULL, *at, *end;
	char sign = '\0';

	while (!sign && head_line(head, &next, &at, &end)) {
		if (text_find(at, end, SUMS_HEADER) || is_text_header(at, end))
			text = true;
		else if (text || !sums)
			sign = decimal_sign_of(at, end, text);
	}
	return sign;
}

static bool
perfstat_decode(struct input *in, struct builder *b, struct err *e)
{
	struct perfstat s = {.b = b, .e = e, .scratch = BUF_INIT, .plain = BUF_INIT};
	s.sign = find_sign(in);
	bool good = text_lines(in, b, e, &s.offset, last_line_open, stat_line, &s);

	perfstat_facts(&s);
	buf_release_all(&s.scratch, &s.plain);
	vec_release(&s.counter);
	idmap_release_all(&s.point_of, &s.sum_of, &s.track_of, &s.decimals_of);
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
