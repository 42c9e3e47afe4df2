/* Tables of Tracy's csvexport.  The first line names the columns; the character after the first
 * name is the separator:
 *
 *	name,src_file,src_line,ns_since_start,exec_time_ns,thread,value       -u: each zone
 *	name,src_file,src_line,total_ns,total_perc,counts,mean_ns,...         sums of each place
 *	name,src_file,Time from start of program,GPU execution time           -g: zones of the GPU
 *	MessageName,total_ns                                                  -m: messages
 *
 * Nothing is quoted, and names of C++ contain commas.  So the cells of a row are assigned from
 * its right end.  Surplus cells belong to the name, or, if numbers would then not be numbers,
 * to the value, which is the text of a zone.  With -p there are also rows of plots, which have
 * only a name, a time and a value. */
#include "src/decode/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/odd_lines.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"

#define COLUMNS_MAX 16u
#define CELLS_MAX 4096u /* a name with more separators is cut */
#define MESSAGE "MessageName"

enum role {
	NAME, SOURCE, LINE, START, LENGTH, THREAD, VALUE, TOTAL, SHARE, COUNT, OTHER, ROLES
};

struct plot {
	track_id track;
	struct series *series;
};

/* Sums or messages. */
struct tracy_rows {
	track_id track;
	struct series *series;
	double total, largest; /* of the sums, ns */
	double run;            /* its length, ns, by the share of the largest sum; 0: unknown */
	uint32_t values;       /* of messages */
};

struct tracycsv {
	struct builder *b;
	struct err *e;
	uint64_t offset;
	char separator; /* NUL: the head was not read yet */
	enum role role[COLUMNS_MAX];
	unsigned columns;
	bool has[ROLES];
	bool messages;
	struct text_cell cell[CELLS_MAX], of[ROLES];
	struct cast cast;
	metric_id time;
	name_id value_key;
	struct idmap plot_of; /* name -> its series in `plot`; of messages: -> its value */
	VEC(struct plot) plot;
	struct tracy_rows rows;
	uint64_t open;
};

/* ---- the head ---- */

static enum role
role_of(struct text_cell c)
{
	static const struct {
		const char *name;
		enum role role;
	} roles[] = {
		{"name", NAME},
		{MESSAGE, NAME},
		{"src_file", SOURCE},
		{"src_line", LINE},
		{"ns_since_start", START},
		{"Time from start of program", START},
		{"exec_time_ns", LENGTH},
		{"GPU execution time", LENGTH},
		{"thread", THREAD},
		{"value", VALUE},
		{"total_ns", TOTAL},
		{"total_perc", SHARE},
		{"counts", COUNT},
	};

	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (is_key(c.at, (size_t)(c.end - c.at), roles[i].name))
			return roles[i].role;
	return OTHER;
}

/* Returns the length of the first name of a head, which a separator follows; 0: it is none. */
static size_t
name_column(const char *at, const char *end)
{
	static const char *const names[] = {"name", MESSAGE};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (begins_with(at, end, names[i]) && end - at > (ptrdiff_t)strlen(names[i]))
			return strlen(names[i]);
	return 0;
}

static int
tracycsv_probe(struct head head)
{
	const char *next = NULL, *at, *end;

	if (!head_line_filled(head, &next, &at, &end))
		return 0;
	const char *rest = at + name_column(at, end);
	if (rest == at)
		return 0;
	if (*at == *MESSAGE)
		return end - rest == 9 && begins_with(rest + 1, end, "total_ns") ? 100 : 0;
	return end - rest > 9 && begins_with(rest + 1, end, "src_file") && rest[9] == *rest ? 100
											     : 0;
}

static bool
head_read(struct tracycsv *t, const char *at, const char *end)
{
	size_t len = name_column(at, end);

	if (!len)
		return err_refuse(t->e, "not a table of tracy-csvexport: no column \"name\"");
	t->separator = at[len];
	t->messages = *at == *MESSAGE;
	t->columns = cells_split(at, end, t->separator, t->cell, COLUMNS_MAX);
	for (unsigned i = 0; i < t->columns; i++) {
		enum role role = role_of(t->cell[i]);
		t->role[i] = t->has[role] ? OTHER : role; /* a column is there once */
		t->has[t->role[i]] = true;
	}
	if (t->has[START] && t->has[LENGTH])
		return true;
	if (t->has[TOTAL] && (t->has[COUNT] || t->messages))
		return true;
	return err_refuse(t->e, "a table of tracy-csvexport without times of zones");
}

static void
tracycsv_begin(struct tracycsv *t)
{
	metric_id metric[2];

	if (t->messages) {
		t->time = builder_timeline(t->b);
		t->rows.track = builder_track(t->b, "messages", 8, TRACK_MARKS);
		t->rows.series = builder_points(t->b, t->rows.track, false);
		return;
	}
	if (t->has[START]) {
		t->time = builder_timeline(t->b);
		t->cast.labelled = t->has[VALUE];
		t->value_key = builder_name(t->b, "value", 5);
		return;
	}
	metric[0] = builder_metric(t->b, "time", UNIT_NS, ROLE_VALUE);
	metric[1] = builder_metric(t->b, "calls", UNIT_CALLS, ROLE_VALUE);
	builder_calls_metric(t->b, metric[1]);
	builder_default_metric(t->b, metric[0]);
	t->rows.track = builder_main(t->b);
	t->rows.series = builder_totals(t->b, t->rows.track, metric, 2);
	builder_info(
		t->b, "assumed",
		"times are as csvexport gave them: with those of zones inside, or with -e without");
}

/* ---- rows ---- */

static bool
cell_number(struct text_cell c, int64_t *out)
{
	return number_parse(c.at, c.end, out);
}

static bool
tracycsv_is_empty(struct text_cell c)
{
	return c.at == c.end;
}

/* Returns true if the cells of numbers contain numbers. */
static bool
fits(const struct tracycsv *t)
{
	static const enum role numbers[] = {LINE, START, LENGTH, THREAD, TOTAL, COUNT};
	bool plot = t->has[VALUE] && tracycsv_is_empty(t->of[LINE]) &&
		    tracycsv_is_empty(t->of[LENGTH]) && tracycsv_is_empty(t->of[THREAD]);
	int64_t n;

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (t->has[numbers[i]] && !(plot && numbers[i] != START) &&
		    !cell_number(t->of[numbers[i]], &n))
			return false;
	return true;
}

/* Assigns n cells so that the value gets `more` of the surplus ones, and the name the others. */
static void
lay_out(struct tracycsv *t, unsigned n, unsigned more)
{
	unsigned surplus = n - t->columns - more, at = 0;

	for (unsigned i = 0; i < t->columns; i++) {
		unsigned extra = t->role[i] == NAME ? surplus : t->role[i] == VALUE ? more : 0;
		t->of[t->role[i]] = (struct text_cell){t->cell[at].at, t->cell[at + extra].end};
		at += extra + 1;
	}
}

static bool
split(struct tracycsv *t, const char *at, const char *end)
{
	unsigned n = cells_split(at, end, t->separator, t->cell, CELLS_MAX);

	if (n < t->columns)
		return false;
	for (unsigned more = 0; more <= (t->has[VALUE] ? n - t->columns : 0); more++) {
		lay_out(t, n, more);
		if (fits(t))
			return true;
	}
	return false;
}

static frame_id
tracycsv_frame_of(struct tracycsv *t)
{
	const struct text_cell *name = &t->of[NAME], *file = &t->of[SOURCE];
	struct function f = {0};
	int64_t line = 0;

	f.name = builder_name(t->b, name->at, (size_t)(name->end - name->at));
	f.kind = (uint8_t)kind_of_name(name->at, (size_t)(name->end - name->at));
	f.file = builder_name(t->b, file->at, (size_t)(file->end - file->at));
	if (t->has[LINE] && cell_number(t->of[LINE], &line) && line > 0 && line < UINT32_MAX)
		f.line = (uint32_t)line;
	return builder_frame_of(t->b, f, 0);
}

static uint32_t
tracycsv_track_of(struct tracycsv *t)
{
	struct text_cell thread = t->of[THREAD];
	name_id name = t->has[THREAD] ? builder_namef(t->b, "thread %.*s",
						      (int)(thread.end - thread.at), thread.at)
				      : builder_name(t->b, "GPU", 3);
	struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE,
				  .kind = TRACK_THREAD, .name = name};
	uint32_t track = cast_track(&t->cast, like);
	cast_made(&t->cast, track);
	return track;
}

static bool
zone(struct tracycsv *t)
{
	struct text_cell value = t->of[VALUE];
	labels_id labels = LABELS_NONE;
	int64_t start, length;

	cell_number(t->of[START], &start);
	cell_number(t->of[LENGTH], &length);
	t->open += length < 0;
	if (t->has[VALUE] && !tracycsv_is_empty(value)) {
		label_id label = builder_label_text(
			t->b, t->value_key,
			builder_name(t->b, value.at, (size_t)(value.end - value.at)));
		labels = builder_labels(t->b, &label, 1);
	}
	uint32_t track = tracycsv_track_of(t);
	cast_slice(&t->cast, track, start, length, tracycsv_frame_of(t), labels);
	return true;
}

static bool
plot_value(struct tracycsv *t)
{
	struct text_cell name = t->of[NAME], value = t->of[VALUE];
	size_t len = (size_t)(name.end - name.at);
	name_id id = builder_name(t->b, name.at, len);
	uint32_t i;
	int64_t time;
	double v;

	if (!cell_number(t->of[START], &time) ||
	    !decimal_double(value.at, (size_t)(value.end - value.at), &v))
		return false;
	if (idmap_add(&t->plot_of, id, t->plot.n, &i)) {
		struct plot *new = vec_push(&t->plot);
		new->track = builder_track(t->b, name.at, len, TRACK_COUNTER);
		new->series = builder_points(t->b, new->track, true);
	}
	const struct plot *p = &t->plot.at[i];
	return builder_point_double(t->b, p->series, time, v, t->offset, t->e);
}

/* A message is a mark, whose value has its text as the name. */
static bool
message(struct tracycsv *t)
{
	struct text_cell text = t->of[NAME];
	name_id name = builder_name(t->b, text.at, (size_t)(text.end - text.at));
	uint32_t value;
	int64_t time;

	if (idmap_add(&t->plot_of, name, t->rows.values, &value))
		builder_track_value(t->b, t->rows.track, t->rows.values++, name);
	cell_number(t->of[TOTAL], &time);
	return builder_point(t->b, t->rows.series, time, value, t->offset, t->e);
}

static bool
sum(struct tracycsv *t)
{
	struct text_cell share = t->of[SHARE];
	int64_t value[2];
	double percent;

	cell_number(t->of[TOTAL], &value[0]);
	cell_number(t->of[COUNT], &value[1]);
	t->rows.total += (double)value[0];
	if (t->has[SHARE] && decimal_double(share.at, (size_t)(share.end - share.at), &percent) &&
	    percent > 0 && (double)value[0] > t->rows.largest) {
		t->rows.largest = (double)value[0];
		t->rows.run = 100 * t->rows.largest / percent;
	}
	builder_track_event(t->b, t->rows.track);
	stack_id stack = builder_child(t->b, STACK_EMPTY, tracycsv_frame_of(t));
	return builder_total(t->b, t->rows.series, stack, value, t->offset, t->e);
}

static bool
tracycsv_line(void *state, const char *at, const char *end)
{
	struct tracycsv *t = state;

	if (at == end)
		return true;
	if (!t->separator) {
		if (!head_read(t, at, end))
			return false;
		tracycsv_begin(t);
		return true;
	}
	if (!split(t, at, end))
		return false;
	if (!t->has[START])
		return t->messages ? message(t) : sum(t);
	return t->has[VALUE] && tracycsv_is_empty(t->of[LENGTH]) ? plot_value(t) : zone(t);
}

/* ---- the decoder ---- */

/* Rows end in a number or in an empty cell, messages in any text. */
static enum last_line
tracycsv_last_line(const char *at, const char *end)
{
	bool empty = at < end && strchr(",;\t", end[-1]);

	return empty ? LAST_NUMBER : last_line_number(at, end);
}

static bool
tracycsv_decode(struct input *in, struct builder *b, struct err *e)
{
	struct tracycsv *t = mem_zalloc(1, sizeof *t);

	t->b = b;
	t->e = e;
	t->cast = (struct cast){.in = in, .b = b, .ordered = true};
	bool good = text_lines(in, b, e, &t->offset, tracycsv_last_line, tracycsv_line, t);
	if (t->separator && t->has[START])
		good = cast_write(&t->cast, t->time, METRIC_NONE, true, t->offset, e) && good;
	if (t->rows.run > 0 && t->rows.total > t->rows.run * 1.001)
		builder_warn(b,
			     "the times add up to %.4g times the run: without -e, csvexport "
			     "counts a zone again in those around it",
			     t->rows.total / t->rows.run);
	builder_warn_count(b, t->open, "zone had not ended: it lasts 0",
			   "zones had not ended: they last 0");
	cast_release(&t->cast);
	vec_release(&t->plot);
	idmap_release(&t->plot_of);
	free(t);
	return good;
}

const struct decoder decoder_tracycsv = {
	.name = "tracycsv",
	.title = "Tables of tracy-csvexport: zones, plots, sums",
	.made_of = MADE_TEXT,
	.mangled = true,
	.probe = tracycsv_probe,
	.decode = tracycsv_decode,
};
