/* Function traces of Xdebug, the debugger of PHP (xdebug.mode=trace, xdebug.trace_format=1):
 *
 *	Version: 3.2.0
 *	File format: 4
 *	TRACE START [2026-11-21 23:19:43.069295]
 *	LEVEL  ID  0  TIME  MEMORY  NAME  USER  INCLUDED  FILE  LINE  N  ARGUMENTS...
 *	LEVEL  ID  1  TIME  MEMORY
 *	              TIME  MEMORY
 *	TRACE END   [...]
 *
 * separated by tabs. 0 enters a function that is called in FILE at LINE, 1 leaves it, R has its
 * return value, A an assignment. The place of a call is a line of the caller: the lines of all
 * frames below a call are known, but not that of the running function.
 *
 * The place of a call is also the only hint to the file of a function: its file is that of the
 * first call that it makes. So a trace is read twice, unless it is followed. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/odd_lines.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"

#define FIELDS_MAX 10u

struct php_call {
	int64_t id;
	function_id function;
	stack_id above, stack; /* above: the stack of the callers, at their lines */
	uint32_t depth;
};

struct xdebug {
	struct builder *b;
	struct err *e;
	uint64_t offset;
	track_id track, memory_track;
	struct series *series, *memory;
	VEC(struct php_call) open;
	struct idmap file_of; /* a function's name -> its file's */
	VEC(name_id) level;   /* first reading: the running function of each level */
	int64_t last_ns;
	uint64_t unmatched, back;
	bool started, ended;
};

static int
xdebug_probe(struct head head)
{
	const char *next = NULL, *at, *end;
	bool version = false, format = false;

	for (unsigned i = 0; i < 8 && head_line(head, &next, &at, &end); i++) {
		version |= begins_with(at, end, "Version: ");
		format |= begins_with(at, end, "File format: ");
		if (version && format && begins_with(at, end, "TRACE START"))
			return 100;
		if (begins_with(at, end, "TRACE START ["))
			/* The format for people, which is refused with a hint to the setting */
			return 60;
	}
	return 0;
}

static bool
xdebug_number(struct text_cell f, int64_t *out)
{
	return number_parse(f.at, f.end, out);
}

/* Handles the time of a record, and its memory, which becomes a counter. */
static bool
moment(struct xdebug *x, struct text_cell time, struct text_cell memory)
{
	int64_t ns, bytes;

	if (!decimal_scaled(time.at, (size_t)(time.end - time.at), 9, &ns))
		return err_damage(x->e, x->offset, "expected a time");
	x->back += ns < x->last_ns;
	x->last_ns = ns > x->last_ns ? ns : x->last_ns;
	if (!xdebug_number(memory, &bytes))
		return true;
	return builder_point(x->b, x->memory, x->last_ns, bytes, x->offset, x->e);
}

static bool
xdebug_step(struct xdebug *x, stack_id stack, uint32_t flags)
{
	return builder_step(x->b, x->series, x->last_ns, stack, flags, x->offset, x->e);
}

static stack_id
below(struct xdebug *x, stack_id above, frame_id frame, uint32_t depth)
{
	if (above == STACK_NONE)
		return STACK_NONE;
	return depth <= STACK_DEPTH_MAX ? builder_child(x->b, above, frame)
					: builder_too_deep(x->b);
}

/* First reading: a caller is in the file in which its call is. */
static void
xdebug_learn(struct xdebug *x, const char *at, const char *end)
{
	struct text_cell f[FIELDS_MAX];
	unsigned n = cells_split(at, end, '\t', f, FIELDS_MAX);
	int64_t level;

	if (n < 10 || f[2].end - f[2].at != 1 || *f[2].at != '0' ||
	    !xdebug_number(f[0], &level) || level <= 0 || level > STACK_DEPTH_MAX)
		return;
	while (x->level.n <= (size_t)level)
		*vec_push(&x->level) = NAME_EMPTY;
	name_id caller = x->level.at[level - 1];
	if (caller != NAME_EMPTY && f[8].at < f[8].end &&
	    idmap_get(&x->file_of, caller) == IDMAP_NONE)
		idmap_put(&x->file_of, caller,
			  builder_name(x->b, f[8].at, (size_t)(f[8].end - f[8].at)));
	x->level.at[level] = builder_name(x->b, f[5].at, (size_t)(f[5].end - f[5].at));
}

static bool
learn_all(struct xdebug *x, struct input *in, struct err *e)
{
	struct text_line line;
	struct lines lines;

	input_keep(in);
	input_passes(in, 2);
	lines_init(&lines, in);
	while (lines_next(&lines, &line))
		xdebug_learn(x, line.at, line.at + line.len);
	vec_release(&x->level);
	return input_seek(in, 0) || err_damage(e, 0, "the input cannot be read twice");
}

static bool
xdebug_enter(struct xdebug *x, const struct text_cell *f, unsigned n, int64_t id)
{
	struct php_call *caller = x->open.n ? &x->open.at[x->open.n - 1] : NULL;
	struct php_call call = {.id = id, .above = STACK_EMPTY, .depth = 1};
	int64_t user = 1, line = 0;

	if (n < 10 || !xdebug_number(f[6], &user) || f[5].at == f[5].end)
		return false;
	xdebug_number(f[9], &line);
	size_t len = (size_t)(f[5].end - f[5].at);
	struct function fn = {
		.name = builder_name(x->b, f[5].at, len),
		.kind = (uint8_t)(user ? KIND_USER : KIND_SYSTEM),
	};
	uint32_t file = idmap_get(&x->file_of, fn.name);
	if (!caller && len == 6 && !memcmp(f[5].at, "{main}", 6)) /* is called in its own file */
		fn.file = builder_name(x->b, f[8].at, (size_t)(f[8].end - f[8].at));
	else if (f[7].at < f[7].end) /* include and its like run that file */
		fn.file = builder_name(x->b, f[7].at, (size_t)(f[7].end - f[7].at));
	else if (user && file != IDMAP_NONE)
		fn.file = file;
	call.function = builder_function(x->b, fn);
	if (caller) {
		struct line at = line_numbered(line);
		call.above = below(x, caller->above, builder_frame(x->b, caller->function, at),
				   caller->depth);
		call.depth = caller->depth + 1;
	}
	call.stack = below(x, call.above, builder_frame(x->b, call.function, line_unknown()),
			   call.depth);
	*vec_push(&x->open) = call;
	builder_track_event(x->b, x->track);
	return xdebug_step(x, call.stack, STEP_CALL);
}

static bool
xdebug_leave(struct xdebug *x, int64_t id)
{
	size_t i = x->open.n;

	while (i && x->open.at[i - 1].id != id)
		i--;
	if (!i) {
		x->unmatched++;
		return true;
	}
	while (x->open.n >= i) { /* the calls above it have no end in the file */
		x->open.n--;
		if (!xdebug_step(x, x->open.n ? x->open.at[x->open.n - 1].stack : STACK_EMPTY,
				 STEP_RETURN))
			return false;
	}
	return true;
}

static bool
record(struct xdebug *x, const char *at, const char *end)
{
	struct text_cell f[FIELDS_MAX];
	unsigned n = cells_split(at, end, '\t', f, FIELDS_MAX);
	int64_t id;

	if (n < 5)
		return false;
	if (f[0].at == f[0].end) /* the last line: how long it all took */
		return moment(x, f[3], f[4]);
	if (f[2].end - f[2].at != 1)
		return false;
	if (*f[2].at == 'R' || *f[2].at == 'A') /* an assignment has no number of a call */
		return true;
	if (!xdebug_number(f[1], &id))
		return false;
	if (*f[2].at != '0' && *f[2].at != '1')
		return false;
	if (!moment(x, f[3], f[4]))
		return false;
	return *f[2].at == '0' ? xdebug_enter(x, f, n, id) : xdebug_leave(x, id);
}

/* ---- the decoder ---- */

static void
xdebug_begin(struct xdebug *x)
{
	builder_timeline(x->b);
	x->track = builder_main(x->b);
	x->series = builder_steps(x->b, x->track);
	x->memory_track = builder_track(x->b, "memory", 6, TRACK_COUNTER);
	builder_track_unit(x->b, x->memory_track, "bytes", 5);
	x->memory = builder_points(x->b, x->memory_track, false);
}

static bool
xdebug_line_read(void *state, const char *at, const char *end)
{
	struct xdebug *x = state;
	int64_t format;

	if (!x->series && at == end)
		return true;
	if (!x->series && begins_with(at, end, "TRACE START"))
		return err_refuse(x->e, "Xdebug's human-readable trace; set "
					"xdebug.trace_format=1 and record again");
	if (!x->series)
		xdebug_begin(x);
	if (x->ended)
		return true;
	if (begins_with(at, end, "TRACE END")) {
		x->ended = true;
		return true;
	}
	if (x->started)
		return at == end || record(x, at, end);
	x->started = begins_with(at, end, "TRACE START");
	if (begins_with(at, end, "Version: "))
		builder_info_bytes(x->b, "version", at + 9, (size_t)(end - at) - 9);
	else if (begins_with(at, end, "File format: ") && number_parse(at + 13, end, &format))
		builder_info(x->b, "file format", "%" PRId64, format);
	else if (!x->started && at < end)
		return err_refuse(x->e, "not a trace of Xdebug with xdebug.trace_format=1");
	return true;
}

/* The end of a trace has a date in brackets. */
static enum last_line
xdebug_last_line(const char *at, const char *end)
{
	return last_line_closed(at, end, begins_with(at, end, "TRACE END") ? "]" : "");
}

static bool
xdebug_decode(struct input *in, struct builder *b, struct err *e)
{
	struct xdebug x = {.b = b, .e = e};
	bool good = true;

	if (!input_options(in)->follow)
		good = learn_all(&x, in, e);
	good = good && text_lines(in, b, e, &x.offset, xdebug_last_line, xdebug_line_read, &x);
	if (x.series && x.open.n)
		good = xdebug_step(&x, STACK_EMPTY, 0) && good;
	if (x.series)
		builder_track_end(b, x.track, x.last_ns);
	if (good && x.started && !x.ended && !input_stopped(in))
		good = err_damage(e, input_offset(in), "the end of the trace is missing");
	builder_warn_count(b, x.unmatched, "end of a call that never began, ignored",
			   "ends of calls that never began, ignored");
	builder_warn_count(b, x.back, "time goes backwards: it counts as the one before",
			   "times go backwards: each counts as the one before");
	vec_release_all(&x.open, &x.level);
	idmap_release(&x.file_of);
	return good;
}

const struct decoder decoder_xdebug = {
	.name = "xdebug",
	.title = "Xdebug's function traces of PHP (trace_format=1)",
	.made_of = MADE_TEXT,
	.probe = xdebug_probe,
	.decode = xdebug_decode,
};
