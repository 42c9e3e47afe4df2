/* text1_map.h - the rows of a Text1 export that say what handles mean: HANDLE, CONTEXTS,
 * INFO, and sections that the document does not have. */
#ifndef PNAV_SRC_DECODE_TEXT1_TEXT1_MAP_H
#define PNAV_SRC_DECODE_TEXT1_TEXT1_MAP_H

#include "src/decode/text1/text1.h"

/* Each takes a row that was split by its section's format; damage when it makes no
 * sense. */
bool text1_map_handle(struct text1 *t, const struct text1_format *f,
		      const struct text1_slice *row, uint64_t offset, struct err *e);
bool text1_map_context(struct text1 *t, const struct text1_format *f,
		       const struct text1_slice *row, uint64_t offset, struct err *e);
void text1_map_info(struct text1 *t, const struct text1_format *f,
		    const struct text1_slice *row);
/* Keeps a row as text under this key; the first INFOS_MAX of a file. */
void text1_map_keep(struct text1 *t, const char *key, const char *at, size_t len);
#define INFOS_MAX 1000u

/* The context of a timeline row: a name, or a handle of the section CONTEXTS.
 * CONTEXTS_MAX when there are too many. */
uint32_t text1_map_find_context(struct text1 *t, struct text1_slice s);
/* Was this context seen, or mapped, before? */
bool text1_map_knows_context(struct text1 *t, struct text1_slice s);

#endif
