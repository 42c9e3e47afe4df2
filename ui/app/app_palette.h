/* app_palette.h - the list above `:`: commands, their keys and descriptions. */
#ifndef PNAV_UI_APP_APP_PALETTE_H
#define PNAV_UI_APP_APP_PALETTE_H

#include "ui/app/app_inside.h"

/* A word with an argument, besides actions and verbs. */
struct app_setter {
	const char *name, *argument, *help;
};
/* Ended by a row without a name. */
extern const struct app_setter app_setters[];
/* Returns NULL for an unknown name. */
const struct app_setter *app_setter_named(const char *name);

/* Puts all matches of the text into the prompt's list: each of its words is in the name or in the
 * description.  Names that begin with the text come first, then those that contain it. */
void app_palette(const struct app *a, struct prompt *p, const char *text);

#endif
