/* app.h - the browser: a profile, a screen, and what happens between them. */
#ifndef PNAV_UI_APP_APP_H
#define PNAV_UI_APP_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/lens/lens.h"
#include "model/profile/profile.h"
#include "ui/part/work.h"
#include "ui/screen/screen.h"

/* How the loading stands. */
struct app_state {
	bool done, stopped;
	bool live;            /* there may be more at any time, and it has no known end */
	bool refused;         /* it is no profile at all: the browser ends */
	uint64_t bytes, size; /* size 0: not known */
	int64_t elapsed_ns;   /* 0: not to be told */
	uint64_t generation;  /* another number, another profile */
	const char *format;   /* its name, or NULL while it is not known */
	const char *title;    /* what the format is, in a few words */
	const char *news;     /* when done: what to tell about it once, or NULL */
};

/* The loader of the profile: how it stands, and the wish that it ends. */
struct app_loader {
	void *ctx;
	struct app_state (*state)(void *ctx);
	void (*stop)(void *ctx);
};

/* The way to whoever loads the profile.  The browser reads the profile only while it has the
 * lock, and never has it while it waits for the user.  It hands the lock to its works, which give
 * it to nobody (ui/part/work.h). */
struct app_feed {
	struct app_loader loader;
	struct works_lock lock;
};

/* The formats that can be written; what is shown is written through the lens. */
struct app_exports {
	void *ctx;
	size_t n;
	const char *(*name)(size_t i);
	const char *(*title)(size_t i);
	/* To a file that is not there yet. */
	bool (*write)(void *ctx, size_t i, const struct lens *l, const char *path,
		      struct err *e);
	/* A text of the browser's own, to a file that is not there yet: whole or not at all. */
	bool (*save)(const char *path, const char *text, size_t len, struct err *e);
};

struct answer_source;
struct code_source;
struct config;
struct inspections;
struct session;

/* An option that the files were read with: command lines and sessions repeat it. */
struct app_option {
	const char *name, *value; /* value is NULL when it takes none */
	bool is_file;             /* the value is the path of one */
};

/* What is looked at, for who asks for it anew. */
struct app_again {
	bool whole;          /* no range */
	int64_t from, to;    /* from the first event */
	const uint8_t *tracks; /* [track] 1: looked at; NULL: all are */
	const struct lens *lens;
	const char *view;    /* its name */
};

struct app_config {
	const char *const *files; /* as the user gave them */
	size_t n_files;
	const char *command; /* that looks at them so: "diff"; NULL: the usual one */
	uint32_t n_base;     /* of a comparison of files: so many of them are the base */
	bool normalize;      /* comparisons are of shares */
	bool independent;    /* samples without time are taken for independent */
	const struct app_option *options;
	size_t n_options;
	const struct lens *lens; /* to begin with */
	const struct lens *base; /* compared with from the start: its range and tracks;
				    NULL: nothing */
	const char *view;        /* its name, or NULL */
	bool mouse;
	const struct inspections *inspections; /* of the manual; NULL: it is not there */
	const char *guide;   /* the name of the one to begin with, or NULL */
	char *const *manual; /* where pnav.1 may be; ended by NULL */
	const char *const *source_dirs;    /* FROM=TO: where source files are */
	size_t n_source_dirs;
	const struct config *user;         /* pnavrc; NULL: none */
	const struct session *session;     /* to go on with; NULL: none */
	const struct app_exports *exports; /* NULL: none */
	const struct answer_source *questions; /* who answers those in SQL; NULL: nobody */
	const struct code_source *code; /* who tells instructions; NULL: nobody */
	/* Asks again, and looks at that until the user comes back: false when he has quit instead.
	 * What was asked wrongly is in *e.  NULL: nobody can be asked. */
	bool (*again)(void *ctx, const struct app_again *what, struct err *e);
	void *ctx;
	bool *back; /* this is such a look: undoing what is first goes back, and says so here */
	bool restless; /* for tests: what is worked on rests as often as it can */
	bool frees; /* what it has made, at the end; else the process ends with it */
};

/* Runs until the user quits.  False with usage in *e when the lens does not fit the
 * profile. */
bool app_run(const struct app_config *config, struct profile *p,
	     const struct app_feed *feed, struct screen *screen, struct err *e);

/* Is there a view of this name?  For --view. */
bool app_has_view(const char *name);

#endif
