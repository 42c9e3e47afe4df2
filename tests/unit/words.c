#include "model/lens/words.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/options.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Random lenses, made of all bytes that a name may have, become words and are read again:
 * options by a real shell, lines by lines, a spec by what it keeps. */

/* Text that a shell, a line or a reader might take for something else. */
static const char *const hostile[] = {
	"",    " ",   "'",   "\"",  "\\",  "\n",   "\r",  "\t",    "=",    "#",    "!",
	"~",   "$",   "$'",  "`",   "-",   "--",   ";",   "&",     "*",    "\x01", "\x7F",
	"\xE9", "\xFF", "\xC3\xA9", "fn:", "file:", "a",  "entry", "hide", "%s",   "\\n",
};

/* A word of up to five such pieces. */
static void
random_text(struct chance *c, struct buf *out)
{
	buf_reset(out);
	for (uint32_t n = chance_below(c, 6); n > 0; n--)
		buf_adds(out, hostile[chance_below(c, sizeof hostile / sizeof *hostile)]);
}

static struct moment
random_moment(struct chance *c)
{
	struct moment m = {.kind = (enum moment_kind)chance_below(c, 4)};

	if (m.kind == MOMENT_PERCENT)
		m.value = chance_below(c, 1000000001);
	else if (m.kind != MOMENT_OPEN)
		m.value = (int64_t)(chance_bits(c) >> (1 + chance_below(c, 60)));
	return m;
}

/* Half of the patterns are plain text of any bytes, the others whatever compiles. */
static void
hostile_lens(struct chance *c, struct lens *l)
{
	struct buf text = BUF_INIT, pattern = BUF_INIT;

	lens_init(l);
	for (uint32_t n = chance_below(c, 6); n > 0; n--) {
		struct err e;
		err_init(&e);
		random_text(c, &text);
		buf_reset(&pattern);
		buf_adds(&pattern, chance_one_in(c, 2) ? "=" : "");
		buf_add(&pattern, buf_str(&text), text.len);
		if (lens_add(l, (enum verb)chance_below(c, VERB_COUNT), buf_str(&pattern),
			     pattern.len, &e))
			l->entries.at[l->entries.n - 1].off = chance_one_in(c, 4);
	}
	random_text(c, &text);
	if (chance_one_in(c, 2))
		lens_set_metric(l, buf_str(&text));
	l->from = random_moment(c);
	l->to = random_moment(c);
	l->by = (enum granularity)chance_below(c, 4);
	l->invert = chance_one_in(c, 2);
	buf_release(&text);
	buf_release(&pattern);
}

static void
drop_what_is_off(struct lens *l)
{
	for (size_t i = l->entries.n; i-- > 0;)
		if (l->entries.at[i].off)
			lens_remove(l, i);
}

/* ---- options ---- */

#define BATCH 40

/* The words after `set --` as a shell splits them: each ends with a NUL. */
static void
through_shell(const char *script, struct buf *out)
{
	FILE *file = fopen("words-test.sh", "w"), *in;
	char piece[4096];
	size_t n;

	ck_assert_ptr_nonnull(file);
	fputs(script, file);
	ck_assert_int_eq(fclose(file), 0);
	in = popen("bash ./words-test.sh", "r");
	ck_assert_ptr_nonnull(in);
	while ((n = fread(piece, 1, sizeof piece, in)) > 0)
		buf_add(out, piece, n);
	ck_assert_int_eq(pclose(in), 0);
	remove("words-test.sh");
}

/* Reads the words up to an empty line between two lenses; returns the text after them. */
static const char *
read_words(const char *at, const char *end, struct options *o, struct err *e)
{
	static char program[] = "pnav";
	char *argv[64] = {program};
	int argc = 1;

	while (at < end && strcmp(at, "\nnext lens\n")) {
		ck_assert_int_lt(argc, 63);
		argv[argc++] = mem_dup(at, strlen(at));
		at += strlen(at) + 1;
	}
	ck_assert(at < end);
	options_init(o, NULL);
	ck_assert_msg(options_read(o, argc, argv, NULL, true, e), "%s", e->text);
	while (argc > 1)
		free(argv[--argc]);
	return at + strlen(at) + 1;
}

START_TEST(test_options)
{
	struct lens lens[BATCH];
	struct buf script = BUF_INIT, words = BUF_INIT;
	struct chance c;

	if (system("bash -c : 2>/dev/null"))
		return; /* the words are for shells that know $'...' */
	chance_init(&c, 20);
	for (int round = 0; round < 20; round++) {
		buf_reset(&script);
		buf_reset(&words);
		for (int i = 0; i < BATCH; i++) {
			hostile_lens(&c, &lens[i]);
			drop_what_is_off(&lens[i]);
			buf_adds(&script, "printf '%s\\0'");
			lens_write_options(&lens[i], &script);
			buf_adds(&script, " $'\\nnext lens\\n'\n");
		}
		through_shell(buf_str(&script), &words);
		const char *at = buf_str(&words);
		for (int i = 0; i < BATCH; i++) {
			struct options o;
			struct err e;
			err_init(&e);
			at = read_words(at, words.at + words.len, &o, &e);
			ck_assert_msg(lens_equal(&o.lens, &lens[i]), "%s", buf_str(&script));
			options_release(&o);
			lens_release(&lens[i]);
		}
	}
	buf_release(&script);
	buf_release(&words);
}
END_TEST

/* ---- lines ---- */

/* Reads lines, each a string without its end, by `read`; counts them. */
static unsigned
read_lines(const char *text, struct lens *l,
	   bool (*read)(struct lens *, const char *, const char *, struct err *))
{
	struct buf word = BUF_INIT, value = BUF_INIT;
	unsigned n = 0;

	for (; *text; n++) {
		size_t len = strcspn(text, "\n");
		char *line = mem_dup(text, len);
		struct err e;
		err_init(&e);
		ck_assert_msg(words_read_line(line, &word, &value, &e), "%s: %s", line, e.text);
		ck_assert_msg(read(l, buf_str(&word), buf_str(&value), &e), "%s: %s", line,
			      e.text);
		free(line);
		text += len + (text[len] == '\n');
	}
	buf_release(&word);
	buf_release(&value);
	return n;
}

START_TEST(test_lines)
{
	struct chance c;

	chance_init(&c, 21);
	for (int round = 0; round < 5000; round++) {
		struct lens a, b;
		struct buf text = BUF_INIT;
		hostile_lens(&c, &a);
		lens_init(&b);
		lens_write_lines(&a, &text);
		for (size_t i = 0; i < text.len; i++)
			ck_assert_msg(text.at[i] == '\n' || (unsigned char)text.at[i] >= 0x20,
				      "%s", buf_str(&text));
		read_lines(buf_str(&text), &b, lens_read_line);
		ck_assert_msg(lens_equal(&a, &b), "%s", buf_str(&text));
		lens_release(&a);
		lens_release(&b);
		buf_release(&text);
	}
}
END_TEST

/* The ends of a base, and those of its entries that are tracks and are not off. */
START_TEST(test_base_lines)
{
	struct chance c;

	chance_init(&c, 22);
	for (int round = 0; round < 2000; round++) {
		struct lens a, b, tracks;
		struct buf text = BUF_INIT;
		hostile_lens(&c, &a);
		lens_init(&b);
		lens_init(&tracks);
		lens_base_tracks(&tracks, &a);
		lens_write_base_lines(&a, &text);
		unsigned n = read_lines(buf_str(&text), &b, lens_read_base_line);
		ck_assert_uint_eq(n, 1 + tracks.entries.n);
		ck_assert(moment_equal(a.from, b.from) && moment_equal(a.to, b.to));
		b.from = b.to = tracks.from;
		ck_assert_msg(lens_equal(&tracks, &b), "%s", buf_str(&text));
		lens_release(&a);
		lens_release(&b);
		lens_release(&tracks);
		buf_release(&text);
	}
}
END_TEST

/* Lines in files that an earlier version or a user wrote. */
START_TEST(test_lines_by_hand)
{
	struct lens l;
	struct err e;

	err_init(&e);
	lens_init(&l);
	read_lines("metric bytes\n  from  1.5ms\nto 12.5%\nby line\ninvert\n"
		   "entry ~hide ^std::\nentry show  two blanks \n$'entry root a\\012\\'b'\n",
		   &l, lens_read_line);
	ck_assert_str_eq(l.metric, "bytes");
	ck_assert(l.from.kind == MOMENT_NS && l.from.value == 1500000);
	ck_assert(l.to.kind == MOMENT_PERCENT && l.to.value == 125000000);
	ck_assert(l.by == BY_LINE && l.invert && l.entries.n == 3);
	ck_assert(l.entries.at[0].off && l.entries.at[0].verb == VERB_HIDE);
	ck_assert_str_eq(pattern_text(l.entries.at[0].pattern), "^std::");
	ck_assert_str_eq(pattern_text(l.entries.at[1].pattern), " two blanks ");
	ck_assert_str_eq(pattern_text(l.entries.at[2].pattern), "a\n'b");
	static const struct {
		const char *word, *value, *says;
	} bad[] = {
		{"from", "later", "'later' is not a time"},
		{"by", "class", "by function, line, address, file or module, not 'class'"},
		{"entry", "hidee x", "unknown verb 'hidee'"},
		{"entry", "~", "unknown verb ''"},
		{"entry", "hide a(b", "missing closing parenthesis"},
		{"hide", "a", "unknown word 'hide'"},
		{"bye", "line", "unknown word 'bye'"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		err_init(&e);
		ck_assert(!lens_read_line(&l, bad[i].word, bad[i].value, &e));
		ck_assert_msg(strstr(e.text, bad[i].says) != NULL, "%s", e.text);
		ck_assert_int_eq(e.class, ERR_USAGE);
	}
	ck_assert_uint_eq(l.entries.n, 3);
	lens_release(&l);
}
END_TEST

/* ---- specs ---- */

/* Entries alone; patterns that are text match the same text, and no other. */
START_TEST(test_spec)
{
	struct chance c;

	chance_init(&c, 23);
	for (int round = 0; round < 5000; round++) {
		struct lens a, b;
		struct buf text = BUF_INIT;
		struct err e;
		err_init(&e);
		hostile_lens(&c, &a);
		lens_init(&b);
		lens_write_spec(&a, &text);
		ck_assert_msg(lens_read_spec(&b, "spec", buf_str(&text), text.len, &e), "%s",
			      e.text);
		ck_assert_uint_eq(a.entries.n, b.entries.n);
		for (size_t i = 0; i < a.entries.n; i++) {
			const struct entry *x = &a.entries.at[i], *y = &b.entries.at[i];
			const char *name = pattern_text(x->pattern);
			ck_assert(x->verb == y->verb && x->off == y->off);
			if (x->verb == VERB_WHERE || x->verb == VERB_LABEL)
				ck_assert_str_eq(name, pattern_text(y->pattern));
			if (*name != '=' || x->verb == VERB_WHERE || x->verb == VERB_LABEL)
				continue;
			size_t len = strlen(++name);
			ck_assert_msg(pattern_matches_bytes(y->pattern, name, len), "%s",
				      buf_str(&text));
			ck_assert(!len || !pattern_matches_bytes(y->pattern, name, len - 1));
		}
		lens_release(&a);
		lens_release(&b);
		buf_release(&text);
	}
}
END_TEST

/* ---- verbs ---- */

/* Each has an option of its name with the meaning in the table. */
START_TEST(test_verbs)
{
	for (int i = 0; i < VERB_COUNT; i++) {
		const struct option_row *row = lens_rows;
		enum verb verb;
		while (row->name && strcmp(row->name, verb_rows[i].name))
			row++;
		ck_assert_msg(row->name != NULL, "%s", verb_rows[i].name);
		ck_assert_str_eq(row->help, verb_rows[i].help);
		ck_assert(verb_parse(row->name, strlen(row->name), &verb));
		ck_assert_int_eq((int)verb, i);
	}
}
END_TEST

UNIT(words)
{
	Suite *suite = suite_create("words");
	TCase *cases = tcase_create("words");

	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, test_options);
	tcase_add_test(cases, test_lines);
	tcase_add_test(cases, test_base_lines);
	tcase_add_test(cases, test_lines_by_hand);
	tcase_add_test(cases, test_spec);
	tcase_add_test(cases, test_verbs);
	suite_add_tcase(suite, cases);
	return suite;
}
