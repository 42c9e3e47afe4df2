/* words.h - converts a lens to text and back.
 *
 * A lens has three forms of text. One function writes and one reads each part, for all forms:
 *
 *	options   ` --hide 'a b' --by line`: a command line, quoted for a shell
 *	lines     `entry ~hide a b`: a session, one line per part
 *	a spec    `~hide a b`: a filter file (pnav-filter(5)), entries only
 *
 * Text that was written and read again gives the same lens. Options and lines reproduce it
 * exactly, but options omit entries that are off. A spec keeps what patterns match, but may
 * write them in another way. */
#ifndef PNAV_MODEL_LENS_WORDS_H
#define PNAV_MODEL_LENS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/lens/lens.h"

/* As granularity_parse(), but sets usage in *e with a list of the values. */
bool granularity_read(const char *text, enum granularity *out, struct err *e);

/* ---- options ---- */

/* Appends ` --WORD VALUE`, quoted for a shell; value NULL: only the word. */
void words_option(struct buf *out, const char *word, const char *value);
/* Appends the options of this lens, each preceded by a blank, quoted for a shell. */
void lens_write_options(const struct lens *l, struct buf *out);
/* Sets the part of the lens that an option means, or adds an entry; returns false with usage in
 * *e. */
bool lens_read_option(struct lens *l, const char *word, const char *value, struct err *e);
/* Appends the options of a comparison of l with `kept` (lens_base()). Without a --base-track,
 * the base has the tracks of the lens. If the base has all tracks and the lens does not, the
 * option is a pattern that all tracks match. */
void lens_write_base(const struct lens *kept, const struct lens *l, struct buf *out);
/* Applies the option base-from, base-to or base-track; returns false with usage in *e. */
bool lens_read_base(struct lens *kept, const char *word, const char *value, struct err *e);

/* ---- lines ---- */

/* Appends a line `WORD VALUE`. The line becomes $'...', as in shells, if it would not survive
 * otherwise: if it has a line end or a control character, or if the value begins with a blank. */
void words_line(struct buf *out, const char *word, const char *value);
/* Splits a line (a string without its end) into word and value. *word is empty for a comment or
 * a blank line. Returns false with usage in *e if a quote is not closed. */
bool words_read_line(const char *line, struct buf *word, struct buf *value, struct err *e);
void lens_write_lines(const struct lens *l, struct buf *out);
/* Writes the base of a comparison: its ends and its tracks. */
void lens_write_base_lines(const struct lens *kept, struct buf *out);
/* Returns true if lines of a base can begin with this word. */
bool lens_has_base_line(const char *word);
/* Sets the part of the lens that a line means; returns false with usage in *e. */
bool lens_read_line(struct lens *l, const char *word, const char *value, struct err *e);
bool lens_read_base_line(struct lens *kept, const char *word, const char *value,
			 struct err *e);

/* ---- specs ---- */

/* Parses a filter specification (pnav-filter(5)) and appends its entries in order. Errors name
 * `file`, line and column; nothing is added then. */
bool lens_read_spec(struct lens *l, const char *file, const char *text, size_t len,
		    struct err *e);
/* Writes the entries in that form. */
void lens_write_spec(const struct lens *l, struct buf *out);

#endif
