/* shorten.h - names of functions where there is no room for the whole of them. */
#ifndef PNAV_UI_SCREEN_SHORTEN_H
#define PNAV_UI_SCREEN_SHORTEN_H

#include "model/base/buf.h"

/* Appends the name in at most `cols` columns, giving up what tells least first:
 *
 *	1. argument lists        draw(int, char *)      -> draw(…)
 *	2. template arguments    map<int, long>::find   -> map<…>::find
 *	3. folders               src/gfx/draw.c         -> draw.c
 *	4. namespaces            std::chrono::now       -> now
 *	   packages, classes     java.util.List.add     -> List.add -> add
 *	   prefixes of libraries ZSTD_compress          -> …compress
 *	5. what is left of 1     draw(…)                -> draw
 *	6. the middle            render_everything      -> render…thing
 *
 * What was inlined keeps its mark, `name (inlined)`, where there is room.  Whole characters with
 * their combining marks are kept or dropped, never parts. */
void shorten_name(const char *name, int cols, struct buf *out);

/* Appends any text in at most `cols` columns, "…" in its middle; in less than 4 all of it. */
void shorten_middle(const char *text, int cols, struct buf *out);

#endif
