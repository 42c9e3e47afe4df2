/* Two lists of symbols that are text.
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
 * Both are read line by line through stdio: they are files of this machine and no
 * profiles.  The text is bounded, so that a wrong file costs little. */
#include "src/symbol/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYMBOLS_MAX 4000000u

/* A plain file; a FIFO of that name must not hold the loading up. */
static FILE *
open_text(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	FILE *f = !fstat(fd, &st) && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
	if (!f)
		close(fd);
	return f;
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
	FILE *f = open_text(path);
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	uint64_t here = 0, any = 0;
	if (!f)
		return false;
	while ((len = getline(&line, &cap, f)) > 0 && t->symbol.n < SYMBOLS_MAX) {
		char *at = line;
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
	free(line);
	fclose(f);
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

bool
symbol_text_jit(struct symbol_table *t, const char *path)
{
	FILE *f = open_text(path);
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	if (!f)
		return false;
	while ((len = getline(&line, &cap, f)) > 0 && t->symbol.n < SYMBOLS_MAX) {
		char *at = line;
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
	free(line);
	fclose(f);
	symbol_table_sort(t);
	return t->symbol.n > 0;
}
