/* stage.h - a scene for tests of views: a profile that the test builds, all that views look at
 * beside it, and one view.
 *
 *	stage_init(&st, &calls_view);
 *	... st.b ...                      -- what is recorded
 *	stage_fold(&st);                  -- it is looked at, again whenever there is more
 *	st.ops->arrange(st.view, &st.scene, stage_screen);
 *	stage_draw(&st, &text);
 *	stage_release(&st); */
#ifndef PNAV_TESTS_LIB_STAGE_H
#define PNAV_TESTS_LIB_STAGE_H

#include "model/build/builder.h"
#include "ui/part/answer.h"
#include "ui/part/hues.h"
#include "ui/part/slowest.h"
#include "ui/view/view.h"

struct stage {
	struct profile *p;
	struct builder *b;
	struct lens lens;
	struct outline outline;
	struct nav nav;
	struct search search;
	struct view_facts facts;
	struct slowest slowest;
	struct answer_request question;
	struct hues hues;
	struct fold *fold;
	struct scene scene;
	const struct view_ops *ops;
	void *view;
};

/* 80 columns and 24 rows. */
extern const struct area stage_screen;

void stage_init(struct stage *st, const struct view_ops *view);
void stage_release(struct stage *st);
/* Folds what is there now through st->lens. */
void stage_fold(struct stage *st);
/* Arranges until nothing is left to do. */
void stage_arrange(struct stage *st);
/* Appends the drawing of the view as text. */
void stage_draw(const struct stage *st, struct buf *out);

#endif
