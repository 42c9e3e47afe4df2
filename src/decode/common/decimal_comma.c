#include "src/decode/common/decimal_comma.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

/* Returns true if the character belongs to a word, in which digits are no number. */
static bool
is_of_word(char c)
{
	return is_digit(c) || (unsigned)((c | 32) - 'a') < 26 || c == '_' || c == '-' || c == '.' ||
	       c == ',';
}

bool
decimal_sign_in(const char *at, const char *end, char sign)
{
	const char *line = at;

	while ((at = memchr(at, sign, (size_t)(end - at)))) {
		const char *first = at, *stop = digits_end(at + 1, end);
		while (first > line && is_digit(first[-1]))
			first--;
		bool alone = first < at && (first == line || !is_of_word(first[-1])) &&
			     (stop == end || !is_of_word(*stop) || *stop == ',' || *stop == '.');
		bool zero = at - first == 1 && *first == '0';
		bool last = stop == end || (*stop != ',' && *stop != '.') || stop + 1 == end ||
			    !is_digit(stop[1]);
		if (alone && last && stop > at + 1 && (stop - at != 4 || zero))
			return true;
		at = stop;
	}
	return false;
}

/* Returns true for a word of digits, points and commas. */
static bool
is_numeric(const char *at, const char *end)
{
	bool digit = false;

	for (; at < end; at++) {
		if (!is_digit(*at) && *at != '.' && *at != ',')
			return false;
		digit |= is_digit(*at);
	}
	return digit;
}

static char
sign_in(const char *at, const char *end)
{
	return decimal_sign_in(at, end, '.') ? '.' : decimal_sign_in(at, end, ',') ? ',' : '\0';
}

char
decimal_sign_of(const char *at, const char *end, bool text)
{
	const char *stop;
	char sign = '\0';

	if (at == end || *at == '#')
		return '\0';
	if (!text)
		return sign_in(at, end);
	for (at = skip_blanks(at, end); at < end && *at != '#' && !sign;
	     at = skip_blanks(stop, end)) {
		stop = word_end(at, end);
		if (is_numeric(at, stop))
			sign = sign_in(at, stop);
	}
	return sign || at == end ? sign : sign_in(at, end);
}

/* Returns the length of a separator of thousands, if one is here and three digits follow: a dot, an
 * apostrophe, a blank, U+00A0, U+202F. */
static size_t
separator_len(const char *at, const char *end)
{
	static const char *const separators[] = {".", "'", " ", "\u00a0", "\u202f"};

	for (size_t i = 0; i < sizeof separators / sizeof *separators; i++) {
		size_t len = strlen(separators[i]);
		if (begins_with(at, end, separators[i]) &&
		    digits_end(at + len, end) == at + len + 3)
			return len;
	}
	return 0;
}

void
decimal_comma_plain(const char *at, const char *end, struct buf *out)
{
	const char *line = at;

	buf_reset(out);
	while (at < end) {
		size_t begin = out->len, removed = 0, len;
		if (!is_digit(*at) || (at > line && is_of_word(at[-1]))) {
			buf_addc(out, *at++);
			continue;
		}
		const char *stop = digits_end(at, end);
		buf_add(out, at, (size_t)(stop - at));
		while (stop - at <= 3 && (len = separator_len(stop, end))) {
			buf_add(out, stop + len, 3);
			removed += len;
			at = stop + len;
			stop = at + 3;
		}
		if (stop < end && *stop == ',' && digits_end(stop + 1, end) > stop + 1) {
			buf_addc(out, '.');
			at = stop + 1;
			stop = digits_end(at, end);
			buf_add(out, at, (size_t)(stop - at));
		}
		for (size_t i = 0; i < removed; i++)
			buf_addc(out, ' ');
		if (removed) { /* they belong before the number */
			memmove(out->at + begin + removed, out->at + begin,
				out->len - begin - removed);
			memset(out->at + begin, ' ', removed);
		}
		at = stop;
	}
}
