#include "model/table/columns_inside.h"

#include "model/fold/threadlist.h"

/* Columns of what threads do (threadlist.h). */

#define SHOWN_FRAMES 12u /* of a stack on a screen, besides those of the kernel; then the number of
			  * the others */

static void
show_frame(const struct look *l, stack_id s, struct buf *out)
{
	struct frame f = profile_frame(l->p, l->p->stacks.frame[s]);

	show_name(l, l->p->frames.function.name[f.function], out);
}

/* For programs: outermost first, as in folded stacks. */
static void
write_stack(const struct look *l, stack_id stack, struct buf *out)
{
	const struct stacks *t = &l->p->stacks;
	VEC(stack_id) path = {0};

	for (stack_id s = stack; s != STACK_EMPTY; s = t->parent[s])
		*vec_push(&path) = s;
	for (size_t i = path.n; i-- > 0;) {
		show_frame(l, path.at[i], out);
		buf_adds(out, i ? ";" : "");
	}
	vec_release(&path);
}

void
thread_stack_text(const struct look *l, const struct row *r, struct buf *out)
{
	const struct stacks *t = &l->p->stacks;
	stack_id s = profile_plain(l->p, r->of.thread->stack);
	unsigned n = 0, kernel = 0;

	if (l->programs) {
		write_stack(l, s, out);
		return;
	}
	for (; s != STACK_EMPTY && n - kernel < SHOWN_FRAMES; s = t->parent[s]) {
		struct frame f = profile_frame(l->p, l->p->stacks.frame[s]);
		kernel += profile_function(l->p, f.function).kind == KIND_SYSTEM;
		buf_adds(out, n++ ? " < " : "");
		show_frame(l, s, out);
	}
	for (n = 0; s != STACK_EMPTY; s = t->parent[s])
		n++;
	if (n)
		buf_addf(out, " < %u more", n);
}

void
thread_state_text(const struct look *l, const struct row *r, struct buf *out)
{
	show_name(l, r->of.thread->state, out);
}

void
thread_waits_for_text(const struct look *l, const struct row *r, struct buf *out)
{
	show_name(l, r->of.thread->waits_for, out);
}

struct value
thread_waited_number(const struct look *l, const struct row *r)
{
	(void)l;
	return r->of.thread->waited_ns < 0 ? none() : whole(r->of.thread->waited_ns);
}
