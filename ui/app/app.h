/* app.h - the browser: connects a profile and a screen. */
#ifndef PNAV_UI_APP_APP_H
#define PNAV_UI_APP_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/lens/lens.h"
#include "model/profile/profile.h"
#include "ui/part/work.h"
#include "ui/screen/screen.h"

/* The state of loading. */
struct app_state {
	bool done, stopped;
	bool live;            /* more data may arrive at any time, without a known end */
	bool refused;         /* it is not a profile at all: the browser ends */
	bool cut;             /* earlier data was let go */
	bool over;            /* it grows no more: another profile has what is newer */
	bool rolls;           /* and all of this one that is kept */
	uint64_t bytes, size; /* size 0: unknown */
	int64_t elapsed_ns;   /* 0: not shown */
	uint64_t generation;  /* changes whenever the profile does */
	const char *format;   /* its name, or NULL while it is unknown */
	const char *title;    /* a short description of the format */
	const char *news;     /* a message to show once, or NULL: there is none yet */
};

/* The loader of the profile: its state, and the request to stop. */
struct app_loader {
	void *ctx;
	struct app_state (*state)(void *ctx);
	void (*stop)(void *ctx);
};

/* The connection to the loader.  The browser reads the profile only while it holds the lock, and
 * never holds it while it waits for the user.  It lends the lock to its works, which never pass it
 * on (ui/part/work.h). */
struct app_feed {
	struct app_loader loader;
	struct works_lock lock;
};

struct marks;
/* The formats for export, through the lens. */
struct app_exports {
	void *ctx;
	size_t n;
	const char *(*name)(size_t i);
	const char *(*title)(size_t i);
	/* To a new file, with the marks where a format shows them. */
	bool (*write)(void *ctx, size_t i, const struct lens *l, const struct marks *marks,
		      const char *path, struct err *e);
	/* Writes a text of the browser to a new file, completely or not at all. */
	bool (*save)(const char *path, const char *text, size_t len, struct err *e);
};

struct answer_source;
struct code_source;
struct config;
struct inspections;
struct session;

/* An option used to read the files: command lines and sessions repeat it. */
struct app_option {
	const char *name, *value; /* value is NULL when it takes none */
	bool is_file;             /* the value is the path of one */
};

/* The current range and tracks, for another query. */
struct app_again {
	bool whole;            /* no range */
	int64_t from, to;      /* from the first event */
	const uint8_t *tracks; /* [track] 1: chosen; NULL: all are */
	const struct lens *lens;
	const char *view;    /* its name */
};

/* The state of a browser for the next one, which shows a newer part of the same recording on the
 * same screen. */
struct app_carried;
struct app_carried *app_carried_new(void);
void app_carried_free(struct app_carried *c);
/* True if the last browser has ended to make way for the next one, not for another reason. */
bool app_carried_is_due(const struct app_carried *c);

struct app_config {
	const char *const *files; /* as the user wrote them */
	size_t n_files;
	/* [file] short names for the header, and a word before them; NULL: those of the files */
	const char *const *names;
	const char *common;
	const char *command; /* the command for this view: "diff"; NULL: the usual one */
	uint32_t n_base;     /* in a comparison of files: the number of base files */
	bool normalize;      /* comparisons use shares */
	bool independent;    /* samples without time are assumed to be independent */
	const struct app_option *options;
	size_t n_options;
	const struct lens *lens; /* initially */
	const struct lens *base; /* base of a comparison from the start: its range
				    and tracks; NULL: none */
	const char *view;        /* its name, or NULL */
	bool mouse;
	const struct inspections *inspections; /* of the manual; NULL: not installed */
	const char *guide;                     /* the name of the first one, or NULL */
	char *const *manual;                   /* possible paths of pnav-browse.1; ended by NULL */
	/* Appends the source of a page, installed or inside the executable; false: none. */
	bool (*manual_page)(const char *page, struct buf *out);
	const char *const *source_dirs;        /* FROM=TO: where source files are */
	size_t n_source_dirs;
	const struct config *user;             /* pnavrc; NULL: none */
	const struct session *session;         /* to resume; NULL: none */
	const struct app_exports *exports;     /* NULL: none */
	const struct answer_source *questions; /* runs SQL queries; NULL: not available */
	const struct code_source *code;        /* provides instructions; NULL: not available */
	/* Runs the query of a store again, and shows the result until the user returns; false if
	 * the user quit instead.  An error is in *e.  NULL: not available. */
	bool (*again)(void *ctx, const struct app_again *what, struct err *e);
	void *ctx;
	/* Restored at the beginning, and kept at an end that makes way for the next browser. NULL:
	 * there is none. */
	struct app_carried *carried;
	bool *back;    /* this is such a result; undoing its first change returns */
	bool restless; /* for tests: works rest as often as possible */
	bool frees;    /* frees its memory at the end; else the process's end does */
};

/* Runs until the user quits.  Returns false with usage in *e if the lens does not fit the
 * profile. */
bool app_run(const struct app_config *config, struct profile *p,
	     const struct app_feed *feed, struct screen *screen, struct err *e);

/* True if a view has this name.  For --view. */
bool app_has_view(const char *name);

#endif
