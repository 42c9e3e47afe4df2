/* shorten.c - see shorten.h.
 *
 * Each step makes the text shorter, and the first one that fits is taken, so a name loses no more
 * than it must.  Cutting the end, the usual way, was rejected: demangled names begin alike
 * (namespaces, return types) and differ at their ends.
 *
 * Only balanced brackets are emptied, and not where they are the name itself: `operator()`,
 * `operator<<`, `->`, `(anonymous namespace)`.  A leading bracket stays as well: without it Rust's
 * `<T as Trait>::call` would lose its meaning, and `<unknown>` or `(idle)` consist of nothing else.
 *
 * The search looks only for ASCII bytes, which in UTF-8 are never part of another character. */
#include "ui/screen/shorten.h"

#include <stdbool.h>
#include <string.h>

#include "ui/screen/text.h"

static const char anonymous[] = "(anonymous namespace)";

static bool
shorten_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

/* Returns the length of the rest of "operator<<" and the like at `at`, or 0. */
static size_t
operator_length(const char *text, const char *at)
{
	static const char word[] = "operator";
	size_t n = sizeof word - 1;
	if (strncmp(at, word, n) || (at > text && shorten_is_word(at[-1])))
		return 0;
	if (!strncmp(at + n, "()", 2) || !strncmp(at + n, "->", 2))
		return n + 2;
	size_t signs = strspn(at + n, "<>=");
	return signs ? n + signs : 0;
}

/* Returns the bracket that closes the one at `at`, or NULL. */
static const char *
closing(const char *at, char open, char close)
{
	unsigned depth = 0;
	for (; *at; at++) {
		if (*at == '-' && at[1] == '>')
			at++;
		else if (*at == open)
			depth++;
		else if (*at == close && --depth == 0)
			return at;
	}
	return NULL;
}

/* Replaces the text between brackets by `with` if that is shorter. */
static void
empty_brackets(const char *text, char open, char close, const char *with, struct buf *out)
{
	for (const char *at = text; *at;) {
		size_t operator = operator_length(text, at);
		if (!operator && !strncmp(at, anonymous, sizeof anonymous - 1))
			operator = sizeof anonymous - 1;
		if (!operator && at[0] == '-' && at[1] == '>')
			operator = 2;
		if (operator) {
			buf_add(out, at, operator);
			at += operator;
			continue;
		}
		const char *end = *at == open && at > text ? closing(at, open, close) : NULL;
		if (end && end > at + 1) {
			buf_adds(out, with);
			at = end + 1;
		} else {
			buf_addc(out, *at++);
		}
	}
}

/* True if this backslash begins an escape of escape_shown() (\x1b, \u{202e}), and so separates
 * nothing. */
static bool
is_escape(const char *at)
{
	static const char digits[] = "0123456789abcdef";

	if (!strncmp(at, "\\u{", 3)) {
		size_t n = strspn(at + 3, digits);
		return n && at[3 + n] == '}';
	}
	return !strncmp(at, "\\x", 2) && strspn(at + 2, digits) >= 2;
}

/* Returns the part after the last separator of a path, which has no blanks and no brackets before
 * it. */
static const char *
base_of(const char *text)
{
	const char *base = text;
	for (const char *at = text; *at && !strchr(" (<", *at); at++)
		if ((*at == '/' || (*at == '\\' && !is_escape(at))) && at[1])
			base = at + 1;
	return base;
}

/* Returns the part after the next `::` outside brackets, or NULL. */
static const char *
behind_namespace(const char *text)
{
	unsigned depth = 0;
	for (const char *at = text; *at; at++) {
		if (operator_length(text, at))
			return NULL;
		if (*at == '(' || *at == '<')
			depth++;
		else if ((*at == ')' || *at == '>') && depth)
			depth--;
		else if (!depth && at[0] == ':' && at[1] == ':' && at[2])
			return at + 2;
	}
	return NULL;
}

static bool
is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* The class in `java.util.Formatter.parse`: after packages, which are written small; NULL where
 * there is none. */
static const char *
class_of(const char *text)
{
	const char *at = text;
	while (is_lower(*at)) {
		size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
		if (at[n] != '.')
			return NULL;
		at += n + 1;
	}
	return at > text && is_upper(*at) && strchr(at, '.') ? at : NULL;
}

/* Behind the prefix that a library gives all its names: `ZSTD_compress`; NULL: there is none. */
static const char *
behind_prefix(const char *text)
{
	size_t n = 0;
	while (is_upper(text[n]) || (n && text[n] >= '0' && text[n] <= '9'))
		n++;
	return n >= 2 && text[n] == '_' && shorten_is_word(text[n + 1]) && text[n + 1] != '_'
		       ? text + n + 1
		       : NULL;
}

static bool
shorten_fits(const char *text, int cols)
{
	return text_cols(text) <= cols;
}

/* Returns where the last `cols` columns of the text begin. */
static size_t
tail_start(const char *text, int cols)
{
	size_t tail = strlen(text);
	while (tail > 0) {
		size_t before = text_before(text, tail);
		if (text_cols(text + before) > cols)
			break;
		tail = before;
	}
	return tail;
}

/* Joins both ends of the text with "…"; keeps only its beginning in a narrow column. */
static void
cut_middle(const char *text, int cols, struct buf *out)
{
	if (cols < 2) {
		buf_add(out, text, text_fit(text, cols));
		return;
	}
	size_t tail = tail_start(text, cols < 6 ? 0 : (cols - 1) / 2);
	int head_cols = cols - 1 - text_cols(text + tail);
	buf_add(out, text, text_fit(text, head_cols));
	buf_adds(out, "…");
	buf_adds(out, text + tail);
}

enum {
	SHARED_COLS = 4, /* below it "…" and a letter identify nothing */
	ENDS_COLS = 12,  /* from here on both ends of a rest are kept */
};

/* The names near a name, see shorten_name_beside(). */
struct shorten_near {
	const char *const *name;
	size_t n;
};

/* Returns the last part of a name: without arguments and namespaces, but with its class. */
static void
shorten_bare(const char *name, struct buf *out)
{
	struct buf one = BUF_INIT, two = BUF_INIT;
	const char *next;
	empty_brackets(name, '(', ')', "(…)", &one);
	empty_brackets(buf_str(&one), '<', '>', "<…>", &two);
	const char *text = base_of(buf_str(&two));
	while ((next = behind_namespace(text)))
		text = next;
	if ((next = class_of(text)))
		text = strchr(next, '.') + 1;
	if ((next = behind_prefix(text)))
		text = next;
	buf_adds(out, text);
	buf_release(&one);
	buf_release(&two);
}

static bool
shorten_is_address(const char *text)
{
	return text[0] == '0' && text[1] == 'x' &&
	       !text[2 + strspn(text + 2, "0123456789abcdefABCDEF")];
}

/* Moves *i to the next place where a word begins or ends: `sqlite3|Btree|Index`, `row|_|update`.
 * An address is one word. */
static void
next_border(const char *text, size_t *i)
{
	bool address = shorten_is_address(text + *i);
	while (text[*i]) {
		char before = text[(*i)++], here = text[*i];
		if (!shorten_is_word(before) || !shorten_is_word(here) || before == '_' ||
		    here == '_')
			return;
		if (is_upper(here) && (!is_upper(before) || is_lower(text[*i + 1])) && !address)
			return;
	}
}

/* Returns the length of the words at the beginning of a text that a name near it shares. */
static size_t
shared_length(const char *text, const struct shorten_near *near)
{
	size_t shared = 0;
	for (size_t k = 0; k < near->n; k++) {
		struct buf other = BUF_INIT;
		if (!near->name[k])
			continue;
		shorten_bare(near->name[k], &other);
		size_t i = 0, j = 0, from = 0;
		bool same = !strcmp(text, buf_str(&other)); /* by recursion: nothing differs */
		while (!same && text[i] && i == j &&
		       !strncmp(text + from, buf_str(&other) + from, i - from)) {
			shared = i > shared ? i : shared;
			from = i;
			next_border(text, &i);
			next_border(buf_str(&other), &j);
		}
		buf_release(&other);
	}
	return shared;
}

/* Returns the length of the signs and emptied brackets at the beginning, if a word follows them. */
static size_t
shorten_skip(const char *text)
{
	static const char dots[] = "…";
	size_t n = 0;
	while (text[n] && (text[n] == '_' || !shorten_is_word(text[n]) ||
			   !strncmp(text + n, dots, sizeof dots - 1)))
		n += strncmp(text + n, dots, sizeof dots - 1) ? 1 : sizeof dots - 1;
	return text[n] ? n : 0;
}

/* Performs the sixth step: drops shared words until the rest fits, then the end or the middle. */
static void
shorten_ends(const char *text, const struct shorten_near *near, int cols, struct buf *out)
{
	size_t shared = cols < SHARED_COLS ? 0 : shared_length(text, near), from = 0;
	if (!shared) {
		cut_middle(text, cols, out);
		return;
	}
	for (size_t fits = tail_start(text, cols - 1); from < shared && (!from || from < fits);)
		next_border(text, &from);
	from += shorten_skip(text + from);
	buf_adds(out, "…");
	if (shorten_fits(text + from, cols - 1))
		buf_adds(out, text + from);
	else if (shorten_is_address(text + from)) /* the last digits differ most */
		buf_adds(out, text + tail_start(text, cols - 1));
	else if (cols >= ENDS_COLS)
		cut_middle(text + from, cols - 1, out);
	else
		buf_add(out, text + from, text_fit(text + from, cols - 1));
}

/* Performs the fourth and later steps, which only cut the ends. */
static void
shorten_plain(const char *text, const struct shorten_near *near, int cols, struct buf *out)
{
	const char *next = NULL;
	while (!shorten_fits(text, cols) && (next = behind_namespace(text)))
		text = next;
	const char *class = class_of(text);
	while (!shorten_fits(text, cols) && class && text < class)
		text = strchr(text, '.') + 1;
	if (!shorten_fits(text, cols) && class)
		text = strchr(class, '.') + 1;
	if (!shorten_fits(text, cols) && (next = behind_prefix(text)) &&
	    shorten_fits(next, cols - 1)) {
		buf_adds(out, "…"); /* GC_malloc is not malloc */
		buf_adds(out, next);
		return;
	}
	if (!shorten_fits(text, cols) && next && text_cols(next) > cols)
		text = next;
	size_t len = strlen(text);
	static const char arguments[] = "(…)";
	size_t n = sizeof arguments - 1;
	if (!shorten_fits(text, cols) && len > n && !strcmp(text + len - n, arguments))
		len -= n;
	struct buf plain = BUF_INIT;
	buf_add(&plain, text, len);
	if (shorten_fits(buf_str(&plain), cols))
		buf_adds(out, buf_str(&plain));
	else
		shorten_ends(buf_str(&plain), near, cols, out);
	buf_release(&plain);
}

static void
shorten_body(const char *name, const struct shorten_near *near, int cols, struct buf *out)
{
	struct buf one = BUF_INIT, two = BUF_INIT;
	if (shorten_fits(name, cols)) {
		buf_adds(out, name);
		return;
	}
	empty_brackets(name, '(', ')', "(…)", &one);
	if (!shorten_fits(buf_str(&one), cols)) {
		empty_brackets(buf_str(&one), '<', '>', "<…>", &two);
		if (shorten_fits(buf_str(&two), cols))
			buf_adds(out, buf_str(&two));
		else
			shorten_plain(base_of(buf_str(&two)), near, cols, out);
	} else {
		buf_adds(out, buf_str(&one));
	}
	buf_release(&one);
	buf_release(&two);
}

/* Marked text is not a list of arguments; a narrow column drops the mark. */
#define MARK " (inlined)"
#define MARKED_COLS 24

void
shorten_name(const char *name, int cols, struct buf *out)
{
	shorten_name_beside(name, NULL, 0, cols, out);
}

void
shorten_name_beside(const char *name, const char *const beside[], size_t n, int cols,
		    struct buf *out)
{
	const struct shorten_near near = {beside, n};
	struct buf body = BUF_INIT;
	size_t len = strlen(name), mark = sizeof MARK - 1;
	if (cols < 1)
		return;
	if (len <= mark || strcmp(name + len - mark, MARK) != 0 || shorten_fits(name, cols)) {
		shorten_body(name, &near, cols, out);
		return;
	}
	buf_add(&body, name, len - mark);
	if (cols < MARKED_COLS) {
		shorten_body(buf_str(&body), &near, cols, out);
	} else {
		shorten_body(buf_str(&body), &near, cols - (int)mark, out);
		buf_adds(out, MARK);
	}
	buf_release(&body);
}

void
shorten_middle(const char *text, int cols, struct buf *out)
{
	if (text_cols(text) <= cols || cols < 4) {
		buf_adds(out, text);
		return;
	}
	size_t len = strlen(text), end = len;
	int tail = (cols - 1) / 2, head = cols - 1 - tail;
	buf_add(out, text, text_fit(text, head));
	buf_adds(out, "…");
	while (end && text_cols(text + text_before(text, end)) <= tail)
		end = text_before(text, end);
	buf_adds(out, text + end);
}
