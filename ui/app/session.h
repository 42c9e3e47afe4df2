/* session.h - what somebody looked at, as a text file: files and how they are read, lens,
 * what is compared with, view, zoom, selection, sorting, search and marks (pnav(1),
 * "Saving and sessions"). */
#ifndef PNAV_UI_APP_SESSION_H
#define PNAV_UI_APP_SESSION_H

#include "model/lens/lens.h"
#include "ui/app/marks.h"
#include "ui/app/settings.h"
#include "ui/part/hues.h"

/* What a view keeps for itself, in its own words. */
struct session_state {
	char *view, *text;
};

/* An option of the formats; value is NULL when it takes none. */
struct session_option {
	char *name, *value;
};

struct session {
	VEC(char *) files; /* as they were opened, made absolute; "-": a stream */
	VEC(struct session_option) options;
	/* Who knows the options says whether one is right; NULL: all are. */
	bool (*check)(void *ctx, const char *name, const char *value, struct err *e);
	void *ctx;
	bool compares;       /* the files are OLD and NEW: */
	uint32_t n_base;     /* so many of them OLD; 0: one */
	bool normalize;      /* comparisons are of shares */
	bool independent;    /* samples without time are taken for independent */
	char *view, *search; /* NULL: none was said */
	struct lens lens;
	bool comparing;   /* with the range and the tracks of base */
	struct lens base;
	bool chains;      /* of single callees in one line */
	bool sure_only;   /* of a comparison */
	bool coloured;    /* by what, is said */
	enum hue colour_by;
	struct place selected, zoom;
	VEC(struct session_state) states;
	struct marks marks;
	/* set by the caller: it is refused where a line decides numbers and is wrong */
	bool strict;
	struct faults faults;
};

void session_init(struct session *s);
void session_release(struct session *s);
/* Reads a text; `file` is what faults name.  False with usage in *e when it is no
 * session at all, or is refused. */
bool session_read(struct session *s, const char *file, const char *text, size_t len,
		  struct err *e);
void session_write(const struct session *s, struct buf *out);
void session_add_file(struct session *s, const char *path);
void session_add_option(struct session *s, const char *name, const char *value);
void session_add_state(struct session *s, const char *view, const char *text);

#endif
