/* source_costs.c - what the lines of a file cost, and the files, from a fold of its own.
 *
 * By line and never turned over it is another tree than that of the other views, with as many
 * nodes: on millions of stacks that takes longer than a key may, so all of it is made in
 * portions (ui/part/work.h).  The text could be shown meanwhile, but not without its numbers:
 * the view says that it works. */
#include "ui/view/source/source.h"

static bool
fold_by(struct source *v, struct fold *f, enum granularity by, struct pace *pace)
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
make(void *ctx, struct pace *pace)
{
	struct source *v = ctx;
	const struct scene *s = v->scene;
	bool done = v->fold->tree && v->made_folds == s->folds;
	v->made_file = UINT32_MAX; /* of no file, until all is there */
	if (!done)
		done = fold_by(v, v->fold, BY_LINE, pace);
	if (done)
		linecosts_paced(&v->costs, v->fold, s->p, v->file, pace);
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
source_make_costs(struct source *v, struct scene *s)
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
		v->makes = false; /* the loop has done the last portion */
		return v->fits;
	}
	if (anew || !work_busy(v->work)) {
		v->scene = s;
		v->making_folds = s->folds;
		v->making_file = v->file;
		v->making_function = v->function;
		v->searches = 0;
		work_begin(v->work, make, v);
		portion = work_first(portion);
	}
	v->makes = !work_on(v->work, portion);
	v->listing &= v->makes || v->fits;
	if (!v->makes && source_code_is_stale(&v->code, s, v->function))
		v->code.shown = CODE_NOT; /* there is no such fold */
	return !v->makes && v->fits;
}
