/* term_name.c - see term_name.h.
 *
 * A terminal may be newer than the descriptions of the machine that pnav runs on, and a static
 * executable may run where there are none. So pnav tries TERM in the terminfo of the machine,
 * then among its own descriptions (term_entries.h), then does the same with terminals that are
 * alike: those that have adopted xterm's sequences say so by their names, and nearly all others
 * know those of the vt100. */
#include "ui/screen/term_name.h"

#include <stdlib.h>
#include <string.h>
#include <term.h>

#include "ui/screen/term_entries.h"
#include "ui/screen/term_kind.h"

/* By the begin of a name: the terminals that are alike, the nearest first. */
static const struct {
	const char *begin;
	const char *alike[4];
} families[] = {
	{"tmux", {"tmux-256color", "screen-256color", "screen"}},
	{"screen", {"screen-256color", "screen"}},
	{"linux", {"linux"}},
	{"fbterm", {"linux"}},
	{"vt", {"vt100"}},
};
static const char *const like_xterm[] = {"xterm-256color", "xterm", "vt100", NULL};

static const struct term_entry *
own_entry(const char *name)
{
	for (const struct term_entry *own = term_entries; own->name; own++)
		if (!strcmp(own->name, name))
			return own;
	return NULL;
}

/* Has curses read pnav's own description of this terminal, if there is one. Returns what to put
 * back into the environment: programs that pnav runs have their own descriptions. */
static char *
use_own(const char *name)
{
	const struct term_entry *own = own_entry(name);
	const char *before = getenv("TERMINFO");
	char *kept = own && before ? strdup(before) : NULL;

	if (own)
		setenv("TERMINFO", own->text, 1);
	return kept;
}

static void
put_back(const char *name, char *kept)
{
	if (kept)
		setenv("TERMINFO", kept, 1);
	else if (own_entry(name))
		unsetenv("TERMINFO");
	free(kept);
}

/* Returns true if there is a description; *moves: the terminal can move its cursor. */
static bool
is_described(const char *name, int fd, bool *moves)
{
	int found = 0;
	if (setupterm(name, fd, &found) != OK)
		return false;
	*moves = term_capability("cup") && term_capability("clear");
	del_curterm(cur_term);
	return true;
}

/* The same, also with pnav's own descriptions. */
static bool
is_known(const char *name, int fd, bool *moves)
{
	if (is_described(name, fd, moves))
		return true;
	if (!own_entry(name))
		return false;
	char *kept = use_own(name);
	bool known = is_described(name, fd, moves);
	put_back(name, kept);
	return known;
}

static const char *
nearest_known(const char *name, int fd, bool *moves)
{
	const char *const *alike = term_speaks_xterm(name) || strstr(name, "256color")
					   ? like_xterm
					   : like_xterm + 2;
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (!strncmp(name, families[i].begin, strlen(families[i].begin)))
			alike = families[i].alike;
	for (size_t i = 0; alike[i]; i++)
		if (is_known(alike[i], fd, moves))
			return alike[i];
	return NULL;
}

const char *
term_name(int fd, struct err *e)
{
	const char *name = getenv("TERM"), *known;
	bool moves = false;
	if (!name || !*name) {
		err_usage(e, "TERM is not set, so the terminal is unknown "
			     "(pnav report needs none)");
		return NULL;
	}
	known = is_known(name, fd, &moves) ? name : nearest_known(name, fd, &moves);
	if (!known)
		err_usage(e,
			  "nothing is known about the terminal '%s'; set TERM, or "
			  "use pnav report",
			  name);
	else if (!moves)
		err_usage(e, "the terminal '%s' cannot move its cursor; use pnav report", name);
	return known && moves ? known : NULL;
}

const char *
term_name_note(const char *name, struct buf *out)
{
	const char *wanted = getenv("TERM");
	if (!wanted || !strcmp(name, wanted))
		return NULL;
	buf_addf(out, "unknown terminal '%s': drawn as for '%s'", wanted, name);
	return buf_str(out);
}

SCREEN *
term_open_named(const char *name, FILE *out, FILE *in)
{
	SCREEN *scr = newterm(name, out, in);
	if (scr)
		return scr;
	char *kept = use_own(name);
	scr = newterm(name, out, in);
	put_back(name, kept);
	return scr;
}
