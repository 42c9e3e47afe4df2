/* Moments on a command line and in a URL.  A time without a zone is UTC, since an address must mean
 * the same on every machine. */
#include "src/store/wallclock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/base/chars.h"

#define SECOND INT64_C(1000000000)
/* The years that nanoseconds in 64 bits can represent. */
#define YEAR_MIN 1970
#define YEAR_MAX 2199

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

/* Reads n digits; returns -1 if there are fewer. */
static int
wallclock_digits(const char **at, int n)
{
	int v = 0;

	for (int i = 0; i < n; i++, (*at)++) {
		if (!is_digit(**at))
			return -1;
		v = v * 10 + **at - '0';
	}
	return v;
}

/* Reads a fraction such as ".25" as nanoseconds. */
static int64_t
fraction(const char **at)
{
	int64_t v = 0, place = SECOND / 10;

	if (**at != '.' || !is_digit((*at)[1]))
		return 0;
	for ((*at)++; is_digit(**at); (*at)++, place /= 10)
		v += (**at - '0') * place;
	return v;
}

/* Reads "Z", "+02:00", "-0330" or nothing: seconds east of UTC. */
static bool
zone(const char *at, int64_t *east)
{
	int sign = *at == '-' ? -1 : 1;

	*east = 0;
	if (!*at || !strcmp(at, "Z") || !strcmp(at, "z"))
		return true;
	if (*at != '+' && *at != '-')
		return false;
	at++;
	int hours = wallclock_digits(&at, 2);
	at += *at == ':';
	int minutes = *at ? wallclock_digits(&at, 2) : 0;
	*east = sign * (hours * 3600 + minutes * 60);
	return hours >= 0 && hours < 24 && minutes >= 0 && minutes < 60 && !*at;
}

static bool
read_date(const char *at, int64_t *out)
{
	struct tm t = {0}, made;
	int64_t ns = 0, east;

	t.tm_year = wallclock_digits(&at, 4);
	if (t.tm_year < YEAR_MIN || t.tm_year > YEAR_MAX || *at++ != '-')
		return false;
	t.tm_year -= 1900;
	t.tm_mon = wallclock_digits(&at, 2) - 1;
	if (*at++ != '-')
		return false;
	t.tm_mday = wallclock_digits(&at, 2);
	if (*at == 'T' || *at == ' ') {
		at++;
		t.tm_hour = wallclock_digits(&at, 2);
		if (*at++ != ':')
			return false;
		t.tm_min = wallclock_digits(&at, 2);
		if (*at == ':') {
			at++;
			t.tm_sec = wallclock_digits(&at, 2);
			ns = fraction(&at);
		}
	}
	made = t;
	int64_t seconds = timegm(&made);
	/* timegm() normalised it, so it was not a valid date */
	if (made.tm_mday != t.tm_mday || made.tm_mon != t.tm_mon || made.tm_hour != t.tm_hour ||
	    made.tm_min != t.tm_min || made.tm_sec != t.tm_sec || !zone(at, &east))
		return false;
	*out = (seconds - east) * SECOND + ns;
	return true;
}

static bool
read_seconds(const char *at, int64_t *out)
{
	char *end;
	long long seconds = strtoll(at, &end, 10);
	const char *rest = end;

	if (!is_digit(*at) || seconds < 0 || seconds > INT64_MAX / SECOND - 1)
		return false;
	*out = seconds * SECOND + fraction(&rest);
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
		good = *at == '@' ? read_seconds(at + 1, &m->ns) : read_date(at, &m->ns);
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
