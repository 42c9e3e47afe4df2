#include "model/profile/moment.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/wide.h"

/* Digits after the point that count. */
#define DIGITS_18 INT64_C(1000000000000000000)

bool
moment_equal(struct moment a, struct moment b)
{
	return a.kind == b.kind &&
	       (a.kind == MOMENT_OPEN || (a.value == b.value && a.back == b.back));
}

/* Parses digits[.digits] times `scale`, rounded down; sets *end after it. Returns false if
 * there is no digit or the number does not fit. */
static bool
scaled_number(const char *text, const char **end, int64_t scale, int64_t *out)
{
	int64_t whole = 0, part = 0, unit = 1, behind;
	bool digits = false;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++, digits = true)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, *at - '0', &whole))
			return false;
	if (*at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++, digits = true)
			if (unit < DIGITS_18) {
				part = part * 10 + (*at - '0');
				unit *= 10;
			}
	*end = at;
	behind = wide_ratio(part, scale, unit);
	return digits && !__builtin_mul_overflow(whole, scale, &whole) &&
	       !__builtin_add_overflow(whole, behind, out);
}

static const struct {
	const char *name;
	enum moment_kind kind;
	int64_t scale;
} moment_units[] = {
	{"ns", MOMENT_NS, 1},
	{"us", MOMENT_NS, 1000},
	{"µs", MOMENT_NS, 1000},
	{"ms", MOMENT_NS, 1000000},
	{"s", MOMENT_NS, 1000000000},
	{"min", MOMENT_NS, INT64_C(60000000000)},
	{"%", MOMENT_PERCENT, 10000000},
	{"", MOMENT_ORDINAL, 1},
};

bool
moment_parse(const char *text, struct moment *out, struct err *e)
{
	bool back = *text == '-';
	const char *number = text + back, *unit;
	int64_t ignored;

	if (!scaled_number(number, &unit, 1, &ignored))
		return err_usage(
			e,
			"'%s' is not a time: use a number with a unit (ns us ms s min), "
			"a share (12.5%%), or a bare ordinal; -10s: from the end",
			text);
	while (*unit == ' ')
		unit++;
	for (size_t i = 0; i < sizeof moment_units / sizeof *moment_units; i++) {
		if (strcmp(moment_units[i].name, unit))
			continue;
		if (!scaled_number(number, &unit, moment_units[i].scale, &out->value))
			return err_usage(e, "'%s' is too large for a time", text);
		out->back = back;
		out->kind = moment_units[i].kind;
		return true;
	}
	return err_usage(e, "'%s': unknown unit '%s': ns, us, ms, s, min or %%", text, unit);
}

bool
moment_read(const char *text, struct moment *out, struct err *e)
{
	*out = (struct moment){.kind = MOMENT_OPEN};
	return !strcmp(text, "-") || moment_parse(text, out, e);
}

void
moment_write(struct buf *out, struct moment m)
{
	if (m.back || m.kind == MOMENT_OPEN)
		buf_addc(out, '-');
	switch (m.kind) {
	case MOMENT_OPEN:
		return;
	case MOMENT_NS:
		buf_addf(out, "%" PRId64 "ns", m.value);
		return;
	case MOMENT_ORDINAL:
		buf_addf(out, "%" PRId64, m.value);
		return;
	case MOMENT_PERCENT:
		buf_addf(out, "%" PRId64 ".%07" PRId64 "%%", m.value / 10000000,
			 m.value % 10000000);
		return;
	}
}
