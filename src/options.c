#include "src/options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "model/buf.h"
#include "model/mem.h"
#include "model/words.h"
#include "src/decode/decoder.h"

/* getopt_long() does the work; the tables are turned into its arrays for each run.  Rows
 * get values from ROW_BASE up, so that they never meet a letter.  An option that may be
 * given once and is given twice is refused: silently taking one of the two hides a
 * mistake. */

#define ROW_BASE 256
#define ROWS_MAX 96 /* of one command, all its tables */

/* ---- the lens ---- */

static bool
set_metric(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	(void)row;
	(void)e;
	lens_set_metric(&o->lens, value);
	return true;
}

static bool
set_from(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	(void)row;
	return moment_parse(value, &o->lens.from, e);
}

static bool
set_to(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	(void)row;
	return moment_parse(value, &o->lens.to, e);
}

static bool
set_entry(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	enum verb verb;

	verb_parse(row->name, strlen(row->name), &verb);
	return lens_add(&o->lens, verb, value, strlen(value), e);
}

static bool
set_by(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	(void)row;
	if (granularity_parse(value, &o->lens.by))
		return true;
	return err_usage(e, "--by takes function, line, file or module, not '%s'", value);
}

static bool
set_invert(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	(void)row;
	(void)value;
	(void)e;
	o->lens.invert = true;
	return true;
}

/* A device gives no end. */
#define SPEC_MAX (16u << 20)

static bool
set_filter_file(struct options *o, const struct option_row *row, const char *value,
		struct err *e)
{
	struct buf text = BUF_INIT;
	char piece[4096];
	size_t n;
	FILE *in = fopen(value, "r");
	bool good;

	(void)row;
	if (!in)
		return err_usage(e, "%s: %s", value, strerror(errno));
	*vec_push(&o->read) = value;
	while (text.len <= SPEC_MAX && (n = fread(piece, 1, sizeof piece, in)) > 0)
		buf_add(&text, piece, n);
	good = !ferror(in) || err_usage(e, "%s: %s", value, strerror(errno));
	good = good && (text.len <= SPEC_MAX || err_usage(e, "%s: too long", value));
	fclose(in);
	good = good && lens_read_spec(&o->lens, value, buf_str(&text), text.len, e);
	buf_release(&text);
	return good;
}

const struct option_row lens_rows[] = {
	{"metric", 0, "NAME", false, false, "what is measured; view info lists them", set_metric},
	{"from", 0, "T", false, false, "begin at T: 2.5s, 300ms, 12.5%", set_from},
	{"to", 0, "T", false, false, "end before T", set_to},
	{"track", 0, "PATTERN", false, true, "only tracks (threads, ...) that match", set_entry},
	{"include", 0, "PATTERN", false, true, "keep stacks in which a frame matches", set_entry},
	{"exclude", 0, "PATTERN", false, true, "drop stacks in which a frame matches", set_entry},
	{"include-self", 0, "PATTERN", false, true, "keep stacks whose leaf matches", set_entry},
	{"exclude-self", 0, "PATTERN", false, true, "drop stacks whose leaf matches", set_entry},
	{"hide", 0, "PATTERN", false, true, "remove frames; callers get their cost", set_entry},
	{"show", 0, "PATTERN", false, true, "remove all frames that do not match", set_entry},
	{"collapse", 0, "PATTERN", false, true, "make runs of matching frames one frame", set_entry},
	{"collapse-recursion", 0, "PATTERN", false, true, "matching frames that are on the stack already join it there",
	 set_entry},
	{"root", 0, "PATTERN", false, true, "cut what is above the first match", set_entry},
	{"by", 0, "WHAT", false, false, "a frame is a function, line, file or module", set_by},
	{"invert", 0, NULL, false, false, "callers: leaf first", set_invert},
	{"filter-file", 0, "SPEC", false, true, "read such entries from a file", set_filter_file},
	{0},
};

/* ---- the formats ---- */

static bool
one_of(const struct option_row *row, const char *value, const char *const *choices,
       const char **out, struct err *e)
{
	struct buf all = BUF_INIT;

	for (size_t i = 0; choices[i]; i++) {
		if (!strcmp(choices[i], value)) {
			*out = choices[i];
			buf_release(&all);
			return true;
		}
		buf_addf(&all, "%s%s", i ? ", " : "", choices[i]);
	}
	err_usage(e, "--%s takes one of %s, not '%s'", row->name, buf_str(&all), value);
	buf_release(&all);
	return false;
}

static bool
set_time_unit(struct options *o, const struct option_row *row, const char *value,
	      struct err *e)
{
	static const char *const choices[] = {"ms", "us", "ns", NULL};

	return one_of(row, value, choices, &o->format.bsprof_time_unit, e);
}

static bool
set_bin_version(struct options *o, const struct option_row *row, const char *value,
		struct err *e)
{
	static const char *const choices[] = {"1.0", "1.1", NULL};

	return one_of(row, value, choices, &o->format.bin_version, e);
}

static bool
set_hqn_timestamp(struct options *o, const struct option_row *row, const char *value,
		  struct err *e)
{
	static const char *const choices[] = {"start", "end", NULL};

	return one_of(row, value, choices, &o->format.hqn_timestamp, e);
}

static bool
set_map(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	(void)row;
	(void)e;
	o->format.map_file = value;
	*vec_push(&o->read) = value;
	return true;
}

static bool
set_outermost_first(struct options *o, const struct option_row *row, const char *value,
		    struct err *e)
{
	(void)row;
	(void)value;
	(void)e;
	o->format.br_outermost_first = true;
	return true;
}

static bool
set_zero(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	(void)row;
	(void)value;
	(void)e;
	o->format.zero = true;
	return true;
}

static bool
set_input(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct buf known = BUF_INIT;

	(void)row;
	o->format.decoder = value;
	if (decoder_named(value))
		return true;
	for (size_t i = 0; decoders[i]; i++)
		buf_addf(&known, "%s%s", i ? ", " : "", decoders[i]->name);
	err_usage(e, "no format '%s' to read: there is %s", value, buf_str(&known));
	buf_release(&known);
	return false;
}

const struct option_row format_rows[] = {
	{"input", 0, "FORMAT", false, false, "read as this format, whatever it looks like",
	 set_input},
	{"map", 0, "FILE", false, false, "prf: the linker map", set_map},
	{"zero", 0, NULL, false, false, "list functions without hits too", set_zero},
	{"bsprof-time-unit", 0, "UNIT", false, false, "bsprof: times are in ms, us or ns",
	 set_time_unit},
	{"bin-version", 0, "V", false, false, "text1: layout of the binary timeline, 1.0 or 1.1",
	 set_bin_version},
	{"hqn-timestamp", 0, "WHICH", false, false, "hqnplog: a timestamp is the start or the end",
	 set_hqn_timestamp},
	{"br-outermost-first", 0, NULL, false, false, "br: backtraces begin with the outermost line",
	 set_outermost_first},
	{0},
};

/* The last one given counts: a session may say one, and the command line another. */
static void
remember_given(struct options *o, const struct option_row *row, const char *value)
{
	for (size_t i = 0; i < o->given.n; i++)
		if (o->given.at[i].row == row) {
			o->given.at[i].value = value;
			return;
		}
	*vec_push(&o->given) = (struct option_given){row, value};
}

bool
options_set_format(struct options *o, const char *name, const char *value, struct err *e)
{
	const struct option_row *row = format_rows;

	while (row->name && strcmp(row->name, name))
		row++;
	if (!row->name)
		return err_usage(e, "no format has an option '%s'", name);
	if (!row->value != !value)
		return err_usage(e, row->value ? "option %s needs a value" :
						 "option %s takes no value", name);
	if (!row->set(o, row, value, e))
		return false;
	remember_given(o, row, value);
	return true;
}

/* ---- the base of a comparison ---- */

bool
option_base(struct options *o, const struct option_row *row, const char *value,
	    struct err *e)
{
	o->compares = true;
	if (!strcmp(row->name, "base-track")) {
		o->base_tracks = true;
		return lens_add(&o->base, VERB_TRACK, value, strlen(value), e);
	}
	if (!strcmp(row->name, "base-to"))
		return moment_parse(value, &o->base.to, e);
	if (!moment_parse(value, &o->base.from, e))
		return false;
	if (!o->base.from.value) /* so that "0%" says the whole run */
		o->base.from.kind = MOMENT_OPEN;
	return true;
}

static bool
set_help(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	(void)row;
	(void)value;
	(void)e;
	o->help = true;
	return true;
}

static const struct option_row common_rows[] = {
	{"help", 'h', NULL, false, true, "print this", set_help},
	{0},
};

/* ---- reading ---- */

void
options_init(struct options *o, void *own)
{
	*o = (struct options){.own = own};
	lens_init(&o->lens);
	lens_init(&o->base);
}

void
options_release(struct options *o)
{
	lens_release(&o->lens);
	lens_release(&o->base);
	vec_release(&o->given);
	vec_release(&o->files);
	vec_release(&o->read);
}

struct getopt_tables {
	struct option longs[ROWS_MAX + 1];
	const struct option_row *row[ROWS_MAX];
	bool given[ROWS_MAX];
	char letters[2 * ROWS_MAX + 3];
	unsigned n;
};

static bool
tables_have(const struct getopt_tables *t, const char *name)
{
	for (unsigned i = 0; i < t->n; i++)
		if (!strcmp(t->row[i]->name, name))
			return true;
	return false;
}

static void
tables_add(struct getopt_tables *t, const struct option_row *rows)
{
	for (; rows && rows->name; rows++) {
		assert(t->n < ROWS_MAX);
		if (tables_have(t, rows->name))
			continue; /* two of one name would make its abbreviations ambiguous */
		t->row[t->n] = rows;
		t->longs[t->n] = (struct option){
			.name = rows->name,
			.has_arg = !rows->value     ? no_argument
				   : rows->optional ? optional_argument
						    : required_argument,
			.val = ROW_BASE + (int)t->n,
		};
		if (rows->letter) {
			size_t len = strlen(t->letters);
			t->letters[len++] = rows->letter;
			if (rows->value)
				t->letters[len++] = ':';
			t->letters[len] = '\0';
		}
		t->n++;
	}
}

/* The row that getopt's answer stands for. */
static unsigned
tables_find(const struct getopt_tables *t, int got)
{
	if (got >= ROW_BASE)
		return (unsigned)(got - ROW_BASE);
	for (unsigned i = 0; i < t->n; i++)
		if (t->row[i]->letter == got)
			return i;
	return t->n;
}

static bool
bad_option(const struct getopt_tables *t, int got, char **argv, struct err *e)
{
	unsigned i = optopt ? tables_find(t, optopt) : t->n;

	if (got == ':' && i < t->n)
		return err_usage(e, "option --%s needs a value: %s", t->row[i]->name,
				 t->row[i]->value);
	if (i < t->n)
		return err_usage(e, "option --%s takes no value", t->row[i]->name);
	if (optopt && optopt < ROW_BASE)
		return err_usage(e, "unknown option -%c", optopt);
	return err_usage(e, "unknown option %s", argv[optind - 1]);
}

static bool
is_format(const struct option_row *row)
{
	const struct option_row *known = format_rows;

	while (known->name && known != row)
		known++;
	return known->name != NULL;
}

bool
options_read(struct options *o, int argc, char **argv, const struct option_row *own,
	     bool lens, struct err *e)
{
	struct getopt_tables t = {.letters = ":"};
	int got;

	tables_add(&t, common_rows);
	tables_add(&t, lens ? lens_rows : NULL);
	tables_add(&t, lens ? format_rows : NULL);
	tables_add(&t, own);
	optind = 0; /* glibc: begin anew */
	opterr = 0;
	while ((got = getopt_long(argc, argv, t.letters, t.longs, NULL)) != -1) {
		unsigned i = got == '?' || got == ':' ? t.n : tables_find(&t, got);
		if (i == t.n)
			return bad_option(&t, got, argv, e);
		if (t.given[i] && !t.row[i]->repeats)
			return err_usage(e, "option --%s is given twice", t.row[i]->name);
		t.given[i] = true;
		if (!t.row[i]->set(o, t.row[i], optarg, e))
			return false;
		if (is_format(t.row[i]))
			remember_given(o, t.row[i], optarg);
	}
	if (o->compares && !o->base_tracks)
		lens_base_tracks(&o->base, &o->lens);
	for (int i = optind; i < argc; i++)
		*vec_push(&o->files) = argv[i];
	return true;
}

bool
options_scan(int argc, char **argv, const struct option_row *own,
	     const struct option_row *more,
	     void (*seen)(void *ctx, const struct option_row *row, const char *value), void *ctx)
{
	struct getopt_tables t = {.letters = ":"};
	char **words = mem_zalloc((size_t)argc + 1, sizeof *words);
	int got;

	tables_add(&t, common_rows);
	tables_add(&t, lens_rows);
	tables_add(&t, format_rows);
	tables_add(&t, own);
	tables_add(&t, more);
	for (int i = 0; i < argc; i++)
		words[i] = argv[i]; /* getopt_long() moves them */
	optind = 0;
	opterr = 0;
	while ((got = getopt_long(argc, words, t.letters, t.longs, NULL)) != -1) {
		unsigned i = got == '?' || got == ':' ? t.n : tables_find(&t, got);
		if (i == t.n)
			break;
		seen(ctx, t.row[i], optarg);
	}
	for (int i = optind; got == -1 && i < argc; i++)
		seen(ctx, NULL, words[i]);
	free(words);
	return got == -1;
}

void
options_help(FILE *out, const char *title, const struct option_row *rows)
{
	if (!rows || !rows->name)
		return;
	fprintf(out, "\n%s:\n", title);
	for (; rows->name; rows++) {
		char left[64];
		int n = 0;
		n += snprintf(left, sizeof left, rows->letter ? "  -%c, " : "      ", rows->letter);
		snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s%s", rows->name,
			 !rows->value     ? ""
			 : rows->optional ? "[="
					  : " ",
			 rows->value ? rows->value : "", rows->value && rows->optional ? "]" : "");
		fprintf(out, "%-32s %s\n", left, rows->help);
	}
}

bool
option_number(const char *name, const char *text, long long *out, struct err *e)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	if (end == text || *end || errno || *out < 0)
		return err_usage(e, "--%s takes a whole number, not '%s'", name, text);
	return true;
}
