#include "model/lens.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/chars.h"
#include "model/human.h"
#include "model/mem.h"
#include "model/profile.h"

static const char *const granularity_names[] = {
	[BY_FUNCTION] = "function",
	[BY_LINE] = "line",
	[BY_FILE] = "file",
	[BY_MODULE] = "module",
};

const char *
granularity_name(enum granularity by)
{
	return granularity_names[by];
}

bool
granularity_parse(const char *text, enum granularity *out)
{
	for (unsigned i = 0; i < sizeof granularity_names / sizeof *granularity_names; i++)
		if (!strcmp(granularity_names[i], text)) {
			*out = (enum granularity)i;
			return true;
		}
	return false;
}

void
lens_init(struct lens *l)
{
	*l = (struct lens){.by = BY_FUNCTION};
}

void
lens_copy(struct lens *to, const struct lens *from)
{
	*to = *from;
	to->metric = NULL;
	lens_set_metric(to, from->metric);
	to->entries.at = NULL;
	to->entries.n = to->entries.cap = 0;
	for (size_t i = 0; i < from->entries.n; i++) {
		struct entry e = from->entries.at[i];
		e.pattern = pattern_ref(e.pattern);
		*vec_push(&to->entries) = e;
	}
}

void
lens_release(struct lens *l)
{
	for (size_t i = 0; i < l->entries.n; i++)
		pattern_unref(l->entries.at[i].pattern);
	vec_release(&l->entries);
	free(l->metric);
	lens_init(l);
}

static bool
entry_equal(const struct entry *a, const struct entry *b)
{
	return a->verb == b->verb && a->off == b->off &&
	       !strcmp(pattern_text(a->pattern), pattern_text(b->pattern));
}

static bool
entries_equal(const struct lens *a, const struct lens *b, bool tracks_too)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (!tracks_too && i < a->entries.n && a->entries.at[i].verb == VERB_TRACK)
			i++;
		while (!tracks_too && k < b->entries.n && b->entries.at[k].verb == VERB_TRACK)
			k++;
		if (i == a->entries.n || k == b->entries.n)
			return i == a->entries.n && k == b->entries.n;
		if (!entry_equal(&a->entries.at[i++], &b->entries.at[k++]))
			return false;
	}
}

static bool
moment_equal(struct moment a, struct moment b)
{
	return a.kind == b.kind && (a.kind == MOMENT_OPEN || a.value == b.value);
}

bool
lens_same_shape(const struct lens *a, const struct lens *b)
{
	return a->by == b->by && a->invert == b->invert && entries_equal(a, b, false);
}

bool
lens_equal(const struct lens *a, const struct lens *b)
{
	if (!a->metric != !b->metric || (a->metric && strcmp(a->metric, b->metric)))
		return false;
	return moment_equal(a->from, b->from) && moment_equal(a->to, b->to) &&
	       a->by == b->by && a->invert == b->invert && entries_equal(a, b, true);
}

void
lens_set_metric(struct lens *l, const char *name)
{
	char *copy = name ? mem_dup(name, strlen(name)) : NULL;

	free(l->metric);
	l->metric = copy;
}

/* ---- moments ---- */

/* digits[.digits] times `scale`, rounded down; *end behind it.  False when there is no
 * digit or the number does not fit. */
static bool
scaled_number(const char *text, const char **end, int64_t scale, int64_t *out)
{
	__int128 whole = 0, part = 0, unit = 1;
	bool digits = false;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++, digits = true) {
		whole = whole * 10 + (*at - '0');
		if (whole > INT64_MAX)
			return false;
	}
	if (*at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++, digits = true)
			if (unit < (__int128)1000000000 * 1000000000) {
				part = part * 10 + (*at - '0');
				unit *= 10;
			}
	*end = at;
	whole = whole * scale + part * scale / unit;
	if (!digits || whole > INT64_MAX)
		return false;
	*out = (int64_t)whole;
	return true;
}

static const struct {
	const char *name;
	enum moment_kind kind;
	int64_t scale;
} moment_units[] = {
	{"ns", MOMENT_NS, 1},
	{"us", MOMENT_NS, 1000},
	{"µs", MOMENT_NS, 1000},
	{"ms", MOMENT_NS, 1000000},
	{"s", MOMENT_NS, 1000000000},
	{"min", MOMENT_NS, INT64_C(60000000000)},
	{"%", MOMENT_PERCENT, 10000000},
	{"", MOMENT_ORDINAL, 1},
};

bool
moment_parse(const char *text, struct moment *out, struct err *e)
{
	const char *unit;
	int64_t ignored;

	if (!scaled_number(text, &unit, 1, &ignored))
		return err_usage(e, "'%s' is no time: a number with a unit (ns us ms s min), "
				    "a share (12.5%%), or a bare ordinal", text);
	while (*unit == ' ')
		unit++;
	for (size_t i = 0; i < sizeof moment_units / sizeof *moment_units; i++) {
		if (strcmp(moment_units[i].name, unit))
			continue;
		if (!scaled_number(text, &unit, moment_units[i].scale, &out->value))
			return err_usage(e, "'%s' is too large for a time", text);
		out->kind = moment_units[i].kind;
		return true;
	}
	return err_usage(e, "'%s': unknown unit '%s': ns, us, ms, s, min or %%", text, unit);
}

static void
moment_write(struct buf *out, const char *option, struct moment m)
{
	switch (m.kind) {
	case MOMENT_OPEN:
		return;
	case MOMENT_NS:
		buf_addf(out, " %s %" PRId64 "ns", option, m.value);
		return;
	case MOMENT_ORDINAL:
		buf_addf(out, " %s %" PRId64, option, m.value);
		return;
	case MOMENT_PERCENT:
		buf_addf(out, " %s %" PRId64 ".%07" PRId64 "%%", option, m.value / 10000000,
			 m.value % 10000000);
		return;
	}
}

/* ---- entries ---- */

bool
lens_add(struct lens *l, enum verb verb, const char *pattern, size_t len, struct err *e)
{
	struct pattern *p = pattern_new(pattern, len, e);

	if (!p)
		return false;
	*vec_push(&l->entries) = (struct entry){.verb = verb, .pattern = p};
	return true;
}

void
lens_remove(struct lens *l, size_t i)
{
	pattern_unref(l->entries.at[i].pattern);
	memmove(&l->entries.at[i], &l->entries.at[i + 1],
		(l->entries.n - i - 1) * sizeof *l->entries.at);
	l->entries.n--;
}

void
lens_move(struct lens *l, size_t from, size_t to)
{
	struct entry e = l->entries.at[from];

	if (from < to)
		memmove(&l->entries.at[from], &l->entries.at[from + 1], (to - from) * sizeof e);
	else
		memmove(&l->entries.at[to + 1], &l->entries.at[to], (from - to) * sizeof e);
	l->entries.at[to] = e;
}

/* One line of a specification: [~]VERB PATTERN. */
static bool
spec_line(struct lens *l, const char *file, size_t line, const char *text, size_t len,
	  struct err *e)
{
	size_t at = 0, start;
	bool off = false;
	enum verb verb;
	struct err why;

	while (at < len && is_blank(text[at]))
		at++;
	if (at == len || text[0] == '#')
		return true;
	if (text[at] == '~') {
		off = true;
		for (at++; at < len && is_blank(text[at]); at++)
			;
	}
	start = at;
	while (at < len && !is_blank(text[at]))
		at++;
	if (!verb_parse(text + start, at - start, &verb))
		return err_usage(e, "%s:%zu:%zu: unknown verb '%.*s'", file, line, start + 1,
				 (int)(at - start), text + start);
	while (at < len && is_blank(text[at]))
		at++;
	if (at == len)
		return err_usage(e, "%s:%zu:%zu: '%s' needs a pattern", file, line, at + 1,
				 verb_name(verb));
	err_init(&why);
	if (!lens_add(l, verb, text + at, len - at, &why))
		return err_usage(e, "%s:%zu:%zu: %s", file, line, at + 1, why.text);
	l->entries.at[l->entries.n - 1].off = off;
	return true;
}

bool
lens_read_spec(struct lens *l, const char *file, const char *text, size_t len, struct err *e)
{
	size_t had = l->entries.n, line = 1;

	for (size_t at = bom_len(text, len); at < len; line++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - text) - at : len - at;
		size_t shown = n && text[at + n - 1] == '\r' ? n - 1 : n;
		if (!spec_line(l, file, line, text + at, shown, e)) {
			while (l->entries.n > had)
				lens_remove(l, l->entries.n - 1);
			return false;
		}
		at += n + 1;
	}
	return true;
}

void
lens_write_spec(const struct lens *l, struct buf *out)
{
	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.at[i];
		buf_addf(out, "%s%s ", e->off ? "~" : "", verb_name(e->verb));
		pattern_write(out, e->pattern);
		buf_addc(out, '\n');
	}
}

void
lens_write_options(const struct lens *l, struct buf *out)
{
	if (l->metric) {
		buf_adds(out, " --metric ");
		human_shell_word(out, l->metric);
	}
	moment_write(out, "--from", l->from);
	moment_write(out, "--to", l->to);
	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.at[i];
		if (e->off)
			continue;
		buf_addf(out, " --%s ", verb_name(e->verb));
		human_shell_word(out, pattern_text(e->pattern));
	}
	if (l->by != BY_FUNCTION)
		buf_addf(out, " --by %s", granularity_name(l->by));
	if (l->invert)
		buf_adds(out, " --invert");
}

/* ---- the base of a comparison ---- */

void
lens_base_tracks(struct lens *kept, const struct lens *l)
{
	for (size_t i = kept->entries.n; i-- > 0;)
		if (kept->entries.at[i].verb == VERB_TRACK)
			lens_remove(kept, i);
	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.at[i];
		const char *text = pattern_text(e->pattern);
		struct err none;
		err_init(&none); /* it has been compiled before */
		if (e->verb == VERB_TRACK && !e->off)
			lens_add(kept, VERB_TRACK, text, strlen(text), &none);
	}
}

void
lens_base(const struct lens *kept, const struct lens *l, struct lens *out)
{
	lens_copy(out, l);
	out->from = kept->from;
	out->to = kept->to;
	lens_base_tracks(out, kept);
}

static bool
has_tracks(const struct lens *l)
{
	for (size_t i = 0; i < l->entries.n; i++)
		if (l->entries.at[i].verb == VERB_TRACK && !l->entries.at[i].off)
			return true;
	return false;
}

void
lens_write_base(const struct lens *kept, const struct lens *l, struct buf *out)
{
	size_t had = out->len;
	moment_write(out, "--base-from", kept->from);
	moment_write(out, "--base-to", kept->to);
	for (size_t i = 0; i < kept->entries.n; i++) {
		const struct entry *e = &kept->entries.at[i];
		if (e->verb != VERB_TRACK || e->off)
			continue;
		buf_adds(out, " --base-track ");
		human_shell_word(out, pattern_text(e->pattern));
	}
	if (has_tracks(l) && !has_tracks(kept))
		buf_adds(out, " --base-track '^'");
	if (out->len == had)
		buf_adds(out, " --base-from 0%"); /* the whole run */
}

/* ---- against a profile ---- */

metric_id
lens_metric(const struct lens *l, const struct profile *p, struct err *e)
{
	metric_id m;
	struct buf known = BUF_INIT;

	if (!l->metric)
		return profile_default_metric(p);
	m = profile_metric(p, l->metric, strlen(l->metric));
	if (m != METRIC_NONE)
		return m;
	for (metric_id i = 0; i < p->n_metrics; i++)
		if (profile_metric_shown(p, i)) {
			buf_adds(&known, known.len ? ", " : "");
			profile_show_name(p, p->metric[i].name, &known);
		}
	err_usage(e, "no metric '%s': there is %s", l->metric,
		  known.len ? buf_str(&known) : "none");
	buf_release(&known);
	return METRIC_NONE;
}

struct span {
	bool has_time;
	enum unit axis;
	int64_t length;
};

/* The longest group: moments count from the first event of each. */
static struct span
profile_span(const struct profile *p)
{
	struct span s = {.axis = UNIT_NS};

	for (uint32_t g = 0; g < p->n_groups; g++) {
		if (!p->group[g].has_time)
			continue;
		if (!s.has_time || p->group[g].end - p->group[g].start > s.length) {
			s.length = p->group[g].end - p->group[g].start;
			s.axis = (enum unit)p->group[g].axis;
		}
		s.has_time = true;
	}
	return s;
}

static bool
moment_resolve(struct moment m, const struct span *span, int64_t open, int64_t *out,
	       struct err *e)
{
	switch (m.kind) {
	case MOMENT_OPEN:
		*out = open;
		return true;
	case MOMENT_NS:
		if (span->axis != UNIT_NS)
			return err_usage(e, "this profile has no clock: its axis counts %s, give "
					    "a bare number", unit_name(span->axis));
		*out = m.value;
		return true;
	case MOMENT_ORDINAL:
		if (span->axis == UNIT_NS && m.value)
			return err_usage(e, "a time needs a unit: ns, us, ms, s, min or %%");
		*out = m.value;
		return true;
	case MOMENT_PERCENT:
		/* all of it is all of it: the last event lies at the very end */
		*out = m.value >= 1000000000
			       ? INT64_MAX
			       : (int64_t)((__int128)span->length * m.value / 1000000000);
		return true;
	}
	return true;
}

bool
lens_range(const struct lens *l, const struct profile *p, int64_t *from, int64_t *to,
	   bool *whole, struct err *e)
{
	struct span span = profile_span(p);

	*whole = l->from.kind == MOMENT_OPEN && l->to.kind == MOMENT_OPEN;
	if (!*whole && !span.has_time)
		return err_usage(e, "this profile has no time to take a range of");
	return moment_resolve(l->from, &span, 0, from, e) &&
	       moment_resolve(l->to, &span, INT64_MAX, to, e);
}

bool
lens_has_track(const struct lens *l, const struct profile *p, uint32_t track)
{
	bool asked = false;

	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.at[i];
		if (e->verb != VERB_TRACK || e->off)
			continue;
		asked = true;
		if (pattern_matches_name(e->pattern, &p->names, p->track[track].name) !=
		    pattern_negated(e->pattern))
			return true;
	}
	return !asked;
}
