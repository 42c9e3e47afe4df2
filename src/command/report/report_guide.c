/* report_guide.c - see report_guide.h.
 *
 * The printed lines can be executed: a question is a comment, and the line below is a command with
 * this profile's own names in it.  So users can pipe the list into a shell or paste it. */
#include "src/command/report/report_guide.h"

#include <stdio.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/base/utf8.h"
#include "model/fold/fold.h"
#include "src/command/manual.h"
#include "src/command/say.h"

/* Writes the pattern of a name. One that is not UTF-8 is written as it is shown: not all shells
 * know $'...', which would hold its bytes. */
static void
write_pattern(const struct profile *p, name_id id, struct buf *out)
{
	struct name name = names_get(&p->names, id);

	if (utf8_is_valid(name.at, name.len)) {
		pattern_exact(out, SUBJECT_FN, name.at, name.len);
	} else {
		buf_addc(out, '=');
		profile_write_name(p, id, out);
	}
}

/* Writes a pattern of the function with the highest self cost; `=` if no function has any. */
static void
report_hottest(const struct profile *p, const struct lens *given, struct buf *out)
{
	struct fold *f = fold_new();
	struct lens l;
	struct err e;
	struct rows rows = {0};
	struct row best = {0};
	err_init(&e);
	lens_copy(&l, given);
	l.by = BY_FUNCTION;
	if (fold_update(f, p, &l, NULL, &e)) {
		fold_rows(f, &rows);
		for (uint32_t i = 0; i < rows.n; i++)
			if (rows_get(&rows, i).self > best.self)
				best = rows_get(&rows, i);
	}
	write_pattern(p, best.self ? p->frames.function.name[best.key] : NAME_EMPTY, out);
	rows_release(&rows);
	lens_release(&l);
	fold_free(f);
}

static void
report_guide_add_word(struct buf *out, const char *word)
{
	buf_addc(out, ' ');
	escape_shell_word(out, word);
}

/* The values for the blanks of command lines. */
struct blanks {
	const struct options *options;
	const struct commandline *line;
	struct buf function; /* a pattern */
	struct buf metric;   /* in bytes: live memory, if the profile has it */
};

static void
find_metric(const struct profile *p, struct buf *out)
{
	for (metric_id m = 0; m < p->n_metrics; m++) {
		struct buf name = BUF_INIT;
		if (!profile_metric_shown(p, m) || p->metric[m].unit != UNIT_BYTES)
			continue;
		profile_write_name(p, p->metric[m].name, &name);
		bool held = !strcmp(buf_str(&name), "live") || !strncmp(buf_str(&name), "inuse", 5);
		if (!out->len || held) {
			buf_reset(out);
			buf_adds(out, buf_str(&name));
		}
		buf_release(&name);
	}
}

static void
fill_blank(const char *blank, const struct blanks *b, struct buf *out)
{
	if (!strcmp(blank, "function")) {
		report_guide_add_word(out, buf_str(&b->function));
	} else if (!strcmp(blank, "metric")) {
		report_guide_add_word(out, buf_str(&b->metric));
	} else {
		buf_add(out, buf_str(&b->line->rest), b->line->rest.len);
	}
}

static void
report_write_command(const struct inspection *q, const struct blanks *b, struct buf *out)
{
	const struct commandline whole = {.verb = b->line->verb, .options = b->line->options};

	commandline_write(&whole, &b->options->lens, NULL, NULL, NULL, out);
	for (size_t i = 0; i < q->command.n; i++) {
		if (q->command.at[i].blank)
			fill_blank(q->command.at[i].text, b, out);
		else
			report_guide_add_word(out, q->command.at[i].text);
	}
}

static void
print_one(const struct inspection *q, const struct blanks *b)
{
	struct buf line = BUF_INIT;
	report_write_command(q, b, &line);
	printf("# %s: %s\n%s\n", q->name, q->title, buf_str(&line));
	buf_release(&line);
}

/* Prints all suitable questions, or the requested one, which may not be suitable. */
static bool
print_all(const struct inspections *all, const struct profile *p, const struct options *o,
	  const struct commandline *line, const struct inspection *only, struct err *e)
{
	unsigned has = needs_of(p);
	struct blanks b = {.options = o, .line = line};
	struct buf lacking = BUF_INIT;
	if (only)
		needs_say(only->needs & ~has, &lacking);
	if (lacking.len) {
		err_usage(e, "--guide: %s: this profile lacks: %s", only->name,
			  buf_str(&lacking));
	} else {
		report_hottest(p, &o->lens, &b.function);
		find_metric(p, &b.metric);
		for (size_t i = 0; i < all->list.n; i++) {
			const struct inspection *q = &all->list.at[i];
			if ((only ? q == only : !(q->needs & ~has)) && q->command.n)
				print_one(q, &b);
		}
	}
	buf_release(&b.function);
	buf_release(&b.metric);
	buf_release(&lacking);
	return !err_is_set(e);
}

int
report_guide(const struct command *self, const struct profile *p, const struct options *o,
	     const struct commandline *line, const char *name, int status)
{
	struct inspections all = {0};
	const struct inspection *only = NULL;
	struct err e;
	err_init(&e);
	bool good = manual_inspections(&all, &e);
	if (good && name)
		good = (only = manual_inspection(&all, name, &e)) != NULL;
	if (good)
		good = print_all(&all, p, o, line, only, &e);
	inspections_release(&all);
	return good ? status : say_usage(self, &e);
}
