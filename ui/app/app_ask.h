/* app_ask.h - the prompts: search and filter. */
#ifndef PNAV_UI_APP_APP_ASK_H
#define PNAV_UI_APP_APP_ASK_H

#include "ui/app/app_inside.h"
#include "ui/part/complete.h"

void app_ask_filter(struct app *a);
/* An entry: `at` is SIZE_MAX for a new one. */
void app_ask_entry(struct app *a, enum verb verb, size_t at);
/* "match 3 of 23", and how it was come to: ", from the top again". */
void app_say_match(struct app *a, const char *wrapped);
/* Goes to what was searched for, once that is found. */
void app_found(struct app *a);
/* Shows what is typed at the filter prompt. */
void app_preview(struct app *a);
/* Tells at the prompt, or after it, what the filter does, as soon as that is seen. */
void app_asked_look(struct app *a);
/* What Tab completes behind a verb. */
enum complete_what app_completes(enum verb verb);
/* Tab at a pattern that begins at `at`: in *out the text as far as all names agree, and where
 * they are several, these above the prompt. */
void app_complete_names(struct app *a, struct prompt *p, const char *text, size_t at,
			enum complete_what what, struct buf *out);
void app_ask_release(struct app *a);

#endif
