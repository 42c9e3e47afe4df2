/* session.h - what somebody looked at, as a text file: files, lens, view, zoom, selection,
 * sorting, search and marks (pnav(1), "Sessions"). */
#ifndef PNAV_UI_SESSION_H
#define PNAV_UI_SESSION_H

#include "model/lens.h"
#include "ui/marks.h"
#include "ui/settings.h"

/* What a view keeps for itself, in its own words. */
struct session_state {
	char *view, *text;
};

struct session {
	VEC(char *) files; /* as they were opened, made absolute */
	bool compares;       /* the files are OLD and NEW */
	char *view, *search; /* NULL: none was said */
	struct lens lens;
	struct place selected, zoom;
	VEC(struct session_state) states;
	struct marks marks;
	struct faults faults;
};

void session_init(struct session *s);
void session_release(struct session *s);
/* Reads a text; `file` is what faults name.  False with usage in *e when it is no
 * session at all. */
bool session_read(struct session *s, const char *file, const char *text, size_t len,
		  struct err *e);
void session_write(const struct session *s, struct buf *out);
void session_add_file(struct session *s, const char *path);
void session_add_state(struct session *s, const char *view, const char *text);

#endif
