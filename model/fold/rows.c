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
