#include "src/input/json.h"

#include "model/base/chars.h"
#include "src/input/json_inside.h"
#include "src/input/scan.h"
#include "src/input/slabs.h"

/* A document has a gigabyte and its values have a few bytes each, so a token must cost a few
 * instructions and no copy. The window is scanned in place. A token that crosses the end of the
 * window extends it (input.h keeps what was not skipped) and is scanned again, which happens once a
 * window.
 *
 * The state is one of five sets of tokens that may come next, and one bit for each open object or
 * array. Nothing recurses.
 *
 * The scanner finds the ends of strings and numbers many bytes at a time (scan.h).
 *
 * Rejected: a DOM (nine to fifteen bytes a byte, apart from the speed), and libraries that stream
 * (yajl stops at byte-order marks, NaN and control characters, and is no longer maintained). */

void
json_init(struct json *j, struct input *in)
{
	*j = (struct json){.in = in, .wants = WANTS_VALUE};
	input_skip_bom(in);
	j->at = input_at(in);
	j->end = j->at + input_have(in);
	j->offset = input_offset(in) + input_have(in);
}

void
json_init_source(struct json *j, struct input *in,
		 bool (*source)(struct json *j, struct json_token *out))
{
	*j = (struct json){.in = in, .wants = WANTS_SOURCE, .source = source};
	j->offset = input_offset(in);
}

bool
json_source_fault(struct json *j, const char *why)
{
	if (!j->failed) {
		j->why = why;
		j->where = input_offset(j->in);
	}
	j->failed = true;
	return false;
}

uint64_t
json_offset(const struct json *j)
{
	return j->offset - (uint64_t)(j->end - j->at);
}

static uint64_t
offset_of(const struct json *j, const uint8_t *at)
{
	return j->offset - (uint64_t)(j->end - at);
}

bool
json_refill(struct json *j)
{
	input_skip(j->in, (size_t)(offset_of(j, j->at) - input_offset(j->in)));
	bool more = input_more(j->in);

	j->at = input_at(j->in);
	j->end = j->at + input_have(j->in);
	j->offset = input_offset(j->in) + input_have(j->in);
	return more;
}

static bool
fault_at(struct json *j, const uint8_t *at, const char *why)
{
	j->failed = true;
	j->why = why;
	j->where = offset_of(j, at);
	return false;
}

bool
json_cut_off(struct json *j)
{
	j->cut = true;
	return fault_at(j, j->end, "the document ends early");
}

/* ---- strings ---- */

/* Reads a string that has an escape or a control character, or does not end in the window. */
static bool
take_odd_string(struct json *j, struct json_token *out)
{
	size_t done = 1; /* bytes of it that were scanned */
	uint64_t controls = 0;

	out->escaped = false;
	for (;;) {
		const uint8_t *at = scan_plain(j->at + done, j->end);
		if (at < j->end && *at == '"') {
			out->at = (const char *)j->at + 1;
			out->len = (size_t)(at - j->at) - 1;
			j->at = at + 1;
			j->controls += controls;
			return true;
		}
		if (at < j->end && *at != '\\') {
			controls++;
			done = (size_t)(at - j->at) + 1;
			continue;
		}
		if (j->end - at >= 2) {
			out->escaped = true;
			done = (size_t)(at - j->at) + 2;
			continue;
		}
		done = (size_t)(at - j->at);
		if ((size_t)(j->end - j->at) >= INPUT_WINDOW_MAX)
			return fault_at(j, j->at, "the string is too long");
		if (!json_refill(j))
			return json_cut_off(j);
	}
}

/* Reads the string whose quote is at j->at. */
static inline bool
take_string(struct json *j, struct json_token *out)
{
	const uint8_t *first = j->at + 1, *at = scan_plain(first, j->end);

	if (at == j->end || *at != '"')
		return take_odd_string(j, out);
	out->at = (const char *)first;
	out->len = (size_t)(at - first);
	j->at = at + 1;
	return true;
}

/* ---- numbers and words ---- */

static bool
is_of_number(uint8_t c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
}

/* Returns the end of a run of letters, or of characters of numbers; refills while it reaches the
 * end of the window. *ended: the input ends there. */
static size_t
run_of(struct json *j, bool letters, bool *ended)
{
	size_t n = 0;

	*ended = false;
	for (;;) {
		while (j->at + n < j->end &&
		       (letters ? (j->at[n] | 32) >= 'a' && (j->at[n] | 32) <= 'z'
				: is_of_number(j->at[n])))
			n++;
		if (j->at + n < j->end || n > 4096)
			return n;
		if (!json_refill(j)) {
			*ended = true;
			return n;
		}
	}
}

/* Accepts JSON's numbers, and .5, 5., +5, 007, which some programs write. */
static bool
json_is_number(const char *at, size_t len)
{
	size_t i = at[0] == '-' || at[0] == '+', digits = 0;

	for (; i < len && ((at[i] >= '0' && at[i] <= '9') || at[i] == '.'); i++) {
		if (at[i] == '.' && memchr(at, '.', i))
			return false;
		digits += at[i] != '.';
	}
	if (!digits || i == len)
		return digits > 0;
	i++; /* the e, or a misplaced sign */
	if ((at[i - 1] | 32) != 'e')
		return false;
	i += i < len && (at[i] == '-' || at[i] == '+');
	for (digits = 0; i < len && at[i] >= '0' && at[i] <= '9'; i++)
		digits++;
	return digits && i == len;
}

static bool
json_take_word(struct json *j, struct json_token *out, size_t from)
{
	static const struct {
		const char *word;
		enum json_kind kind;
		bool odd;
	} words[] = {
		{"true", JSON_TRUE, false}, {"false", JSON_FALSE, false},
		{"null", JSON_NULL, false}, {"NaN", JSON_NULL, true},
		{"nan", JSON_NULL, true},   {"Infinity", JSON_NULL, true},
		{"inf", JSON_NULL, true},
	};
	bool ended;
	size_t n = run_of(j, true, &ended);

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].word) == n && !memcmp(j->at, words[i].word, n) &&
		    (!from || words[i].odd)) {
			out->kind = words[i].kind;
			j->no_numbers += words[i].odd;
			j->at += n;
			return true;
		}
	return ended ? json_cut_off(j) : fault_at(j, j->at, "an unknown word");
}

static bool
take_odd_number(struct json *j, struct json_token *out)
{
	bool ended;
	size_t n = run_of(j, false, &ended);

	if (n == 1 && *j->at == '-' && !ended && (j->at[1] == 'I' || j->at[1] == 'i')) {
		j->at++;
		return json_take_word(j, out, 1);
	}
	if (ended && j->depth)
		return json_cut_off(j); /* the input may have been cut within the number */
	if (!json_is_number((const char *)j->at, n))
		return fault_at(j, j->at, "a malformed number");
	out->kind = JSON_NUMBER;
	out->at = (const char *)j->at;
	out->len = n;
	j->at += n;
	return true;
}

/* Reads digits, perhaps with a point between them, all in the window: nearly every number. */
static inline bool
json_take_number(struct json *j, struct json_token *out)
{
	const uint8_t *at = j->at, *end = j->end;

	at += *at == '-';
	const uint8_t *digits = at;
	at = scan_digits(at, end);
	if (at > digits && at < end && *at == '.') {
		digits = ++at;
		at = scan_digits(at, end);
	}
	if (at == end || at == digits || is_of_number(*at))
		return take_odd_number(j, out);
	out->kind = JSON_NUMBER;
	out->at = (const char *)j->at;
	out->len = (size_t)(at - j->at);
	j->at = at;
	return true;
}

/* ---- the document ---- */

static bool
open_level(struct json *j, struct json_token *out, bool object)
{
	if (j->depth == JSON_DEPTH_MAX)
		return fault_at(j, j->at, "nested too deeply");
	json_open(j, object);
	j->at++;
	out->kind = object ? JSON_OBJECT : JSON_ARRAY;
	return true;
}

static bool
close_level(struct json *j, struct json_token *out)
{
	bool object = json_in_object(j);

	if (!j->depth || (*j->at == '}') != object)
		return fault_at(j, j->at, "an unmatched closing bracket");
	if (j->wants == WANTS_KEY || j->wants == WANTS_VALUE)
		j->commas++;
	out->kind = object ? JSON_OBJECT_END : JSON_ARRAY_END;
	j->at++;
	json_close(j);
	return true;
}

static bool
step_over_some_blanks(struct json *j)
{
	for (;;) {
		while (j->at < j->end &&
		       (*j->at == ' ' || *j->at == '\n' || *j->at == '\t' || *j->at == '\r'))
			j->at++;
		if (j->at < j->end)
			return true;
		if (!json_refill(j))
			return false;
	}
}

/* Steps to the next byte that is not blank. Returns false if the input ends before. */
static inline bool
step_json_over_blanks(struct json *j)
{
	return (j->at < j->end && *j->at > ' ') || step_over_some_blanks(j);
}

/* ---- slabs ---- */

void
json_init_slabs(struct json *j, struct slabs *slabs)
{
	*j = (struct json){.slabs = slabs, .wants = WANTS_VALUE};
	if (!json_slab_enter(j, slabs->root)) {
		j->failed = j->cut = true;
		j->why = "the root cannot be read";
	}
	j->leave = 0; /* the root has no place in another one */
}

static bool take_value(struct json *j, struct json_token *out);

/* The fault of a place of a slab, whose offset is in *out. */
static bool
slab_fault(struct json *j, const struct json_token *out, const char *why)
{
	fault_at(j, j->at, why);
	j->where = out->offset;
	return false;
}

/* Takes the value of the slab `which`. The offset of its first token is in the slab. */
static bool
take_slab(struct json *j, struct json_token *out, uint32_t which)
{
	if (!slabs_is_text(j->slabs, which)) {
		bool there = slabs_column(j->slabs, which);
		out->kind = there ? JSON_ARRAY : JSON_NULL;
		if (!there) {
			json_value_done(j);
			return true;
		}
		if (j->depth == JSON_DEPTH_MAX)
			return fault_at(j, j->at, "nested too deeply");
		json_open(j, false);
		j->wants = WANTS_COLUMN;
		return true;
	}
	if (j->slab_levels == SLABS_DEPTH)
		return slab_fault(j, out, "slabs within slabs, nested too deeply");
	for (uint32_t i = 0; i < j->slab_levels; i++)
		if (j->slabs->level[i].slab == which)
			return slab_fault(j, out, "a slab within itself");
	if (!json_slab_enter(j, which)) {
		out->kind = JSON_NULL;
		json_value_done(j);
		return true;
	}
	if (!step_json_over_blanks(j))
		return json_cut_off(j);
	out->offset = offset_of(j, j->at);
	return take_value(j, out);
}

/* The next number of a slab, or its end. */
static bool
take_of_column(struct json *j, struct json_token *out)
{
	const char *text = slabs_next(j->slabs, &out->offset);

	*out = (struct json_token){.kind = JSON_NUMBER, .at = text, .offset = out->offset};
	if (!text) {
		out->kind = JSON_ARRAY_END;
		json_close(j);
		return true;
	}
	if (*text == 'n') {
		out->kind = JSON_NULL;
		return true;
	}
	out->len = strlen(text);
	if (out->len == 1 && *text == '-')
		return slab_fault(j, out, "a whole number above 2^63 - 1");
	return true;
}

/* ---- values ---- */

static bool
take_value(struct json *j, struct json_token *out)
{
	uint32_t which;

	switch (*j->at) {
	case '{':
		if (j->slabs && json_slab_place(j, &which))
			return take_slab(j, out, which);
		return open_level(j, out, true);
	case '[':
		return open_level(j, out, false);
	case '"':
		out->kind = JSON_STRING;
		if (!take_string(j, out))
			return false;
		break;
	default:
		if (is_of_number(*j->at) && (*j->at | 32) != 'e') {
			if (!json_take_number(j, out))
				return false;
		} else if ((*j->at | 32) >= 'a' && (*j->at | 32) <= 'z') {
			if (!json_take_word(j, out, 0))
				return false;
		} else {
			return fault_at(j, j->at, "expected a value");
		}
	}
	json_value_done(j);
	return true;
}

/* Reads a key and the colon after it. The colon may lie beyond the window, and a refill would move
 * the key: so the colon is found before the key is taken. */
static bool
take_key(struct json *j, struct json_token *out)
{
	out->kind = JSON_KEY;
	for (;;) {
		if (!take_string(j, out))
			return false;
		const uint8_t *start = (const uint8_t *)out->at - 1, *at = j->at;
		while (at < j->end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
			at++;
		if (at < j->end) {
			if (*at != ':')
				return fault_at(j, at, "expected a colon after the key");
			j->at = at + 1;
			j->wants = WANTS_VALUE;
			return true;
		}
		j->at = start;
		if (!json_refill(j))
			return json_cut_off(j);
	}
}

/* Checks that only blanks and NUL bytes follow the document. */
static bool
json_after_document(struct json *j)
{
	do {
		while (j->at < j->end && (*j->at <= ' '))
			j->at++;
	} while (j->at == j->end && json_refill(j));
	j->more = j->at < j->end;
	return false;
}

bool
json_another(struct json *j)
{
	if (j->failed || j->wants != WANTS_NOTHING)
		return false;
	json_after_document(j);
	if (!j->more)
		return false;
	j->more = false;
	j->wants = WANTS_VALUE;
	return true;
}

/* Reads a comma between two members or values, and the blanks after it. */
static bool
step_over_comma(struct json *j)
{
	if (*j->at != ',')
		return fault_at(j, j->at, "expected a comma between two values");
	j->at++;
	j->wants = json_in_object(j) ? WANTS_KEY : WANTS_VALUE;
	return step_json_over_blanks(j) || json_cut_off(j);
}

bool
json_next(struct json *j, struct json_token *out)
{
	if (j->failed)
		return false;
	if (j->wants >= WANTS_NOTHING)
		return j->wants == WANTS_NOTHING  ? json_after_document(j)
		       : j->wants == WANTS_COLUMN ? take_of_column(j, out)
						  : j->source(j, out);
	if (!step_json_over_blanks(j))
		return json_cut_off(j);
	bool ends = *j->at == '}' || *j->at == ']';
	if (j->wants == WANTS_COMMA_OR_END && !ends) {
		if (!step_over_comma(j))
			return false;
		ends = *j->at == '}' || *j->at == ']';
	}
	out->offset = offset_of(j, j->at);
	out->at = NULL;
	out->len = 0;
	out->escaped = false;
	/* in an object, the value after a colon is missing */
	if (ends && (j->wants != WANTS_VALUE || (j->depth && !json_in_object(j))))
		return close_level(j, out);
	if (j->wants != WANTS_KEY && j->wants != WANTS_KEY_OR_END)
		return take_value(j, out);
	if (*j->at != '"')
		return fault_at(j, j->at, "expected a key");
	return take_key(j, out);
}

bool
json_skip(struct json *j, const struct json_token *t)
{
	uint32_t depth = j->depth;
	struct json_token inner;

	if (t->kind == JSON_KEY) {
		if (!json_next(j, &inner))
			return false;
		return json_skip(j, &inner);
	}
	if (t->kind != JSON_OBJECT && t->kind != JSON_ARRAY)
		return true;
	if (j->wants == WANTS_COLUMN) {
		json_close(j);
		return true;
	}
	while (j->depth >= depth)
		if (!json_next(j, &inner))
			return false;
	return true;
}
