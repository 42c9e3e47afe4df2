#include "model/lens/sieve.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

void
sieve_init(struct sieve *v, const struct profile *p, struct pace *pace)
{
	*v = (struct sieve){
		.p = p,
		.pace = pace,
		.n = p->stacks.n,
		.up = p->stacks.parent,
		.frame = p->stacks.frame,
	};
	v->alive = mem_alloc(v->n, 1);
	v->drop = mem_zalloc(v->n, 1);
	v->hit = mem_zalloc(v->n, 1);
	v->at = mem_alloc(v->n, sizeof *v->at);
	v->matches = mem_alloc((size_t)p->frames.n + 1, 1);
	for (struct piece x = piece_of(0, v->n); piece_next(&x, pace);) {
		memset(v->alive + x.from, 1, x.to - x.from);
		for (stack_id s = x.from; s < x.to; s++)
			v->at[s] = s;
	}
	v->alive[0] = 0;
	v->drop[0] = 1; /* time in which no stack runs is not shown */
	bool leaves_out = p->left_out != UINT32_MAX && !pace_gives_up(pace);
	for (stack_id s = 1; leaves_out && s < v->n; s++)
		if (v->frame[s] == p->left_out) {
			v->drop[s] = 1;
			v->alive[s] = 0;
			v->at[s] = v->at[v->up[s]];
		}
}

void
sieve_release(struct sieve *v)
{
	free(v->own_up);
	free(v->alive);
	free(v->drop);
	free(v->hit);
	free(v->at);
	free(v->matches);
}

stack_id *
sieve_own_up(struct sieve *v)
{
	if (!v->own_up)
		v->up = v->own_up = mem_copy(v->up, v->n, sizeof *v->up);
	return v->own_up;
}

bool
sieve_match(struct sieve *v, struct pattern *pattern)
{
	const struct frames *t = &v->p->frames;
	uint8_t *of = mem_alloc(2 * (size_t)t->n_functions + 2, 1); /* [2 * function + inlined] */
	bool any = false;

	for (struct piece x = piece_of(0, t->n_functions); piece_next(&x, v->pace);)
		for (function_id f = x.from; f < x.to; f++) {
			uint8_t *matches = &of[2 * (size_t)f];
			struct function fn = frames_get_function(t, f);
			matches[0] = pattern_matches_function(pattern, v->p, &fn);
			matches[1] = t->any_inlined &&
				     pattern_matches_inlined(pattern, v->p, &fn);
			any |= matches[0] || matches[1];
		}
	/* maps each frame to its function's result in one step */
	for (struct piece x = piece_of(0, t->n); piece_next(&x, v->pace);)
		for (frame_id f = x.from; f < x.to; f++) {
			struct frame frame = frames_get(t, f);
			v->matches[f] = of[2 * (size_t)frame.function + frame.inlined];
		}
	free(of);
	return any;
}

void
sieve_settle(struct sieve *v)
{
	for (struct piece x = piece_of(1, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++) {
			sieve_fetch(v, v->at, sizeof *v->at, s);
			v->at[s] = v->alive[s] ? s : v->at[v->up[s]];
		}
}
