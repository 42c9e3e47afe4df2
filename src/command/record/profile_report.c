/* The listing of profile(1): one row a function, three percentages, the number of hits.
 *
 * Total relates to all hits, Disp to those displayed, User to those of displayed user functions, so
 * the last two add up to 100 with any filter.  User is empty in rows of other functions.
 * Percentages are rounded from integers, half up; the decoder of these reports computes the counts
 * by the inverse.
 *
 * A filter treats a row as a stack of one frame: include, include-self, show and root keep matching
 * rows; exclude, exclude-self and hide drop them, in the given order. Entries about tracks,
 * collapsing or files do not apply and keep all rows. */
#include "src/command/record/profile_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/escape.h"
#include "model/profile/frames.h"

struct profile_report_row {
	const char *name;
	uint64_t address, hits;
	enum kind kind;
};

struct profile_report_rows {
	VEC(struct profile_report_row) row;
	uint64_t displayed, user;
};

static bool
entry_keeps(const struct entry *entry, const struct profile_report_row *r)
{
	const struct verb_row *verb = &verb_rows[entry->verb];
	return entry->off || !verb->keeps ||
	       verb->keeps(pattern_matches_known(entry->pattern, r->name, r->kind));
}

static void
profile_add_row(struct profile_report_rows *rows, const struct profile_options *o,
		struct profile_report_row r)
{
	if ((!r.hits && !o->zero) || (r.kind == KIND_SYSTEM && !o->areas) ||
	    (r.kind == KIND_INTRINSIC && !o->intrinsics))
		return;
	for (size_t i = 0; i < o->filter.entries.n; i++)
		if (!entry_keeps(&o->filter.entries.at[i], &r))
			return;
	*vec_push(&rows->row) = r;
	rows->displayed += r.hits;
	rows->user += r.kind == KIND_USER ? r.hits : 0;
}

static int
profile_report_by_name(const void *a, const void *b)
{
	const struct profile_report_row *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	return order ? order : x->address < y->address ? -1 : x->address > y->address;
}

static int
by_hits(const void *a, const void *b)
{
	const struct profile_report_row *x = a, *y = b;
	if (x->hits != y->hits)
		return x->hits > y->hits ? -1 : 1;
	return profile_report_by_name(a, b);
}

static int
by_address(const void *a, const void *b)
{
	const struct profile_report_row *x = a, *y = b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Hundredths of a percent, half rounded up. */
static unsigned
hundredths(uint64_t part, uint64_t whole)
{
	return whole ? (unsigned)((part * 20000 + whole) / (2 * whole)) : 0;
}

static bool
matches_any(const struct hits *h, const struct entry *entry)
{
	bool any = false;
	for (size_t i = 0; !any && i < h->functions->at.n; i++) {
		const char *name = h->functions->at.at[i].name;
		any = pattern_matches_known(entry->pattern, name,
					    kind_of_dos_name(name, strlen(name)));
	}
	for (size_t i = 0; !any && i < h->areas.n; i++)
		any = pattern_matches_known(entry->pattern, h->areas.at[i].name,
					    KIND_SYSTEM);
	return any;
}

void
profile_report_doubts(const struct hits *h, const struct profile_options *o,
		      struct buf *out)
{
	for (size_t i = 0; i < o->filter.entries.n; i++) {
		const struct entry *entry = &o->filter.entries.at[i];
		const char *why = !verb_rows[entry->verb].keeps ? "means nothing here"
				  : !matches_any(h, entry) ? "matches nothing"
							   : NULL;
		if (entry->off || !why)
			continue;
		buf_addf(out, "warning: %s '%s' %s\n", verb_name(entry->verb),
			 entry->pattern ? pattern_text(entry->pattern) : "", why);
	}
}

static void
write_share(FILE *out, uint64_t part, uint64_t whole)
{
	unsigned v = hundredths(part, whole);
	fprintf(out, " %4u.%02u", v / 100, v % 100);
}

static void
profile_write_rows(const struct profile_report_rows *rows, uint64_t total, FILE *out)
{
	int width = 24;
	for (size_t i = 0; i < rows->row.n; i++) {
		size_t len = strlen(rows->row.at[i].name);
		if (len < 60 && (int)len > width)
			width = (int)len;
	}
	fprintf(out, "%-*s %16s %7s %7s %7s\n\n", width, "Function name", "Addr", "Total",
		"Disp", "User");
	for (size_t i = 0; i < rows->row.n; i++) {
		const struct profile_report_row *r = &rows->row.at[i];
		struct buf name = BUF_INIT;
		escape_shown(&name, r->name, strlen(r->name), false);
		fprintf(out, "%-*s %16" PRIx64, width, buf_str(&name), r->address);
		write_share(out, r->hits, total);
		write_share(out, r->hits, rows->displayed);
		write_share(out, r->kind == KIND_USER ? r->hits : 0, rows->user);
		fputc('\n', out);
		buf_release(&name);
	}
}

void
profile_report_write(const struct hits *h, const struct profile_options *o, FILE *out)
{
	struct profile_report_rows rows = {0};
	for (size_t i = 0; i < h->functions->at.n; i++) {
		const struct function_place *f = &h->functions->at.at[i];
		profile_add_row(
			&rows, o,
			(struct profile_report_row){f->name, h->base + f->start, f->hits,
						    kind_of_dos_name(f->name, strlen(f->name))});
	}
	for (size_t i = 0; i < h->areas.n; i++)
		profile_add_row(&rows, o,
				(struct profile_report_row){h->areas.at[i].name,
							    h->areas.at[i].address,
							    h->areas.at[i].hits, KIND_SYSTEM});
	/* code between functions belongs to the program */
	if (h->unnamed)
		profile_add_row(&rows, o,
				(struct profile_report_row){base_name(h->program), h->base,
							    h->unnamed, KIND_USER});
	if (rows.row.n)
		qsort(rows.row.at, rows.row.n, sizeof *rows.row.at,
		      o->by_address ? by_address
		      : o->by_name  ? profile_report_by_name
				    : by_hits);
	profile_write_rows(&rows, h->total, out);
	fprintf(out, "\nStatistics based on %" PRIu64 " hits\n", h->total);
	vec_release(&rows.row);
}
