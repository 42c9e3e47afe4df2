#include "src/decode/text1/text1.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

/* winIDEA's profiler export Text1: sections that begin with a line
 *
 *	* KEYWORD[(CLASS)] [CONTEXT(name)] format
 *
 * and go on until the next such line. Every row is read by its own section's format line, which
 * the exporting user wrote (text1_format.c); text1_map.c and text1_stats.c interpret the rows,
 * text1_events.c the events, text1_bin.c the binary timeline that may be in a file beside the
 * text.
 *
 * A line begins a section if its keyword is in the document, or is followed by a macro, because
 * source lines and names may begin with "* ", too.  Rows of a timeline in the most frequent
 * form are read without splitting (text1_quick.c).
 *
 * A row that its format cannot split is damage, with the row's offset. A last row without a
 * line end may be truncated inside a field and still fit its format: it counts as an event only
 * if a truncation would be visible (row_may_be_cut). */

enum section_kind {
	SECTION_NONE,
	SECTION_INFO,
	SECTION_CONTEXTS,
	SECTION_HANDLE,
	SECTION_STATISTICS,
	SECTION_TIMELINE,
	SECTION_UNKNOWN,
};

static const char *const keywords[] = {
	[SECTION_INFO] = "INFO",         [SECTION_CONTEXTS] = "CONTEXTS",
	[SECTION_HANDLE] = "HANDLE",     [SECTION_STATISTICS] = "STATISTICS",
	[SECTION_TIMELINE] = "TIMELINE",
};

struct header {
	enum section_kind kind;
	struct text_slice keyword, context, format;
};

struct text1_section {
	enum section_kind kind;
	char keyword[64];
	name_id context;
	struct text1_format format;
	bool quick; /* a timeline that may have rows for text1_quick_rows() */
};

/* ---- section lines ---- */

/* Context names may contain blanks and parentheses: the name ends at the last `)` before the
 * first macro. */
static size_t
context_end(const char *at, size_t len)
{
	size_t end = text1_format_start(at, len);

	while (end && at[end - 1] != ')')
		end--;
	return end ? end - 1 : len;
}

static bool
header_parse(const char *at, size_t len, struct header *h)
{
	static const char word[] = "CONTEXT(";
	size_t i = 2, end;

	*h = (struct header){.kind = SECTION_UNKNOWN};
	if (len < 3 || at[0] != '*' || at[1] != ' ')
		return false;
	while (i < len && (isupper((unsigned char)at[i]) || at[i] == '_'))
		i++;
	h->keyword = slice_of(at + 2, i - 2);
	if (i == 2 || (i < len && at[i] != ' ' && at[i] != '('))
		return false;
	if (i < len && at[i] == '(') {
		const char *close = memchr(at + i, ')', len - i);
		if (!close)
			return false;
		i = (size_t)(close - at) + 1;
	}
	i += i < len && at[i] == ' ';
	if (len - i >= sizeof word && !memcmp(at + i, word, sizeof word - 1)) {
		i += sizeof word - 1;
		end = context_end(at + i, len - i);
		h->context = slice_of(at + i, end);
		i += end;
		i += i < len;
		i += i < len && at[i] == ' ';
	}
	h->format = slice_of(at + i, len - i);
	for (unsigned k = SECTION_INFO; k < SECTION_UNKNOWN; k++)
		if (strlen(keywords[k]) == h->keyword.len &&
		    !memcmp(keywords[k], h->keyword.at, h->keyword.len))
			h->kind = (enum section_kind)k;
	return text1_format_start(at + i, len - i) < len - i ||
	       (h->kind != SECTION_UNKNOWN && !h->format.len);
}

/* Returns the first field that the format lacks and a timeline needs; NULL if it has all. */
static const char *
format_lacks(const struct text1_format *f)
{
	if (f->of[MACRO_HANDLE] < 0)
		return "%HANDLE%";
	if (f->of[MACRO_EVENT] < 0)
		return "%EVENT%";
	return f->of[MACRO_TIME] < 0 ? "%TIME%" : NULL;
}

static bool
section_begin(struct text1 *t, struct text1_section *s, const struct header *h, uint64_t offset,
	      struct err *e)
{
	const char *why;

	text1_format_release(&s->format);
	s->kind = h->kind;
	s->quick = false;
	s->context = builder_name(t->b, h->context.at, h->context.len);
	snprintf(s->keyword, sizeof s->keyword, "%.*s", (int)h->keyword.len, h->keyword.at);
	if (!text1_format_parse(&s->format, h->format.at, h->format.len, &why))
		return err_damage(e, offset, "the format of the section %s cannot be read: %s",
				  s->keyword, why);
	if (s->kind == SECTION_UNKNOWN) {
		builder_warn(t->b, "%s is not a known %s: kept as text", s->keyword, "section");
		return true;
	}
	for (unsigned i = 0; i < s->format.n; i++) {
		struct text_slice name = s->format.field[i].name;
		if (s->format.field[i].macro == MACRO_UNKNOWN)
			builder_warn(t->b, "%%%.*s%% is not a known macro: kept as text",
				     (int)name.len, name.at);
	}
	if (s->kind == SECTION_TIMELINE && (why = format_lacks(&s->format)))
		return err_damage(e, offset, "the timeline does not export %s", why);
	s->quick = s->kind == SECTION_TIMELINE && text1_quick_fits(&s->format);
	return true;
}

/* ---- rows of the timeline ---- */

static bool
event_type(struct text_slice s, enum event_type *out)
{
	static const char letters[] = "XSREW"; /* in the order of enum event_type */
	const char *at = s.len == 1 ? memchr(letters, s.at[0], 5) : NULL;

	if (!at)
		return false;
	*out = (enum event_type)(at - letters);
	return true;
}

/* VALUE is hexadecimal in a timeline, but a float if VALUE.TYPE is F64. */
static bool
event_value(struct text1 *t, struct text_slice s, struct event_record *r)
{
	uint64_t v;
	double d;

	if (!s.len || r->handle >> 28 < AREA_VARIABLE)
		return true;
	uint32_t area = text1_data_area(t, r->handle);
	if (!t->areas.at[area].floating && text1_hex(s, &v)) {
		r->value = (int64_t)v;
		return true;
	}
	r->floating = text1_float(s, &d);
	memcpy(&r->value, &d, r->floating ? sizeof d : 0);
	return r->floating;
}

/* Returns true if a last row without line end may be truncated.  A truncated time is shorter,
 * so it precedes the events before it, if there are any.  A truncated context is an unknown
 * one.  For other fields at the end nothing is certain. */
static bool
row_may_be_cut(struct text1 *t, const struct text1_format *f,
	       const struct text_slice *row, int64_t time)
{
	const struct text1_field *last = &f->field[f->n - 1];

	if (last->after.len)
		return false;
	if (last->macro == MACRO_TIME)
		return !t->span.events || time < t->span.latest;
	if (last->macro == MACRO_CONTEXT)
		return !text1_map_knows_context(t, row[f->n - 1]);
	return true;
}

static bool
timeline_row(struct text1 *t, const struct text1_format *f, const struct text_slice *row,
	     uint64_t offset, bool ended, struct err *e)
{
	struct event_record r = {.offset = offset};
	uint64_t handle;

	if (!text1_hex(row[f->of[MACRO_HANDLE]], &handle) || handle > UINT32_MAX ||
	    !event_type(row[f->of[MACRO_EVENT]], &r.type) ||
	    !text1_decimal(row[f->of[MACRO_TIME]], &r.time))
		return err_damage(e, offset, "a row of the timeline cannot be read%s",
				  ended ? "" : ": it is truncated");
	r.handle = (uint32_t)handle;
	if (!ended && row_may_be_cut(t, f, row, r.time))
		return err_damage(e, offset, "the last row has no line end: it may be truncated");
	if (handle >> 28 <= AREA_LINE) {
		r.context = text1_map_find_context(t, text1_slice_of(f, row, MACRO_CONTEXT));
		if (r.context == CONTEXTS_MAX)
			return err_damage(e, offset, "more than %u contexts", CONTEXTS_MAX);
	} else if (handle >> 28 <= AREA_AUX_STATE &&
		   !event_value(t, text1_slice_of(f, row, MACRO_VALUE), &r)) {
		return err_damage(e, offset, "a value of the timeline cannot be read");
	}
	return text1_event(t, &r, e);
}

/* ---- the file ---- */

static bool
section_row(struct text1 *t, const struct text1_section *s, const char *at, size_t len,
	    uint64_t offset, bool ended, struct err *e)
{
	struct text_slice row[TEXT1_FIELDS_MAX];

	if (s->kind == SECTION_NONE || s->kind == SECTION_UNKNOWN) {
		text1_map_keep(t, s->kind == SECTION_NONE ? "text" : s->keyword, at, len);
		return true;
	}
	if (!text1_format_match(&s->format, at, len, row)) {
		if (!len)
			return true;
		return err_damage(e, offset, "a row of the section %s does not fit its format%s",
				  s->keyword, ended ? "" : ": it is truncated");
	}
	if (!ended && s->kind != SECTION_TIMELINE && s->format.n &&
	    !s->format.field[s->format.n - 1].after.len)
		return err_damage(e, offset, "the last row has no line end: it may be truncated");
	switch (s->kind) {
	case SECTION_INFO:
		text1_map_info(t, &s->format, row);
		return true;
	case SECTION_CONTEXTS:
		return text1_map_context(t, &s->format, row, offset, e);
	case SECTION_HANDLE:
		return text1_map_handle(t, &s->format, row, offset, e);
	case SECTION_STATISTICS:
		return text1_statistic(t, s->context, &s->format, row, offset, e);
	case SECTION_TIMELINE:
		return timeline_row(t, &s->format, row, offset, ended, e);
	case SECTION_NONE:
	case SECTION_UNKNOWN:
		break;
	}
	return true;
}

static bool
quick_rows(struct text1 *t, struct input *in, const struct text1_section *s, struct err *e)
{
	size_t used;

	bool good = text1_quick_rows(t, &s->format, (const char *)input_at(in), input_have(in),
				     input_offset(in), &used, e);

	input_skip(in, used);
	return good;
}

static bool
text_decode(struct text1 *t, struct input *in, struct text1_section *s, struct err *e)
{
	for (;;) {
		if (s->quick && !quick_rows(t, in, s, e))
			return false;
		uint64_t offset = input_offset(in);
		struct header h;
		bool ended;
		size_t len;
		const char *at = input_line(in, &len, &ended);
		if (!at)
			return true;
		if (!ended && len && at[len - 1] == '\r')
			len--;
		if (at[0] == '*' && len && header_parse(at, len, &h)) {
			if (!ended && h.format.len && at[len - 1] != '%')
				return err_damage(e, offset,
						  "the format of the section %.*s has no "
						  "line end: it may be truncated",
						  (int)h.keyword.len, h.keyword.at);
			if (!section_begin(t, s, &h, offset, e))
				return false;
		} else if (!section_row(t, s, at, len, offset, ended, e)) {
			return false;
		}
	}
}

static bool
name_ends_in_bin(const char *name)
{
	size_t len = strlen(name);

	return len >= 4 && !strcasecmp(name + len - 4, ".bin");
}

static bool
is_binary(struct input *in)
{
	input_need(in, 256);
	return text1_bin_plausible((struct head){
		.at = input_at(in), .len = input_have(in), .whole = true, .name = ""});
}

/* "If this option is checked, timeline is exported in a binary file with the same name
 * as main file, but with additional .BIN extension": X.ext.BIN, or X.BIN. */
static bool
beside_decode(struct text1 *t, struct err *e)
{
	struct input *bin = input_open_beside(t->in, "BIN", true);
	bool good;

	if (!bin)
		bin = input_open_beside(t->in, "BIN", false);
	if (!bin && t->areas.n && !t->statistics.n)
		builder_incomplete(t->b, "its timeline is in another file: FILE.BIN must lie "
					 "beside FILE, uncompressed");
	if (!bin)
		return true;
	if (!is_binary(bin)) { /* a firmware image, as often as not */
		builder_warn(t->b, "%s is not a binary timeline: left out", input_name(bin));
		input_close(bin);
		return true;
	}
	builder_info_bytes(t->b, "timeline file", input_name(bin), strlen(input_name(bin)));
	good = text1_bin_decode(t, bin, input_name(bin), e);
	input_close(bin);
	return good;
}

/* With --zero, mapped functions that did not run are rows, too. */
static void
list_idle_functions(struct text1 *t)
{
	const int64_t nothing[] = {0};
	struct series *s = NULL;
	struct err none = {0};

	for (uint32_t i = 0; i < t->areas.n; i++) {
		struct text1_area *a = &t->areas.at[i];
		if (a->handle >> 28 != AREA_FUNCTION || a->made || !a->mapped)
			continue;
		if (!s) {
			uint32_t c = text1_map_find_context(t, slice_of("", 0));
			if (c == CONTEXTS_MAX)
				c = 0;
			s = builder_totals(t->b, t->contexts.at[c].track, &t->time, 1);
		}
		text1_area_make(t, i);
		builder_total(t->b, s, builder_child(t->b, STACK_EMPTY, t->areas.at[i].frame),
			      nothing, 0, &none);
	}
}

static bool
text1_decode(struct input *in, struct builder *b, struct err *e)
{
	struct text1_section s = {.kind = SECTION_NONE};
	struct text1 t;
	bool good;

	text1_init(&t, b, in);
	if (is_binary(in)) {
		good = text1_bin_decode(&t, in, NULL, e);
	} else {
		good = text_decode(&t, in, &s, e);
		if (good && s.kind == SECTION_NONE && !input_stopped(in)) {
			good = err_refuse(e, "no section of a profiler export found");
			e->has_offset = true; /* a file without any section is not an export */
		}
		if (!t.span.events && e->class != ERR_REFUSED)
			good &= beside_decode(&t, e);
	}
	good &= text1_events_end(&t, e);
	good &= text1_statistics_end(&t, e);
	if (input_option(in, "zero") && t.begun)
		list_idle_functions(&t);
	text1_format_release(&s.format);
	text1_release(&t);
	return good;
}

static bool
text1_dump(struct input *in, struct dump *d, struct err *e)
{
	struct buf scratch = BUF_INIT;
	char kind[64] = "text";
	bool good = true;

	if (is_binary(in))
		return text1_bin_dump(in, d, e);
	while (good) {
		uint64_t offset = input_offset(in);
		struct header h;
		bool ended;
		size_t len;
		const char *at = input_line(in, &len, &ended);
		if (!at)
			break;
		if (len && at[0] == '*' && header_parse(at, len, &h)) {
			snprintf(kind, sizeof kind, "%.*s", (int)h.keyword.len, h.keyword.at);
			good = dump_record(d, offset, "section %s",
					   dump_bytes(d, &scratch, at, len));
		} else {
			good = dump_record(d, offset, "%s %s", kind,
					   dump_bytes(d, &scratch, at, len));
		}
	}
	buf_release(&scratch);
	return good;
}

/* Sure when a line of the head begins a section of the document. */
static int
text1_probe(struct head head)
{
	const char *next = NULL, *at, *end;
	struct header h;

	for (int lines = 0; lines < 50 && head_line(head, &next, &at, &end); lines++)
		if (at < end && *at == '*' && header_parse(at, (size_t)(end - at), &h) &&
		    h.kind != SECTION_UNKNOWN)
			return lines ? 70 : 95;
	if (!text1_bin_plausible(head))
		return 0;
	return head.len >= 4 * 24 ? 75 : name_ends_in_bin(head.name) ? 60 : 40;
}

static const struct option_row text1_options[] = {
	{"bin-version", "V", "text1: layout of the binary timeline, 1.0 or 1.1",
	 .kind = OPTION_CHOICE, .choices = (const char *const[]){"1.0", "1.1", NULL}},
	{"zero", .help = "list functions without hits too"},
	{0},
};

const struct decoder decoder_text1 = {
	.name = "text1",
	.title = "winIDEA profiler export Text1, text and binary timelines",
	.manual = "winIDEA Text1",
	.made_of = MADE_TEXT | MADE_BINARY,
	.options = text1_options,
	.probe = text1_probe,
	.decode = text1_decode,
	.dump = text1_dump,
};
