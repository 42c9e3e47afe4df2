/* align.c - several files on one time of day.
 *
 * All views show the time since a file's start, usually its first event:
 *
 *	A  start 12:00:00.0  |-----------|
 *	B  start 12:00:01.5  |------|                 by their starts
 *
 *	A                    |-----------|
 *	B                    ......|------|           by the clock: B starts 1.5 s earlier
 *
 * So no event moves, and no column is written again. */
#include <string.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/base/vec.h"
#include "model/profile/human.h"
#include "model/profile/profile.h"

static bool
has_moment(const struct group *g)
{
	return g->has_clock && g->has_time && g->axis == UNIT_NS;
}

static void
align_warn(struct profile *p, uint32_t group)
{
	static const char text[] = "no time of day in the file: it begins with the earliest one";

	vec_room(p->warning, p->warnings_cap, p->n_warnings + 1);
	p->warning[p->n_warnings++] = (struct warning){
		.id = text, .text = mem_dup(text, strlen(text)), .count = 1, .group = group};
}

void
profile_align_clocks(struct profile *p)
{
	int64_t earliest = INT64_MAX;

	for (uint32_t i = 0; i < p->n_groups; i++) {
		int64_t first = sum_clipped(p->group[i].clock, p->group[i].start);
		if (has_moment(&p->group[i]) && first < earliest)
			earliest = first;
	}
	for (uint32_t i = 0; i < p->n_groups; i++) {
		struct group *g = &p->group[i];
		if (!has_moment(g)) {
			align_warn(p, i);
			continue;
		}
		int64_t later = difference_clipped(sum_clipped(g->clock, g->start), earliest);
		struct buf text = BUF_INIT;
		human_time(&text, later, UNIT_NS);
		buf_adds(&text, later ? " after the earliest file" : ", as the earliest file");
		profile_inform(p, i, "begins", buf_str(&text), text.len);
		buf_release(&text);
		g->start = difference_clipped(g->start, later);
	}
	p->generation++;
}
