/* charset.c - see charset.h.
 *
 * A static executable asks nothing of locales: those of the machine belong to another C library,
 * and may be missing. static_libc.c then has the functions of UTF-8. */
#include "src/charset.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef PNAV_STATIC
#include "src/static_libc.h"
#endif

/* Returns the name of the locale for characters, and in *by the variable that has it. */
static const char *
locale_name(const char **by)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = getenv(*by = variables[i]);
		if (value && *value)
			return value;
	}
	return "";
}

static bool
names_utf8(const char *locale)
{
	const char *set = strchr(locale, '.');

	return set && (!strncasecmp(set, ".utf-8", 6) || !strncasecmp(set, ".utf8", 5));
}

bool
charset_is_open(void)
{
	const char *by, *name = locale_name(&by);

	return !*name || (!strcmp(by, "LANG") && (!strcmp(name, "C") || !strcmp(name, "POSIX")));
}

bool
charset_widen(void)
{
#ifdef PNAV_STATIC
	static_libc_utf8();
	return true;
#else
	static const char *const names[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (setlocale(LC_CTYPE, names[i]) && !strcmp(nl_langinfo(CODESET), "UTF-8"))
			return true;
	setlocale(LC_CTYPE, "");
	return false;
#endif
}

void
charset_begin(void)
{
	const char *by;

#ifndef PNAV_STATIC
	if (setlocale(LC_CTYPE, ""))
		return;
#endif
	if (names_utf8(locale_name(&by)))
		charset_widen();
}
