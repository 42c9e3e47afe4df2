/* hues.h - the meaning of the colours of boxes: the kind of a frame, its module, or its file.
 *
 * 	hues_init(&h);                  // or hues_set(&h, HUE_FILE)
 * 	hues_arrange(&h, scene);        // then scene->hues == &h
 * 	ink = hues_ink(scene, key);
 * 	hues_draw(&h, scene, canvas, area); // the legend
 *
 * The modules (files) that cost most have a colour and a letter each, and keep them while the range
 * and the filters change.  All others share one. */
#ifndef PNAV_UI_PART_HUES_H
#define PNAV_UI_PART_HUES_H

#include "ui/part/scene.h"
#include "ui/part/work.h"
#include "ui/screen/canvas.h"

#define HUES_MAX 6

/* HUE_AUTO, the initial one: modules if at least two have a cost, else kinds. */
enum hue { HUE_AUTO, HUE_KIND, HUE_MODULE, HUE_FILE };

struct hue_name {
	name_id name;
	int64_t self; /* of the metric, in the range and with the filters of the fold */
};

struct hues {
	enum hue by; /* as the user chose */
	enum hue is; /* what HUE_AUTO means here; otherwise the same */
	struct hue_name at[HUES_MAX];
	unsigned n;
	int64_t others; /* self of all without a colour of their own */
	uint64_t folds; /* the fold of the numbers */
	bool fixed;     /* the colours are assigned for good */
	/* private: the work that finds them, and its fold */
	struct work *work;
	const struct scene *scene;
	uint64_t making;
};

/* "auto", "kind", "module", "file". */
const char *hue_word(enum hue by);
bool hue_read(const char *word, enum hue *out, struct err *e);

void hues_init(struct hues *h);
/* Call it before the works of its scenes are released. */
void hues_release(struct hues *h);
/* Assigns colours again, to the costliest at that time. */
void hues_set(struct hues *h, enum hue by);
/* Updates h after a change of the fold, in portions. */
void hues_arrange(struct hues *h, const struct scene *s);
/* Returns the ink of a frame's box.  Its shade depends on the name, so that a function looks the
 * same everywhere, unless it is `plain`. */
enum ink hues_ink(const struct scene *s, key_id key, bool plain);
/* Appends the character that repeats the ink: the letter of a module and a blank; nothing for
 * kinds, and where the frame drawn above has the same letter (KEY_NONE: there is none). */
void hues_sign(const struct scene *s, key_id key, key_id above, struct buf *out);
/* Returns the shade of a box (canvas_shade()) by its share of self: a frame that only calls others
 * is darker. */
unsigned hues_shade(int64_t self, int64_t total);
unsigned hues_node_shade(const struct fold *f, node_id node);
/* True if it has a legend.  Kinds have none: the help explains their signs. */
bool hues_have_legend(const struct hues *h);
/* Draws the legend in the first line of the area. */
void hues_draw(const struct hues *h, const struct scene *s, struct canvas *c, struct area a);

#endif
