/* source_tree.h - the files of a profile as a tree of folders: the other half of the view of a
 * file. */
#ifndef PNAV_UI_VIEW_SOURCE_TREE_H
#define PNAV_UI_VIEW_SOURCE_TREE_H

#include "model/fold/filecost.h"
#include "ui/part/branches.h"
#include "ui/view/view.h"

struct source_tree {
	struct filecosts costs;
	struct branches rows; /* of costs */
	struct pattern *only; /* the files that match; NULL: all */
	struct buf title;     /* of the names, which says so */
	uint64_t folds;       /* that it was made for */
	bool stale;
	bool fresh; /* made anew, and not yet arranged */
	bool stood; /* the cursor had been somewhere then */
};

void source_tree_init(struct source_tree *t);
void source_tree_release(struct source_tree *t);
/* Has the fold, or what is asked for, changed? */
bool source_tree_is_stale(const struct source_tree *t, const struct scene *s);
/* Makes what files cost from this fold by line, with rests. */
void source_tree_make(struct source_tree *t, const struct scene *s, const struct fold *f,
		      struct pace *pace);
/* In line with what was made; `key` (of the fold) is what the cursor goes to when it is not
 * KEY_NONE. */
void source_tree_arrange(struct source_tree *t, key_id key, int h);
void source_tree_draw(const struct source_tree *t, const struct scene *s, const struct fold *f,
		      struct canvas *c, struct area a);
/* Takes over the pattern. */
void source_tree_narrow(struct source_tree *t, struct pattern *only);
/* What costs the most itself in the row of the cursor, of the fold by line; KEY_NONE. */
key_id source_tree_key(const struct source_tree *t);
/* Is the cursor on a file? */
bool source_tree_is_file(const struct source_tree *t);
bool source_tree_find(struct source_tree *t, const struct scene *s, int dir);
void source_tree_hits(struct source_tree *t, const struct scene *s, struct standing *out);
/* The whole name of the row, and its numbers. */
void source_tree_where(const struct source_tree *t, const struct scene *s, struct buf *out);
void source_tree_describe(const struct source_tree *t, struct row *out);

#endif
