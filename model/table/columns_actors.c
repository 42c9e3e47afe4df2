#include "model/table/columns_inside.h"

#include "model/fold/actorsum.h"

/* Columns of states and edges (actorsum.h). */

#define SUM_NUMBER(name, gives)                                                            \
	struct value sum_##name##_number(const struct look *l, const struct row *r)        \
	{                                                                                  \
		(void)l;                                                                   \
		return whole(gives);                                                       \
	}
#define SUM_TEXT(name, print)                                                              \
	void sum_##name##_text(const struct look *l, const struct row *r, struct buf *out) \
	{                                                                                  \
		(void)l;                                                                   \
		print;                                                                     \
	}

SUM_NUMBER(count, (int64_t)r->of.sum->count)
SUM_NUMBER(total, r->of.sum->total_ns)
SUM_NUMBER(longest, r->of.sum->longest_ns)
SUM_TEXT(to, show_name(l, r->of.sum->to_name, out))
SUM_TEXT(from, show_name(l, r->of.sum->from_name, out))
SUM_TEXT(state, buf_adds(out, actor_state_name((enum actor_state)r->of.sum->what)))
SUM_TEXT(kind, buf_adds(out, edge_kind_name((enum edge_kind)r->of.sum->what)))
