/* Three lists of symbols that are text.
 *
 * The kernel's (/proc/kallsyms) has no sizes: a function ends where the next begins, and
 * of several names of one place the last one is what perf shows.  A
 * kernel that was started again lies elsewhere (KASLR); all of it moves by one distance,
 * which the recorded address of _text tells, but each of its modules by another, so
 * they are left out then.
 *
 * A JIT's (/tmp/perf-PID.map, `start size name`) grows while the program runs and names
 * the same memory again when code is replaced; what was written last is what stands.
 * Which of them ran when a sample was taken nobody can tell from it.
 *
 * uftrace's, of each module that it has seen, is what nm prints, perhaps with sizes.
 *
 * They are read line by line through stdio: they are files of this machine and no
 * profiles.  The text is bounded, so that a wrong file costs little. */
#include "src/symbol/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/symbol/plain.h"

#define SYMBOLS_MAX 4000000u

/* Lines of a file that anybody may have written: neither one nor all of them are longer
 * than these. */
#define LINE_BYTES (64u << 10)
#define FILE_BYTES (1u << 30)

struct text_file {
	FILE *f;
	char *line; /* NUL behind it */
	size_t left;
};

static bool
text_open(struct text_file *t, FILE *f)
{
	*t = (struct text_file){.f = f, .left = FILE_BYTES};
	if (f)
		t->line = mem_alloc(LINE_BYTES, 1);
	return f;
}

static void
text_close(struct text_file *t)
{
	free(t->line);
	fclose(t->f);
}

/* The next line; of one that is too long only where it begins, which is no symbol then. */
static bool
text_next(struct text_file *t)
{
	if (!t->left || !fgets(t->line, LINE_BYTES, t->f))
		return false;
	size_t n = strlen(t->line);
	bool whole = n < LINE_BYTES - 1 || t->line[n - 1] == '\n';
	t->left -= n < t->left ? n : t->left;
	for (int c; !whole && t->left && (c = getc(t->f)) != EOF && c != '\n'; t->left--)
		;
	if (!whole)
		t->line[0] = '\0';
	return true;
}

/* Hexadecimal digits and the blanks after them; false where there are none. */
static bool
take_hex(char **at, uint64_t *out)
{
	char *end;
	errno = 0;
	*out = strtoull(*at, &end, 16);
	if (end == *at || errno)
		return false;
	*at = end + strspn(end, " \t");
	return true;
}

bool
symbol_text_kernel(struct symbol_table *t, const char *path, uint64_t text)
{
	struct text_file file;
	uint64_t here = 0, any = 0;
	if (!text_open(&file, symbol_open_plain(path, false, NULL)))
		return false;
	while (t->symbol.n < SYMBOLS_MAX && text_next(&file)) {
		char *at = file.line;
		uint64_t address;
		if (!take_hex(&at, &address) || !at[0] || at[1] != ' ')
			continue;
		char type = at[0];
		at += 2;
		size_t n = strcspn(at, " \t\n");
		bool module = at[n] == '\t' || at[n] == ' ';
		any |= address;
		if (n == 5 && !memcmp(at, "_text", 5))
			here = address;
		if (!strchr("tTwW", type) || (module && text && text != here))
			continue;
		symbol_table_add(t, address, 0, symbol_table_keep(t, at, n),
				 type == 'T'   ? SYMBOL_GLOBAL
				 : type == 't' ? SYMBOL_LOCAL
					       : SYMBOL_WEAK);
		t->symbol.at[t->symbol.n - 1].rank = (uint32_t)t->symbol.n;
	}
	text_close(&file);
	if (text && here && any)
		for (size_t i = 0; i < t->symbol.n; i++) {
			t->symbol.at[i].start += text - here;
			t->symbol.at[i].end = t->symbol.at[i].start;
		}
	else if (text)
		t->symbol.n = 0;
	symbol_table_sort(t);
	return any && t->symbol.n;
}

static bool
read_jit(struct symbol_table *t, FILE *f)
{
	struct text_file file;
	if (!text_open(&file, f))
		return false;
	while (t->symbol.n < SYMBOLS_MAX && text_next(&file)) {
		char *at = file.line;
		uint64_t start, size;
		if (!take_hex(&at, &start) || !take_hex(&at, &size) || !size)
			continue;
		size_t n = strcspn(at, "\r\n");
		if (!n)
			continue;
		symbol_table_add(t, start, size, symbol_table_keep(t, at, n),
				 SYMBOL_GLOBAL);
		t->symbol.at[t->symbol.n - 1].rank = (uint32_t)t->symbol.n;
	}
	text_close(&file);
	symbol_table_sort(t);
	return t->symbol.n > 0;
}

bool
symbol_text_jit(struct symbol_table *t, const char *path)
{
	return read_jit(t, symbol_open_plain(path, true, NULL));
}

bool
symbol_text_jit_kept(struct symbol_table *t, const char *text, size_t len)
{
	/* fmemopen() takes memory that may be written, and does not write it */
	return len && read_jit(t, fmemopen((void *)(uintptr_t)text, len, "r"));
}

bool
symbol_text_list(struct symbol_table *t, const char *path)
{
	struct text_file file;
	if (!text_open(&file, symbol_open_plain(path, false, NULL)))
		return false;
	while (t->symbol.n < SYMBOLS_MAX && text_next(&file)) {
		char *at = file.line;
		uint64_t start, size = 0;
		if (!take_hex(&at, &start) || !at[0])
			continue;
		if (at[1] != ' ' && !take_hex(&at, &size))
			continue;
		if (!at[0] || at[1] != ' ' || !strchr("tTwWpPiuvV?", at[0]))
			continue;
		bool end = at[0] == '?';
		size_t n = strcspn(at + 2, "\r\n");
		symbol_table_add(t, start, end ? 0 : size,
				 symbol_table_keep(t, at + 2, end ? 0 : n),
				 end ? SYMBOL_LOCAL : SYMBOL_GLOBAL);
	}
	text_close(&file);
	symbol_table_sort(t);
	return t->symbol.n > 0;
}
