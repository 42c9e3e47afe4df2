/* browse_start.h - the start page of a store: its services, and the profiles with each label.
 *
 *	if (browse_start_wants(&o) && browse_start_read(&s, address, &e)) {
 *		while (browse_start_choose(&s, screen) > 0)
 *			... s.url[0], or a comparison of s.url[0] and s.url[1]
 *		browse_start_release(&s);
 *	}
 */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_START_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_START_H

#include "src/options.h"
#include "src/store/held.h"
#include "ui/part/menu.h"
#include "ui/screen/screen.h"

/* A line of the page: a service, or one value of a label of its profiles. */
struct start_row {
	size_t service, label; /* indexes; label SIZE_MAX: the service */
};

struct browse_start {
	const char *address;
	struct store_held held;
	VEC(struct start_row) rows;
	struct menu menu;
	struct buf note;   /* a message for the last line, empty: the keys */
	size_t base;       /* the row to compare with; SIZE_MAX: none */
	size_t chosen;     /* the row of Enter or of the second v; SIZE_MAX: none */
	bool compares;
	struct buf url[2]; /* of the choice */
};

/* Returns true if the only file is the address of a store that selects no part of it. */
bool browse_start_wants(const struct options *o);
/* Asks the server what it holds. `address` must outlive the page. Returns false with *e set, and
 * nothing to release, if it cannot answer or holds no profiles. */
bool browse_start_read(struct browse_start *s, const char *address, struct err *e);
void browse_start_release(struct browse_start *s);
/* Shows the page until the user chooses. Returns the number of addresses in url[]: 1, 2 for a
 * comparison, or 0 if the user quit. */
unsigned browse_start_choose(struct browse_start *s, struct screen *screen);

#endif
