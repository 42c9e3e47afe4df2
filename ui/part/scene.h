/* scene.h - the data that all views and their parts read and share. */
#ifndef PNAV_UI_PART_SCENE_H
#define PNAV_UI_PART_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/fold/fold.h"
#include "model/lens/lens.h"
#include "ui/part/keys.h"
#include "ui/part/nav.h"
#include "ui/part/outline.h"
#include "ui/part/search.h"
#include "ui/part/work.h"

struct hues;
struct code_source;
struct answer_request;
struct slowest;
struct source_places;
struct sparks;

/* Everything that a view may read. */
struct scene {
	const struct profile *p;
	const struct fold *fold;
	const struct lens *lens;
	const struct lens *base; /* the base of a comparison of ranges; NULL: none */
	struct outline *outline;
	struct nav *nav;
	const struct search *search;
	uint64_t folds; /* number of folds made so far; a new number means a new fold */
	bool chains;    /* a frame with a single callee shares its line: chains.h */
	bool sure_only; /* omit rows of a comparison that may be chance */
	const struct hues *hues; /* the meaning of box colours; NULL: kinds */
	const struct answer_request *question; /* in SQL: answer.h */
	const struct code_source *code;  /* the source of instructions (code.h); NULL: none */
	struct slowest *calls; /* the list of calls: slowest.h */
	struct sparks *sparks;  /* curves beside the rows of tables: sparks.h; NULL: none */
	const struct view_facts *facts;
	const struct source_places *sources; /* folders of source files */
	uint64_t edits; /* number of editor runs so far; files may have changed since */
	struct buf say; /* act() appends text for the message line */
	bool hurried; /* keys come one after the other: what can wait should */
	bool later;   /* set by arrange() if something waits for their rest */
	bool again; /* set by arrange() if it has more to do; the loop soon calls it again */
	struct works *works; /* long work: work.h */
	int64_t portion_ns;  /* time for one portion of it; WORK_ALL if no user waits */
};

/* Ignored lines of a settings file, "FILE:LINE: reason", and the number of further ones. */
struct ignored_lines {
	const char *const *line;
	size_t n, more;
};

/* Facts about the loading of the profile. */
struct view_facts {
	struct ignored_lines ignored[2]; /* of pnavrc, of the session */
	bool done;
	uint64_t bytes;
	int64_t elapsed_ns;
	const char *format, *title; /* the format's name and title; may be NULL */
	uint64_t columns; /* the user's columns of the table of functions, a bit for each of
			   * table_columns; 0: all */
};

#endif
