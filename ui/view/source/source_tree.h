/* source_tree.h - the files of a profile as a tree of folders, in the view of a source file. */
#ifndef PNAV_UI_VIEW_SOURCE_SOURCE_TREE_H
#define PNAV_UI_VIEW_SOURCE_SOURCE_TREE_H

#include "model/fold/filecost.h"
#include "ui/part/branches.h"
#include "ui/view/view.h"

struct source_tree {
	struct filecosts costs;
	struct branches rows; /* of costs */
	struct pattern *only; /* the row filter; NULL: all files */
	struct buf title;     /* of the column of names, with the filter */
	uint64_t folds;       /* scene.folds of the costs */
	bool stale;
	bool fresh; /* made and not yet arranged */
	bool stood; /* the cursor was on a row before */
};

void source_tree_init(struct source_tree *t);
void source_tree_release(struct source_tree *t);
/* Returns true if the fold or the row filter has changed. */
bool source_tree_is_stale(const struct source_tree *t, const struct scene *s);
/* Computes the costs of files from this fold by line; calls `pace`. */
void source_tree_make(struct source_tree *t, const struct scene *s, const struct fold *f,
		      struct pace *pace);
/* Adapts the rows to new costs and h rows of the screen.  The cursor goes to `key` of the fold
 * unless that is KEY_NONE. */
void source_tree_arrange(struct source_tree *t, key_id key, int h);
void source_tree_draw(const struct source_tree *t, const struct scene *s, const struct fold *f,
		      struct canvas *c, struct area a);
/* Sets the row filter and takes ownership of it. */
void source_tree_narrow(struct source_tree *t, struct pattern *only);
/* Returns the key with the most self cost in the cursor's row, of the fold by line, or KEY_NONE. */
key_id source_tree_key(const struct source_tree *t);
/* Returns true if the cursor is on a file. */
bool source_tree_is_file(const struct source_tree *t);
bool source_tree_find(struct source_tree *t, const struct scene *s, int dir);
void source_tree_hits(struct source_tree *t, const struct scene *s, struct standing *out);
/* The whole name of the cursor's row, and its numbers. */
void source_tree_where(const struct source_tree *t, const struct scene *s, struct buf *out);
void source_tree_describe(const struct source_tree *t, struct row *out);

#endif
