/* source_costs.c - the costs of lines and of files, from a separate fold.
 *
 * The fold is by line and never inverted, so its tree differs from that of the other views and has
 * as many nodes.  On millions of stacks it takes longer than a key may, so it is made in portions
 * (ui/part/work.h).  The view does not show the text without its numbers; meanwhile it reports that
 * it is working. */
#include "ui/view/source/source.h"

static bool
fold_by(struct source_panes *v, struct fold *f, enum granularity by, struct pace *pace)
{
	const struct scene *s = v->scene;
	struct lens l;
	struct err e;
	err_init(&e);
	lens_copy(&l, s->lens);
	l.invert = false;
	l.by = by;
	f->only_track = s->fold->only_track;
	f->pace = pace;
	bool done = fold_update(f, s->p, &l, NULL, &e);
	f->pace = NULL;
	lens_release(&l);
	return done && !pace_gives_up(pace);
}

static void
source_costs_make(void *ctx, struct pace *pace)
{
	struct source_panes *v = ctx;
	const struct scene *s = v->scene;
	bool done = v->fold->tree && v->made_folds == s->folds;
	v->made_file = UINT32_MAX; /* no file until everything is ready */
	if (!done)
		done = fold_by(v, v->fold, BY_LINE, pace);
	if (done)
		linecosts_make(&v->costs, v->fold, s->p, v->file, pace);
	if (done && v->listing)
		source_tree_make(&v->tree, s, v->fold, pace);
	if (done && source_code_is_stale(&v->code, s, v->function) &&
	    fold_by(v, v->code.fold, BY_ADDRESS, pace))
		source_code_make(&v->code, s, v->function, pace);
	if (!pace_gives_up(pace)) {
		v->made_folds = s->folds;
		v->made_file = v->file;
		v->fits = done;
	}
}

bool
source_make_costs(struct source_panes *v, struct scene *s)
{
	bool anew = v->scene != s || v->making_folds != s->folds || v->making_file != v->file ||
		    v->making_function != v->function;
	bool made = v->made_folds == s->folds && v->made_file == v->file &&
		    !(v->listing && source_tree_is_stale(&v->tree, s)) &&
		    !source_code_is_stale(&v->code, s, v->function);
	int64_t portion = s->portion_ns;
	if (!v->work) {
		v->work = work_new(s->works);
		v->fold = fold_new();
		v->code.fold = fold_new();
	}
	if (made && !work_busy(v->work)) {
		v->makes = false; /* the loop has run the last portion */
		return v->fits;
	}
	if (anew || !work_busy(v->work)) {
		v->scene = s;
		v->making_folds = s->folds;
		v->making_file = v->file;
		v->making_function = v->function;
		v->searches = 0;
		work_begin(v->work, source_costs_make, v);
		portion = work_first(portion);
	}
	v->makes = !work_on(v->work, portion);
	v->listing &= v->makes || v->fits;
	if (!v->makes && source_code_is_stale(&v->code, s, v->function))
		v->code.shown = CODE_NOT; /* such a fold does not exist */
	return !v->makes && v->fits;
}
