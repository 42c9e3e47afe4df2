/* card.h - a card: the whole name of a row, its place, module and numbers. */
#ifndef PNAV_UI_PART_CARD_H
#define PNAV_UI_PART_CARD_H

#include "ui/part/scene.h"

/* Appends the text in lines of at most `cols` columns (at least 1), each ended. */
void card_wrap(const char *text, int cols, struct buf *out);
/* Appends the lines for a row: names, and if it has a key, self, total and calls, of a comparison
 * also the base's. */
void card_write(const struct scene *s, const struct row *row, int cols, struct buf *out);

#endif
