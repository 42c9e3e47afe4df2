/* Dates of ISO 8601.  A date without a zone is UTC, since it must mean the same on every
 * machine. */
#include "src/input/isodate.h"

#include <string.h>
#include <time.h>

#include "model/base/chars.h"

#define SECOND INT64_C(1000000000)
/* The years that nanoseconds in 64 bits can represent. */
#define YEAR_MIN 1970
#define YEAR_MAX 2199

/* Reads n digits; returns -1 if there are fewer. */
static int
isodate_digits(const char **at, int n)
{
	int v = 0;

	for (int i = 0; i < n; i++, (*at)++) {
		if (!is_digit(**at))
			return -1;
		v = v * 10 + **at - '0';
	}
	return v;
}

int64_t
isodate_fraction(const char **at)
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
	int hours = isodate_digits(&at, 2);
	at += *at == ':';
	int minutes = *at ? isodate_digits(&at, 2) : 0;
	*east = sign * (hours * 3600 + minutes * 60);
	return hours >= 0 && hours < 24 && minutes >= 0 && minutes < 60 && !*at;
}

bool
isodate_read(const char *at, int64_t *out)
{
	struct tm t = {0}, made;
	int64_t ns = 0, east;

	t.tm_year = isodate_digits(&at, 4);
	if (t.tm_year < YEAR_MIN || t.tm_year > YEAR_MAX || *at++ != '-')
		return false;
	t.tm_year -= 1900;
	t.tm_mon = isodate_digits(&at, 2) - 1;
	if (*at++ != '-')
		return false;
	t.tm_mday = isodate_digits(&at, 2);
	if (*at == 'T' || *at == ' ') {
		at++;
		t.tm_hour = isodate_digits(&at, 2);
		if (*at++ != ':')
			return false;
		t.tm_min = isodate_digits(&at, 2);
		if (*at == ':') {
			at++;
			t.tm_sec = isodate_digits(&at, 2);
			ns = isodate_fraction(&at);
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
