#include "tests/lib/stage.h"

#include "tests/lib/unit.h"


const struct area stage_screen = {0, 0, 24, 80};

void
stage_init(struct stage *st, const struct view_ops *view)
{
	*st = (struct stage){.p = profile_new(), .fold = fold_new(), .ops = view};
	st->b = builder_new(st->p, "stage", "test");
	lens_init(&st->lens);
	outline_init(&st->outline);
	nav_init(&st->nav);
	search_init(&st->search);
	slowest_init(&st->slowest);
	hues_init(&st->hues);
	st->scene = (struct scene){
		.p = st->p,
		.fold = st->fold,
		.lens = &st->lens,
		.outline = &st->outline,
		.nav = &st->nav,
		.search = &st->search,
		.facts = &st->facts,
		.calls = &st->slowest,
		.question = &st->question,
		.hues = &st->hues,
	};
	st->view = view->create();
}

void
stage_release(struct stage *st)
{
	st->ops->destroy(st->view);
	buf_release(&st->scene.say);
	slowest_release(&st->slowest);
	question_release(&st->question);
	search_release(&st->search);
	nav_release(&st->nav);
	outline_release(&st->outline);
	lens_release(&st->lens);
	fold_free(st->fold);
	builder_free(st->b);
	profile_free(st->p);
}

void
stage_fold(struct stage *st)
{
	struct err e;
	err_init(&e);
	ck_assert(fold_update(st->fold, st->p, &st->lens, NULL, &e));
	st->scene.folds++;
	outline_reset(&st->outline, st->fold, st->p);
	nav_settle(&st->nav, st->fold, st->p);
	search_update(&st->search, st->fold, st->p, NULL);
}

void
stage_arrange(struct stage *st)
{
	do {
		st->scene.again = false;
		st->ops->arrange(st->view, &st->scene, stage_screen);
	} while (st->scene.again);
}

void
stage_draw(const struct stage *st, struct buf *out)
{
	struct canvas c;
	canvas_init(&c, stage_screen.w, stage_screen.h, false);
	st->ops->draw(st->view, &st->scene, &c, stage_screen);
	canvas_write(&c, out);
	canvas_release(&c);
}
