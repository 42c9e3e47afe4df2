#include "tests/fuzz/fuzz.h"

/* Promises about the output, written from the manual and the standards (UTF-8, RFC 4180, RFC 8259)
 * and not with pnav's own functions, which may be wrong. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

#define SHOWN_AROUND 60u
#define MESSAGES_MAX 200u

_Noreturn void
fuzz_broken(const char *what, const char *text, size_t len, size_t where)
{
	size_t from = where > SHOWN_AROUND ? where - SHOWN_AROUND : 0;

	fprintf(stderr, "broken promise: %s, at %zu of %zu: ", what, where, len);
	for (size_t i = from; i < len && i < where + SHOWN_AROUND; i++) {
		unsigned char c = (unsigned char)text[i];
		fprintf(stderr, c < 0x20 || c >= 0x7F ? "\\x%02x" : "%c", c);
	}
	fputc('\n', stderr);
	abort();
}

/* Decodes the character at *at; returns its length in bytes, 0 if it is not UTF-8. */
static size_t
decode_utf8(const unsigned char *at, size_t left, uint32_t *c)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = *at < 0x80   ? 1
		   : *at < 0xC0 ? 0
		   : *at < 0xE0 ? 2
		   : *at < 0xF0 ? 3
		   : *at < 0xF8 ? 4
				: 0;

	if (n == 0 || n > left)
		return 0;
	*c = n == 1 ? *at : *at & (0x7Fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((at[i] & 0xC0) != 0x80)
			return 0;
		*c = *c << 6 | (at[i] & 0x3F);
	}
	return *c < least[n] || *c > 0x10FFFF || (*c >= 0xD800 && *c < 0xE000) ? 0 : n;
}

/* Marks and overrides of direction in Unicode's bidirectional algorithm (UAX 9), characters without
 * width, and line ends: a name that contains them can look like another one. */
static bool
is_unseen(uint32_t c)
{
	static const uint32_t unseen[][2] = {
		{0xAD, 0xAD},     {0x61C, 0x61C},   {0x180E, 0x180E}, {0x200B, 0x200F},
		{0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB},
		{0xE0000, 0xE007F},
	};

	for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
		if (c >= unseen[i][0] && c <= unseen[i][1])
			return true;
	return false;
}

static void
check_text(const char *what, const char *text, size_t len, bool unseen)
{
	const unsigned char *at = (const unsigned char *)text;
	uint32_t c = 0;

	for (size_t i = 0, n; i < len; i += n) {
		n = decode_utf8(at + i, len - i, &c);
		if (n == 0)
			fuzz_broken("not UTF-8", text, len, i);
		if ((c < 0x20 && c != '\n') || (c >= 0x7F && c < 0xA0) ||
		    (!unseen && is_unseen(c)))
			fuzz_broken(what, text, len, i);
	}
}

void
fuzz_check_shown(const char *what, const char *text, size_t len)
{
	check_text(what, text, len, false);
}

void
fuzz_check_plain(const char *what, const char *text, size_t len)
{
	check_text(what, text, len, true);
}

void
fuzz_check_message(const char *what, const char *text)
{
	const char *end = strchr(text, '\n');

	if (end)
		fuzz_broken(what, text, strlen(text), (size_t)(end - text));
	fuzz_check_shown(what, text, strlen(text));
}

void
fuzz_check_messages(const char *text, size_t len)
{
	static const char begin[] = "pnav: ";
	size_t lines = 0;

	fuzz_check_shown("a control character in a message", text, len);
	for (size_t i = 0; i < len; lines++) {
		const char *end = memchr(text + i, '\n', len - i);

		if (!end)
			fuzz_broken("a message without an end", text, len, i);
		if (len - i < sizeof begin || memcmp(text + i, begin, sizeof begin - 1))
			fuzz_broken("a line that is no message", text, len, i);
		i = (size_t)(end - text) + 1;
	}
	if (lines > MESSAGES_MAX)
		fuzz_broken("many messages", text, len, 0);
}

void
fuzz_check_json(const char *text, size_t len)
{
#ifdef HAVE_JANSSON
	json_error_t why;
	json_t *json = json_loadb(text, len, JSON_DECODE_INT_AS_REAL, &why);

	if (!json)
		fuzz_broken(why.text, text, len,
			    why.position > 0 ? (size_t)why.position : 0);
	json_decref(json);
#else
	(void)text;
	(void)len;
#endif
}

/* Reads one record from *i; returns its number of fields. */
static size_t
csv_record(const char *text, size_t len, size_t *i)
{
	size_t fields = 1;

	for (bool quoted = false; *i < len; (*i)++) {
		char c = text[*i];
		bool begins = *i == 0 || text[*i - 1] == ',' || text[*i - 1] == '\n';

		if (quoted && c == '"' && *i + 1 < len && text[*i + 1] == '"')
			(*i)++;
		else if (c == '"' && (quoted || begins))
			quoted = !quoted;
		else if (c == '"')
			fuzz_broken("a quote inside a field", text, len, *i);
		else if (!quoted && c == ',')
			fields++;
		else if (!quoted && c == '\n') {
			(*i)++;
			return fields;
		}
	}
	fuzz_broken("CSV without an end", text, len, len);
}

void
fuzz_check_csv(const char *text, size_t len)
{
	size_t i = 0, header = len ? csv_record(text, len, &i) : 0;

	while (i < len) {
		size_t from = i;

		if (csv_record(text, len, &i) != header)
			fuzz_broken("a row of another length", text, len, from);
	}
}

/* ---- files ---- */

static char folder[] = "/tmp/pnav-fuzz.XXXXXX";
static int outside = -1;

static void
remove_folder(void)
{
	char command[sizeof folder + 16];

	snprintf(command, sizeof command, "rm -rf %s", folder);
	(void)!system(command);
}

void
fuzz_enter(void)
{
	if (outside < 0) {
		outside = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (outside < 0 || !mkdtemp(folder)) {
			perror(folder);
			exit(2);
		}
		atexit(remove_folder);
		/* Ignore the user's settings. */
		setenv("HOME", "/nonexistent", 1);
		setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
		unsetenv("DEBUGINFOD_URLS");
	}
	if (chdir(folder) < 0) {
		perror(folder);
		exit(2);
	}
}

void
fuzz_leave(void)
{
	(void)!fchdir(outside);
}

bool
fuzz_write(const char *name, const void *bytes, size_t len)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool good = fd >= 0 && write(fd, bytes, len) == (ssize_t)len;

	if (fd >= 0)
		close(fd);
	return good;
}

/* ---- streams ---- */

void
fuzz_catch_begin(struct fuzz_caught *c)
{
	*c = (struct fuzz_caught){.real_out = stdout, .real_err = stderr};
	stdout = open_memstream(&c->out, &c->out_len);
	stderr = open_memstream(&c->err, &c->err_len);
	if (!stdout || !stderr) {
		stderr = c->real_err;
		perror("open_memstream");
		exit(2);
	}
}

void
fuzz_catch_end(struct fuzz_caught *c)
{
	fclose(stdout);
	fclose(stderr);
	stdout = c->real_out;
	stderr = c->real_err;
}

void
fuzz_catch_release(struct fuzz_caught *c)
{
	free(c->out);
	free(c->err);
}
