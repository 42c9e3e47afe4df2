/* nytprof_read.h - the records of NYTProf's files, format 5.
 *
 * A number is big-endian, its length told by the first byte; a real is as the machine that wrote
 * the file keeps a double; a string is a quote, a length and its bytes.  Behind a record `z` the
 * rest of the file is compressed. */
#ifndef PNAV_SRC_DECODE_NYTPROF_NYTPROF_READ_H
#define PNAV_SRC_DECODE_NYTPROF_NYTPROF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "src/input/input.h"

#define NYT_FIELDS_MAX 9u

struct nyt_text {
	const char *at; /* in the window */
	size_t len;
};

/* A field. The letter in the form of its record (nyt_form()) gives its type: 'u' and 'i', an
 * unsigned and a signed number; 'n', a real; 's', a string; 'l', the rest of the line. */
union nyt_field {
	uint32_t u;
	int32_t i;
	double n;
	struct nyt_text s;
};

struct nyt_record {
	char tag;
	uint64_t offset; /* in the file; in its compressed part, how far that was read */
	uint64_t place;  /* as if that part stood there as what comes out of it */
	union nyt_field field[NYT_FIELDS_MAX];
};

struct nyt_reader {
	struct input *in;    /* borrowed */
	struct input *inner; /* behind `z`: what comes out of it */
	uint64_t inner_at;   /* its place */
	unsigned major, minor;
	bool big_endian, ordered; /* of reals, once one told it */
};

/* Reads the first line.  False with a refusal where it is none, or of a version that is not
 * read. */
bool nyt_open(struct nyt_reader *r, struct input *in, struct err *e);
/* The next record, whose texts are valid until the next call.  False at the end, and with damage
 * in *e where a record cannot be read. */
bool nyt_next(struct nyt_reader *r, struct nyt_record *out, struct err *e);
void nyt_close(struct nyt_reader *r);
/* The fields of a record, a letter each; NULL where no record is called so. */
const char *nyt_form(char tag);
/* Returns the name of a kind of records. */
const char *nyt_name(char tag);

#endif
