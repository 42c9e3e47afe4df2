/* crew.h - does pieces of work on all cores, and returns them in order.
 *
 *	struct crew *crew = crew_new(work);
 *	crew_give(crew, &piece);            -- work(&piece) runs on some thread
 *	struct piece *p = crew_take(crew);  -- the oldest piece, done
 *	crew_free(crew);
 *
 * A piece must be some milliseconds of work that touches nothing but the piece. While the taker
 * waits, it works, too. */
#ifndef PNAV_SRC_INPUT_CREW_H
#define PNAV_SRC_INPUT_CREW_H

#define CREW_PIECES 16u /* that may be given and not taken yet */

struct crew;

/* Returns NULL if there is one core only, or no thread can be created. */
struct crew *crew_new(void (*work)(void *piece));
/* Returns the number of pieces that keep it busy, at most CREW_PIECES. */
unsigned crew_pieces(const struct crew *c);
/* Hands over a piece, which is borrowed until it is taken. */
void crew_give(struct crew *c, void *piece);
/* Returns the oldest piece when it is done; NULL if there is none. */
void *crew_take(struct crew *c);
/* All pieces must have been taken. May be NULL. */
void crew_free(struct crew *c);

#endif
