/* source_files.c - finding source files, reading their lines, and the editor's command.
 * Works in a folder of its own under the current one. */
#include "ui/view/source/source_files.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/unit.h"
#include "ui/app/editor.h"

static char folder[] = "source-files-XXXXXX";

static void
enter(void)
{
	ck_assert(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void
leave(void)
{
	ck_assert_int_eq(chdir(".."), 0);
	struct buf command = BUF_INIT;
	buf_addf(&command, "rm -r %s", folder);
	ck_assert_int_eq(system(buf_str(&command)), 0);
	buf_release(&command);
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
}

static void
put(const char *path, const void *bytes, size_t len)
{
	FILE *f = fopen(path, "w");
	ck_assert(f);
	ck_assert_uint_eq(fwrite(bytes, 1, len, f), len);
	fclose(f);
}

static void
check_found(const struct source_places *s, const char *recorded, const char *want)
{
	struct buf path = BUF_INIT;
	bool found = source_find(s, recorded, &path);
	ck_assert_int_eq(found, want != NULL);
	if (want)
		ck_assert_str_eq(buf_str(&path), want);
	else
		ck_assert_uint_eq(path.len, 0);
	buf_release(&path);
}

START_TEST(test_find)
{
	struct source_places s;
	mkdir("here", 0777);
	mkdir("here/gfx", 0777);
	mkdir("run", 0777);
	mkdir("run/gfx", 0777);
	put("here/gfx/draw.c", "x\n", 2);
	put("run/gfx/blit.c", "x\n", 2);
	put("main.c", "x\n", 2);
	source_places_init(&s);
	ck_assert(!source_places_map(&s, "no sign"));
	check_found(&s, "main.c", "main.c");
	check_found(&s, "/build/gfx/draw.c", NULL);
	ck_assert(source_places_map(&s, "/build=here"));
	check_found(&s, "/build/gfx/draw.c", "here/gfx/draw.c");
	/* /builder is not below /build, and a folder is no file */
	check_found(&s, "/builder/gfx/draw.c", NULL);
	check_found(&s, "/build/gfx", NULL);
	check_found(&s, "", NULL);
	/* Beside the profile, whatever precedes it in the path. */
	source_places_beside(&s, "run/a.folded");
	source_places_beside(&s, "-");
	check_found(&s, "/home/me/src/gfx/blit.c", "run/gfx/blit.c");
	check_found(&s, "pkg:/gfx/blit.c", "run/gfx/blit.c");
	check_found(&s, "C:\\work\\gfx\\blit.c", "run/gfx/blit.c");
	check_found(&s, "/home/me/src/gfx/draw.c", NULL);
	/* Without FROM: anything, wherever below TO it is. */
	ck_assert(source_places_map(&s, "=here"));
	check_found(&s, "/home/me/src/gfx/draw.c", "here/gfx/draw.c");
	source_places_release(&s);
}
END_TEST

static void
check_line(struct source_file *f, uint32_t line, const char *want)
{
	struct buf text = BUF_INIT;
	ck_assert_int_eq(source_file_line(f, line, &text), want != NULL);
	if (want)
		ck_assert_str_eq(buf_str(&text), want);
	buf_release(&text);
}

static struct source_file *
opened(const char *path)
{
	struct buf why = BUF_INIT;
	struct source_file *f = source_file_open(path, &why);
	ck_assert_msg(f != NULL, "%s %s", path, buf_str(&why));
	buf_release(&why);
	return f;
}

START_TEST(test_lines)
{
	static const char text[] = "\xEF\xBB\xBFone\r\n\ttwo\tx\n\ncaf\xE9 \x1B[1m\nlast";
	put("a.c", text, sizeof text - 1);
	struct source_file *f = opened("a.c");
	check_line(f, 2, "        two     x");
	check_line(f, 1, "one");
	check_line(f, 3, "");
	check_line(f, 4, "caf\\xe9 \\x1b[1m");
	check_line(f, 5, "last");
	check_line(f, 6, NULL);
	check_line(f, 0, NULL);
	ck_assert_uint_eq(source_file_last(f), 5);
	source_file_close(f);
	put("empty.c", "", 0);
	f = opened("empty.c");
	check_line(f, 1, NULL);
	ck_assert_uint_eq(source_file_last(f), 0);
	source_file_close(f);
}
END_TEST

/* 300,000 lines, in any order; and one line of four megabytes. */
START_TEST(test_huge)
{
	struct buf text = BUF_INIT, want = BUF_INIT;
	for (unsigned i = 1; i <= 300000; i++)
		buf_addf(&text, "line %u\n", i);
	put("huge.c", text.at, text.len);
	struct source_file *f = opened("huge.c");
	static const uint32_t lines[] = {300000, 1, 256, 257, 299999, 65536, 12345, 2};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		buf_reset(&want);
		buf_addf(&want, "line %u", lines[i]);
		check_line(f, lines[i], buf_str(&want));
	}
	check_line(f, 300001, NULL);
	source_file_close(f);
	buf_reset(&text);
	for (unsigned i = 0; i < 1u << 21; i++)
		buf_adds(&text, "é");
	buf_adds(&text, "\nnext\n");
	put("wide.c", text.at, text.len);
	f = opened("wide.c");
	buf_reset(&want);
	ck_assert(source_file_line(f, 1, &want));
	ck_assert_uint_eq(want.len, SOURCE_LINE_MAX);
	check_line(f, 2, "next");
	source_file_close(f);
	buf_release(&text);
	buf_release(&want);
}
END_TEST

START_TEST(test_refused)
{
	struct buf why = BUF_INIT;
	put("a.o", "\x7F" "ELF\0\0\0", 7);
	ck_assert_ptr_null(source_file_open("a.o", &why));
	ck_assert_str_eq(buf_str(&why), "is not a text");
	buf_reset(&why);
	ck_assert_ptr_null(source_file_open("not there", &why));
	ck_assert_str_eq(buf_str(&why), "cannot be read");
	buf_reset(&why);
	/* Nobody writes to it: it must not be waited for. */
	ck_assert_int_eq(mkfifo("fifo", 0666), 0);
	ck_assert_ptr_null(source_file_open("fifo", &why));
	buf_release(&why);
}
END_TEST

/* It becomes shorter while it is shown. */
START_TEST(test_truncated)
{
	struct buf text = BUF_INIT, line = BUF_INIT;
	for (unsigned i = 1; i <= 100000; i++)
		buf_addf(&text, "line %u\n", i);
	put("shrinks.c", text.at, text.len);
	struct source_file *f = opened("shrinks.c");
	ck_assert(source_file_has(f, 100000));
	put("shrinks.c", "x\n", 2);
	source_file_line(f, 90000, &line);
	source_file_line(f, 300, &line);
	source_file_close(f);
	buf_release(&text);
	buf_release(&line);
}
END_TEST

static void
check_editor(const char *command, const char *path, uint32_t line, const char *want)
{
	struct editor e;
	editor_init(&e, command, path, line);
	ck_assert_str_eq(buf_str(&e.shown), want);
	ck_assert_str_eq(e.argv[0], "/bin/sh");
	ck_assert_str_eq(e.argv[1], "-c");
	editor_release(&e);
}

START_TEST(test_editor)
{
	check_editor(NULL, "a b.c", 12, "vi +12 'a b.c'");
	check_editor("", "a.c", 12, "vi +12 a.c");
	check_editor("/usr/bin/nvim -p", "a.c", 12, "/usr/bin/nvim -p +12 a.c");
	check_editor("code -w", "a.c", 12, "code -w -g a.c:12");
	check_editor("subl", "a.c", 12, "subl a.c:12");
	check_editor("kate", "a.c", 12, "kate -l 12 a.c");
	check_editor("idea", "a.c", 12, "idea --line 12 a.c");
	check_editor("vi", "a.c", 0, "vi a.c");
	check_editor("nobody-knows-it", "a.c", 12, "nobody-knows-it a.c");
	check_editor("vi", "-R", 1, "vi +1 ./-R");
	check_editor("vi", "$(touch x).c", 1, "vi +1 '$(touch x).c'");
	check_editor("code", "it's;x", 1, "code -g 'it'\\''s;x:1'");
}
END_TEST

UNIT(source_files)
{
	Suite *suite = suite_create("source files");
	TCase *t = tcase_create("source files");
	tcase_add_checked_fixture(t, enter, leave);
	tcase_add_test(t, test_find);
	tcase_add_test(t, test_lines);
	tcase_add_test(t, test_huge);
	tcase_add_test(t, test_refused);
	tcase_add_test(t, test_truncated);
	tcase_add_test(t, test_editor);
	suite_add_tcase(suite, t);
	return suite;
}
