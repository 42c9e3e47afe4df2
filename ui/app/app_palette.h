/* app_palette.h - the list above `:`: what may be done, its key, what it does. */
#ifndef PNAV_UI_APP_APP_PALETTE_H
#define PNAV_UI_APP_APP_PALETTE_H

#include "ui/app/app_inside.h"

/* A word that takes an argument, beside actions and verbs. */
struct app_setter {
	const char *name, *argument, *help;
};
/* Ended by a row without a name. */
extern const struct app_setter app_setters[];
/* NULL when there is no such one. */
const struct app_setter *app_setter_named(const char *name);

/* Puts all that fits the text into the prompt's list: each of its words stands in the name
 * or in what is said of it.  Names that begin so come first, then those that hold it. */
void app_palette(const struct app *a, struct prompt *p, const char *text);

#endif
