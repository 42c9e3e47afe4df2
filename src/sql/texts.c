/* texts.c - replaces SQLite's functions that search texts, so that none of them runs for minutes.
 *
 * SQLite asks between the steps of its machine whether to continue, and one call of a function is
 * one step.  Its own instr(), replace() and trim() compare each place of one text with all of the
 * other; two texts of 8 MB practically never end.  The versions here are linear and return the same
 * results.  LIKE and GLOB are SQLite's own for about a second of comparisons, then refused with a
 * message that names REGEXP, which has its own limit.  printf() is also SQLite's own, called in a
 * second connection.  It is refused if it would repeat a character more often than the maximum
 * length of a text: SQLite would count to the end even after giving up the text. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include <string.h>

/* Comparisons of two places: about a second. */
#define COMPARED_MAX (UINT64_C(1) << 28)

struct texts_text {
	const char *at; /* NULL: an SQL NULL */
	size_t len;
};

static struct texts_text
texts_text_of(sqlite3_value *v)
{
	const char *at = (const char *)sqlite3_value_text(v);

	return (struct texts_text){at, at ? (size_t)sqlite3_value_bytes(v) : 0};
}

static struct texts_text
blob_of(sqlite3_value *v)
{
	const char *at = sqlite3_value_blob(v);

	return (struct texts_text){at ? at : "", (size_t)sqlite3_value_bytes(v)};
}

static bool
is_null(sqlite3_value *v)
{
	return sqlite3_value_type(v) == SQLITE_NULL;
}

/* Returns the beginning of the next character. */
static size_t
next_character(struct texts_text t, size_t i)
{
	for (i++; i < t.len && ((unsigned char)t.at[i] & 0xC0) == 0x80; i++)
		;
	return i;
}

/* ---- instr(text, part) ---- */

static void
instr(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	bool bytes = sqlite3_value_type(argv[0]) == SQLITE_BLOB &&
		     sqlite3_value_type(argv[1]) == SQLITE_BLOB;
	sqlite3_int64 place = 1;

	(void)argc;
	if (is_null(argv[0]) || is_null(argv[1]))
		return;
	struct texts_text t = bytes ? blob_of(argv[0]) : texts_text_of(argv[0]);
	struct texts_text part = bytes ? blob_of(argv[1]) : texts_text_of(argv[1]);
	if (!t.at || !part.at) {
		sqlite3_result_error_nomem(out);
		return;
	}
	const char *found = part.len ? memmem(t.at, t.len, part.at, part.len) : t.at;
	if (!found)
		place = 0;
	else if (bytes)
		place += found - t.at;
	else
		for (size_t i = 0; t.at + i < found; i = next_character(t, i))
			place++;
	sqlite3_result_int64(out, place);
}

/* ---- replace(text, part, with) ---- */

static void
replace(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct sql *s = sqlite3_user_data(out);
	size_t most = (size_t)sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, -1);
	struct buf done = BUF_INIT;

	(void)argc;
	if (is_null(argv[0]) || is_null(argv[1]) || is_null(argv[2]))
		return;
	struct texts_text t = texts_text_of(argv[0]), part = texts_text_of(argv[1]),
			  with = texts_text_of(argv[2]);
	if (!t.at || !part.at || !with.at) {
		sqlite3_result_error_nomem(out);
		return;
	}
	if (!part.len || !*part.at) {
		sqlite3_result_value(out, argv[0]);
		return;
	}
	const char *at = t.at, *end = t.at + t.len, *found;
	while (done.len <= most && (found = memmem(at, (size_t)(end - at), part.at, part.len))) {
		buf_add(&done, at, (size_t)(found - at));
		buf_add(&done, with.at, with.len);
		at = found + part.len;
	}
	buf_add(&done, at, (size_t)(end - at));
	if (done.len > most)
		sqlite3_result_error_toobig(out);
	else
		sqlite3_result_text64(out, buf_str(&done), done.len, SQLITE_TRANSIENT, SQLITE_UTF8);
	buf_release(&done);
}

/* ---- trim(text[, characters]), ltrim(), rtrim() ---- */

enum { TRIM_LEFT = 1, TRIM_RIGHT = 2 };

/* Returns the bytes of the first or last character if it is in the set; else 0. */
static size_t
one_of(struct texts_text t, struct texts_text set, bool at_end)
{
	for (size_t k = 0, next; k < set.len; k = next) {
		bool single =
			(unsigned char)set.at[k] < 0xC0; /* or bytes that are no character */
		next = single ? k + 1 : next_character(set, k);
		size_t n = next - k;
		if (n <= t.len && !memcmp(set.at + k, t.at + (at_end ? t.len - n : 0), n))
			return n;
	}
	return 0;
}

static struct texts_text
trimmed(struct texts_text t, struct texts_text set, int ends)
{
	size_t n;

	while (ends & TRIM_LEFT && (n = one_of(t, set, false)))
		t = (struct texts_text){t.at + n, t.len - n};
	while (ends & TRIM_RIGHT && (n = one_of(t, set, true)))
		t.len -= n;
	return t;
}

static void
trim_ends(sqlite3_context *out, int argc, sqlite3_value **argv, int ends)
{
	struct texts_text set = {" ", 1};

	if (is_null(argv[0]) || (argc > 1 && is_null(argv[1])))
		return;
	struct texts_text t = texts_text_of(argv[0]);
	if (argc > 1)
		set = texts_text_of(argv[1]);
	if (!t.at || !set.at) {
		sqlite3_result_error_nomem(out);
	} else if (set.len && t.len > COMPARED_MAX / set.len) {
		sqlite3_result_error(
			out, "trim(): too many characters for a text of this length", -1);
	} else {
		t = trimmed(t, set, ends);
		sqlite3_result_text64(out, t.at, t.len, SQLITE_TRANSIENT, SQLITE_UTF8);
	}
}

static void
trim(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	trim_ends(out, argc, argv, TRIM_LEFT | TRIM_RIGHT);
}

static void
ltrim(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	trim_ends(out, argc, argv, TRIM_LEFT);
}

static void
rtrim(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	trim_ends(out, argc, argv, TRIM_RIGHT);
}

/* ---- text LIKE pattern [ESCAPE character], text GLOB pattern ---- */

/* Returns false, after an error or NULL result, if the two must not be compared. */
static bool
may_match(sqlite3_context *out, sqlite3_value **argv, struct texts_text *pattern,
	  struct texts_text *t)
{
	struct sql *s = sqlite3_user_data(out);
	size_t most = (size_t)sqlite3_limit(s->db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1);

	if (sqlite3_compileoption_used("LIKE_DOESNT_MATCH_BLOBS") &&
	    (sqlite3_value_type(argv[0]) == SQLITE_BLOB ||
	     sqlite3_value_type(argv[1]) == SQLITE_BLOB)) {
		sqlite3_result_int(out, 0);
		return false;
	}
	if (is_null(argv[0]) || is_null(argv[1]))
		return false;
	*pattern = texts_text_of(argv[0]);
	*t = texts_text_of(argv[1]);
	if (!pattern->at || !t->at) {
		sqlite3_result_error_nomem(out);
		return false;
	}
	if (pattern->len > most) {
		sqlite3_result_error(out, "LIKE or GLOB pattern too complex", -1);
		return false;
	}
	if (pattern->len && t->len > COMPARED_MAX / pattern->len) {
		sqlite3_result_error(out, "LIKE and GLOB: the text is too long, use REGEXP", -1);
		return false;
	}
	return true;
}

/* Returns the only character of the text; 0 if it has none, or more. */
static unsigned
one_character(struct texts_text t)
{
	unsigned char first = t.len ? (unsigned char)t.at[0] : 0;
	unsigned c = first < 0x80 ? first : first & (first < 0xE0 ? 0x1F : first < 0xF0 ? 0x0F : 7);

	if (!t.len || next_character(t, 0) != t.len)
		return 0;
	for (size_t i = 1; i < t.len; i++)
		c = c << 6 | ((unsigned char)t.at[i] & 0x3F);
	return c;
}

static void
like(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct texts_text pattern, t;
	unsigned escape = 0;

	if (argc > 2) {
		if (is_null(argv[2]))
			return;
		escape = one_character(texts_text_of(argv[2]));
		if (!escape) {
			sqlite3_result_error(out, "ESCAPE expression must be a single character",
					     -1);
			return;
		}
	}
	if (may_match(out, argv, &pattern, &t))
		sqlite3_result_int(out, !sqlite3_strlike(pattern.at, t.at, escape));
}

static void
glob(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct texts_text pattern, t;

	(void)argc;
	if (may_match(out, argv, &pattern, &t))
		sqlite3_result_int(out, !sqlite3_strglob(pattern.at, t.at));
}

/* ---- printf(format, ...), format(format, ...) ---- */

static int64_t
magnitude(int64_t v)
{
	return v == INT64_MIN ? INT64_MAX : v < 0 ? -v : v;
}

/* Reads a number of a conversion, or the argument for `*`. */
static const char *
read_number(const char *at, int argc, sqlite3_value **argv, int *arg, int64_t *out)
{
	*out = 0;
	if (*at == '*') {
		if (*arg < argc)
			*out = magnitude(sqlite3_value_int64(argv[*arg]));
		++*arg;
		return at + 1;
	}
	for (; *at >= '0' && *at <= '9'; at++)
		*out = *out < TEXT_MAX ? 10 * *out + (*at - '0') : *out;
	return at;
}

/* Returns how many characters all %.Nc of a format repeat, at most `most`. */
static int64_t
repeated(int argc, sqlite3_value **argv, int64_t most)
{
	const char *at = (const char *)sqlite3_value_text(argv[0]);
	int64_t all = 0, width, precision;
	int arg = 1;

	while (at && all < most && (at = strchr(at, '%'))) {
		at += 1 + strspn(at + 1, "-+ 0!#,");
		at = read_number(at, argc, argv, &arg, &width);
		precision = 0;
		if (*at == '.')
			at = read_number(at + 1, argc, argv, &arg, &precision);
		at += strspn(at, "l");
		if (*at == 'c')
			all += precision < most ? precision : most;
		arg += *at != '%' && *at != 'n';
		at += *at != '\0';
	}
	return all;
}

/* Returns SQLite's own statement for that number of arguments; NULL without memory. */
static sqlite3_stmt *
printing(struct sql *s, int argc)
{
	struct buf sql = BUF_INIT;

	if (s->print && sqlite3_bind_parameter_count(s->print) == argc)
		return s->print;
	sqlite3_finalize(s->print);
	s->print = NULL;
	if (!s->beside && sqlite3_open_v2(":memory:", &s->beside, SQLITE_OPEN_READWRITE, NULL))
		return NULL;
	sqlite3_limit(s->beside, SQLITE_LIMIT_LENGTH, TEXT_MAX);
	buf_adds(&sql, "SELECT printf(?");
	for (int i = 1; i < argc; i++)
		buf_adds(&sql, ",?");
	buf_addc(&sql, ')');
	sqlite3_prepare_v2(s->beside, buf_str(&sql), -1, &s->print, NULL);
	buf_release(&sql);
	return s->print;
}

static void
print(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	sqlite3_stmt *stmt;

	if (!argc)
		return;
	if (repeated(argc, argv, TEXT_MAX) >= TEXT_MAX) {
		sqlite3_result_error_toobig(out);
		return;
	}
	if (!(stmt = printing(sqlite3_user_data(out), argc))) {
		sqlite3_result_error_nomem(out);
		return;
	}
	for (int i = 0; i < argc; i++)
		sqlite3_bind_value(stmt, i + 1, argv[i]);
	int status = sqlite3_step(stmt);
	if (status == SQLITE_ROW)
		sqlite3_result_value(out, sqlite3_column_value(stmt, 0));
	else
		sqlite3_result_error_code(out, status);
	sqlite3_reset(stmt);
}

int
sql_texts_register(struct sql *s)
{
	static const struct {
		const char *name;
		int n;
		void (*call)(sqlite3_context *out, int argc, sqlite3_value **argv);
	} functions[] = {
		{"instr", 2, instr}, {"replace", 3, replace},
		{"trim", 1, trim},   {"trim", 2, trim},
		{"ltrim", 1, ltrim}, {"ltrim", 2, ltrim},
		{"rtrim", 1, rtrim}, {"rtrim", 2, rtrim},
		{"like", 2, like},   {"like", 3, like},
		{"glob", 2, glob},   {"printf", -1, print},
		{"format", -1, print},
	};
	int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC, status = SQLITE_OK;

	for (size_t i = 0; i < sizeof functions / sizeof *functions && !status; i++)
		status = sqlite3_create_function_v2(s->db, functions[i].name, functions[i].n, flags,
						    s, functions[i].call, NULL, NULL, NULL);
	return status;
}

#endif
