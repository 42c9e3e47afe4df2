/* scene.h - what views and their parts look at, and share. */
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
struct question;
struct slowest;
struct source_places;

/* All that a view may look at. */
struct scene {
	const struct profile *p;
	const struct fold *fold;
	const struct lens *lens;
	const struct lens *base; /* the range that is compared with; NULL: none is */
	struct outline *outline;
	struct nav *nav;
	const struct search *search;
	uint64_t folds; /* counts the folds: another number, another fold */
	bool chains;    /* frames that only call one other share its line: chains.h */
	bool sure_only; /* of a comparison, rows that may be chance are left out */
	const struct hues *hues; /* what the colours of boxes tell; NULL: kinds */
	const struct question *question; /* in SQL: answer.h */
	const struct code_source *code;  /* who tells instructions (code.h); NULL: nobody */
	struct slowest *calls; /* the list of calls: slowest.h */
	const struct view_facts *facts;
	const struct source_places *sources; /* where source files may be */
	uint64_t edits; /* counts the times that an editor ran: files may be others */
	struct buf say; /* what a view appends while it acts is told in the message line */
	bool again; /* set by arrange() when it has more to do: it is called again soon */
	struct works *works; /* where what takes longer is worked on */
	int64_t portion_ns;  /* of such work, at once: WORK_ALL where nobody waits */
};

/* What is known beside the profile: how it was loaded. */
struct view_facts {
	bool done, stopped;
	uint64_t bytes;
	int64_t elapsed_ns;
	const char *format, *title; /* the format's name, and what it is; may be NULL */
	uint64_t columns; /* of the table of functions: those the user wants, a bit for each of
			   * table_columns; 0: all */
};

#endif
