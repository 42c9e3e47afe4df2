/* Three lists of symbols in text form.
 *
 * The kernel's (/proc/kallsyms) has no sizes: a function ends where the next begins, and of several
 * names of one address perf shows the last.  A rebooted kernel lies elsewhere (KASLR).  All of it
 * moves by one distance, known from the recorded address of _text. Each of its modules moves by
 * another distance, so modules are then left out.
 *
 * A JIT's (/tmp/perf-PID.map, `start size name`) grows while the program runs and names the same
 * memory again when code is replaced.  The last entry is valid.  The list does not tell which entry
 * was valid at the time of a sample.
 *
 * uftrace's, one for each module that it has seen, is in the form of nm, perhaps with sizes.
 *
 * They are read line by line through stdio, as files of this machine.  The length is limited, so a
 * wrong file costs little. */
#include "src/symbol/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/symbol/plain.h"

#define SYMBOLS_MAX 4000000u

/* Limits of one line and of all lines, since the file may be hostile. */
#define LINE_BYTES (1u << 20)
#define FILE_BYTES (1u << 30)

struct text_file {
	FILE *f;
	char *line; /* ends in a NUL */
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

/* Reads the next line.  A line that is too long is truncated, and then contains no symbol. */
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

/* Reads sixteen digits, the kernel's form of every address: there are a hundred thousand lines. */
static bool
take_address(char **at, uint64_t *out)
{
	static const signed char digits[256] = {
		['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
		['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
		['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	};
	uint64_t all = 0;

	for (unsigned i = 0; i < 16; i++) {
		signed char digit = digits[(unsigned char)(*at)[i]];
		if (!digit)
			return false;
		all = all << 4 | (uint64_t)(digit - 1);
	}
	if ((*at)[16] != ' ')
		return false;
	*at += 17;
	*out = all;
	return true;
}

/* Reads hexadecimal digits and the blanks after them; returns false if there are none. */
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

/* /sys/kernel/notes: three words (lengths of name and data, type), then name and data, each padded
 * to a multiple of four. */
bool
symbol_kernel_build_id(uint8_t *out, size_t *len, size_t max)
{
	_Alignas(4) uint8_t notes[4096];
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t got = read(fd, notes, sizeof notes);
	close(fd);
	for (size_t at = 0; got > 0 && at + 12 <= (size_t)got;) {
		uint32_t word[3];
		memcpy(word, notes + at, sizeof word);
		size_t name = at + 12, rest = (size_t)got - name;
		size_t name_size = ((size_t)word[0] + 3) & ~(size_t)3;
		size_t data_size = ((size_t)word[1] + 3) & ~(size_t)3;
		if (name_size > rest || data_size > rest - name_size)
			return false;
		if (word[2] == 3 && word[0] == 4 && !memcmp(notes + name, "GNU", 4)) {
			*len = word[1] < max ? word[1] : max;
			memcpy(out, notes + name + name_size, *len);
			return true;
		}
		at = name + name_size + data_size;
	}
	return false;
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
		if ((!take_address(&at, &address) && !take_hex(&at, &address)) || !at[0] ||
		    at[1] != ' ')
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
	/* fmemopen() takes writable memory, but does not write to it in this mode */
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
