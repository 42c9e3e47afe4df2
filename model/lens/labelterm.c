/* labelterm.c - see labelterm.h.
 *
 * A value is text or a number, and a pattern cannot know which. So RE is always compiled, and a
 * range is parsed in addition. Units are those that formats write (pprof's list); a number in an
 * unknown unit is compared without conversion. */
#include "model/lens/labelterm.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	long double factor;
} units[] = {
	{"", 1},	       {"b", 1},	      {"bytes", 1},
	{"byte", 1},	       {"kb", 1024},	      {"kib", 1024},
	{"kilobytes", 1024},   {"mb", 1048576},	      {"mib", 1048576},
	{"megabytes", 1048576}, {"gb", 1073741824},   {"gib", 1073741824},
	{"gigabytes", 1073741824}, {"ns", 1},	      {"nanoseconds", 1},
	{"us", 1e3L},	       {"\xC2\xB5s", 1e3L},   {"microseconds", 1e3L},
	{"ms", 1e6L},	       {"milliseconds", 1e6L}, {"s", 1e9L},
	{"sec", 1e9L},	       {"seconds", 1e9L},     {"min", 6e10L},
};

/* Returns the factor of a unit; 0 if it is unknown. */
static long double
unit_factor(const char *at, size_t len)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strlen(units[i].name) == len && !strncasecmp(units[i].name, at, len))
			return units[i].factor;
	return 0;
}

/* Parses a number with its unit; returns `open` for an empty text. */
static bool
read_end(const char *at, size_t len, long double open, long double *out)
{
	char number[64], *end;
	size_t digits = 0;

	*out = open;
	if (!len)
		return true;
	while (digits < len && strchr("+-.0123456789", at[digits]))
		digits++;
	if (!digits || digits >= sizeof number)
		return false;
	memcpy(number, at, digits);
	number[digits] = '\0';
	*out = strtold(number, &end);
	long double factor = unit_factor(at + digits, len - digits);
	*out *= factor;
	return !*end && factor != 0;
}

/* Parses LOW..HIGH; one of the two may be missing. */
static bool
labelterm_read_range(struct label_term *t, const char *at, size_t len)
{
	const char *dots = memmem(at, len, "..", 2);
	size_t before = dots ? (size_t)(dots - at) : 0;

	return dots && len > 2 && read_end(at, before, -INFINITY, &t->low) &&
	       read_end(dots + 2, len - before - 2, INFINITY, &t->high);
}

/* Parses a number alone. */
static bool
read_number(struct label_term *t, const char *at, size_t len)
{
	bool is = len && read_end(at, len, 0, &t->low);

	t->high = t->low;
	return is;
}

static bool
is_one_line(const char *text, size_t len)
{
	return !memchr(text, '\n', len) && !memchr(text, '\r', len) && !memchr(text, '\0', len);
}

bool
label_term_read(struct label_term *t, const char *text, size_t len, struct err *e)
{
	struct buf value = BUF_INIT;
	enum subject subject;

	*t = (struct label_term){.negated = len && *text == '!'};
	t->key_at = t->negated;
	const char *colon = memchr(text, ':', len);
	if (!colon || colon == text + t->key_at || !is_one_line(text, len) ||
	    strchr(" \t", *text))
		return err_usage(e, "where takes KEY:PATTERN, a label and its values, not '%.*s'",
				 (int)len, text);
	t->key_len = (size_t)(colon - text) - t->key_at;
	const char *rest = colon + 1;
	size_t rest_len = len - (size_t)(rest - text);
	t->ranges = labelterm_read_range(t, rest, rest_len) || read_number(t, rest, rest_len);
	/* prevents that part of the value is parsed as a subject or a sign */
	if (rest_len && (*rest == '!' || subject_parse(rest, rest_len, &subject)))
		buf_adds(&value, "fn:");
	t->exact = rest_len && *rest == '=';
	buf_add(&value, rest, rest_len);
	t->value = pattern_new(buf_str(&value), value.len, e);
	buf_release(&value);
	return t->value != NULL;
}

void
label_term_release(struct label_term *t)
{
	pattern_unref(t->value);
	*t = (struct label_term){0};
}

bool
label_term_check(const char *text, size_t len, struct err *e)
{
	struct label_term t;
	bool good = label_term_read(&t, text, len, e);

	label_term_release(&t);
	return good;
}

bool
label_key_check(const char *text, size_t len, struct err *e)
{
	if (len && is_one_line(text, len) && !strchr(" \t", *text))
		return true;
	return err_usage(e, "label takes the key of a label, not '%.*s'", (int)len, text);
}

/* `decimal` is the value if it is no whole number. */
static bool
number_matches(const struct label_term *t, const struct names *names, const struct label *l,
	       double decimal)
{
	struct name unit = names_get(names, l->is_number ? l->unit : NAME_EMPTY);
	long double factor = unit_factor(unit.at, unit.len);
	long double v = (long double)l->number * (factor != 0 ? factor : 1);

	/* ends of more digits than a decimal value has would lie beside equal values */
	if (!l->is_number)
		return decimal >= (double)t->low && decimal <= (double)t->high;
	return v >= t->low && v <= t->high;
}

bool
label_term_matches(const struct label_term *t, const struct names *names,
		   const struct label *l)
{
	struct buf text = BUF_INIT;
	double number;
	bool yes;

	if (t->ranges && label_number(names, l, &number))
		return number_matches(t, names, l, number);
	label_write_value(&text, names, l);
	yes = pattern_matches_text(t->value, names,
				   (struct name){buf_str(&text), (uint32_t)text.len});
	if (!yes && t->exact && l->is_number) {
		buf_reset(&text);
		buf_addf(&text, "%" PRId64, l->number);
		yes = pattern_matches_bytes(t->value, buf_str(&text), text.len);
	}
	buf_release(&text);
	return yes;
}
