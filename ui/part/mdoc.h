/* mdoc.h - a manual page as text, for machines that have neither mandoc nor man. */
#ifndef PNAV_UI_PART_MDOC_H
#define PNAV_UI_PART_MDOC_H

#include <stddef.h>

#include "model/base/buf.h"

/* Appends the page, in lines of at most `cols` columns, with the marks of pager.h. */
void mdoc_format(const char *text, size_t len, int cols, struct buf *out);

#endif
