/* isodate.h - parses dates of ISO 8601, such as "2024-05-01T12:00:00.25+02:00". */
#ifndef PNAV_SRC_INPUT_ISODATE_H
#define PNAV_SRC_INPUT_ISODATE_H

#include <stdbool.h>
#include <stdint.h>

/* Parses a date with an optional time, fraction and zone; the default zone is UTC. Sets *out to ns
 * since 1970. Returns false, with *out unchanged, if the text is not such a date, or its year is
 * not between 1970 and 2199. */
bool isodate_read(const char *text, int64_t *out);
/* Parses a fraction such as ".25" at *at, and moves *at behind it. Returns it as ns of a second; 0,
 * with *at unchanged, if there is none. */
int64_t isodate_fraction(const char **at);

#endif
