/* gzip.h - a stream that compresses what is written to it. */
#ifndef PNAV_SRC_ENCODE_GZIP_H
#define PNAV_SRC_ENCODE_GZIP_H

#include <stdbool.h>
#include <stdio.h>

/* A stream whose bytes go to `under` as one gzip member.  fclose() ends the member and
 * leaves `under` open; it and ferror() tell what could not be written.  NULL with errno set
 * when there is no stream to be had. */
FILE *gzip_open(FILE *under);
/* Ends it: false when not all was written.  `under` knows, too, where it was its fault. */
bool gzip_close(FILE *stream);

#endif
