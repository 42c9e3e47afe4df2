/* settings.c - see settings.h.
 *
 * pnavrc and a session have the same form, so one reader and one kind of error message serve
 * both. Values have no quotes and no escapes: a value is the rest of its line.  Only values
 * that no line can hold need quotes, and then the whole line has them: $'...', in which the
 * value begins after one blank after its word.
 *
 * A library for INI or TOML files was rejected: its quoting would burden regular expressions,
 * which most values are. */
#include "ui/app/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/base/mem.h"
#include "model/lens/words.h"

#define FAULTS_MAX 20
#define FILE_MAX (1u << 24)

void
faults_release(struct faults *f)
{
	for (size_t i = 0; i < f->lines.n; i++)
		free(f->lines.at[i]);
	vec_release(&f->lines);
	free(f->grave);
	*f = (struct faults){.more = 0};
}

void
faults_add(struct faults *f, const char *text)
{
	if (f->lines.n == FAULTS_MAX)
		f->more++;
	else
		*vec_push(&f->lines) = mem_dup(text, strlen(text));
}

static void
add_fault(struct faults *f, const char *file, size_t line, const char *text, bool grave)
{
	struct buf out = BUF_INIT;
	escape_shown(&out, file, strlen(file), false);
	buf_addf(&out, ":%zu: %s", line, text);
	faults_add(f, buf_str(&out));
	if (grave && !f->grave)
		f->grave = mem_dup(buf_str(&out), out.len);
	buf_release(&out);
}

bool
settings_word(const char **at, struct buf *out)
{
	const char *from = *at + strspn(*at, " \t");
	size_t len = strcspn(from, " \t");
	buf_reset(out);
	buf_add(out, from, len);
	*at = from + len + strspn(from + len, " \t");
	return len > 0;
}

static bool
settings_line(const char *line, const struct settings_row *rows, void *ctx, bool *grave,
	      struct err *e)
{
	struct buf word = BUF_INIT, value = BUF_INIT;
	bool good = words_read_line(line, &word, &value, e);
	while (rows->word && strcmp(rows->word, buf_str(&word)))
		rows++;
	*grave = !rows->view;
	if (!good || !word.len) {
		; /* wrong or empty */
	} else if (rows->word) {
		good = rows->set(ctx, buf_str(&value), e);
	} else if (rows->set) {
		buf_addf(&word, " %s", buf_str(&value));
		good = rows->set(ctx, buf_str(&word), e);
	} else {
		good = err_usage(e, "unknown word '%s'", buf_str(&word));
	}
	buf_release(&word);
	buf_release(&value);
	return good;
}

void
settings_read(const char *file, const char *text, size_t len,
	      const struct settings_row *rows, void *ctx, struct faults *faults)
{
	for (size_t number = 1; len; number++) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;
		size_t kept = n && text[n - 1] == '\r' ? n - 1 : n;
		char *line = mem_dup(text, kept);
		struct err e;
		bool grave = true;
		err_init(&e);
		if (strlen(line) != kept)
			add_fault(faults, file, number, "a NUL byte in the line", true);
		else if (!settings_line(line, rows, ctx, &grave, &e))
			add_fault(faults, file, number, e.text, grave);
		free(line);
		text += n + (end ? 1 : 0);
		len -= n + (end ? 1 : 0);
	}
}

bool
settings_load(const char *path, struct buf *text, struct err *e)
{
	char part[4096];
	size_t n;
	FILE *f = fopen(path, "r");
	if (!f)
		return err_usage(e, "%s: %s", path, strerror(errno));
	while ((n = fread(part, 1, sizeof part, f)) > 0 && text->len < FILE_MAX)
		buf_add(text, part, n);
	bool good = !ferror(f);
	int why = errno;
	fclose(f);
	if (!good)
		return err_usage(e, "%s: %s", path, strerror(why));
	if (text->len >= FILE_MAX)
		return err_usage(e, "%s: too long", path);
	return true;
}
