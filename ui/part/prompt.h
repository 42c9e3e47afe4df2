/* prompt.h - one line of input at the bottom of the screen.
 *
 * prompt_open() shows it; it takes all keys until it closes.  Hooks of the owner are called on
 * every change (for previews) and for completion.  The owner may set a note beside the text. */
#ifndef PNAV_UI_PART_PROMPT_H
#define PNAV_UI_PART_PROMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "ui/part/modal.h"
#include "ui/screen/canvas.h"

struct prompt;

struct prompt_hooks {
	/* The text has changed; the owner may set the note.  May be NULL. */
	void (*changed)(void *ctx, struct prompt *p, const char *text);
	/* Enter.  False keeps the prompt open; the note then gives the reason. */
	bool (*done)(void *ctx, struct prompt *p, const char *text);
	/* Esc: the owner restores the previous state.  May be NULL. */
	void (*cancelled)(void *ctx);
	/* Tab: appends the completed text to `out`, and may add rows to the list.  May be
	 * NULL. */
	void (*complete)(void *ctx, struct prompt *p, const char *text, struct buf *out);
	/* Called before the prompt handles a key; true if the owner handled it.  May be NULL. */
	bool (*key)(void *ctx, struct prompt *p, uint32_t key);
};

/* A line above the prompt: a text that may be entered, its key, a description. */
struct prompt_row {
	char *text, *key, *note;
};

/* Earlier entries, oldest first; each kind of prompt has its own. */
struct prompt_history {
	VEC(char *) lines;
};
void prompt_history_release(struct prompt_history *h);

struct prompt {
	bool open;
	const struct prompt_hooks *hooks;
	void *ctx;
	struct prompt_history *history; /* may be NULL */
	size_t recalled;                /* index of the recalled line; lines.n: none */
	struct buf label, text, note;
	size_t at;  /* byte offset of the cursor in the text */
	bool fault; /* the note is an error */
	bool suggested; /* the text is a suggestion: the first character replaces it */
	VEC(struct prompt_row) list;
	bool choosing; /* arrows choose a row of the list */
	size_t chosen; /* its index; SIZE_MAX: none */
};

void prompt_init(struct prompt *p);
void prompt_release(struct prompt *p);
void prompt_open(struct prompt *p, const char *label, const char *text,
		 const struct prompt_hooks *hooks, void *ctx,
		 struct prompt_history *history);
/* Makes the text a suggestion: typing replaces it, Enter accepts it, any other key begins to
 * edit it. */
void prompt_suggest(struct prompt *p);
/* Replaces the text, as if the user had typed it. */
void prompt_replace(struct prompt *p, const char *text);
/* Replaces the label. */
void prompt_relabel(struct prompt *p, const char *label);
/* Adds a row to the list above the prompt, which every change of the text empties.  Texts are
 * copied; key and note may be NULL. */
void prompt_list_add(struct prompt *p, const char *text, const char *key,
		     const char *note);
void prompt_list_clear(struct prompt *p);
void prompt_note(struct prompt *p, bool fault, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Draws the prompt in the last row of the screen. */
extern const struct modal_ops prompt_modal;

#endif
