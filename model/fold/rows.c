#include "model/fold/rows.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/vec.h"

void
rows_release(struct rows *r)
{
	free_all(r->at, r->key, r->of.self, r->of.total, r->of.calls, r->of.lines,
		 r->of.base_self, r->of.base_total);
	*r = (struct rows){0};
}

struct row *
rows_add(struct rows *r)
{
	vec_room(r->at, r->cap, r->n + 1);
	r->at[r->n] = (struct row){0};
	return &r->at[r->n++];
}

struct row
rows_get(const struct rows *r, uint32_t i)
{
	if (r->at)
		return r->at[i];
	const struct key_numbers *of = &r->of;
	key_id key = r->key[i];
	return (struct row){
		.key = key,
		.self = of->self[key],
		.total = of->total[key],
		.calls = of->calls ? of->calls[key] : -1,
		.lines = of->lines ? of->lines[key] : -1,
		.base_self = of->base_self ? of->base_self[key] : 0,
		.base_total = of->base_total ? of->base_total[key] : 0,
	};
}
