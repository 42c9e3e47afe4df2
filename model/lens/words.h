/* words.h - a lens as words, and back.
 *
 * A lens stands in three forms of text, and each part of it is written and read in one
 * place for all of them:
 *
 *	options   ` --hide 'a b' --by line`: a command line, quoted for a shell
 *	lines     `entry ~hide a b`: a session, a part a line
 *	a spec    `~hide a b`: a filter file (pnav-filter(5)), entries alone
 *
 * What is written in a form and read again is the same lens: to the byte in options and
 * lines, where entries that are off are no part of options.  A spec keeps what patterns
 * match, but may spell them in another way. */
#ifndef PNAV_MODEL_WORDS_H
#define PNAV_MODEL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/lens/lens.h"

/* As granularity_parse(), with usage in *e that lists them. */
bool granularity_read(const char *text, enum granularity *out, struct err *e);

/* ---- options ---- */

/* Appends ` --WORD VALUE`, quoted for a shell; NULL: a word without a value. */
void words_option(struct buf *out, const char *word, const char *value);
/* The options that give this lens, each preceded by a blank, quoted for a shell. */
void lens_write_options(const struct lens *l, struct buf *out);
/* Sets the part that an option says, or adds an entry; false with usage in *e. */
bool lens_read_option(struct lens *l, const char *word, const char *value, struct err *e);
/* The options of a comparison of l with `kept` (lens_base()): without a --base-track the
 * tracks are those of the lens, and a base that has all tracks of a lens that has not says
 * so by a pattern that all match. */
void lens_write_base(const struct lens *kept, const struct lens *l, struct buf *out);
/* Sets what base-from, base-to or base-track say; false with usage in *e. */
bool lens_read_base(struct lens *kept, const char *word, const char *value, struct err *e);

/* ---- lines ---- */

/* Appends a line `WORD VALUE`, in $'...' as shells have it where it would not come back as
 * it is: with a line end or a control in it, or a blank that seems to be of the form. */
void words_line(struct buf *out, const char *word, const char *value);
/* Takes a line (a string without its end) apart.  *word is empty for a comment or a blank
 * line; false with usage in *e when its quotes are not whole. */
bool words_read_line(const char *line, struct buf *word, struct buf *value, struct err *e);
void lens_write_lines(const struct lens *l, struct buf *out);
/* What is compared with: its ends and its tracks. */
void lens_write_base_lines(const struct lens *kept, struct buf *out);
/* Are there lines of a base that begin with this word? */
bool lens_has_base_line(const char *word);
/* Sets the part that a line says; false with usage in *e. */
bool lens_read_line(struct lens *l, const char *word, const char *value, struct err *e);
bool lens_read_base_line(struct lens *kept, const char *word, const char *value,
			 struct err *e);

/* ---- specs ---- */

/* A filter specification (pnav-filter(5)): its entries are added at the end, in order.
 * Errors name `file`, line and column; nothing is added then. */
bool lens_read_spec(struct lens *l, const char *file, const char *text, size_t len,
		    struct err *e);
/* Writes the entries in that form. */
void lens_write_spec(const struct lens *l, struct buf *out);

#endif
