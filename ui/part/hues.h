/* hues.h - what the colours of boxes tell: the kind of a frame, its module, or its file.
 *
 *	hues_set(&h, HUE_MODULE);
 *	hues_arrange(&h, scene);        // then scene->hues == &h
 *	ink = hues_ink(scene, key);
 *	hues_draw(&h, scene, canvas, area); // the legend
 *
 * The modules (files) that cost most have a colour and a letter each; which one stays as it
 * is while the range and the filters change.  All others share one. */
#ifndef PNAV_UI_PART_HUES_H
#define PNAV_UI_PART_HUES_H

#include "ui/part/scene.h"
#include "ui/part/work.h"
#include "ui/screen/canvas.h"

#define HUES_MAX 6

enum hue { HUE_KIND, HUE_MODULE, HUE_FILE };

struct hue_name {
	name_id name;
	int64_t self; /* of the metric, in the range and with the filters of the fold */
};

struct hues {
	enum hue by;
	struct hue_name at[HUES_MAX];
	unsigned n;
	int64_t others; /* self of what has no colour of its own */
	uint64_t folds; /* of which fold the numbers are */
	bool fixed;     /* who has which colour does not change any more */
	/* private: what finds them, of which fold */
	struct work *work;
	const struct scene *scene;
	uint64_t making;
};

/* "kind", "module", "file". */
const char *hue_word(enum hue by);
bool hue_read(const char *word, enum hue *out, struct err *e);

void hues_init(struct hues *h);
/* Before the works of its scenes are released. */
void hues_release(struct hues *h);
/* Gives colours anew, to what costs most then. */
void hues_set(struct hues *h, enum hue by);
/* Brings h in line with the fold; where that is another one, in portions. */
void hues_arrange(struct hues *h, const struct scene *s);
/* The ink of a frame's box; which shade of a kind depends on its name, so that a function
 * looks the same everywhere, unless it is `plain`. */
enum ink hues_ink(const struct scene *s, key_id key, bool plain);
/* Appends the character that says what the ink does: the letter of a module and a blank;
 * of kinds nothing. */
void hues_sign(const struct scene *s, key_id key, struct buf *out);
/* Does it have a legend?  Kinds have none: the help says what their signs mean. */
bool hues_told(const struct hues *h);
/* The legend, in the first line of the area. */
void hues_draw(const struct hues *h, const struct scene *s, struct canvas *c, struct area a);

#endif
