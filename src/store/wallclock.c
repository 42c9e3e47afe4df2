/* Moments on a command line and in a URL.  A time without a zone is UTC, since an address must mean
 * the same on every machine. */
#include "src/store/wallclock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/input/isodate.h"

#define SECOND INT64_C(1000000000)

static bool
read_length(const char *text, int64_t *out)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1},	   {"us", 1e3},	   {"ms", 1e6},	     {"s", 1e9},      {"m", 60e9},
		     {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}, {"w", 604800e9}};
	char *end;

	if (!is_digit(*text))
		return false;
	double n = strtod(text, &end);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].name) && n * units[i].ns < 9e18) {
			*out = llround(n * units[i].ns);
			return true;
		}
	return false;
}

static bool
read_seconds(const char *at, int64_t *out)
{
	char *end;
	long long seconds = strtoll(at, &end, 10);
	const char *rest = end;

	if (!is_digit(*at) || seconds < 0 || seconds > INT64_MAX / SECOND - 1)
		return false;
	*out = seconds * SECOND + isodate_fraction(&rest);
	return !*rest;
}

bool
wallclock_read(struct wallclock *m, const char *what, const char *text, struct err *e)
{
	const char *at = text;
	bool good = true;

	*m = (struct wallclock){.given = true};
	if (!strncmp(at, "now", 3))
		at += 3;
	if (at != text && !*at) {
		m->relative = true;
	} else if ((*at == '-' || (*at == '+' && at != text))) {
		m->relative = true;
		good = read_length(at + 1, &m->ns);
		m->ns = *at == '-' ? -m->ns : m->ns;
	} else if (at == text) {
		good = *at == '@' ? read_seconds(at + 1, &m->ns) : isodate_read(at, &m->ns);
	} else {
		good = false;
	}
	return good ||
	       err_usage(
		       e,
		       "%s '%s' is not a time: use now, -1h, 2024-05-01T12:00:00Z, @SECONDS",
		       what, text);
}

int64_t
wallclock_ns(const struct wallclock *m, int64_t now)
{
	int64_t sum;

	if (!m->relative)
		return m->ns;
	return __builtin_add_overflow(now, m->ns, &sum) ? now : sum;
}

int64_t
wallclock_seconds(int64_t ns)
{
	int64_t s = ns / 1000000000 - (ns % 1000000000 < 0);

	return s < 0 ? 0 : s > UINT32_MAX ? UINT32_MAX : s;
}

bool
wallclock_length(int64_t *ns, const char *what, const char *text, struct err *e)
{
	return (read_length(text, ns) && *ns > 0) ||
	       err_usage(e, "%s '%s' is not a length of time: use 12h, 30d, 8w", what, text);
}
