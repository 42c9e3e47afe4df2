/* app_ask.h - the prompts: search and filter. */
#ifndef PNAV_UI_APP_APP_ASK_H
#define PNAV_UI_APP_APP_ASK_H

#include "ui/app/app_inside.h"
#include "ui/part/complete.h"

void app_ask_filter(struct app *a);
/* Opens the prompt for an entry; `at` is SIZE_MAX for a new one. */
void app_ask_entry(struct app *a, enum verb verb, size_t at);
/* Reports "match 3 of 23", with a suffix such as ", from the top again". */
void app_say_match(struct app *a, const char *wrapped);
/* Goes to the match of the search, once it is found. */
void app_found(struct app *a);
/* Previews the text of the filter prompt. */
void app_preview(struct app *a);
/* Reports the effect of the filter, at the prompt or after it, once it is visible. */
void app_asked_look(struct app *a);
/* Returns what Tab completes after a verb. */
enum complete_what app_completes(enum verb verb);
/* Tab at a pattern that begins at `at`: writes the common beginning of all matching names to *out,
 * and lists several names above the prompt. */
void app_complete_names(struct app *a, struct prompt *p, const char *text, size_t at,
			enum complete_what what, struct buf *out);
void app_ask_release(struct app *a);

#endif
