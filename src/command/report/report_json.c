#include "src/command/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile/human.h"
#include "src/encode/json_text.h"

/* The objects `view` and `warnings` of a report in JSON, from which programs learn what the
 * numbers are. */

static void
report_json_text(const char *key, const char *value, FILE *out)
{
	fprintf(out, "\"%s\": ", key);
	if (value)
		json_string(out, value, strlen(value));
	else
		fputs("null", out);
}

static void
report_number(const char *key, int64_t v, const struct metric *m, FILE *out)
{
	struct buf b = BUF_INIT;

	human_plain(&b, v, m ? m->decimals : 0);
	fprintf(out, "\"%s\": %s", key, buf_str(&b));
	buf_release(&b);
}

/* The words behind `pnav` that print this report. */
static void
report_json_write_command(const struct report_options *own, FILE *out)
{
	int n = own->argc;
	char *const *more = own->made;

	fputs("  \"command\": [", out);
	for (int i = 0; i < n; i++) {
		if (own->made && !strcmp(own->argv[i], "-"))
			continue; /* where the other command has put the profile */
		fputs(i ? ", " : "", out);
		json_string(out, own->argv[i], strlen(own->argv[i]));
	}
	while (more && *++more) {
		fputs(", ", out);
		json_string(out, *more, strlen(*more));
	}
	fputs("],\n", out);
}

static void
report_write_metric(const struct report *r, FILE *out)
{
	const struct metric *m = r->fold ? r->look.metric : NULL;
	struct buf name = BUF_INIT;

	if (!m) {
		fputs("  \"metric\": null, \"total\": null,\n", out);
		return;
	}
	profile_write_name(r->profile, m->name, &name);
	fputs("  \"metric\": {", out);
	report_json_text("name", buf_str(&name), out);
	fputs(", ", out);
	report_json_text("unit", unit_name((enum unit)m->unit), out);
	fputs(", ", out);
	report_json_text("role", metric_role_name((enum metric_role)m->role), out);
	fputs("}, ", out);
	report_number("total", r->fold->now.everything, m, out);
	fputs(",\n", out);
	buf_release(&name);
}

static void
report_write_range(const struct report *r, FILE *out)
{
	int64_t from = 0, to = lens_run(r->profile);
	bool whole = true;
	struct err e;

	err_init(&e);
	if (!lens_range(r->lens, r->profile, &from, &to, &whole, &e) || whole) {
		from = 0;
		to = lens_run(r->profile);
	}
	fprintf(out, "  \"range\": {\"from\": %" PRId64 ", \"to\": %" PRId64 ", ", from, to);
	report_json_text("unit", unit_name(r->look.axis), out);
	fputs("},\n", out);
}

/* Writes the total of the base and the line about the largest changes, for a comparison. */
static void
write_base(const struct report *r, FILE *out)
{
	char *summary = NULL;
	size_t len = 0;

	if (!r->fold || !r->fold->compares)
		return;
	FILE *line = open_memstream(&summary, &len);
	if (line) {
		report_write_changes(r, line);
		fclose(line);
	}
	while (len && summary[len - 1] == '\n')
		summary[--len] = '\0';
	fputs(",\n  \"base\": {", out);
	report_number("total", r->fold->base.everything, r->look.metric, out);
	fputs("}, ", out);
	report_json_text("summary", len ? summary : NULL, out);
	free(summary);
}

static void
write_warnings(const struct profile *p, FILE *out)
{
	bool first = true;

	fputs(" \"warnings\": [", out);
	for (uint32_t i = 0; i < p->n_warnings; i++) {
		fputs(first ? "\n  " : ",\n  ", out);
		json_string(out, p->warning[i].text, strlen(p->warning[i].text));
		first = false;
	}
	if (!p->complete && p->why) {
		struct buf why = BUF_INIT;
		buf_addf(&why, "incomplete: %s", p->why);
		fputs(first ? "\n  " : ",\n  ", out);
		json_string(out, buf_str(&why), why.len);
		buf_release(&why);
	}
	fputs("],\n", out);
}

void
report_write_json_view(const struct report *r, const struct report_options *own, FILE *out)
{
	fputs(" \"view\": {\n", out);
	report_json_write_command(own, out);
	report_write_metric(r, out);
	report_write_range(r, out);
	fprintf(out, "  \"rows_total\": %" PRIu32 ", \"rows_shown\": %" PRIu32 ", ",
		r->rows_total, r->rows.n);
	report_json_text("sorted_by", own->sort, out);
	write_base(r, out);
	fputs("},\n", out);
	write_warnings(r->loaded, out);
}
