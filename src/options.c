#include "src/options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "model/base/nearest.h"
#include "model/lens/words.h"
#include "src/decode/decoder.h"
#include "src/encode/encoder.h"
#include "src/input/url.h"
#include "src/whole.h"

/* getopt_long() parses the words; each run converts the tables to its arrays.  Rows get values from
 * ROW_BASE up, which never collide with a letter.  Repeating a single-valued option is an error,
 * since silently taking one of the two would hide a mistake. */

#define ROW_BASE 256
#define SECOND INT64_C(1000000000)

/* ---- the lens ---- */

static bool
set_lens(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	return lens_read_option(&o->lens, row->name, value, e);
}

/* A device has no end. */
#define SPEC_MAX (16u << 20)

static bool
set_filter_file(struct options *o, const struct option_row *row, const char *value,
		struct err *e)
{
	struct buf text = BUF_INIT;
	FILE *in = fopen(value, "r");
	bool good;

	(void)row;
	if (!in)
		return err_usage(e, "%s: %s", value, strerror(errno));
	good = whole_read(in, SPEC_MAX, &text) || err_usage(e, "%s: %s", value, strerror(errno));
	good = good && (text.len <= SPEC_MAX || err_usage(e, "%s: too long", value));
	fclose(in);
	good = good && lens_read_spec(&o->lens, value, buf_str(&text), text.len, e);
	buf_release(&text);
	return good;
}

#define VERB_ROW(verb, name, sign, key, label, note, help, ...)                            \
	{name, "PATTERN", help, .repeats = true, .set = set_lens},
const struct option_row lens_rows[] = {
	{"metric", "NAME", "the metric to show; view info lists them", .set = set_lens},
	{"why", "PATTERN", "the critical path of this thread", .set = set_lens},
	{"from", "T", "start at T: 2.5s, 300ms, 12.5%; -10s: before the end", .set = set_lens},
	{"to", "T", "end before T", .set = set_lens},
	VERBS(VERB_ROW)
	{"by", "WHAT", "a frame is a function, line, file or module", .set = set_lens},
	{"invert", .help = "callers: leaf first", .common = true,
	 .at = offsetof(struct options, lens.invert)},
	{"filter-file", "SPEC", "read such entries from a file", .repeats = true,
	 .is_file = true, .set = set_filter_file},
	{0},
};

/* ---- values ---- */

/* Writes "ms, us or ns". */
static void
add_choices(struct buf *out, const char *const *choices)
{
	for (size_t i = 0; choices[i]; i++)
		buf_addf(out, "%s%s", !i ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
}

static bool
choice_of(const struct option_row *row, const char *value, unsigned *out, struct err *e)
{
	struct buf all = BUF_INIT;

	for (*out = 0; row->choices[*out]; ++*out)
		if (!strcmp(row->choices[*out], value))
			return true;
	add_choices(&all, row->choices);
	err_usage(e, "--%s takes %s, not '%s'", row->name, buf_str(&all), value);
	buf_release(&all);
	return false;
}

/* Stores the value in the place that the row names. */
static bool
store(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	void *at = (char *)(row->common ? (void *)o : o->own) + row->at;
	long long n = 0;
	unsigned which = 0;

	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)at = true;
		return true;
	case OPTION_TEXT:
		*(const char **)at = value;
		return true;
	case OPTION_NUMBER:
		if (!option_number(row->name, value, &n, e))
			return false;
		*(uint64_t *)at = (uint64_t)n;
		return true;
	case OPTION_CHOICE:
		if (!choice_of(row, value, &which, e))
			return false;
		*(unsigned *)at = which;
		return true;
	}
	return true;
}

static bool
options_take(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	if (row->check && !row->check(row, value, e))
		return false;
	if (!(row->set ? row->set : store)(o, row, value, e))
		return false;
	if (row->is_file)
		*vec_push(&o->read) = value;
	return true;
}

/* ---- the formats ---- */

static const char *
decoder_name(size_t i)
{
	return decoders[i] ? decoders[i]->name : NULL;
}

static bool
set_input(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	(void)row;
	o->format.decoder = value;
	return decoder_named(value) ||
	       nearest_error(e, "no format ", value, " to read", decoder_name);
}

static bool
add_symbols(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct stat st;

	(void)row;
	if (stat(value, &st) || !S_ISDIR(st.st_mode))
		return err_usage(e, "--symbols takes a folder, which '%s' is not", value);
	*vec_push(&o->format.symbols) = value;
	return true;
}

static bool
set_debuginfod(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	(void)row;
	(void)value;
	o->format.debuginfod = urls && *urls;
	return o->format.debuginfod ||
	       err_usage(e, "--debuginfod: DEBUGINFOD_URLS names no server");
}

static bool
set_timeout(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	int64_t ns;

	if (!option_length(row->name, value, &ns, e))
		return false;
	options_set_silence(o, ns);
	return true;
}

/* Stores the number of a choice, 0 or 1, or true, as a flag of the format's options. */
static bool
set_flag(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	unsigned how = true;

	if (row->choices && !choice_of(row, value, &how, e))
		return false;
	*(bool *)((char *)&o->format + row->at) = how;
	return true;
}

/* Options besides those of the decoders. */
static const struct option_row input_rows[] = {
	{"input", "FORMAT", "read as this format instead of detecting it", .set = set_input},
	{"symbols", "DIR", "also search this folder for modules and debug files", .repeats = true,
	 .set = add_symbols},
	{"debuginfod", .help = "query the servers of DEBUGINFOD_URLS for symbols",
	 .asks_servers = true, .set = set_debuginfod},
	{"no-demangle", .help = "leave names of C++ and Rust as the compiler wrote them",
	 .set = set_flag, .at = offsetof(struct format_options, no_demangle)},
	{"explain", .help = "print the queries for clickhouse://..., and run none",
	 .set = set_flag, .at = offsetof(struct format_options, explain)},
	{"match", "HOW", "match functions of several files by name, or by path",
	 .choices = (const char *const[]){"name", "path", NULL}, .set = set_flag,
	 .at = offsetof(struct format_options, match_paths)},
	{"align", "HOW", "lay several files on their start, or on the time of day",
	 .choices = (const char *const[]){"first", "clock", NULL}, .set = set_flag,
	 .at = offsetof(struct format_options, align_clocks)},
	{"timeout", "T", "wait this long for a silent server: 60s; 0: forever",
	 .set = set_timeout},
	{0},
};

const struct option_row *
option_table_find(const struct option_table *t, const char *name)
{
	for (unsigned i = 0; i < t->n; i++)
		if (!strcmp(t->row[i]->name, name))
			return t->row[i];
	return NULL;
}

void
option_table_add(struct option_table *t, const struct option_row *rows)
{
	for (; rows && rows->name; rows++) {
		assert(t->n < OPTIONS_MAX);
		/* two options of one name would make its abbreviations ambiguous */
		if (!option_table_find(t, rows->name))
			t->row[t->n++] = rows;
	}
}

void
option_table_add_formats(struct option_table *t)
{
	option_table_add(t, input_rows);
	for (size_t i = 0; decoders[i]; i++)
		option_table_add(t, decoders[i]->options);
}

void
option_table_add_encoders(struct option_table *t)
{
	for (size_t i = 0; encoders[i]; i++)
		option_table_add(t, encoders[i]->options);
}

/* Options of formats are stored by name, and the format reads them.  The last one counts: the
 * command line may override a session. */
static void
keep(struct given *g, const struct option_row *row, const char *value)
{
	size_t i = 0;

	while (i < g->n && (row->repeats || strcmp(g->at[i].name, row->name)))
		i++;
	if (i == g->n)
		(void)vec_push(g);
	g->at[i] = (struct option_given){row->name, value};
}

static bool
is_good(const struct option_row *row, const char *value, struct err *e)
{
	unsigned which;

	return (!row->check || row->check(row, value, e)) &&
	       (row->kind != OPTION_CHOICE || choice_of(row, value, &which, e));
}

static bool
take_format(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	if (!is_good(row, value, e) || (row->set && !row->set(o, row, value, e)))
		return false;
	if (row->is_file)
		*vec_push(&o->read) = value;
	keep(&o->format.given, row, value);
	return true;
}

static bool
take_encoder(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	if (!is_good(row, value, e))
		return false;
	keep(&o->written, row, value);
	return true;
}

bool
options_set_format(struct options *o, const char *name, const char *value, struct err *e)
{
	struct option_table formats = {0};

	option_table_add_formats(&formats);
	const struct option_row *row = option_table_find(&formats, name);
	if (!row)
		return err_usage(e, "no format has an option '%s'", name);
	if (!row->value != !value)
		return err_usage(e, row->value ? "option %s needs a value" :
						 "option %s takes no value", name);
	return take_format(o, row, value, e);
}

/* ---- the base of a comparison ---- */

bool
option_base(struct options *o, const struct option_row *row, const char *value,
	    struct err *e)
{
	o->compares = true;
	o->base_tracks |= !strcmp(row->name, "base-track");
	return lens_read_base(&o->base, row->name, value, e);
}

static bool
set_side(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	(void)e;
	if (!strcmp(row->name, "old"))
		*vec_push(&o->old) = value;
	else
		*vec_push(&o->new) = value;
	return true;
}

const struct option_row side_rows[] = {
	{"old", "FILE...", "several files to compare with", .repeats = true, .set = set_side},
	{"new", "FILE...", "several files to be compared", .repeats = true,
	 .set = set_side},
	{0},
};

static const struct option_row common_rows[] = {
	{"help", .help = "print this", .letter = 'h', .repeats = true, .common = true,
	 .at = offsetof(struct options, help)},
	{0},
};

/* ---- reading ---- */

void
options_init(struct options *o, void *own)
{
	*o = (struct options){.own = own, .n_base = 1};
	lens_init(&o->lens);
	lens_init(&o->base);
}

void
options_release(struct options *o)
{
	lens_release(&o->lens);
	lens_release(&o->base);
	vec_release(&o->format.given);
	vec_release(&o->format.symbols);
	vec_release(&o->written);
	vec_release(&o->files);
	vec_release(&o->old);
	vec_release(&o->new);
	vec_release(&o->read);
}

struct getopt_tables {
	struct option_table all;
	struct option_table formats, encoders; /* the options that are stored by name */
	struct option longs[OPTIONS_MAX + 1];
	bool given[OPTIONS_MAX];
	char letters[2 * OPTIONS_MAX + 3];
};

/* Terminates the arrays as getopt_long() requires. */
static void
tables_end(struct getopt_tables *t)
{
	size_t len = 0;

	t->letters[len++] = ':';
	for (unsigned i = 0; i < t->all.n; i++) {
		const struct option_row *row = t->all.row[i];
		t->longs[i] = (struct option){
			.name = row->name,
			.has_arg = !row->value     ? no_argument
				   : row->optional ? optional_argument
						   : required_argument,
			.val = ROW_BASE + (int)i,
		};
		if (row->letter)
			t->letters[len++] = row->letter;
		if (row->letter && row->value)
			t->letters[len++] = ':';
	}
}

static void
tables_add(struct getopt_tables *t, const struct option_row *own, unsigned taken)
{
	option_table_add(&t->all, common_rows);
	option_table_add(&t->all,
			 own); /* own options precede the shared ones, and may replace some */
	option_table_add(&t->all, taken & TAKES_LENS ? lens_rows : NULL);
	if (taken & TAKES_FORMATS) {
		option_table_add_formats(&t->all);
		option_table_add_formats(&t->formats);
	}
	option_table_add(&t->all, taken & TAKES_SIDES ? side_rows : NULL);
	if (taken & TAKES_ENCODERS) {
		option_table_add_encoders(&t->all);
		option_table_add_encoders(&t->encoders);
	}
}

/* Returns the row for getopt's result. */
static unsigned
tables_find(const struct getopt_tables *t, int got)
{
	if (got >= ROW_BASE)
		return (unsigned)(got - ROW_BASE);
	for (unsigned i = 0; i < t->all.n; i++)
		if (t->all.row[i]->letter == got)
			return i;
	return t->all.n;
}

/* Reports an option such as `--metirc=cpu`. */
static bool
unknown_option(const struct getopt_tables *t, const char *text, struct err *e)
{
	size_t dashes = strspn(text, "-"), len = strcspn(text + dashes, "=");
	char *name = mem_dup(text + dashes, len);
	struct nearest near = nearest_of(name);

	for (unsigned i = 0; i < t->all.n; i++)
		nearest_try(&near, t->all.row[i]->name);
	free(name);
	return near.found
		       ? err_usage(e, "unknown option %s: did you mean '--%s'?", text, near.found)
		       : err_usage(e, "unknown option %s", text);
}

static bool
bad_option(const struct getopt_tables *t, int got, char **argv, struct err *e)
{
	unsigned i = optopt ? tables_find(t, optopt) : t->all.n;
	const struct option_row *row = i < t->all.n ? t->all.row[i] : NULL;

	if (got == ':' && row)
		return err_usage(e, "option --%s needs a value: %s", row->name, row->value);
	if (row)
		return err_usage(e, "option --%s takes no value", row->name);
	if (optopt && optopt < ROW_BASE)
		return err_usage(e, "unknown option -%c", optopt);
	return unknown_option(t, argv[optind - 1], e);
}

static bool
has(const struct option_table *t, const struct option_row *row)
{
	return option_table_find(t, row->name) == row;
}

/* The operands are the files of both sides, those of the base first. */
static bool
take_sides(struct options *o, unsigned taken, struct err *e)
{
	if (!o->old.n && !o->new.n)
		return true;
	if (!o->old.n || !o->new.n || o->files.n > (taken & TAKES_QUERY ? 1u : 0u))
		return err_usage(
			e,
			"--old F... and --new F... need files on both sides, and no other files");
	for (size_t i = 0; i < o->old.n; i++)
		*vec_push(&o->files) = o->old.at[i];
	for (size_t i = 0; i < o->new.n; i++)
		*vec_push(&o->files) = o->new.at[i];
	o->n_base = (uint32_t)o->old.n;
	return true;
}

bool
options_read(struct options *o, int argc, char **argv, const struct option_row *own,
	     unsigned taken, struct err *e)
{
	struct getopt_tables t = {0};
	int got;

	tables_add(&t, own, taken);
	tables_end(&t);
	optind = 0; /* glibc: restart */
	opterr = 0;
	while ((got = getopt_long(argc, argv, t.letters, t.longs, NULL)) != -1) {
		unsigned i = got == '?' || got == ':' ? t.all.n : tables_find(&t, got);
		if (i == t.all.n)
			return bad_option(&t, got, argv, e);
		const struct option_row *row = t.all.row[i];
		if (t.given[i] && !row->repeats)
			return err_usage(e, "option --%s is given twice", row->name);
		t.given[i] = true;
		if (!(has(&t.formats, row)    ? take_format
		      : has(&t.encoders, row) ? take_encoder
					      : options_take)(o, row, optarg, e))
			return false;
	}
	if (o->compares && !o->base_tracks)
		lens_base_tracks(&o->base, &o->lens);
	for (int i = optind; i < argc; i++)
		*vec_push(&o->files) = argv[i];
	return take_sides(o, taken, e) && options_hold_no_password(o, e);
}

bool
options_hold_no_password(const struct options *o, struct err *e)
{
	for (size_t i = 0; i < o->files.n; i++)
		if (url_has_password(o->files.at[i]))
			return err_usage(
				e,
				"no passwords in an address, which any user of this machine "
				"can read: put them into ~/.netrc");
	return true;
}

void
options_set_silence(struct options *o, int64_t ns)
{
	int64_t seconds = ns / SECOND + (ns % SECOND != 0);

	o->format.silence_s = !ns ? -1 : seconds < INT_MAX ? (int)seconds : INT_MAX;
}

bool
options_scan(int argc, char **argv, const struct option_row *own, unsigned taken,
	     const struct option_row *more,
	     void (*seen)(void *ctx, const struct option_row *row, const char *value), void *ctx)
{
	struct getopt_tables t = {0};
	char **words = mem_zalloc((size_t)argc + 1, sizeof *words);
	int got;

	tables_add(&t, own, taken);
	option_table_add(&t.all, more);
	tables_end(&t);
	for (int i = 0; i < argc; i++)
		words[i] = argv[i]; /* getopt_long() moves them */
	optind = 0;
	opterr = 0;
	while ((got = getopt_long(argc, words, t.letters, t.longs, NULL)) != -1) {
		unsigned i = got == '?' || got == ':' ? t.all.n : tables_find(&t, got);
		if (i == t.all.n)
			break;
		seen(ctx, t.all.row[i], optarg);
	}
	for (int i = optind; got == -1 && i < argc; i++)
		seen(ctx, NULL, words[i]);
	free(words);
	return got == -1;
}

void
options_help(FILE *out, const char *title, const struct option_table *t)
{
	if (!t->n)
		return;
	fprintf(out, "\n%s:\n", title);
	for (unsigned i = 0; i < t->n; i++) {
		const struct option_row *row = t->row[i];
		const char *open = !row->value ? "" : row->optional ? "[=" : " ";
		char left[64];
		int n = snprintf(left, sizeof left, row->letter ? "  -%c, " : "      ",
				 row->letter);
		snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s%s", row->name, open,
			 row->value ? row->value : "", row->optional ? "]" : "");
		fprintf(out, "%-32s %s\n", left, row->help);
	}
}
