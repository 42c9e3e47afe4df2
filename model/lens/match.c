#include "model/lens/match.h"

#include <assert.h>
#include <ctype.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/escape.h"
#include "model/base/mem.h"
#include "model/base/utf8.h"
#include "model/base/vec.h"
#include "model/profile/profile.h"

/* PCRE2 with its JIT, twice: as UTF-8 for names that are valid UTF-8, as bytes for the others
 * (bytes of a DOS code page would end a UTF-8 match with an error). PCRE2_MATCH_INVALID_UTF was
 * rejected: it silently never matches across such a byte.
 *
 * A name that is not UTF-8 is shown converted: from CP437 or Latin-1 in reports, with escapes on a
 * screen. A name that was copied from there must find itself, so both forms are matched, too.
 *
 * Results are cached per name_id, one byte each, for the table that was matched last. The table
 * only grows, so a result stays valid.
 *
 * Most patterns that people type are plain text. Those are searched here, eight bytes at a time
 * for the rarest of their bytes: three times as fast as PCRE2. PCRE2 decides if case folding
 * leads beyond ASCII (K and S have such relatives).
 *
 * If a pattern needs too long for a name (nested quantifiers), PCRE2's match limit stops it and
 * the name does not match; pnav reports the number of such names. After PATIENCE of them the
 * limit is lower, so that a million names end, too. */

#define MATCH_LIMIT 1000000u
#define PATIENCE 64u /* names that may reach the full limit */
#define MATCH_LIMIT_IMPATIENT 5000u

struct pattern {
	unsigned refs;
	char *text;
	size_t text_len;
	enum subject subject;
	bool negated;
	bool literal; /* =TEXT */
	bool caseless;
	bool converted;   /* it may match what converting a name adds: letters, escapes */
	bool plain;       /* RE has no operators */
	size_t rare;      /* position of its rarest byte */
	const char *body; /* RE or TEXT, inside text */
	size_t body_len;
	pcre2_code *utf, *bytes; /* bytes is NULL if RE is only valid in UTF-8 */
	bool utf_jit, bytes_jit;
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *jit_stack;
	uint64_t gave_up;
	uint64_t memo_of; /* the serial of the cached names' table; 0: none */
	uint8_t *memo;    /* [name] 0 not tested, 1 no, 2 yes */
	uint32_t memo_cap;
};

/* Plain text can match a converted name only if it has a letter beyond ASCII or a backslash. */
static void
see_converted(struct pattern *p)
{
	p->converted = !(p->literal || p->plain) || memchr(p->body, '\\', p->body_len);
	for (size_t i = 0; i < p->body_len && !p->converted; i++)
		p->converted = (unsigned char)p->body[i] >= 0x80;
}

/* Parses `[!][SUBJECT:][=]`; leaves the rest in body. */
static void
pattern_split(struct pattern *p)
{
	const char *at = p->text, *end = p->text + p->text_len;

	if (at < end && *at == '!') {
		p->negated = true;
		at++;
	}
	at += subject_parse(at, (size_t)(end - at), &p->subject);
	if (at < end && *at == '=') {
		p->literal = true;
		at++;
	}
	p->body = at;
	p->body_len = (size_t)(end - at);
}

/* Returns the last byte of the escape whose letter is at[i]. */
static size_t
escape_end(const char *at, size_t len, size_t i)
{
	if (i + 1 < len && at[i + 1] == '{' && strchr("xpPNoguk", at[i]))
		while (i + 1 < len && at[i] != '}')
			i++;
	else if (i + 1 < len && at[i + 1] == '<' && strchr("gk", at[i]))
		while (i + 1 < len && at[i] != '>')
			i++;
	else if (i + 1 < len && strchr("cpP", at[i]))
		i++; /* \cA, \pL */
	else if (at[i] == 'x')
		for (int n = 0;
		     n < 2 && i + 1 < len && isxdigit((unsigned char)at[i + 1]); n++)
			i++;
	return i;
}

/* Returns the last byte of the head of a group, `(?<name>` or `(?P<name>`; i is after its `(?`. */
static size_t
group_head_end(const char *at, size_t len, size_t i)
{
	size_t name = at[i] == 'P' ? i + 1 : i;

	if (name + 1 >= len || at[name] != '<' || at[name + 1] == '=' ||
	    at[name + 1] == '!')
		return name - 1;
	while (name + 1 < len && at[name] != '>')
		name++;
	return name;
}

/* PCRE2 allocates here, so its constructors cannot fail either. */
static void *
take_memory(size_t bytes, void *context)
{
	(void)context;
	return mem_alloc(bytes, 1);
}

static void
give_memory(void *at, void *context)
{
	(void)context;
	free(at);
}

/* Smart case: returns true if there is an upper-case letter outside of escapes. (?P<...>, \S,
 * \p{Lu} and \x{AB} do not count.) PCRE2's own tables decide for letters beyond ASCII. */
static bool
has_upper_case(const char *at, size_t len, pcre2_general_context *memory)
{
	pcre2_compile_context *how = pcre2_compile_context_create(memory);
	struct buf rest = BUF_INIT;
	int code;
	size_t where;
	bool found = false;

	for (size_t i = 0; i < len; i++) {
		if (at[i] == '\\' && i + 1 < len) {
			i = escape_end(at, len, i + 1);
		} else if (at[i] == '(' && i + 2 < len && at[i + 1] == '?') {
			i = group_head_end(at, len, i + 2);
		} else {
			buf_addc(&rest, at[i]);
		}
	}
	pcre2_code *upper =
		pcre2_compile((PCRE2_SPTR) "\\p{Lu}", PCRE2_ZERO_TERMINATED,
			      PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &code, &where, how);
	pcre2_compile_context_free(how);
	if (upper) {
		pcre2_match_data *data =
			pcre2_match_data_create_from_pattern(upper, memory);
		found = pcre2_match(upper, (PCRE2_SPTR)buf_str(&rest), rest.len, 0, 0,
				    data, NULL) >= 0;
		pcre2_match_data_free(data);
		pcre2_code_free(upper);
	}
	buf_release(&rest);
	return found;
}

/* ---- plain text ---- */

/* Returns how rare a byte is in names of functions; larger is rarer. */
static size_t
rarity(char c)
{
	static const char common[] = "eta_oinsr:lcdumphgf.1b0vyw2(3k)xqjz";
	const char *found = memchr(common, tolower((unsigned char)c), sizeof common - 1);

	return found ? (size_t)(found - common) : sizeof common;
}

static void
pattern_see_plain(struct pattern *p)
{
	for (size_t i = 0; i < p->body_len; i++) {
		unsigned char c = (unsigned char)p->body[i];
		if (!c || strchr("\\^$.|?*+()[]{}", c) || (c >= 0x80 && p->caseless))
			return;
		if (rarity(p->body[i]) > rarity(p->body[p->rare]))
			p->rare = i;
	}
	p->plain = p->body_len > 0;
}

static bool
same_text(const char *a, const char *b, size_t len, bool caseless)
{
	if (!caseless)
		return !memcmp(a, b, len);
	for (size_t i = 0; i < len; i++)
		if (a[i] != b[i] && tolower((unsigned char)a[i]) != b[i])
			return false; /* b has no upper case */
	return true;
}

/* Finds the first occurrence of RE's text in these bytes; folds case in ASCII only. */
static bool
plain_find(const struct pattern *p, const char *at, size_t len, size_t *from)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	unsigned char c = (unsigned char)p->body[p->rare];
	bool fold = p->caseless && islower(c);
	uint64_t wanted = ones * c, folded = fold ? ones << 5 : 0;

	if (len < p->body_len)
		return false;
	at += p->rare; /* from here on `at` is where the rare byte may be */
	size_t places = len - p->body_len + 1;
	for (size_t i = 0; i < places;) {
		if (places - i >= 8) {
			uint64_t eight;
			memcpy(&eight, at + i, 8);
			eight = (eight | folded) ^ wanted;
			if (!((eight - ones) & ~eight & tops)) {
				i += 8;
				continue;
			}
		}
		for (size_t end = places - i >= 8 ? i + 8 : places; i < end; i++) {
			unsigned char b = (unsigned char)at[i];
			if ((fold ? b | 0x20 : b) == c &&
			    same_text(at + i - p->rare, p->body, p->body_len,
				      p->caseless)) {
				*from = i;
				return true;
			}
		}
	}
	return false;
}

/* Returns true if folding case in ASCII suffices. K and S match the kelvin sign and the long s. */
static bool
plain_suffices(const struct pattern *p, const char *at, size_t len)
{
	if (!p->caseless ||
	    (!memchr(p->body, 'k', p->body_len) && !memchr(p->body, 's', p->body_len)))
		return true;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)at[i] >= 0x80)
			return false;
	return true;
}

/* ---- expressions ---- */

static bool
pattern_compile_with(struct pattern *p, pcre2_general_context *memory, struct err *e)
{
	pcre2_compile_context *how = pcre2_compile_context_create(memory);

	p->caseless = !has_upper_case(p->body, p->body_len, memory);
	pattern_see_plain(p);
	uint32_t options = p->caseless ? PCRE2_CASELESS : 0;
	bool utf8 = utf8_is_valid(p->body, p->body_len);
	int code;
	size_t where;

	if (utf8)
		p->utf = pcre2_compile((PCRE2_SPTR)p->body, p->body_len,
				       options | PCRE2_UTF | PCRE2_UCP, &code, &where,
				       how);
	if (utf8 && !p->utf) {
		PCRE2_UCHAR words[256];
		pcre2_get_error_message(code, words, sizeof words);
		pcre2_compile_context_free(how);
		return err_usage(e, "pattern '%s': at %zu: %s", p->text,
				 where + (size_t)(p->body - p->text), (char *)words);
	}
	p->bytes = pcre2_compile((PCRE2_SPTR)p->body, p->body_len, options, &code, &where,
				 how);
	pcre2_compile_context_free(how);
	if (!p->utf && !p->bytes) {
		PCRE2_UCHAR words[256];
		pcre2_get_error_message(code, words, sizeof words);
		return err_usage(e, "pattern '%s': at %zu: %s", p->text,
				 where + (size_t)(p->body - p->text), (char *)words);
	}
	p->context = pcre2_match_context_create(memory);
	pcre2_set_match_limit(p->context, MATCH_LIMIT);
	/* without a JIT on this machine matching is slower, not different */
	p->utf_jit = p->utf && pcre2_jit_compile(p->utf, PCRE2_JIT_COMPLETE) == 0;
	p->bytes_jit = p->bytes && pcre2_jit_compile(p->bytes, PCRE2_JIT_COMPLETE) == 0;
	if (p->utf_jit || p->bytes_jit)
		p->jit_stack = pcre2_jit_stack_create(32 * 1024, 1024 * 1024, memory);
	if (p->jit_stack)
		pcre2_jit_stack_assign(p->context, NULL, p->jit_stack);
	p->data = pcre2_match_data_create(1, memory);
	return true;
}

static bool
pattern_compile(struct pattern *p, struct err *e)
{
	pcre2_general_context *memory =
		pcre2_general_context_create(take_memory, give_memory, NULL);
	bool done = pattern_compile_with(p, memory, e);

	pcre2_general_context_free(memory);
	return done;
}

/* Makes a pattern; with `plain` all of the text is the expression. */
static struct pattern *
pattern_make(const char *text, size_t len, bool plain, struct err *e)
{
	struct pattern *p = mem_zalloc(1, sizeof *p);

	p->refs = 1;
	p->text = mem_dup(text, len);
	p->text_len = len;
	p->subject = SUBJECT_FN;
	p->body = p->text;
	p->body_len = len;
	if (strlen(p->text) != len) {
		err_usage(e, "pattern '%s': at %zu: a NUL byte; write it as \\x00",
			  p->text, strlen(p->text));
		pattern_unref(p);
		return NULL;
	}
	if (!plain)
		pattern_split(p);
	if (!p->literal && !pattern_compile(p, e)) {
		pattern_unref(p);
		return NULL;
	}
	see_converted(p);
	return p;
}

struct pattern *
pattern_new(const char *text, size_t len, struct err *e)
{
	return pattern_make(text, len, false, e);
}

struct pattern *
pattern_new_plain(const char *text, size_t len, struct err *e)
{
	return pattern_make(text, len, true, e);
}

struct pattern *
pattern_new_text(const char *text, size_t len)
{
	struct pattern *p = mem_zalloc(1, sizeof *p);

	p->refs = 1;
	p->text = mem_dup(text, len);
	p->body = p->text;
	p->text_len = p->body_len = len;
	p->subject = SUBJECT_FN;
	p->literal = true;
	see_converted(p);
	return p;
}

struct pattern *
pattern_ref(struct pattern *p)
{
	p->refs++;
	return p;
}

void
pattern_unref(struct pattern *p)
{
	if (!p || --p->refs)
		return;
	pcre2_code_free(p->utf);
	pcre2_code_free(p->bytes);
	pcre2_match_data_free(p->data);
	pcre2_match_context_free(p->context);
	pcre2_jit_stack_free(p->jit_stack);
	free(p->memo);
	free(p->text);
	free(p);
}

const char *
pattern_text(const struct pattern *p)
{
	return p->text;
}

enum subject
pattern_subject(const struct pattern *p)
{
	return p->subject;
}

bool
pattern_is_exact(const struct pattern *p, const char **at, size_t *len)
{
	*at = p->body;
	*len = p->body_len;
	return p->literal;
}

bool
pattern_negated(const struct pattern *p)
{
	return p->negated;
}

uint64_t
pattern_gave_up(const struct pattern *p)
{
	return p->gave_up;
}

bool
pattern_find(struct pattern *p, const char *at, size_t len, size_t *from, size_t *to)
{
	if (p->literal) {
		*from = 0;
		*to = len;
		return len == p->body_len && !memcmp(at, p->body, len);
	}
	if (p->plain && plain_suffices(p, at, len)) {
		bool found = plain_find(p, at, len, from);
		*to = found ? *from + p->body_len : 0;
		return found;
	}
	bool utf = p->utf && utf8_is_valid(at, len);
	pcre2_code *code = utf ? p->utf : p->bytes;
	if (!code)
		return false;
	assert(p->data && p->context); /* compiled patterns always have these */
	bool jit = utf ? p->utf_jit : p->bytes_jit;
	int got = jit ? pcre2_jit_match(code, (PCRE2_SPTR)at, len, 0, 0, p->data,
					p->context)
		      : pcre2_match(code, (PCRE2_SPTR)at, len, 0,
				    utf ? PCRE2_NO_UTF_CHECK : 0, p->data, p->context);
	if (got < 0 && got != PCRE2_ERROR_NOMATCH && ++p->gave_up == PATIENCE)
		pcre2_set_match_limit(p->context, MATCH_LIMIT_IMPATIENT);
	if (got < 0)
		return false;
	*from = pcre2_get_ovector_pointer(p->data)[0];
	*to = pcre2_get_ovector_pointer(p->data)[1];
	return true;
}

bool
pattern_matches_bytes(struct pattern *p, const char *at, size_t len)
{
	size_t from, to;

	return pattern_find(p, at, len, &from, &to);
}

/* Returns true if showing these bytes changes them. */
static bool
is_converted(const char *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)at[i] < 0x20 || at[i] == 0x7F)
			return true;
	return !utf8_is_valid(at, len);
}

/* Returns true if RE or TEXT matches the name as reports or screens show it. */
static bool
matches_converted(struct pattern *p, struct name name, bool cp437)
{
	struct buf shown = BUF_INIT;

	if (!p->converted || !is_converted(name.at, name.len))
		return false;
	escape_bytes(&shown, name.at, name.len, cp437);
	bool yes = pattern_matches_bytes(p, buf_str(&shown), shown.len);
	if (!yes && p->literal) {
		buf_reset(&shown);
		escape_shown(&shown, name.at, name.len, cp437);
		yes = pattern_matches_bytes(p, buf_str(&shown), shown.len);
	}
	buf_release(&shown);
	return yes;
}

bool
pattern_matches_text(struct pattern *p, const struct names *names, struct name text)
{
	return pattern_matches_bytes(p, text.at, text.len) ||
	       matches_converted(p, text, names->cp437);
}

bool
pattern_matches_name(struct pattern *p, const struct names *names, name_id id)
{
	if (p->literal) { /* comparing is as cheap as the cache: users may choose thousands of
			   * tracks by name */
		struct name name = names_get(names, id);
		if (name.len == p->body_len && !memcmp(name.at, p->body, p->body_len))
			return true;
		return matches_converted(p, name, names->cp437);
	}
	if (p->memo_of != names->serial) {
		p->memo_of = names->serial;
		if (p->memo)
			memset(p->memo, 0, p->memo_cap);
	}
	if (id >= p->memo_cap) {
		uint32_t cap = (uint32_t)vec_grown(names->n, (size_t)id + 1);
		p->memo = mem_realloc(p->memo, cap, 1);
		memset(p->memo + p->memo_cap, 0, cap - p->memo_cap);
		p->memo_cap = cap;
	}
	if (!p->memo[id]) {
		struct name name = names_get(names, id);
		p->memo[id] = pattern_matches_text(p, names, name) ? 2 : 1;
	}
	return p->memo[id] == 2;
}

bool
pattern_matches_function(struct pattern *p, const struct profile *profile,
			 const struct function *f)
{
	const char *word;
	name_id name = subject_of(p->subject, f, &word);
	bool yes = word ? pattern_matches_bytes(p, word, strlen(word))
			: pattern_matches_name(p, &profile->names, name);

	return yes != p->negated;
}

bool
pattern_matches_inlined(struct pattern *p, const struct profile *profile,
			const struct function *f)
{
	static const char word[] = "inlined";

	if (p->subject == SUBJECT_KIND && pattern_matches_bytes(p, word, sizeof word - 1))
		return !p->negated;
	return pattern_matches_function(p, profile, f);
}

bool
pattern_matches_known(struct pattern *p, const char *name, enum kind kind)
{
	const name_id some = NAME_EMPTY + 1;
	struct function f = {.name = some, .file = NAME_EMPTY, .module = NAME_EMPTY,
			     .kind = (uint8_t)kind};
	const char *word;

	if (subject_of(p->subject, &f, &word) == some)
		word = name;
	else if (!word)
		word = "";
	return pattern_matches_bytes(p, word, strlen(word)) != p->negated;
}

void
pattern_write(struct buf *out, const struct pattern *p)
{
	struct buf text = BUF_INIT;

	if (!p->literal) {
		buf_add(&text, p->text, (size_t)(p->body - p->text));
		pattern_write_expression(&text, p->body, p->body_len);
	} else if (memchr(p->body, '\n', p->body_len) ||
		   memchr(p->body, '\r', p->body_len)) {
		buf_adds(&text, p->negated ? "!" : "");
		pattern_exact(&text, p->subject, p->body, p->body_len);
	} else {
		buf_adds(&text, p->text);
	}
	buf_add(out, buf_str(&text), text.len);
	buf_release(&text);
}
