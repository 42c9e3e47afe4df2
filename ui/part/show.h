/* show.h - names and numbers of a scene as text; all append to a buf. */
#ifndef PNAV_UI_PART_SHOW_H
#define PNAV_UI_PART_SHOW_H

#include "ui/part/scene.h"

/* The name of a key under the present granularity ("all" for KEY_NONE). */
void show_key(const struct scene *s, key_id key, struct buf *out);
/* Is it a frame without a symbol, and of which module?  That one's last part: "libz.so". */
bool show_nameless(const struct scene *s, key_id key, struct buf *module);
/* Its name as people read it: an address has its module before it, "libz.so 0x1f40". */
void show_frame(const struct scene *s, key_id key, struct buf *out);
/* "components/Poster.brs:88", the file alone, or nothing. */
void show_place(const struct scene *s, key_id key, struct buf *out);
/* The module of its function, or nothing. */
void show_module(const struct scene *s, key_id key, struct buf *out);
/* A value of the metric. */
void show_value(const struct scene *s, int64_t v, struct buf *out);
/* "33.1": its share of everything in range, before any filter; "" of nothing. */
void show_share(const struct scene *s, int64_t v, struct buf *out);
/* A moment on the profile's axis. */
void show_time(const struct scene *s, int64_t t, struct buf *out);
/* The kind behind a key; KIND_USER where there is no function. */
enum kind show_kind(const struct scene *s, key_id key);
/* The unit of the time axis. */
enum unit show_axis(const struct scene *s);
/* Length of the run: of its longest file.  It grows while the file is read, also when the
 * picture is held: what is drawn goes by that of the fold, fold->run. */
int64_t show_duration(const struct profile *p);
/* Does any file say times?  They may all be one. */
bool show_has_times(const struct profile *p);
/* Why there is no range to choose, where the run has no length: "no times in this file". */
const char *show_no_times(const struct profile *p);
/* The range that is looked at, within the run; without one, the whole run. */
void show_range(const struct scene *s, int64_t *from, int64_t *to);

/* What to say where the filters leave nothing of all that was recorded; NULL when they do,
 * or it is not known yet. */
const char *show_nothing_left(const struct scene *s);

/* Numbers of a key, as the table of functions has them; nothing where it has none. */
void show_row(const struct scene *s, key_id key, struct row *out);
/* Numbers of one node as a row. */
bool show_node(const struct scene *s, node_id node, struct row *out);
/* Where the selection is left out (scene.sure_only), what is shown above it is selected. */
void show_selection(struct scene *s);
/* How many nodes are left out then: the unsure() of views that show the outline. */
uint64_t show_unsure(const void *view, const struct scene *s);
/* Which match of the tree the selection is: the hits() of views that search there. */
void show_hits(void *view, const struct scene *s, struct standing *out);

#endif
