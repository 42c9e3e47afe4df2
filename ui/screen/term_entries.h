/* term_entries.h - descriptions of terminals inside the executable; for the files of term.c.
 *
 * A static executable may run where no terminfo is installed. In other builds the table is empty.
 * data/static/terminals.sh writes it. */
#ifndef PNAV_UI_SCREEN_TERM_ENTRIES_H
#define PNAV_UI_SCREEN_TERM_ENTRIES_H

struct term_entry {
	const char *name; /* of the terminal */
	const char *text; /* as for the variable TERMINFO: b64:... */
};

/* Ends with a row without a name. */
extern const struct term_entry term_entries[];

#endif
