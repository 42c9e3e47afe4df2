/* show.h - names and numbers of a scene as text; all append to a buf. */
#ifndef PNAV_UI_PART_SHOW_H
#define PNAV_UI_PART_SHOW_H

#include "ui/part/scene.h"

/* The name of a key under the present granularity ("all" for KEY_NONE). */
void show_key(const struct scene *s, key_id key, struct buf *out);
/* Returns true if the frame has no symbol; appends the last part of its module then: "libz.so". */
bool show_nameless(const struct scene *s, key_id key, struct buf *module);
/* The name for people: an address follows its module, "libz.so 0x1f40". */
void show_frame(const struct scene *s, key_id key, struct buf *out);
/* "components/Poster.brs:88", the file alone, or nothing. */
void show_place(const struct scene *s, key_id key, struct buf *out);
/* The module of its function, or nothing. */
void show_module(const struct scene *s, key_id key, struct buf *out);
/* Appends a number of a comparison: a fraction below ten if it was scaled or averaged. */
void show_exact(const struct scene *s, double exact, struct buf *out);
/* A value of the metric. */
void show_value(const struct scene *s, int64_t v, struct buf *out);
/* "33.1": the percentage of everything in range, before any filter; "" if that is 0. */
void show_share(const struct scene *s, int64_t v, struct buf *out);
/* A moment on the profile's axis. */
void show_time(const struct scene *s, int64_t t, struct buf *out);
/* The kind behind a key; KIND_USER where there is no function. */
enum kind show_kind(const struct scene *s, key_id key);
/* The unit of the time axis. */
enum unit show_axis(const struct scene *s);
/* Returns true if any file has times, even if all are equal. */
bool show_has_times(const struct profile *p);
/* The reason why a run of length 0 has no range to choose: "no timeline in this file". */
const char *show_no_times(const struct profile *p);
/* The range of the lens within the run; without one, the whole run. */
void show_range(const struct scene *s, int64_t *from, int64_t *to);

/* A message if the filters leave nothing of the recording; NULL if they leave something, or it
 * is not known yet. */
const char *show_nothing_left(const struct scene *s);

/* Numbers of a key, as in the table of functions; unchanged if it has none. */
void show_row(const struct scene *s, key_id key, struct row *out);
/* Returns true if the row is one of several places of its function, whose numbers go to *own. */
bool show_is_part(const struct scene *s, const struct row *row, struct row *own);
/* Numbers of one node as a row. */
bool show_node(const struct scene *s, node_id node, struct row *out);
/* Selects the nearest visible ancestor if scene.sure_only omits the selection. */
void show_selection(struct scene *s);
/* The number of omitted nodes: omitted_rows() of the views that show the outline. */
uint64_t show_omitted_rows(const void *view, const struct scene *s);
/* The position of the selection among the matches: search_position() of the views that search. */
void show_search_position(void *view, const struct scene *s, struct standing *out);

#endif
