#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/mem.h"
#include "src/encode/arcs.h"
#include "src/encode/json_text.h"
#include "src/encode/losses.h"

/* Callgrind's profile format (Valgrind's manual, "Callgrind Format Specification"): functions with
 * costs a line, and the calls of each line.  The format has no paths longer than an arc, and no
 * times.  Names are written once and then by number. */

struct callgrind_writer {
	struct shown shown;
	struct arcs arcs;
	FILE *out;
	uint32_t
		*name_of[3]; /* [name] its number once written; objects, files, functions */
	uint32_t named[3];
};

enum { OBJECTS, FILES, FUNCTIONS };

/* `fn=(3) name`, later `fn=(3)`.  Readers skip blanks after a number, so a name that begins
 * with one has none. */
static void
name_line(struct callgrind_writer *x, const char *key, unsigned space, name_id id)
{
	struct buf text = BUF_INIT;

	if (x->name_of[space][id]) {
		fprintf(x->out, "%s=(%u)\n", key, x->name_of[space][id]);
		return;
	}
	shown_name(&x->shown, id, &text);
	if (text.len && is_blank(text.at[0])) {
		fprintf(x->out, "%s=%s\n", key, buf_str(&text));
	} else {
		x->name_of[space][id] = ++x->named[space];
		fprintf(x->out, "%s=(%u) %s\n", key, x->named[space],
			text.len ? buf_str(&text) : "???");
	}
	buf_release(&text);
}

static void
cost_line(struct callgrind_writer *x, uint32_t line, const int64_t *value)
{
	json_whole(x->out, line);
	for (size_t m = 0; m < x->shown.metric.n; m++) {
		putc(' ', x->out);
		json_whole(x->out, value[m]);
	}
	putc('\n', x->out);
}

static void
callgrind_write_function(struct callgrind_writer *x, const struct arcs *a,
			 const struct arcs_function *f)
{
	size_t n = a->n_metrics;

	putc('\n', x->out);
	name_line(x, "ob", OBJECTS, f->frame.module);
	name_line(x, "fl", FILES, f->frame.file);
	name_line(x, "fn", FUNCTIONS, f->frame.name);
	for (uint32_t i = f->first_self; i; i = a->self.at[i - 1].next)
		cost_line(x, a->self.at[i - 1].line, a->self_value.at + (i - 1) * n);
	for (uint32_t i = f->first_arc; i; i = a->arc.at[i - 1].next) {
		const struct arcs_arc *arc = &a->arc.at[i - 1];
		const struct shown_frame *to = &a->function.at[arc->callee].frame;
		name_line(x, "cob", OBJECTS, to->module);
		name_line(x, "cfi", FILES, to->file);
		name_line(x, "cfn", FUNCTIONS, to->name);
		/* readers attribute the cost behind `calls=0` to the function itself */
		fprintf(x->out, "calls=%lld %u\n", arc->calls > 0 ? (long long)arc->calls : 1,
			to->defined);
		cost_line(x, arc->line, a->arc_value.at + (i - 1) * n);
	}
}

/* Writes an event's name as one word: `a_b_(ns)`. */
static void
write_events(struct callgrind_writer *x)
{
	const struct shown *s = &x->shown;

	fputs("positions: line\nevents:", x->out);
	for (size_t m = 0; m < s->metric.n; m++) {
		struct buf text = BUF_INIT;
		enum unit unit = shown_unit(s, m);
		shown_name(s, s->p->metric[s->metric.at[m]].name, &text);
		for (size_t i = 0; i < text.len; i++)
			if (text.at[i] == ' ')
				text.at[i] = '_';
		fprintf(x->out, " %s", text.len ? buf_str(&text) : "cost");
		if (unit == UNIT_NS || unit == UNIT_BYTES)
			fprintf(x->out, "_(%s)", unit_name(unit));
		buf_release(&text);
	}
	putc('\n', x->out);
}

static void
write_sums(struct callgrind_writer *x, const char *key, const struct arcs *a)
{
	fputs(key, x->out);
	for (size_t m = 0; m < a->n_metrics; m++) {
		int64_t sum = 0;
		for (size_t i = 0; i < a->self.n; i++)
			sum += a->self_value.at[i * a->n_metrics + m];
		putc(' ', x->out);
		json_whole(x->out, sum);
	}
	putc('\n', x->out);
}

/* Writes everything loaded as one part. */
static void
write_part(struct callgrind_writer *x, size_t part, size_t thread)
{
	struct arcs *a = &x->arcs;

	arcs_make(a, &x->shown);
	if (part)
		fprintf(x->out, "%spart: %zu\nthread: %zu\n", part > 1 ? "\n" : "", part, thread);
	write_events(x);
	write_sums(x, "summary:", a);
	for (size_t i = 0; i < a->function.n; i++)
		callgrind_write_function(x, a, &a->function.at[i]);
	write_sums(x, "\ntotals:", a);
}

static bool
callgrind_write_parts(struct callgrind_writer *x, struct err *e)
{
	struct shown *s = &x->shown;
	const struct encode_job *job = s->job;

	fprintf(x->out, "# callgrind format\nversion: 1\ncreator: pnav %s\n", PACKAGE_VERSION);
	if (job->command)
		fprintf(x->out, "cmd: %s\n", job->command);
	if (s->fold->estimated)
		fputs("desc: its stacks are " FOLD_ESTIMATED "\n", x->out);
	if (!s->fold->now.calls) /* the decoder knows these words */
		fputs("desc: calls are not counted\n", x->out);
	if (!encode_option(job, "with-tracks")) {
		if (!shown_load(s, TRACK_NONE, e))
			return false;
		write_part(x, 0, 0);
		return true;
	}
	for (size_t i = 0; i < s->track.n; i++) {
		if (!shown_load(s, s->track.at[i], e))
			return false;
		write_part(x, i + 1, i + 1);
	}
	return true;
}

static bool
callgrind_write(const struct encode_job *job, struct err *e)
{
	struct callgrind_writer x = {.out = job->out};

	if (!shown_open(&x.shown, job, SHOWN_LINES | SHOWN_FIRST | SHOWN_WHOLE, e))
		return false;
	for (unsigned i = 0; i < 3; i++)
		x.name_of[i] = mem_zalloc((size_t)x.shown.p->names.n + 1, sizeof *x.name_of[i]);
	bool good = callgrind_write_parts(&x, e);
	if (good)
		losses_warn(&x.shown, LOSES_TIME | LOSES_PATHS | LOSES_DEFINED | LOSES_LABELS |
				      LOSES_POINTS | LOSES_FLOWS | LOSES_SYSTEM |
				      (encode_option(job, "with-tracks") ? 0 : LOSES_TRACKS));
	for (unsigned i = 0; i < 3; i++)
		free(x.name_of[i]);
	if (x.arcs.function_of)
		arcs_release(&x.arcs);
	shown_close(&x.shown);
	return good;
}

static const struct option_row callgrind_options[] = {
	{"with-tracks", .help = "callgrind: a part a track"},
	{0},
};

const struct encoder encoder_callgrind = {
	.name = "callgrind",
	.title = "costs and calls for KCachegrind",
	.options = callgrind_options,
	.write = callgrind_write,
};
