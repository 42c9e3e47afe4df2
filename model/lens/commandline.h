/* commandline.h - the command line that gives a view again.
 *
 * Reports, answers, the guide and the browser print such lines.  They differ in what they show, not
 * in how a line is written:
 *
 *	pnav VERB OPTIONS LENS BASE --view VIEW MORE REST
 */
#ifndef PNAV_MODEL_LENS_COMMANDLINE_H
#define PNAV_MODEL_LENS_COMMANDLINE_H

#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/lens/lens.h"

/* The words of a line besides the lens and the view: how the profile is loaded. */
struct commandline {
	const char *verb;   /* "report"; NULL: none. Borrowed */
	struct buf options; /* ` --OPTION VALUE...` of formats, quoted for a shell */
	struct buf rest;    /* ` --normalize ... FILE...`, likewise */
};

void commandline_release(struct commandline *c);

/* Appends the files to c->rest. The first `n_base` are the base of a comparison of files; 0: there
 * is none. Several files a side become --old and --new. */
void commandline_files(struct commandline *c, const char *const *file, size_t n,
		       uint32_t n_base);

/* Appends the line. `kept` is the base of a comparison of ranges or tracks (lens_base()), or NULL;
 * `view` NULL: no --view; `more` has further options, each preceded by a blank, or is NULL. */
void commandline_write(const struct commandline *c, const struct lens *l,
		       const struct lens *kept, const char *view, const char *more,
		       struct buf *out);

#endif
