/* shorten.h - shortens names of functions to a width. */
#ifndef PNAV_UI_SCREEN_SHORTEN_H
#define PNAV_UI_SCREEN_SHORTEN_H

#include <stddef.h>

#include "model/base/buf.h"

/* Appends the name in at most `cols` columns. Drops the least informative parts first:
 *
 *	1. argument lists        draw(int, char *)      -> draw(…)
 *	2. template arguments    map<int, long>::find   -> map<…>::find
 *	3. folders               src/gfx/draw.c         -> draw.c
 *	4. namespaces            std::chrono::now       -> now
 *	   packages, classes     java.util.List.add     -> List.add -> add
 *	   prefixes of libraries ZSTD_compress          -> …compress
 *	5. the rest of 1         draw(…)                -> draw
 *	6. the middle            render_everything      -> render…thing
 *
 * The mark of an inlined function, `name (inlined)`, stays if there is room. Characters are dropped
 * together with their combining marks. */
void shorten_name(const char *name, int cols, struct buf *out);

/* As shorten_name(), for a name with `n` other names near it (NULL: none), such as that of its
 * caller.  Before step 6 it loses the words at its beginning that one of them begins with, too:
 *
 *	ZSTD_compressContinue_internal beside ZSTD_compressContinue    -> …internal
 *	sqlite3BtreeIndexMoveto beside sqlite3BtreeTableMoveto         -> …IndexMoveto
 */
void shorten_name_beside(const char *name, const char *const beside[], size_t n, int cols,
			 struct buf *out);

/* Appends any text in at most `cols` columns, with "…" in its middle; below 4 columns without
 * "…". */
void shorten_middle(const char *text, int cols, struct buf *out);

#endif
