/* The output of Erlang's profilers:
 *
 *	%% Analysis results:                         fprof:analyse()
 *	[{ "<0.9.0>", 26845, undefined, 198.972}].
 *	{[{{lists,sort,1},     3,  1.500,  0.250}],  callers: calls, ms with callees, own ms
 *	 { {lists,rev,2},      3,  1.500,  0.250},   the function
 *	 [{garbage_collect,    1,  0.010,  0.010}]}. callees
 *
 *	FUNCTION       CALLS      %  TIME  [uS / CALLS]     eprof:log()
 *	lists:rev/2        3  21.57  5081  [      1.37]
 *
 * The former are terms of Erlang: a call graph for each process, whose arcs are the lists of
 * callees. The first table, `totals`, is the sum of the others if there are others. `undefined` is
 * the caller of functions without a caller. The latter is flat. */
#include "src/decode/decoder.h"

#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/vec.h"
#include "src/decode/common/graph_totals.h"
#include "src/decode/common/odd_lines.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"
#include "src/input/lines.h"

/* ---- terms ---- */

/* A term ends with a dot outside of all brackets and quotes; a comment goes from a percent sign
 * to the end of its line.  Terms are collected line by line without their comments.  Nested
 * terms are not parsed, their brackets are only counted. */

struct term {
	const char *at, *end;
};

struct terms {
	struct lines lines;
	struct text_line held; /* if `holds`: the line that begins the next term */
	bool holds;
	struct buf text;
	uint64_t offset; /* of the last term returned, or of the incomplete one */
	bool unended;
};

struct scan {
	int depth;
	char quote;   /* ' or " that is open */
	bool escaped; /* the previous character was a backslash in quotes */
};

/* One character further. */
static void
scan_char(struct scan *s, char c)
{
	if (s->quote) {
		if (s->escaped)
			s->escaped = false;
		else if (c == '\\')
			s->escaped = true;
		else if (c == s->quote)
			s->quote = 0;
	} else if (c == '\'' || c == '"') {
		s->quote = c;
	} else if (c == '{' || c == '[' || c == '(') {
		s->depth++;
	} else if (c == '}' || c == ']' || c == ')') {
		s->depth--;
	}
}

static void
terms_init(struct terms *t, struct input *in)
{
	*t = (struct terms){0};
	lines_init(&t->lines, in);
}

static void
terms_release(struct terms *t)
{
	buf_release(&t->text);
}

/* Adds a line without its comment; returns true if the line ends the term. */
static bool
gather(struct terms *t, struct scan *s, const struct text_line *line)
{
	for (size_t i = 0; i < line->len; i++) {
		char c = line->at[i];
		if (!s->quote && c == '%')
			break;
		if (!s->quote && c == '.' && s->depth <= 0 && t->text.len)
			return true;
		if (!t->text.len && is_blank(c))
			continue;
		if (!t->text.len)
			t->offset = line->offset + i;
		scan_char(s, c);
		buf_addc(&t->text, c);
	}
	if (t->text.len)
		buf_addc(&t->text, ' ');
	return false;
}

/* Returns true if a line begins a term, `{[callers` or `[{process`; the lines inside a term are
 * indented. */
static bool
begins_term(const struct text_line *line)
{
	return line->len > 1 && ((line->at[0] == '{' && line->at[1] == '[') ||
				 (line->at[0] == '[' && line->at[1] == '{'));
}

static bool
next_line(struct terms *t, struct text_line *line)
{
	if (!t->holds)
		return lines_next(&t->lines, line);
	*line = t->held;
	t->holds = false;
	return true;
}

/* Returns the next term, without its dot; valid until the next call. False at the end. An
 * incomplete term ends at a line that begins a function or a process, which no line within a term
 * does. */
static bool
terms_next(struct terms *t, struct term *out)
{
	struct scan s = {0};
	struct text_line line;

	buf_reset(&t->text);
	while (next_line(t, &line)) {
		t->holds = t->text.len && begins_term(&line);
		if (t->holds)
			t->held = line;
		else if (!gather(t, &s, &line))
			continue;
		*out = (struct term){buf_str(&t->text), buf_str(&t->text) + t->text.len};
		return true;
	}
	t->unended = t->text.len > 0;
	return false;
}

/* ---- inside a term ---- */

static void
skip_spaces(struct term *t)
{
	while (t->at < t->end && (is_blank(*t->at) || *t->at == '\n' || *t->at == '\r'))
		t->at++;
}

/* Steps over this character if it is the next one. Returns true if it was. */
static bool
term_take(struct term *t, char c)
{
	skip_spaces(t);
	if (t->at == t->end || *t->at != c)
		return false;
	t->at++;
	return true;
}

/* Steps over a value and sets *out to it. Returns false if there is none, or if it is
 * incomplete. */
static bool
term_skip(struct term *t, struct term *out)
{
	struct scan s = {0};
	const char *at;

	skip_spaces(t);
	for (at = t->at; at < t->end; at++) {
		if (!s.quote && !s.depth &&
		    (*at == ',' || *at == '}' || *at == ']' || *at == ')' || *at == '|'))
			break;
		scan_char(&s, *at);
	}
	*out = (struct term){t->at, at};
	t->at = at;
	out->end = drop_blanks(out->at, out->end);
	return !s.quote && !s.depth && out->end > out->at;
}

struct erl_process {
	name_id name;
	bool is_total;
	struct graph_totals graph;
	VEC(int64_t) unknown; /* [function] its calls minus those of the arcs into it */
	uint64_t records;
};

struct fprof {
	struct builder *b;
	struct err *e;
	uint64_t offset;
	metric_id metric[2]; /* time, calls */
	VEC(struct erl_process) process;
	track_id track; /* of the flat form */
	struct series *flat;
	struct odd_lines odd; /* lines, or terms and rows of them */
};

struct fprof_row {
	struct term function;
	int64_t calls, gross_ns, own_ns;
	bool has_gross;
};

static int
fprof_probe(struct head head)
{
	const char *next = NULL, *at, *end;
	bool columns = false;

	for (unsigned i = 0; i < 16 && head_line(head, &next, &at, &end); i++) {
		if (begins_with(at, end, "%% Analysis results:"))
			return 95;
		if (columns && begins_with(at, end, "--------"))
			return 95;
		columns = begins_with(at, end, "FUNCTION ") && text_find(at, end, " CALLS ") &&
			  text_find(at, end, " TIME ");
	}
	return 0;
}

static bool
bad(struct fprof *x, const char *what)
{
	return err_damage(x->e, x->offset, "%s", what);
}

static void
fprof_declare(struct fprof *x)
{
	x->metric[0] = builder_metric(x->b, "time", UNIT_NS, ROLE_VALUE);
	x->metric[1] = builder_metric(x->b, "calls", UNIT_CALLS, ROLE_VALUE);
	builder_default_metric(x->b, x->metric[0]);
	builder_calls_metric(x->b, x->metric[1]);
}

/* Returns the function with this name, `module:function/arity`. */
static function_id
function_named(struct fprof *x, const char *at, size_t len, size_t module_len)
{
	bool system = is_key(at, len, "suspend") || is_key(at, len, "garbage_collect");
	struct function f = {
		.name = builder_name(x->b, at, len),
		.module = module_len ? builder_name(x->b, at, module_len) : NAME_EMPTY,
		.kind = (uint8_t)(system ? KIND_SYSTEM : KIND_USER),
	};

	return builder_function(x->b, f);
}

/* ---- fprof ---- */

static bool
is_undefined(struct term t)
{
	return is_key(t.at, (size_t)(t.end - t.at), "undefined");
}

/* Reads `{module, function, arity}`, or another term in the place of a function. */
static uint32_t
fprof_function_of(struct fprof *x, struct erl_process *p, struct term t)
{
	struct term whole = t, part[3];
	struct buf name = BUF_INIT;
	size_t module_len = 0;

	if (term_take(&t, '{') && term_skip(&t, &part[0]) && term_take(&t, ',') &&
	    term_skip(&t, &part[1]) && term_take(&t, ',') && term_skip(&t, &part[2]) &&
	    term_take(&t, '}')) {
		module_len = (size_t)(part[0].end - part[0].at);
		buf_add(&name, part[0].at, module_len);
		buf_addc(&name, ':');
		buf_add(&name, part[1].at, (size_t)(part[1].end - part[1].at));
		buf_addc(&name, '/');
		buf_add(&name, part[2].at, (size_t)(part[2].end - part[2].at));
	} else {
		buf_add(&name, whole.at, (size_t)(whole.end - whole.at));
	}
	function_id f = function_named(x, buf_str(&name), name.len, module_len);
	buf_release(&name);
	uint32_t i = graph_totals_function(&p->graph, f);
	while (p->unknown.n <= i)
		*vec_push(&p->unknown) = 0;
	return i;
}

/* Milliseconds, or `undefined`. */
static bool
fprof_time_of(struct term *t, int64_t *ns, bool *known)
{
	struct term number;

	*ns = 0;
	*known = false;
	if (!term_skip(t, &number))
		return false;
	*known = !is_undefined(number);
	return !*known || decimal_scaled(number.at, (size_t)(number.end - number.at), 6, ns);
}

/* Reads `{Function, calls, ms with callees, own ms}`. */
static bool
fprof_row_of(struct term *t, struct fprof_row *r)
{
	struct term calls;
	bool has_own;

	return term_take(t, '{') && term_skip(t, &r->function) && term_take(t, ',') &&
	       term_skip(t, &calls) && number_parse(calls.at, calls.end, &r->calls) &&
	       r->calls >= 0 && term_take(t, ',') &&
	       fprof_time_of(t, &r->gross_ns, &r->has_gross) && term_take(t, ',') &&
	       fprof_time_of(t, &r->own_ns, &has_own) && term_take(t, '}');
}

static bool
sum_passes(struct fprof *x)
{
	return bad(x, "the sum of the values exceeds 2^63");
}

/* Steps over a row that is none. */
static bool
row_skip(struct fprof *x, struct term *t, struct term row)
{
	struct term skipped;

	*t = row;
	if (!term_skip(t, &skipped))
		return false;
	odd_at(&x->odd, x->offset);
	return true;
}

/* Reads the list of callees; returns false if there is none, without damage in *x->e. */
static bool
arcs(struct fprof *x, struct erl_process *p, struct term *t, struct term caller)
{
	bool root = is_undefined(caller);
	struct fprof_row r;

	if (!term_take(t, '['))
		return false;
	if (term_take(t, ']'))
		return true;
	do {
		struct term row = *t;
		if (!fprof_row_of(t, &r)) {
			if (!row_skip(x, t, row))
				return false;
			continue;
		}
		if (root || is_undefined(r.function))
			continue; /* no function calls it; its count will show that */
		uint32_t to = fprof_function_of(x, p, r.function);
		if (!callgraph_arc(p->graph.graph, fprof_function_of(x, p, caller), to, r.calls,
				   &r.gross_ns) ||
		    __builtin_sub_overflow(p->unknown.at[to], r.calls, &p->unknown.at[to]))
			return sum_passes(x);
	} while (term_take(t, ','));
	return term_take(t, ']');
}

static struct erl_process *
process_new(struct fprof *x, name_id name, bool is_total)
{
	struct erl_process *p = vec_push(&x->process);

	*p = (struct erl_process){.name = name, .is_total = is_total};
	p->graph = (struct graph_totals){.b = x->b, .n_metrics = 1, .calls = x->metric[1]};
	p->graph.metric[0] = x->metric[0];
	return p;
}

/* Reads `{[callers], {function...}, [called]}`; returns false as arcs() does. */
static bool
function_term(struct fprof *x, struct term t)
{
	struct erl_process *p;
	struct term callers;
	struct fprof_row r;

	if (!term_take(&t, '{') || !term_skip(&t, &callers) || !term_take(&t, ',') ||
	    !fprof_row_of(&t, &r) || !term_take(&t, ','))
		return false;
	p = x->process.n ? &x->process.at[x->process.n - 1]
			 : process_new(x, builder_name(x->b, "main", 4), false);
	p->records++;
	if (!is_undefined(r.function)) {
		uint32_t f = fprof_function_of(x, p, r.function);
		if (!graph_totals_self(&p->graph, f, &r.own_ns) ||
		    __builtin_add_overflow(p->unknown.at[f], r.calls, &p->unknown.at[f]))
			return sum_passes(x);
		if (r.has_gross)
			callgraph_gross(p->graph.graph, f, &r.gross_ns);
	}
	return arcs(x, p, &t, r.function);
}

/* Reads `[{ "<0.9.0>", 26845, undefined, 198.972}, ...]`: the following terms belong to this
 * process. */
static bool
process_term(struct fprof *x, struct term t)
{
	struct term name;
	bool is_total;

	if (!term_take(&t, '[') || !term_take(&t, '{') || !term_skip(&t, &name))
		return false;
	is_total = is_key(name.at, (size_t)(name.end - name.at), "totals");
	if (name.end - name.at >= 2 && *name.at == '"') {
		name.at++;
		name.end--;
	}
	process_new(x, is_total ? builder_name(x->b, "main", 4)
				: builder_name(x->b, name.at, (size_t)(name.end - name.at)),
		    is_total);
	return true;
}

static bool
write_process(struct fprof *x, struct erl_process *p)
{
	struct name name = builder_name_get(x->b, p->name);

	p->graph.track = builder_track(x->b, name.at, name.len, TRACK_THREAD);
	for (uint64_t i = 0; i < p->records; i++)
		builder_track_event(x->b, p->graph.track);
	for (uint32_t f = 0; f < p->unknown.n; f++)
		if (p->unknown.at[f] > 0 && !callgraph_calls(p->graph.graph, f, p->unknown.at[f]))
			return sum_passes(x);
	p->graph.graph->callers_known = true;
	return graph_totals_write(&p->graph, x->offset, x->e);
}

static bool
read_terms(struct fprof *x, struct input *in)
{
	struct terms terms;
	struct term t, peek;
	bool good = true;

	terms_init(&terms, in);
	while (good && terms_next(&terms, &t)) {
		bool taken = false;
		x->offset = terms.offset;
		peek = t;
		if (*t.at == '[')
			taken = process_term(x, t);
		else if (term_take(&peek, '{')) /* else the options of the analysis */
			taken = !term_take(&peek, '[') || function_term(x, t);
		good = taken || !err_is_set(x->e);
		if (good && !taken)
			odd_at(&x->odd, x->offset);
	}
	if (good && terms.unended && !input_stopped(in)) {
		x->offset = terms.offset;
		good = bad(x, "the text ends within a term");
	}
	terms_release(&terms);
	return good;
}

static bool
read_fprof(struct fprof *x, struct input *in)
{
	bool good = read_terms(x, in), parts = false;

	for (size_t i = 0; i < x->process.n; i++)
		parts |= !x->process.at[i].is_total && x->process.at[i].records;
	builder_info(x->b, "assumed", GRAPH_ASSUMED);
	for (size_t i = 0; i < x->process.n; i++) {
		struct erl_process *p = &x->process.at[i];
		if (p->graph.graph && !(p->is_total && parts))
			good = write_process(x, p) && good;
		graph_totals_release(&p->graph);
		vec_release(&p->unknown);
	}
	vec_release(&x->process);
	return good;
}

/* ---- eprof ---- */

/* Reads `****** Process <0.27.0>    -- 100.00 % of profiled time *** ` */
static void
eprof_process(struct fprof *x, const char *at, const char *end)
{
	const char *name = text_find(at, end, "Process ");

	if (!name)
		return;
	name = skip_blanks(name + 8, end);
	x->track = builder_track(x->b, name, (size_t)(word_end(name, end) - name), TRACK_THREAD);
	x->flat = builder_totals(x->b, x->track, x->metric, 2);
}

/* Reads `lists:rev/2  3  21.57  5081  [  1.37]`. */
static bool
eprof_row(struct fprof *x, const char *at, const char *end)
{
	const char *open = memrchr(at, '[', (size_t)(end - at)), *word[3], *stop[3];
	int64_t value[2];

	if (!open)
		return false;
	for (unsigned i = 3; i-- > 0;) {
		open = drop_blanks(at, open);
		stop[i] = open;
		while (open > at && !is_blank(open[-1]))
			open--;
		word[i] = open;
	}
	open = drop_blanks(at, open);
	if (open == at || !decimal_scaled(word[2], (size_t)(stop[2] - word[2]), 3, &value[0]) ||
	    !number_parse(word[0], stop[0], &value[1]))
		return false;
	if (is_key(at, (size_t)(open - at), "Total:"))
		return true;
	if (!x->flat) {
		x->track = builder_main(x->b);
		x->flat = builder_totals(x->b, x->track, x->metric, 2);
	}
	const char *colon = text_find(at, open, ":");
	function_id f = function_named(x, at, (size_t)(open - at),
				       colon ? (size_t)(colon - at) : 0);
	builder_track_event(x->b, x->track);
	return builder_total(x->b, x->flat,
			     builder_child(x->b, STACK_EMPTY,
					   builder_frame(x->b, f, line_unknown())),
			     value, x->offset, x->e);
}

static bool
eprof_line(void *state, const char *at, const char *end)
{
	if (begins_with(at, end, "******"))
		eprof_process(state, at, end);
	else if (skip_blanks(at, end) < end && !begins_with(at, end, "---") &&
		 !begins_with(at, end, "FUNCTION "))
		return eprof_row(state, at, end);
	return true;
}

/* ---- the decoder ---- */

/* Rows of eprof end in a number in brackets. */
static enum last_line
eprof_last_line(const char *at, const char *end)
{
	return last_line_closed(at, end, "]");
}

static bool
fprof_decode(struct input *in, struct builder *b, struct err *e)
{
	struct fprof x = {.b = b, .e = e};

	char first = input_first(in);

	fprof_declare(&x);
	bool good = first && strchr("%[{", first)
			    ? read_fprof(&x, in)
			    : text_lines(in, b, e, &x.offset, eprof_last_line, eprof_line, &x);
	odd_lines_report(&x.odd, b);
	return good;
}

const struct decoder decoder_fprof = {
	.name = "fprof",
	.title = "Erlang's fprof:analyse() and eprof:log()",
	.made_of = MADE_TEXT,
	.probe = fprof_probe,
	.decode = fprof_decode,
};
