/* prompt.h - one line of input at the bottom of the screen.
 *
 * prompt_open() shows it; keys go to prompt_key() until it has closed.  The owner is told
 * of every change (for previews), may write a note beside the text, and may complete. */
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
	/* The text is another one: look, and set the note.  May be NULL. */
	void (*changed)(void *ctx, struct prompt *p, const char *text);
	/* Enter.  False keeps the prompt open (the note says why). */
	bool (*done)(void *ctx, struct prompt *p, const char *text);
	/* Esc: everything as before.  May be NULL. */
	void (*cancelled)(void *ctx);
	/* Tab: appends to `out` what the whole text becomes; may add rows to the list.  May be
	 * NULL. */
	void (*complete)(void *ctx, struct prompt *p, const char *text, struct buf *out);
	/* A key before the prompt sees it; true when it was used.  May be NULL. */
	bool (*key)(void *ctx, struct prompt *p, uint32_t key);
};

/* A line above the prompt: what may be entered, its key, what it is. */
struct prompt_row {
	char *text, *key, *note;
};

/* What was entered before, oldest first; one for each kind of prompt. */
struct prompt_history {
	VEC(char *) lines;
};
void prompt_history_release(struct prompt_history *h);

struct prompt {
	bool open;
	const struct prompt_hooks *hooks;
	void *ctx;
	struct prompt_history *history; /* may be NULL */
	size_t recalled;                /* which line of it; lines.n: none */
	struct buf label, text, note;
	size_t at;  /* of the cursor, bytes */
	bool fault; /* the note is an error */
	bool suggested; /* the text is a suggestion: the first character replaces it */
	VEC(struct prompt_row) list;
	bool choosing; /* arrows choose a row of the list */
	size_t chosen; /* which row; SIZE_MAX: none is */
};

void prompt_init(struct prompt *p);
void prompt_release(struct prompt *p);
void prompt_open(struct prompt *p, const char *label, const char *text,
		 const struct prompt_hooks *hooks, void *ctx,
		 struct prompt_history *history);
/* What stands there is only proposed: typing replaces it, Enter takes it, any other key
 * makes it the text. */
void prompt_suggest(struct prompt *p);
/* Another text, as if it had been typed. */
void prompt_replace(struct prompt *p, const char *text);
/* Another label: the answer means something else. */
void prompt_relabel(struct prompt *p, const char *label);
/* The list above the prompt; it is emptied by every change of the text.  Texts are copied;
 * key and note may be NULL. */
void prompt_list_add(struct prompt *p, const char *text, const char *key,
		     const char *note);
void prompt_list_clear(struct prompt *p);
void prompt_note(struct prompt *p, bool fault, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A prompt in front of what is on the screen: in its last row. */
extern const struct modal_ops prompt_modal;

#endif
