/* nytprof_read.h - reads the records of NYTProf's files, format 5.
 *
 * A number is big-endian; its first byte gives its length. A real is a double of the machine that
 * wrote the file; a string is a quote, a length and its bytes. After a record `z` the rest of the
 * file is compressed. */
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
	uint64_t offset; /* in the file; in the compressed part, the bytes read so far */
	uint64_t place;  /* the position if that part were decompressed in place */
	union nyt_field field[NYT_FIELDS_MAX];
};

struct nyt_reader {
	struct input *in;    /* borrowed */
	struct input *inner; /* after `z`: the decompressed rest */
	uint64_t inner_at;   /* its position */
	unsigned major, minor;
	bool big_endian, ordered; /* byte order of reals; ordered: it is known */
};

/* Reads the first line. Returns false with a refusal if it is missing, or of an unsupported
 * version. */
bool nyt_open(struct nyt_reader *r, struct input *in, struct err *e);
/* Reads the next record; its texts are valid until the next call. Returns false at the end, and
 * with damage in *e if a record is unreadable. */
bool nyt_next(struct nyt_reader *r, struct nyt_record *out, struct err *e);
void nyt_close(struct nyt_reader *r);
/* Returns the types of a record's fields, a letter each; NULL if there is no such record. */
const char *nyt_form(char tag);
/* Returns the name of a kind of records. */
const char *nyt_name(char tag);

#endif
