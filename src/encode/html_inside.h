/* html_inside.h - the parts of the html page's encoder (html.c). */
#ifndef PNAV_SRC_ENCODE_HTML_INSIDE_H
#define PNAV_SRC_ENCODE_HTML_INSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/table/columns.h"
#include "src/encode/shown.h"

/* The contents of a page.  Rows are those of `pnav report`, nodes those of the tree below. */
struct page {
	const struct encode_job *job;
	const struct profile *p;
	struct lens lens;     /* the job's, not inverted: the script inverts by itself */
	struct encode_job upright; /* the job with that lens */
	struct fold *fold;    /* of that lens: the rows */
	struct shown shown;   /* the tree: of lines where the lens asks for functions */
	struct look look;     /* of the fold, for programs */
	struct rows rows;     /* largest self first, in the order of a report */
	uint32_t *row_of;     /* [key of fold] its row; UINT32_MAX: none yet */
	struct rows extra;    /* rows of the tree that a report omits, after the others */
	bool large;           /* it has numbers that its script rounds */
	/* chosen by --limit-nodes */
	uint8_t *keep;        /* [node of the tree] 1: written; NULL: all */
	uint64_t other_nodes; /* that were merged, */
	int64_t other;        /* and what they took */
};

/* The files page.js and page.css, compressed by gzip when pnav is built. */
struct html_part {
	const unsigned char *gzip;
	size_t len, size; /* compressed, and not */
};

extern const struct html_part html_page_js, html_page_css;

/* ---- html_data.c ---- */

/* Appends the profile as compressed JSON (the head of page.js describes it).  False with an error
 * in *e if it is too large. */
bool html_data(struct page *x, struct buf *out, struct err *e);
/* Chooses the nodes that are written: the heaviest ones.  At most `most`, including the nodes
 * (other) into which the rest is merged. */
void html_limit(struct page *x, uint32_t most);

/* ---- html_time.c ---- */

/* Writes the member `time` with a comma before it: for each track how busy it was, for each counter
 * its values, in equal parts of the range.  Nothing where the profile has no time. */
void html_time(struct page *x, FILE *out);

/* ---- html_markup.c ---- */

#define HTML_ROWS 200u /* of the table that works without the script */

/* Writes a name as a string of JSON. */
void html_write_name(const struct page *x, FILE *out, name_id id);
/* Appends text with the characters of markup escaped, and controls as blanks. */
void html_text(struct buf *out, const struct buf *text);
/* Writes the header, the table of functions and the facts of the profile. */
void html_markup(struct page *x, FILE *out);

#endif
