/* source_syntax.c - see source_syntax.h.
 *
 * A language is a table: the delimiters of its comments and strings, and its keywords.  That is
 * less than its grammar, and an error only gives a word another colour.  Cases that would spoil the
 * rest of the file are handled: quotes that begin no string (a lifetime in Rust, a digit separator
 * in C++), regular expressions in JavaScript, nested comments.  A string ends with its line unless
 * the language lets it continue.
 *
 * A library of grammars was rejected: the smallest is larger than this browser. */
#include "ui/view/source/source_syntax.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "model/base/chars.h"

/* Delimiters of a comment or string.  The first match in the table wins. */
struct quoted {
	const char *open;
	const char *close; /* NULL: the end of the line */
	uint8_t kind;
	bool escapes; /* a backslash escapes the next character */
	bool lines;   /* continues in the next line */
	bool nests;
	bool one;  /* one character or one escape, else it is not a quote */
	bool word; /* `open` is a word: REM */
};

#define QUOTED_MAX 8
struct language {
	const char *suffixes; /* each between blanks */
	const char *keywords; /* the same; in lower case if the language ignores case */
	struct quoted quoted[QUOTED_MAX];
	bool any_case;
	bool hash;    /* #include is a word */
	bool slashes; /* /text/ in the place of a value is a regular expression */
};

#define COMMENT .kind = SYNTAX_COMMENT
#define TEXT .kind = SYNTAX_TEXT
#define LINE_COMMENT {.open = "//", COMMENT}
#define BLOCK_COMMENT {.open = "/*", .close = "*/", COMMENT, .lines = true}
#define STRING {.open = "\"", .close = "\"", TEXT, .escapes = true}
#define CHARACTERS {.open = "'", .close = "'", TEXT, .escapes = true}

static const struct language languages[] = {
	{
		.suffixes = " c h cc hh cpp hpp cxx hxx c++ h++ inc ipp m mm cu java cs kt swift "
			    "scala d ino ",
		.keywords = " #define #elif #else #endif #error #if #ifdef #ifndef #include "
			    "#pragma #undef abstract alignas alignof asm auto bool boolean break "
			    "byte case catch char class const constexpr continue decltype default "
			    "delete do double else enum explicit extends extern false final "
			    "finally float for friend fun func goto if implements import in inline "
			    "instanceof int interface let long mutable namespace new noexcept null "
			    "nullptr operator override package private protected public register "
			    "restrict return short signed sizeof static static_assert struct super "
			    "switch template this throw throws true try typedef typeid typename "
			    "union unsigned using val var virtual void volatile when while ",
		.quoted = {LINE_COMMENT, BLOCK_COMMENT,
			   {.open = "R\"(", .close = ")\"", TEXT, .lines = true},
			   {.open = "\"\"\"", .close = "\"\"\"", TEXT, .escapes = true,
			    .lines = true},
			   STRING,
			   {.open = "'", .close = "'", TEXT, .escapes = true, .one = true}},
		.hash = true,
	},
	{
		.suffixes = " py pyw pyi pyx ",
		.keywords = " False None True and as assert async await break case class continue "
			    "def del elif else except finally for from global if import in is "
			    "lambda match nonlocal not or pass raise return try while with yield ",
		.quoted = {{.open = "#", COMMENT},
			   {.open = "\"\"\"", .close = "\"\"\"", TEXT, .escapes = true,
			    .lines = true},
			   {.open = "'''", .close = "'''", TEXT, .escapes = true, .lines = true},
			   STRING, CHARACTERS},
	},
	{
		.suffixes = " js mjs cjs jsx ts tsx mts ",
		.keywords = " abstract any as async await boolean break case catch class "
			    "const continue debugger declare default delete do else enum "
			    "export extends false finally for from function get if "
			    "implements import in instanceof interface let new null number "
			    "of private protected public readonly return set static string "
			    "super switch this throw true try type typeof undefined var void "
			    "while with yield ",
		.quoted = {LINE_COMMENT, BLOCK_COMMENT,
			   {.open = "`", .close = "`", TEXT, .escapes = true, .lines = true},
			   STRING, CHARACTERS},
		.slashes = true,
	},
	{
		.suffixes = " go ",
		.keywords = " any bool break byte case chan const continue default defer "
			    "else error fallthrough false for func go goto if import int "
			    "interface iota map nil package range return rune select string "
			    "struct switch true type uint var ",
		.quoted = {LINE_COMMENT, BLOCK_COMMENT,
			   {.open = "`", .close = "`", TEXT, .lines = true},
			   STRING, CHARACTERS},
	},
	{
		.suffixes = " rs ",
		.keywords = " Self as async await bool break char const continue crate dyn "
			    "else enum extern false fn for if impl in let loop match mod "
			    "move mut pub ref return self static str struct super trait true "
			    "type u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 usize isize union "
			    "unsafe use where while ",
		.quoted = {LINE_COMMENT,
			   {.open = "/*", .close = "*/", COMMENT, .lines = true, .nests = true},
			   {.open = "r##\"", .close = "\"##", TEXT, .lines = true},
			   {.open = "r#\"", .close = "\"#", TEXT, .lines = true},
			   {.open = "r\"", .close = "\"", TEXT, .lines = true},
			   {.open = "\"", .close = "\"", TEXT, .escapes = true, .lines = true},
			   {.open = "'", .close = "'", TEXT, .escapes = true, .one = true}},
	},
	{
		.suffixes = " brs bs ",
		.keywords = " and as boolean catch class double dim each else elseif end "
			    "endfor endfunction endif endsub endtry endwhile exit false "
			    "float for function goto if in integer invalid let library "
			    "longinteger mod next not object or print return step stop "
			    "string sub then throw to true try void while #const #if #else "
			    "#end ",
		.quoted = {{.open = "'", COMMENT},
			   {.open = "rem", COMMENT, .word = true},
			   {.open = "\"", .close = "\"", TEXT}},
		.any_case = true,
		.hash = true,
	},
};

/* ---- which language ---- */

/* Returns true if the word is in the list, whose words are separated by blanks. */
static bool
is_listed(const char *list, const char *word, size_t len, bool any_case)
{
	for (const char *at = list + 1; *at; at += strcspn(at, " ") + 1)
		if (strcspn(at, " ") == len &&
		    !(any_case ? strncasecmp(at, word, len) : strncmp(at, word, len)))
			return true;
	return false;
}

const struct language *
language_of(const char *path)
{
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot && dot[1] && i < sizeof languages / sizeof *languages; i++)
		if (is_listed(languages[i].suffixes, dot + 1, strlen(dot + 1), true))
			return &languages[i];
	return NULL;
}

/* ---- a line ---- */

struct source_scan {
	const struct language *l;
	const char *line;
	size_t len, at;
	uint8_t *kind;
	bool value; /* a value precedes, so that / divides */
};

static void
paint(struct source_scan *s, size_t to, uint8_t kind)
{
	if (s->kind && to > s->at)
		memset(s->kind + s->at, kind, to - s->at);
	s->at = to;
}

static bool
source_syntax_begins(const struct source_scan *s, size_t at, const char *with, bool any_case)
{
	size_t n = strlen(with);
	return s->len - at >= n && !(any_case ? strncasecmp(s->line + at, with, n)
					      : memcmp(s->line + at, with, n));
}

static bool
source_is_word(const struct source_scan *s, size_t at)
{
	if (at >= s->len)
		return false;
	char c = s->line[at], small = c | 0x20;
	return (small >= 'a' && small <= 'z') || is_digit(c) || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

/* Returns the position after the quoted text, from `at` at nesting `depth`; leaves the depth that
 * is still open in *depth. */
static size_t
source_quoted_end(const struct source_scan *s, const struct quoted *q, size_t at, unsigned *depth)
{
	bool taken = false; /* a backslash escapes the line's end */
	while (q->close && at < s->len && *depth) {
		if (q->escapes && s->line[at] == '\\') {
			taken = at + 1 == s->len;
			at += taken ? 1 : 2;
		} else if (source_syntax_begins(s, at, q->close, false)) {
			at += strlen(q->close);
			--*depth;
		} else if (q->nests && source_syntax_begins(s, at, q->open, false)) {
			at += strlen(q->open);
			++*depth;
		} else {
			at++;
		}
	}
	if (!q->close || (!q->lines && !taken))
		*depth = 0;
	return q->close ? at : s->len;
}

/* True for 'x' or '\n'; other text after the quote begins no string. */
static bool
is_one(const struct source_scan *s, size_t at)
{
	size_t i = at + 1;
	if (i < s->len && s->line[i] == '\\') {
		const char *end = i + 2 < s->len ? memchr(s->line + i + 2, '\'', s->len - i - 2)
						 : NULL;
		return end && end - (s->line + i) <= 12;
	}
	for (i++; i < s->len && is_utf8_tail(s->line[i]);)
		i++;
	return i < s->len && s->line[i] == '\'';
}

static const struct quoted *
quoted_at(const struct source_scan *s)
{
	for (const struct quoted *q = s->l->quoted; q < s->l->quoted + QUOTED_MAX && q->open; q++)
		if (source_syntax_begins(s, s->at, q->open, q->word) &&
		    (!q->one || is_one(s, s->at)) &&
		    (!q->word || !source_is_word(s, s->at + strlen(q->open))))
			return q;
	return NULL;
}

/* Returns the position after a regular expression that begins here; 0 if none does. */
static size_t
behind_slashes(const struct source_scan *s)
{
	bool class = false;
	if (!s->l->slashes || s->value || s->line[s->at] != '/')
		return 0;
	for (size_t i = s->at + 1; i < s->len; i++) {
		if (s->line[i] == '\\')
			i++;
		else if (s->line[i] == '[')
			class = true;
		else if (s->line[i] == ']')
			class = false;
		else if (s->line[i] == '/' && !class)
			return i + 1;
	}
	return 0;
}

/* Takes a whole word or number, so that nothing inside begins another item. */
static void
source_syntax_take_word(struct source_scan *s)
{
	size_t to = s->at + 1;
	bool number = is_digit(s->line[s->at]);
	while (source_is_word(s, to) ||
	       (number && to < s->len && s->line[to] == '\'' && source_is_word(s, to + 1)))
		to++;
	bool key = is_listed(s->l->keywords, s->line + s->at, to - s->at, s->l->any_case);
	paint(s, to, key ? SYNTAX_KEYWORD : SYNTAX_PLAIN);
	s->value = !key; /* as in: return /re/ */
}

static void
source_take_other(struct source_scan *s)
{
	char c = s->line[s->at];
	if (c != ' ' && c != '\t')
		s->value = c == ')' || c == ']' || c == '}';
	paint(s, s->at + 1, SYNTAX_PLAIN);
}

/* Packs the state: the index of the open delimiters plus 1, and their depth. */
static unsigned
pack(const struct language *l, const struct quoted *q, unsigned depth)
{
	return depth ? (unsigned)(q - l->quoted) + 1 + depth * (QUOTED_MAX + 1) : SYNTAX_START;
}

unsigned
syntax_line(const struct language *l, unsigned state, const char *line, size_t len,
	    uint8_t *kind)
{
	struct source_scan s = {.l = l, .line = line, .len = len, .kind = kind};
	const struct quoted *open =
		state ? &l->quoted[state % (QUOTED_MAX + 1) - 1] : NULL;
	unsigned depth = state / (QUOTED_MAX + 1);
	if (open)
		paint(&s, source_quoted_end(&s, open, 0, &depth), open->kind);
	while (!depth && s.at < len) {
		size_t end = 0;
		open = quoted_at(&s);
		if (open) {
			depth = 1;
			end = source_quoted_end(&s, open, s.at + strlen(open->open), &depth);
			paint(&s, end, open->kind);
			s.value |= open->kind == SYNTAX_TEXT;
		} else if ((end = behind_slashes(&s))) {
			paint(&s, end, SYNTAX_TEXT);
			s.value = true;
		} else if (source_is_word(&s, s.at) || (l->hash && line[s.at] == '#')) {
			source_syntax_take_word(&s);
		} else {
			source_take_other(&s);
		}
	}
	return pack(l, open, depth);
}
