/* xctrace: tables of Instruments as `xctrace export` writes them, in XML.
 *
 *	<trace-query-result><node><schema name="time-profile">...</schema>
 *	<row><sample-time id="1">10000000</sample-time>                    ns
 *	     <thread id="2" fmt="main  0x11 (depot, pid: 42)"><tid id="3">17</tid>...</thread>
 *	     <weight id="4">1000000</weight>                               ns
 *	     <backtrace id="5"><frame id="6" name="scan" addr="0x1010">
 *	                         <binary id="7" path="/srv/depot"/>...</frame>
 *	                       <frame id="8" name="main"/></backtrace></row>  leaf first
 *	<row><sample-time id="9">11000000</sample-time>
 *	     <thread ref="2"/><weight ref="4"/><backtrace ref="5"/></row>
 *
 * An element has the name of its engineering type. One with a `ref` repeats the element with that
 * `id`, from anywhere before in the document. So every known element has a value, which passes to
 * the element around it when it ends, and is kept if it has an id: a frame gets its binary, a
 * backtrace its frames, a row its backtrace. A row becomes a sample when it ends.
 *
 * The columns that a table declares are not needed: a row's elements say what they are. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/native.h"
#include "src/decode/common/words.h"
#include "src/decode/common/xml_dump.h"
#include "src/input/xml.h"

#define HEAD_BYTES 4096u
#define TEXT_MAX 4096u /* of an element with text; the rest is ignored */
#define EXPORT                                                                             \
	"xctrace export --input X.trace --xpath "                                          \
	"'/trace-toc/run/data/table[@schema=\"time-profile\"]'"

/* The elements that have a value. */
enum xc_kind {
	XC_NONE,
	XC_TIME,      /* the number, ns */
	XC_WEIGHT,    /* the number, ns */
	XC_CYCLES,    /* the number */
	XC_TID,       /* the number */
	XC_PID,       /* the number */
	XC_PROCESS,   /* its index */
	XC_THREAD,    /* its index */
	XC_CORE,      /* its label */
	XC_STATE,     /* its label */
	XC_PATH,      /* its name */
	XC_SOURCE,    /* the name of its path, and its line */
	XC_BINARY,    /* the name of the module, and whether it is of the system */
	XC_FRAME,     /* its frame */
	XC_BACKTRACE, /* its stack */
	XC_ROW,
	XC_KINDS
};

static const struct {
	const char *tag;
	enum xc_kind kind;
	bool text; /* the value is its text */
} elements[] = {
	{"frame", XC_FRAME, false},
	{"binary", XC_BINARY, false},
	{"source", XC_SOURCE, false},
	{"path", XC_PATH, true},
	{"row", XC_ROW, false},
	{"sample-time", XC_TIME, true},
	{"weight", XC_WEIGHT, true},
	{"cycle-weight", XC_CYCLES, true},
	{"thread", XC_THREAD, false},
	{"tid", XC_TID, true},
	{"process", XC_PROCESS, false},
	{"pid", XC_PID, true},
	{"core", XC_CORE, true},
	{"thread-state", XC_STATE, true},
	{"backtrace", XC_BACKTRACE, false},
	{"tagged-backtrace", XC_BACKTRACE, false},
};

/* Tables of samples. Others are counted. */
enum xc_schema { XC_TIME_PROFILE, XC_CPU_PROFILE, XC_UNWEIGHTED, XC_SCHEMAS, XC_OTHER };

struct xc_value {
	uint8_t kind;   /* XC_NONE: the file does not have it */
	uint32_t more;  /* the second part of a source or binary */
	int64_t number; /* a number, an index or an id */
};

/* An element that has begun. */
struct xc_open {
	enum xc_kind kind;
	unsigned depth;
	bool is_reference; /* the value is there */
	bool text, has_id;
	uint64_t id;     /* of a row: the offset */
	name_id name;    /* from its attributes */
	struct xc_value value;
	struct xc_value child[XC_KINDS];
};

struct xc_process {
	name_id name;
	process_id made; /* PROCESS_NONE: not shown yet */
};

struct xc_thread {
	name_id name;
	uint32_t process; /* IDMAP_NONE: unknown */
	track_id track;   /* TRACK_NONE: no sample yet */
	struct series *series[XC_SCHEMAS];
};

struct xctrace {
	struct builder *b;
	VEC(struct xc_open) open;
	VEC(frame_id) frame; /* of the backtrace that is open */
	VEC(struct xc_value) kept;
	struct idmap kept_of;               /* id -> index in `kept` */
	struct idmap thread_of, process_of; /* a name made of their numbers -> their index */
	VEC(struct xc_thread) thread;
	VEC(struct xc_process) process;
	enum xc_schema schema;
	bool any_schema, has_time; /* a table of samples, rows with times as weights were met */
	struct buf text;
	struct {
		name_id state, core;
	} key;
	uint64_t lost, rows_lost, other_rows;
};

/* ---- names ---- */

static name_id
xc_name(struct xctrace *x, const char *text)
{
	return text ? builder_name(x->b, text, strlen(text)) : NAME_EMPTY;
}

/* Returns the name in a formatted thread: it ends before two blanks or the number.
 * `main  0x11 (depot, pid: 42)` */
static name_id
thread_name(struct xctrace *x, const char *text)
{
	const char *end = strstr(text, "  "), *number = strstr(text, "0x");

	if (number && (!end || number < end))
		end = number;
	if (!end)
		end = text + strlen(text);
	end = drop_blanks(text, end);
	return builder_name(x->b, text, (size_t)(end - text));
}

/* Returns the name in a formatted process: it ends before its number. `depot (42)` */
static name_id
process_name(struct xctrace *x, const char *text)
{
	const char *end = strrchr(text, '(');

	if (!end || end == text || end[-1] != ' ')
		return xc_name(x, text);
	return builder_name(x->b, text, (size_t)(end - 1 - text));
}

static bool
binary_is_system(const char *path, const char *name)
{
	return !strncmp(path, "/usr/lib/", 9) || !strncmp(path, "/System/", 8) ||
	       !strncmp(name, "kernel", 6) || !strncmp(base_name(path), "kernel", 6);
}

/* Reads a binary. Its UUID identifies the module as a build id does. */
static void
binary_begin(struct xctrace *x, struct xc_open *o, const char *const *attribute)
{
	const char *path = xml_attribute(attribute, "path");
	const char *name = xml_attribute(attribute, "name");
	const char *uuid = xml_attribute(attribute, "UUID");
	bool has_path = path && *path;

	if (!has_path && !name)
		return;
	name_id module = xc_name(x, has_path ? path : name);
	bool system = binary_is_system(has_path ? path : "", name ? name : "");
	o->value = (struct xc_value){XC_BINARY, system, module};
	buf_reset(&x->text);
	for (; uuid && *uuid; uuid++)
		if (*uuid != '-')
			buf_addc(&x->text, *uuid);
	if (has_path && x->text.len)
		native_file(x->b, module, module,
			    builder_name(x->b, buf_str(&x->text), x->text.len));
}

static void
frame_end(struct xctrace *x, struct xc_open *o)
{
	struct xc_value binary = o->child[XC_BINARY], source = o->child[XC_SOURCE];
	struct name name = builder_name_get(x->b, o->name);
	struct function f = {
		.name = o->name,
		.file = source.kind ? (name_id)source.number : NAME_EMPTY,
		.module = binary.kind ? (name_id)binary.number : NAME_EMPTY,
		.kind = (uint8_t)(binary.more ? KIND_SYSTEM : kind_of_name(name.at, name.len)),
	};

	o->value = (struct xc_value){
		.kind = XC_FRAME,
		.number = builder_frame_of(x->b, f, source.kind ? source.more : 0),
	};
}

/* ---- processes and threads ---- */

static void
process_end(struct xctrace *x, struct xc_open *o)
{
	struct xc_value pid = o->child[XC_PID];
	struct name name = builder_name_get(x->b, o->name);
	name_id key = pid.kind ? builder_namef(x->b, "%.*s %" PRId64, (int)name.len, name.at,
					       pid.number)
			       : o->name;
	uint32_t i;

	if (idmap_add(&x->process_of, key, x->process.n, &i))
		*vec_push(&x->process) = (struct xc_process){key, PROCESS_NONE};
	o->value = (struct xc_value){.kind = XC_PROCESS, .number = i};
}

static uint32_t
xc_thread(struct xctrace *x, name_id key, name_id name, uint32_t process)
{
	uint32_t i;

	if (idmap_add(&x->thread_of, key, x->thread.n, &i))
		*vec_push(&x->thread) =
			(struct xc_thread){.name = name, .process = process, .track = TRACK_NONE};
	return i;
}

static void
thread_end(struct xctrace *x, struct xc_open *o)
{
	struct xc_value process = o->child[XC_PROCESS], tid = o->child[XC_TID];
	uint32_t at = process.kind ? (uint32_t)process.number : IDMAP_NONE;
	struct name name = builder_name_get(x->b, o->name);
	name_id shown = o->name;

	if (tid.kind)
		shown = builder_namef(x->b, "%.*s%s0x%" PRIx64, (int)name.len, name.at,
				      name.len ? " " : "", (uint64_t)tid.number);
	name_id key = tid.kind ? builder_namef(x->b, "%" PRIx64 " in %" PRIu32,
					       (uint64_t)tid.number, at)
			       : shown;
	o->value = (struct xc_value){
		.kind = XC_THREAD,
		.number = xc_thread(x, key, shown, at),
	};
}

/* Returns the series of a thread for the table that is read, and its track if that is new. */
static struct series *
thread_series(struct xctrace *x, struct xc_thread *t)
{
	struct series **s = &t->series[x->schema];
	metric_id metric[2];
	unsigned n = 0;

	if (*s)
		return *s;
	metric[n++] = builder_metric(x->b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	if (t->track == TRACK_NONE) {
		struct name name = builder_name_get(x->b, t->name);
		t->track = builder_track(x->b, name.at, name.len, TRACK_THREAD);
	}
	if (x->schema == XC_TIME_PROFILE)
		metric[n++] = builder_metric(x->b, "time", UNIT_NS, ROLE_VALUE);
	if (x->schema == XC_CPU_PROFILE)
		metric[n++] = builder_metric(x->b, "cycles", UNIT_COUNT, ROLE_VALUE);
	x->has_time = x->has_time || x->schema == XC_TIME_PROFILE;
	if (n == 2 && (!x->has_time || x->schema == XC_TIME_PROFILE))
		builder_default_metric(x->b, metric[1]);
	*s = builder_samples(x->b, t->track, metric, n);
	builder_labelled(x->b, *s);
	return *s;
}

/* Puts the process before the names of tracks if tracks of several processes have samples. */
static void
put_processes(struct xctrace *x)
{
	uint32_t first = IDMAP_NONE, several = 0;

	for (size_t i = 0; i < x->thread.n; i++) {
		const struct xc_thread *t = &x->thread.at[i];
		if (t->track == TRACK_NONE || t->process == IDMAP_NONE || t->process == first)
			continue;
		first = first == IDMAP_NONE ? t->process : first;
		several += t->process != first;
	}
	for (size_t i = 0; several && i < x->thread.n; i++) {
		const struct xc_thread *t = &x->thread.at[i];
		if (t->track == TRACK_NONE || t->process == IDMAP_NONE)
			continue;
		struct xc_process *p = &x->process.at[t->process];
		struct name name = builder_name_get(x->b, p->name);
		struct name thread = builder_name_get(x->b, t->name);
		if (p->made == PROCESS_NONE)
			p->made = builder_process(x->b, name.at, name.len);
		buf_reset(&x->text);
		buf_add(&x->text, name.at, name.len);
		buf_adds(&x->text, " / ");
		buf_add(&x->text, thread.at, thread.len);
		builder_track_under(x->b, t->track, p->made);
		builder_track_rename(x->b, t->track, buf_str(&x->text), x->text.len);
	}
}

/* ---- backtraces and rows ---- */

static void
backtrace_end(struct xctrace *x, struct xc_open *o)
{
	struct xc_value inner = o->child[XC_BACKTRACE];

	if (inner.kind)
		o->value = inner;
	else if (x->frame.n)
		o->value = (struct xc_value){
			.kind = XC_BACKTRACE,
			.number = builder_stack_leaf_first(x->b, x->frame.at, x->frame.n),
		};
	x->frame.n = 0;
}

static bool
row_end(struct xctrace *x, const struct xc_open *o, struct xml_reader *r)
{
	const struct xc_value *cell = o->child, stack = cell[XC_BACKTRACE];
	label_id label[2];
	size_t n = 0;

	if (x->schema == XC_OTHER) {
		x->other_rows++;
		return true;
	}
	if (!cell[XC_TIME].kind) {
		x->rows_lost++;
		return true;
	}
	uint32_t at = cell[XC_THREAD].kind
			      ? (uint32_t)cell[XC_THREAD].number
			      : xc_thread(x, NAME_EMPTY, builder_name(x->b, "main", 4), IDMAP_NONE);
	struct series *s = thread_series(x, &x->thread.at[at]);
	if (cell[XC_STATE].kind)
		label[n++] = (label_id)cell[XC_STATE].number;
	if (cell[XC_CORE].kind)
		label[n++] = (label_id)cell[XC_CORE].number;
	builder_next_labels(x->b, s, builder_labels(x->b, label, n));
	enum xc_kind weight = x->schema == XC_CPU_PROFILE ? XC_CYCLES : XC_WEIGHT;
	int64_t value = cell[weight].kind ? cell[weight].number : 0;
	return builder_sample(x->b, s, cell[XC_TIME].number,
			      stack.kind ? (stack_id)stack.number : builder_stack_missing(x->b, 1),
			      &value, o->id, r->e);
}

/* ---- elements ---- */

static void
schema_begin(struct xctrace *x, const char *name)
{
	static const struct {
		const char *name;
		enum xc_schema schema;
	} schemas[] = {
		{"time-profile", XC_TIME_PROFILE},
		{"cpu-profile", XC_CPU_PROFILE},
		{"time-sample", XC_UNWEIGHTED},
		{"counters-profile", XC_UNWEIGHTED},
	};

	x->schema = XC_OTHER;
	for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++)
		if (!strcmp(name, schemas[i].name))
			x->schema = schemas[i].schema;
	x->any_schema = x->any_schema || x->schema != XC_OTHER;
	if (x->schema == XC_UNWEIGHTED)
		builder_info(x->b, "assumed", "a row of %s counts as one sample", name);
}

/* Reads the attributes of an element that has a value, and is not a reference. */
static void
element_begin(struct xctrace *x, struct xc_open *o, const char *const *attribute)
{
	enum xc_kind kind = o->kind;
	const char *fmt = xml_attribute(attribute, "fmt"), *text;
	int64_t line;

	o->name = NAME_EMPTY;
	if (kind == XC_FRAME) {
		text = xml_attribute(attribute, "name");
		o->name = xc_name(x, text && *text ? text : xml_attribute(attribute, "addr"));
		if (o->name == NAME_EMPTY)
			o->name = builder_name(x->b, "[unknown]", 9);
	} else if (kind == XC_BINARY) {
		binary_begin(x, o, attribute);
	} else if (kind == XC_SOURCE) {
		text = xml_attribute(attribute, "line");
		if (text && number_parse(text, text + strlen(text), &line) && line > 0 &&
		    line < UINT32_MAX)
			o->value.more = (uint32_t)line;
	} else if (kind == XC_THREAD) {
		o->name = fmt ? thread_name(x, fmt) : NAME_EMPTY;
	} else if (kind == XC_PROCESS) {
		o->name = fmt ? process_name(x, fmt) : NAME_EMPTY;
	} else if (kind == XC_CORE || kind == XC_STATE) {
		o->name = xc_name(x, fmt);
	} else if (kind == XC_BACKTRACE) {
		x->frame.n = 0;
	}
}

static bool
xc_begin(struct xml_reader *r, void *state, const char *tag, const char *const *attribute)
{
	const char *ref = xml_attribute(attribute, "ref"), *id = xml_attribute(attribute, "id");
	struct xctrace *x = state;
	size_t i, n = sizeof elements / sizeof *elements;
	int64_t number = 0;

	if (r->depth == 1 && strcmp(tag, "trace-query-result") != 0)
		return err_refuse(r->e, "a document in XML (%s), but no table of Instruments", tag);
	if (!strcmp(tag, "schema")) {
		const char *name = xml_attribute(attribute, "name");
		schema_begin(x, name ? name : "");
	}
	for (i = 0; i < n && strcmp(tag, elements[i].tag) != 0; i++)
		;
	bool row = i < n && elements[i].kind == XC_ROW;
	if (i == n || row != !x->open.n)
		return true; /* of no interest, or outside rows */
	struct xc_open *o = vec_push(&x->open);
	*o = (struct xc_open){.kind = elements[i].kind, .depth = r->depth};
	if (row) {
		o->id = r->record = r->offset;
		return true;
	}
	if (ref && number_parse(ref, ref + strlen(ref), &number)) {
		uint32_t at = idmap_get(&x->kept_of, (uint64_t)number);
		bool known = at != IDMAP_NONE && x->kept.at[at].kind == o->kind;
		if (known)
			o->value = x->kept.at[at];
		o->is_reference = true;
		x->lost += !known;
		return true;
	}
	o->has_id = id && number_parse(id, id + strlen(id), &number);
	o->id = (uint64_t)number;
	o->text = elements[i].text;
	element_begin(x, o, attribute);
	buf_reset(&x->text);
	return true;
}

static void
xc_text(struct xml_reader *r UNUSED, void *state, const char *at, size_t len)
{
	struct xctrace *x = state;

	if (x->open.n && x->open.at[x->open.n - 1].text && x->text.len + len <= TEXT_MAX)
		buf_add(&x->text, at, len);
}

/* Sets the value of an element that ends, except of those whose attributes were it. */
static void
element_end(struct xctrace *x, struct xc_open *o)
{
	const char *text = buf_str(&x->text);
	size_t len = x->text.len;

	switch (o->kind) {
	case XC_TIME:
	case XC_WEIGHT:
	case XC_CYCLES:
	case XC_TID:
	case XC_PID:
		if (number_parse(text, text + len, &o->value.number))
			o->value.kind = (uint8_t)o->kind;
		break;
	case XC_CORE:
	case XC_STATE:
		if (o->name == NAME_EMPTY)
			o->name = builder_name(x->b, text, len);
		o->value.kind = (uint8_t)o->kind;
		o->value.number = builder_label_text(
			x->b, o->kind == XC_CORE ? x->key.core : x->key.state, o->name);
		break;
	case XC_PATH:
		o->value = (struct xc_value){XC_PATH, 0, builder_name(x->b, text, len)};
		break;
	case XC_SOURCE:
		o->value.kind = XC_SOURCE;
		o->value.number = o->child[XC_PATH].kind ? o->child[XC_PATH].number : NAME_EMPTY;
		break;
	case XC_PROCESS:
		process_end(x, o);
		break;
	case XC_THREAD:
		thread_end(x, o);
		break;
	case XC_FRAME:
		frame_end(x, o);
		break;
	case XC_BACKTRACE:
		backtrace_end(x, o);
		break;
	case XC_BINARY:
	case XC_ROW:
	case XC_NONE:
	case XC_KINDS:
		break;
	}
}

static bool
xc_end(struct xml_reader *r, void *state, const char *tag UNUSED)
{
	struct xctrace *x = state;
	struct xc_open *o = x->open.n ? &x->open.at[x->open.n - 1] : NULL;
	uint32_t at;

	if (!o || o->depth != r->depth)
		return true;
	x->open.n--;
	if (o->kind == XC_ROW) {
		r->record = XML_NO_RECORD;
		return row_end(x, o, r);
	}
	if (!o->is_reference)
		element_end(x, o);
	if (o->has_id && idmap_add(&x->kept_of, o->id, x->kept.n, &at))
		*vec_push(&x->kept) = o->value;
	struct xc_open *around = o - 1;
	around->child[o->kind] = o->value;
	if (around->kind == XC_BACKTRACE && o->value.kind == XC_FRAME)
		*vec_push(&x->frame) = (frame_id)o->value.number;
	return true;
}

/* ---- the decoder ---- */

static int
xctrace_probe(struct head head)
{
	size_t len = head.len < HEAD_BYTES ? head.len : HEAD_BYTES;

	return len && memmem(head.at, len, "<trace-query-result", 19) ? 100 : 0;
}

static bool
xctrace_decode(struct input *in, struct builder *b, struct err *e)
{
	static const struct xml_calls calls = {xc_begin, xc_end, xc_text};
	struct xctrace x = {
		.b = b,
		.schema = XC_OTHER,
		.text = BUF_INIT,
		.key = {builder_name(b, "state", 5), builder_name(b, "core", 4)},
	};
	bool good = xml_read(in, &calls, &x, e);
	put_processes(&x);
	builder_info_count(b, "rows of other tables", x.other_rows, "");
	builder_warn_count(b, x.lost,
			   "reference to an element that the file does not define",
			   "references to elements that the file does not define");
	builder_warn_count(b, x.rows_lost, "row without a time was left out",
			   "rows without a time were left out");
	if (good && !x.any_schema)
		good = err_refuse(e, "no table of samples; " EXPORT);
	vec_release_all(&x.open, &x.frame, &x.kept, &x.thread, &x.process);
	idmap_release_all(&x.kept_of, &x.thread_of, &x.process_of);
	buf_release(&x.text);
	return good;
}

const struct decoder decoder_xctrace = {
	.name = "xctrace",
	.title = "xctrace export: samples of Instruments as XML",
	.made_of = MADE_TEXT,
	.mangled = true,
	.probe = xctrace_probe,
	.decode = xctrace_decode,
	.dump = xml_dump,
};
