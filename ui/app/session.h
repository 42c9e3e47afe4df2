/* session.h - the state of a browser as a text file: files and options for reading them, lens, base
 * of a comparison, view, zoom, selection, sorting, search and marks (pnav(1), "Saving and
 * sessions"). */
#ifndef PNAV_UI_APP_SESSION_H
#define PNAV_UI_APP_SESSION_H

#include "model/lens/lens.h"
#include "ui/app/marks.h"
#include "ui/app/settings.h"
#include "ui/part/hues.h"

/* The state of a view, in words that the view defines. */
struct session_state {
	char *view, *text;
};

/* An option of a format; value is NULL if it takes none. */
struct session_option {
	char *name, *value;
};

struct session {
	VEC(char *) files; /* absolute paths of the opened files; "-": a stream */
	VEC(struct session_option) options;
	/* Checks an option of a format; false with usage in *e. NULL: all are accepted. */
	bool (*check)(void *ctx, const char *name, const char *value, struct err *e);
	void *ctx;
	bool compares;       /* the files are OLD and NEW: */
	uint32_t n_base;     /* the number of OLD files; 0: one */
	bool normalize;      /* comparisons are of shares */
	bool independent;    /* samples without time are considered independent */
	char *view, *search; /* NULL: not given */
	struct lens lens;
	bool comparing;   /* there is a base, with the range and tracks of `base` */
	struct lens base;
	bool chains;      /* chains of single callees are shown in one line */
	bool sure_only;   /* of a comparison: only significant changes */
	bool coloured;    /* the colouring was given */
	enum hue colour_by;
	struct place selected, zoom;
	VEC(struct session_state) states;
	struct marks marks;
	/* set by the caller: an invalid line that affects numbers makes session_read() fail */
	bool strict;
	struct faults faults;
};

void session_init(struct session *s);
void session_release(struct session *s);
/* Parses a text; `file` is the name for messages. Returns false with usage in *e if the text is no
 * session, or an invalid line affects numbers in strict mode. */
bool session_read(struct session *s, const char *file, const char *text, size_t len,
		  struct err *e);
void session_write(const struct session *s, struct buf *out);
void session_add_file(struct session *s, const char *path);
void session_add_option(struct session *s, const char *name, const char *value);
void session_add_state(struct session *s, const char *view, const char *text);

#endif
