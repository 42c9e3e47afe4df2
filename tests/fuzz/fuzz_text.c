#include "tests/fuzz/fuzz.h"

/* All texts that people write by hand or keep in files: filter specifications, patterns, moments,
 * sessions, pnavrc, manual pages, source files, key scripts, states of views.  The first character,
 * a digit, chooses the kind (texts[] below); the second chooses variants; so a seed is a readable
 * file.
 *
 *  - Each invalid text gives one line of message without control characters.
 *  - Written text can be read again, means the same, and is written the same.
 *  - A pattern made to match a text matches it. */

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/builder.h"
#include "model/fold/fold.h"
#include "model/lens/lens.h"
#include "model/lens/words.h"
#include "model/profile/profile.h"
#include "src/command/command.h"
#include "src/decode/decoder.h"
#include "src/input/input.h"
#include "ui/app/config.h"
#include "ui/app/session.h"
#include "ui/part/mdoc.h"
#include "ui/view/source/source_files.h"

#define LINES_LOOKED_AT 50u
#define LAST_LINE 3000u

const size_t fuzz_choices = 0;

/* Names of every kind that fit on a line. */
static const char folded[] =
	"main;a;b;c 5\n"
	"main;a;[kernel_[k] 3\n"
	"start;std::vector<int, std::allocator<int> >::push_back(int const&);x' \"y 7\n"
	"main;a;a;a;a;b 2\n"
	"r\303\251sum\303\251;\350\247\243\346\236\220;lat\351 4\n"
	"esc\033[31m;t\tab;=equals;!not;fn:x;a_very_long_name_of_a_function_that_never_ends 9\n";

/* A text in memory of its exact size, followed by a NUL that does not count. */
struct text {
	const char *at;
	size_t len;
	unsigned variant;
	const struct profile *profile;
};

/* ---- filters ---- */

/* Counts and sums the rows through this lens; returns false if it does not fit the profile. */
static bool
look(const struct profile *p, const struct lens *l, size_t *n, int64_t *sum)
{
	struct fold *f = fold_new();
	struct rows rows = {0};
	struct err e;

	err_init(&e);
	*n = 0;
	*sum = 0;
	bool good = fold_update(f, p, l, NULL, &e);
	if (good) {
		fold_rows(f, &rows);
		*n = rows.n;
		for (size_t i = 0; i < rows.n; i++)
			*sum += rows_get(&rows, i).self;
		rows_release(&rows);
	} else if (e.class != ERR_USAGE) {
		fuzz_broken("a fold that fails", e.text, strlen(e.text), 0);
	}
	fold_free(f);
	return good;
}

/* PCRE2's match limit depends on the form of a pattern; then the check is skipped. */
static bool
gave_up(const struct lens *l)
{
	for (size_t i = 0; i < l->entries.n; i++)
		if (pattern_gave_up(l->entries.at[i].pattern))
			return true;
	return false;
}

static void
check_same_view(const struct text *t, const struct lens *a, const struct lens *b,
		const struct buf *text)
{
	size_t n[2];
	int64_t sum[2];
	bool good = look(t->profile, a, &n[0], &sum[0]);

	if (good != look(t->profile, b, &n[1], &sum[1]) || n[0] != n[1] ||
	    sum[0] != sum[1])
		if (!gave_up(a) && !gave_up(b))
			fuzz_broken("a filter that is written is another one",
				    buf_str(text), text->len, 0);
}

static void
try_spec(const struct text *t)
{
	struct lens l, again;
	struct buf once = BUF_INIT, twice = BUF_INIT, options = BUF_INIT;
	struct err e;

	err_init(&e);
	lens_init(&l);
	lens_init(&again);
	l.invert = again.invert = t->variant & 1;
	l.by = again.by = (enum granularity)(t->variant >> 1 & 3);
	if (lens_read_spec(&l, "spec", t->at, t->len, &e)) {
		lens_write_spec(&l, &once);
		if (!lens_read_spec(&again, "again", buf_str(&once), once.len, &e))
			fuzz_broken(e.text, buf_str(&once), once.len, 0);
		check_same_view(t, &l, &again, &once);
		lens_write_spec(&again, &twice);
		if (strcmp(buf_str(&once), buf_str(&twice)))
			fuzz_broken("a filter is written in two ways", buf_str(&once),
				    once.len, 0);
		lens_write_options(&l, &options);
	} else {
		fuzz_check_message("a control character about a filter", e.text);
	}
	buf_release(&once);
	buf_release(&twice);
	buf_release(&options);
	lens_release(&l);
	lens_release(&again);
}

static void
check_same_pattern(const struct text *t, struct pattern *p)
{
	struct buf text = BUF_INIT;
	struct err e;

	err_init(&e);
	pattern_write(&text, p);
	struct pattern *again = pattern_new(buf_str(&text), text.len, &e);
	if (!again || memchr(buf_str(&text), '\n', text.len))
		fuzz_broken("a pattern that does not survive a file", buf_str(&text),
			    text.len, 0);
	for (name_id i = 0; i < t->profile->names.n; i++)
		if (pattern_matches_name(p, &t->profile->names, i) !=
			    pattern_matches_name(again, &t->profile->names, i) &&
		    !pattern_gave_up(p) && !pattern_gave_up(again))
			fuzz_broken("a pattern that is written is another one",
				    buf_str(&text), text.len, 0);
	pattern_unref(again);
	buf_release(&text);
}

static void
check_exact(const struct text *t)
{
	struct buf text = BUF_INIT;
	struct err e;

	if (memchr(t->at, '\0', t->len)) /* no name contains one */
		return;
	err_init(&e);
	pattern_exact(&text, (enum subject)(t->variant & 3), t->at, t->len);
	struct pattern *p = pattern_new(buf_str(&text), text.len, &e);
	if (!p || !pattern_matches_bytes(p, t->at, t->len))
		fuzz_broken("a name that its own pattern does not match", t->at, t->len,
			    0);
	pattern_unref(p);
	buf_release(&text);
}

static void
try_pattern(const struct text *t)
{
	size_t from, to;
	struct err e;

	err_init(&e);
	struct pattern *p = pattern_new(t->at, t->len, &e);
	if (p) {
		check_same_pattern(t, p);
		if (pattern_find(p, folded, sizeof folded - 1, &from, &to) &&
		    (from > to || to > sizeof folded - 1))
			fuzz_broken("a match outside of the text", t->at, t->len, 0);
		pattern_unref(p);
	} else {
		fuzz_check_message("a control character about a pattern", e.text);
	}
	check_exact(t);
}

static void
try_moment(const struct text *t)
{
	struct lens l;
	struct err e;
	size_t n;
	int64_t sum;

	err_init(&e);
	lens_init(&l);
	if (moment_parse(t->at, t->variant & 1 ? &l.from : &l.to, &e))
		look(t->profile, &l, &n, &sum);
	else
		fuzz_check_message("a control character about a moment", e.text);
	lens_release(&l);
}

/* ---- files of the browser ---- */

static void
check_faults(const struct faults *f)
{
	for (size_t i = 0; i < f->lines.n; i++)
		fuzz_check_message("a control character about a line", f->lines.at[i]);
}

static void
try_session(const struct text *t)
{
	struct session s, again;
	struct buf once = BUF_INIT, twice = BUF_INIT;
	struct err e;

	err_init(&e);
	session_init(&s);
	session_init(&again);
	if (session_read(&s, "session", t->at, t->len, &e)) {
		check_faults(&s.faults);
		session_write(&s, &once);
		if (!session_read(&again, "again", buf_str(&once), once.len, &e))
			fuzz_broken(e.text, buf_str(&once), once.len, 0);
		if (again.faults.lines.n)
			fuzz_broken(again.faults.lines.at[0], buf_str(&once), once.len,
				    0);
		session_write(&again, &twice);
		if (once.len != twice.len ||
		    memcmp(buf_str(&once), buf_str(&twice), once.len))
			fuzz_broken("a session is written in two ways", buf_str(&once),
				    once.len, 0);
	} else {
		fuzz_check_message("a control character about a session", e.text);
	}
	buf_release(&once);
	buf_release(&twice);
	session_release(&s);
	session_release(&again);
}

static void
try_config(const struct text *t)
{
	struct config c;

	config_init(&c);
	config_read(&c, "pnavrc", t->at, t->len);
	check_faults(&c.faults);
	config_release(&c);
}

static void
try_mdoc(const struct text *t)
{
	struct buf page = BUF_INIT;

	mdoc_format(t->at, t->len, (int)t->variant, &page);
	buf_release(&page);
}

static void
try_source(const struct text *t)
{
	struct buf why = BUF_INIT, line = BUF_INIT;

	if (!fuzz_write("source.c", t->at, t->len))
		return;
	struct source_file *f = source_file_open("source.c", &why);
	fuzz_check_message("a control character about a source", buf_str(&why));
	if (f) {
		uint32_t last = source_file_last(f);
		if (source_file_has(f, last + 1) || (last && !source_file_has(f, last)))
			fuzz_broken("lines that are not there", t->at, t->len, 0);
		for (uint32_t i = 0; i <= last && i < LINES_LOOKED_AT; i++) {
			buf_reset(&line);
			source_file_line(f, i, &line);
			fuzz_check_message("a control character of a source",
					   buf_str(&line));
		}
		buf_reset(&line);
		source_file_line(f, last, &line);
		source_file_close(f);
	}
	buf_release(&why);
	buf_release(&line);
}

/* ---- through the whole browser ---- */

static void
browse(const struct text *t, const char *option, const char *value, const char *keys)
{
	char *argv[] = {strdup("browse"),
			strdup("--no-config"),
			strdup("--size"),
			strdup(t->variant & 1 ? "80x24" : "31x9"),
			strdup("--keys"),
			strdup(keys),
			strdup("--snapshot"),
			strdup(option),
			strdup(value),
			strdup("--"),
			strdup("profile.folded"),
			NULL};
	int argc = (int)(sizeof argv / sizeof *argv) - 1;
	struct fuzz_caught c;

	if (!fuzz_write("profile.folded", folded, sizeof folded - 1))
		return;
	setlocale(LC_CTYPE, "C.UTF-8");
	fuzz_catch_begin(&c);
	int status = command_browse.run(&command_browse, argc, argv);
	fuzz_catch_end(&c);
	if (status < STATUS_DONE || status > STATUS_DAMAGED)
		fuzz_broken("an exit status of no meaning", c.err, c.err_len, 0);
	if (status == STATUS_USAGE && c.out_len)
		fuzz_broken("output of a command that failed", c.out, c.out_len, 0);
	/* A form feed between two screens. */
	for (size_t i = 0; i < c.out_len; i++)
		if (c.out[i] == '\f' && (i == 0 || c.out[i - 1] == '\n'))
			c.out[i] = '\n';
	fuzz_check_shown("a control character on the screen", c.out, c.out_len);
	fuzz_check_messages(c.err, c.err_len);
	fuzz_catch_release(&c);
	for (int i = 0; i < argc; i++)
		free(argv[i]);
}

static const char *const scripts[] = {"1 2 3 4 5 6 7 8", "3 j x h Y", "M 'a' Enter 1 2",
				      "/ 'a' Enter n N Esc"};

static const char *
script(const struct text *t)
{
	return scripts[t->variant >> 1 & 3];
}

/* Keys that save use this process's folder; paths would lead elsewhere. */
static void
try_keys(const struct text *t)
{
	if (!strpbrk(t->at, "/~$"))
		browse(t, "--color", t->variant & 2 ? "never" : "256", t->at);
}

static void
try_state(const struct text *t)
{
	browse(t, "--state", t->at, script(t));
}

static void
try_resume(const struct text *t)
{
	if (fuzz_write("profile.session", t->at, t->len))
		browse(t, "--session", "profile.session", script(t));
}

/* In the order of the digits. */
static void (*const texts[])(const struct text *) = {
	try_spec, try_pattern, try_moment, try_session, try_config,
	try_mdoc, try_source,  try_keys,   try_state,   try_resume,
};
#define TEXTS (sizeof texts / sizeof *texts)

static struct profile *
read_profile(void)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "profile", "folded");
	struct input *in = input_open_bytes(folded, sizeof folded - 1, "profile");
	struct err e;

	err_init(&e);
	if (!decoder_named("folded")->decode(in, b, &e))
		fuzz_broken("the profile cannot be read", e.text, strlen(e.text), 0);
	builder_finish(b, &e);
	builder_free(b);
	input_close(in);
	return p;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	if (len < 2 || bytes[0] < '0' || bytes[0] >= '0' + TEXTS)
		return -1;
	fuzz_enter();
	struct profile *p = read_profile();
	char *copy = malloc(len - 1);
	if (!copy)
		return -1;
	memcpy(copy, bytes + 2, len - 2);
	copy[len - 2] = '\0';
	texts[bytes[0] - '0'](&(struct text){copy, len - 2, bytes[1], p});
	free(copy);
	profile_free(p);
	fuzz_leave();
	return 0;
}
