#include "tests/fuzz/fuzz.h"

/* Whole commands over hostile bytes, in this process: report, export, sql, symbols, dump, diff, and
 * the browser playing keys.  The last bytes of the input choose the command, its options and the
 * kind of file of the rest.  Whatever the file contains, they promise (pnav(1)):
 *
 *  - an exit status of the manual, and nothing on stdout if the status says that nothing could be
 *    read;
 *  - output for people without control characters, with messages of one line;
 *  - CSV with rows of equal length, and JSON that parses.
 *
 * PNAV_FUZZ_FORMAT restricts inputs to those that the named decoder recognises. */

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "src/command/command.h"
#include "src/command/report/report.h"
#include "src/decode/decoder.h"
#include "src/encode/encoder.h"

#define WORDS_MAX 48
#define HALF "half" /* a second file */

const size_t fuzz_choices = 16;

/* Some files belong to another one: the kind of the bytes, and the file beside them. */
struct shape {
	const char *name;        /* of the bytes' file */
	const char *main, *text; /* the file to open, if it is another one */
};
static const struct shape shapes[] = {
	{"profile", NULL, NULL},
	{"profile.PRF", NULL, NULL},
	{"profile.map", NULL, NULL},
	{"hits.map", "hits.prf",
	 "Function name                    Addr    Total     Disp     User\n\n"
	 "DOS                               400    50.00    50.00     0.00\n"
	 "_main                           40010    30.00    30.00    60.00\n"
	 "_sub                            40030    20.00    20.00    40.00\n\n"
	 "Statistics based on 200 hits\n\n"},
	{"trace.txt.BIN", "trace.txt",
	 "* HANDLE(Functions) %HANDLE%,%NAME%,%FILE%,%VALUE%\n00000000,main,,\n"
	 "00000001,f,src/f.c,12\n00000002,g,,\n"
	 "* HANDLE(Data) %HANDLE%,%NAME%,%VALUE%,%VALUE.UNIT%\n20000000,speed,,rpm\n"},
};

#define VIEW_NAME(name) #name,
static const char *const views[] = {REPORT_VIEWS(VIEW_NAME)};
#undef VIEW_NAME
static const char *const forms[] = {"text", "csv", "json"};
static const char *const sizes[] = {"80x24", "200x60", "40x12", "12x4"};
static const char *const verbs[] = {
	"--include", "--exclude",  "--include-self",       "--exclude-self", "--hide",
	"--show",    "--collapse", "--collapse-recursion", "--root",         "--track"};
static const char *const patterns[] = {
	"main",   "^r",    ".",       "!main", "kind:system", "module:.",
	"file:.", "=main", "a|b",     "\\x1b", "!kind:user",  "(?i)A",
	"^$",     "!^$",   "file:^$", "0",     "!module:^$"};
static const char *const grains[] = {"function", "line", "file", "module"};
static const char *const moments[] = {
	"0%",  "10%", "50%",       "90%", "100%", "1ns",
	"1ms", "2",   "99999999s", "1s",  "9223372036s", "9223372036854775807ns"};
static const char *const keys[] = {"cat", "bytes", "thread", "state", "type", "none"};
static const char *const wheres[] = {"cat:.", "!bytes:.", "thread:a", "bytes:1..", "none:."};
static const char *const metrics[] = {"samples", "time", "calls",  "cpu",
				      "alloc",   "live", "allocs", "cycles"};
/* None of them writes a file or starts a program. */
static const char *const scripts[] = {
	"1 j j 2 * E G 3",
	"4 j j Enter 5 Enter j",
	"3 > > r",
	"2 * j j j x",
	"5 + + l l -",
	"6 j j",
	"7 j G",
	"8",
	"1 Enter Enter Esc u",
	"2 j j c",
	"L j Enter 2 L j o 3 L x",
	"L j Enter L j Enter 5 x u",
	"5 E * Enter 6 Enter 7 Enter",
	"R t 'a' Esc 5 + + + - - - - - - 0",
	"9 'select * from samples' Enter",
	"i 1 i 2 ? G Esc",
	": 'last 1s' Enter 5 l h u 4 v",
	"Y",
	"E * 1 2 3 4 5 6 7 8 9 0",
	"/ 'a' Enter n N",
	"Resize:40x10 1 2 3 4 5 6 7",
	"m 'x' Enter",
	"3 j x h Y u",
	"F1 G Esc : 'undo' Enter",
	"5 v b l Click:30,8 Click2:20,6 h",
};

#define COUNT(table) ((unsigned)(sizeof(table) / sizeof *(table)))
#define ONE_OF(c, table) ((table)[fuzz_choose(c, COUNT(table))])

/* ---- the command line ---- */

struct words {
	const char *at[WORDS_MAX];
	int n;
};

static void
add(struct words *w, const char *word)
{
	if (w->n + 1 < WORDS_MAX)
		w->at[w->n++] = word;
}

static void
add_option(struct words *w, const char *name, const char *value)
{
	add(w, name);
	add(w, value);
}

static void
add_lens(struct words *w, struct fuzz_chooser *c)
{
	unsigned which = fuzz_choose(c, 256);

	if (which & 1)
		add(w, "--invert");
	if (which & 2)
		add_option(w, "--by", ONE_OF(c, grains));
	if ((which & 12) == 12)
		add_option(w, "--metric", ONE_OF(c, metrics));
	for (unsigned i = fuzz_choose(c, 4); i > 1; i--) {
		add(w, ONE_OF(c, verbs));
		add(w, ONE_OF(c, patterns));
	}
	unsigned label = fuzz_choose(c, 8);
	if (label == 1)
		add_option(w, "--label", ONE_OF(c, keys));
	if (label == 2)
		add_option(w, "--where", ONE_OF(c, wheres));
	if ((which & 48) == 48)
		add_option(w, "--from", ONE_OF(c, moments));
	if ((which & 192) == 192)
		add_option(w, "--to", ONE_OF(c, moments));
}

static void
add_format(struct words *w, struct fuzz_chooser *c)
{
	unsigned which = fuzz_choose(c, 64);

	if (which & 1)
		add_option(w, "--bsprof-time-unit", which & 2 ? "us" : "ns");
	if (which & 4)
		add_option(w, "--bin-version", which & 2 ? "1.0" : "1.1");
	if (which & 8)
		add_option(w, "--hqn-timestamp", which & 2 ? "start" : "end");
	if (which & 16)
		add(w, "--br-outermost-first");
	if (which & 32)
		add(w, "--zero");
}

/* The kind of stdout's content. */
enum output { FOR_PEOPLE, FOR_CSV, FOR_JSON, FOR_PROGRAMS, FOR_DUMP };

static enum output
add_form(struct words *w, struct fuzz_chooser *c)
{
	unsigned form = fuzz_choose(c, COUNT(forms));

	add_option(w, "--format", forms[form]);
	return FOR_PEOPLE + (enum output)form;
}

static enum output
add_report(struct words *w, struct fuzz_chooser *c)
{
	enum output output;

	add(w, "report");
	if (fuzz_choose(c, 16) == 1) {
		add(w, "--guide");
		return FOR_PEOPLE;
	}
	add_option(w, "--view", ONE_OF(c, views));
	output = add_form(w, c);
	if (fuzz_choose(c, 4) == 1)
		add_option(w, "--base-to", ONE_OF(c, moments));
	if (fuzz_choose(c, 4) == 1)
		add_option(w, "--limit", "3");
	if (fuzz_choose(c, 8) == 1)
		add_option(w, "--over", ONE_OF(c, moments));
	return output;
}

static enum output
add_export(struct words *w, struct fuzz_chooser *c)
{
	unsigned n = 0;

	while (encoders[n])
		n++;
	add(w, "export");
	add_option(w, "--format", encoders[fuzz_choose(c, n)]->name);
	if (fuzz_choose(c, 2))
		add(w, "--with-tracks");
	return FOR_PROGRAMS;
}

/* Those of data/queries, which PNAV_QUERIES names. */
static const char *const stored[] = {
	"busiest-tracks", "call-percentiles", "callers-of-hottest", "counters", "gaps",
	"hottest-functions", "hottest-modules", "hottest-stacks", "labels", "nameless",
	"over-time", "recursion", "slowest-calls"};

static const char *const queries[] = {
	"SELECT * FROM samples; SELECT * FROM slices; SELECT * FROM points; SELECT * FROM labels",
	"SELECT * FROM tracks; SELECT * FROM stacks; SELECT * FROM frames; SELECT * FROM functions",
	"SELECT function, count(*), sum(duration), min(start), max(\"end\") FROM slices GROUP BY 1",
	"SELECT stack, sum(value) OVER (ORDER BY time) FROM samples ORDER BY time DESC LIMIT 9",
	"SELECT * FROM report_functions; SELECT * FROM report_tree; SELECT * FROM report_tracks",
	"SELECT * FROM report_calls; SELECT * FROM report_values; SELECT * FROM report_lines",
	"SELECT * FROM slices WHERE start > 0 AND duration < 9223372036854775807 ORDER BY duration",
};

static enum output
add_sql(struct words *w, struct fuzz_chooser *c)
{
	enum output output;

	add(w, "sql");
	output = add_form(w, c);
	if (fuzz_choose(c, 2)) {
		add_option(w, "--query", ONE_OF(c, stored));
		return output;
	}
	add(w, ONE_OF(c, queries));
	return output == FOR_PEOPLE ? FOR_PEOPLE : FOR_PROGRAMS; /* several results */
}

static enum output
add_browse(struct words *w, struct fuzz_chooser *c)
{
	add(w, "browse");
	add(w, "--no-config");
	add_option(w, "--size", ONE_OF(c, sizes));
	add_option(w, "--keys", ONE_OF(c, scripts));
	if (fuzz_choose(c, 2))
		add(w, "--ascii");
	add(w, "--snapshot");
	return FOR_PEOPLE;
}

static const struct command *
add_command(struct words *w, struct fuzz_chooser *c, enum output *output)
{
	switch (fuzz_choose(c, 11)) {
	case 0:
	case 1:
	case 2:
		*output = add_report(w, c);
		return &command_report;
	case 3:
		*output = add_export(w, c);
		return &command_export;
	case 4:
		add(w, "dump");
		*output = FOR_DUMP;
		return &command_dump;
	case 5:
		add(w, "diff");
		*output = add_form(w, c);
		return &command_diff;
	case 6:
		*output = add_sql(w, c);
		return &command_sql;
	case 7:
		add(w, "symbols");
		*output = FOR_PEOPLE;
		return &command_symbols;
	default:
		*output = add_browse(w, c);
		return &command_browse;
	}
}

/* ---- running it ---- */

static void
check_output(int status, enum output output, const struct fuzz_caught *c)
{
	/* 4: the condition of diff --fail-if is true */
	if (status < STATUS_DONE || status > 4)
		fuzz_broken("an exit status of no meaning", c->err, c->err_len, 0);
	if (status != STATUS_DONE && c->err_len == 0)
		fuzz_broken("a fault without a word", c->out, c->out_len, 0);
	/* A dump prints until an error. */
	if (output != FOR_DUMP && c->out_len > 0 &&
	    (status == STATUS_UNREADABLE || status == STATUS_USAGE))
		fuzz_broken("output of a command that failed", c->out, c->out_len, 0);
	fuzz_check_messages(c->err, c->err_len);
	if (output == FOR_PEOPLE || output == FOR_DUMP)
		fuzz_check_shown("a control character", c->out, c->out_len);
	if (output == FOR_CSV || output == FOR_JSON)
		fuzz_check_plain("a control character", c->out, c->out_len);
	if (output == FOR_JSON && c->out_len > 0)
		fuzz_check_json(c->out, c->out_len);
	if (output == FOR_CSV)
		fuzz_check_csv(c->out, c->out_len);
}

static bool
recognised(const char *format, const uint8_t *bytes, size_t len, const char *name)
{
	struct json_outline o;
	struct head head = head_of(bytes, len, name, &o);
	struct err e;

	err_init(&e);
	bool same = decoder_for(head, &e) == decoder_named(format);
	json_outline_release(&o);
	return same;
}

/* Writes the files of this input; returns NULL if it is not suitable. */
static const struct shape *
lay_out(const uint8_t *bytes, size_t len, struct fuzz_chooser *c)
{
	const char *format = getenv("PNAV_FUZZ_FORMAT");
	unsigned which = fuzz_choose(c, 16);
	const struct shape *shape = &shapes[which < COUNT(shapes) ? which : 0];

	if (format && !shape->main && !recognised(format, bytes, len, shape->name))
		return NULL;
	if (!fuzz_write(shape->name, bytes, len))
		return NULL;
	if (shape->main && !fuzz_write(shape->main, shape->text, strlen(shape->text)))
		return NULL;
	return shape;
}

static void
tell(const struct words *w, int status, const struct fuzz_caught *c)
{
	for (int i = 0; i < w->n; i++)
		fprintf(stderr, "%s%s", i ? " " : "", w->at[i]);
	fprintf(stderr, ": %d\n", status);
	fwrite(c->err, 1, c->err_len, stderr);
}

static void
run(const struct command *command, const struct words *w, enum output output)
{
	struct fuzz_caught caught;
	char *argv[WORDS_MAX + 1] = {0}, *own[WORDS_MAX];

	for (int i = 0; i < w->n; i++)
		argv[i] = own[i] = strdup(w->at[i]); /* getopt changes their order */
	fuzz_catch_begin(&caught);
	int status = command->run(command, w->n, argv);
	fuzz_catch_end(&caught);
	if (getenv("PNAV_FUZZ_VERBOSE"))
		tell(w, status, &caught);
	check_output(status, output, &caught);
	fuzz_catch_release(&caught);
	for (int i = 0; i < w->n; i++)
		free(own[i]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct words w = {.n = 0};
	enum output output = FOR_PEOPLE;

	if (len < fuzz_choices)
		return -1;
	len -= fuzz_choices;
	setlocale(LC_CTYPE, "C.UTF-8");
	fuzz_enter();
	struct fuzz_chooser c = {bytes + len, fuzz_choices};
	const struct shape *shape = lay_out(bytes, len, &c);
	if (shape) {
		const struct command *command = add_command(&w, &c, &output);
		const char *file = shape->main ? shape->main : shape->name;
		if (output != FOR_DUMP && command != &command_symbols) {
			add_lens(&w, &c);
			add_format(&w, &c);
		}
		add_option(&w, "--", file);
		/* Another file beside it: the same, or its first half. */
		unsigned more = fuzz_choose(&c, 8);
		if (more == 1 && fuzz_write(HALF, bytes, len / 2))
			add(&w, HALF);
		else if (command == &command_diff || more == 2)
			add(&w, file);
		run(command, &w, output);
		remove(HALF);
		remove(shape->name); /* otherwise it would be the next one's map */
	}
	fuzz_leave();
	return shape ? 0 : -1;
}
