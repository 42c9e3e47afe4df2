/* gzip.h - a stream that compresses its output. */
#ifndef PNAV_SRC_ENCODE_GZIP_H
#define PNAV_SRC_ENCODE_GZIP_H

#include <stdbool.h>
#include <stdio.h>

/* Returns a stream that writes to `under` as one gzip member. fclose() ends the member and leaves
 * `under` open; it and ferror() report write errors. NULL with errno if no stream can be
 * created. */
FILE *gzip_open(FILE *under);
/* Closes the stream. Returns false if not everything could be written; an error of `under` also
 * stays there. */
bool gzip_close(FILE *stream);

#endif
