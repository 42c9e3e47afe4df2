/* timeline_order.c - sorts the lanes of the timeline.
 *
 * There may be 30,000 of them, and each zoom sorts again.  Comparing pairs takes longer than a key
 * may, so a radix sort (radix.h) goes through the keys, the least significant one first, and
 * keeps equal lanes in order.
 *
 * While the profile grows, about equally busy lanes keep their places (steady.h). */
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/radix.h"
#include "model/base/sum.h"
#include "ui/part/steady.h"
#include "ui/view/timeline/timeline.h"

struct timeline_place {
	uint32_t pin;
	bool points, group_points; /* of its process: all lanes */
	int64_t group_sum, sum, start;
	process_id process;
	const char *name;
	size_t name_len;
};

static int
timeline_order_by_name(const struct timeline_place *x, const struct timeline_place *y)
{
	size_t len = x->name_len < y->name_len ? x->name_len : y->name_len;
	int d = len ? memcmp(x->name, y->name, len) : 0;
	return d ? d : (x->name_len > y->name_len) - (x->name_len < y->name_len);
}

/* ---- by one number after the other, the last one first: equals stay as they are ---- */

static uint64_t
rising(int64_t x)
{
	return (uint64_t)x ^ UINT64_C(1) << 63;
}

static uint64_t
by_pin(const struct timeline_place *x)
{
	return x->pin ? x->pin : UINT64_MAX; /* pinned lanes first, in the order of pinning */
}

static uint64_t
by_kind_of_group(const struct timeline_place *x)
{
	return x->group_points; /* stacks, and processes with stacks, first */
}

static uint64_t
by_group(const struct timeline_place *x)
{
	return rising(x->group_sum);
}

static uint64_t
by_busiest_group(const struct timeline_place *x)
{
	return ~rising(x->group_sum);
}

static uint64_t
by_process(const struct timeline_place *x)
{
	return x->process;
}

static uint64_t
by_kind(const struct timeline_place *x)
{
	return x->points;
}

static uint64_t
by_sum(const struct timeline_place *x)
{
	return ~rising(x->sum);
}

static uint64_t
by_start(const struct timeline_place *x)
{
	return rising(x->start);
}

typedef uint64_t place_number(const struct timeline_place *x);

static place_number *const by_busiest[] = {by_sum,	     by_kind,	       by_process,
					   by_busiest_group, by_kind_of_group, by_pin};
static place_number *const by_place[] = {by_kind, by_group, by_kind_of_group, by_pin};

static void
timeline_sort_by(struct radix_item *item, const struct timeline_place *at, size_t n,
		 place_number *number)
{
	for (size_t i = 0; i < n; i++)
		item[i].number = number(&at[item[i].thing]);
	radix_sort(item, item + n, n);
}

static int
by_name_of(const void *a, const void *b, void *places)
{
	const struct radix_item *x = a, *y = b;
	const struct timeline_place *at = places;
	int d = timeline_order_by_name(&at[x->thing], &at[y->thing]);
	return d ? d : (x->thing > y->thing) - (x->thing < y->thing);
}

/* Returns eight bytes of a name from `skip` on, as a number that sorts alike. */
static uint64_t
name_number(const struct timeline_place *x, size_t skip)
{
	uint64_t number = 0;
	for (size_t i = skip; i < skip + 8; i++)
		number = number << 8 | (i < x->name_len ? (unsigned char)x->name[i] : 0);
	return number;
}

/* Threads have names that begin alike.  The common beginning is skipped, and whole names are
 * compared only if the next eight bytes are equal, too. */
static void
sort_by_name(struct radix_item *item, struct timeline_place *at, size_t n)
{
	size_t skip = n ? at[0].name_len : 0;
	for (size_t i = 1; i < n; i++) {
		size_t same = 0;
		while (same < skip && same < at[i].name_len && at[i].name[same] == at[0].name[same])
			same++;
		skip = same;
	}
	for (size_t i = 0; i < n; i++)
		item[i].number = name_number(&at[item[i].thing], skip);
	radix_sort(item, item + n, n);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && item[end].number == item[i].number;)
			end++;
		if (end - i > 1)
			qsort_r(item + i, end - i, sizeof *item, by_name_of, at);
	}
}

/* Sorts the lanes by their own keys, without groups. */
static void
sort_own(const struct timeline *v, struct radix_item *item, struct timeline_place *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		item[i].thing = (uint32_t)i;
	if (v->order == ORDER_NAME)
		sort_by_name(item, at, n);
	if (v->order == ORDER_START)
		timeline_sort_by(item, at, n, by_start);
}

/* Busiest first: the sums of the groups, or the places of their first lanes, precede all keys of
 * the lanes themselves. */
static void
sort_places(const struct timeline *v, struct radix_item *item, const struct timeline_place *at,
	    size_t n)
{
	bool busiest = v->order == ORDER_BUSIEST;
	size_t numbers = busiest ? sizeof by_busiest / sizeof *by_busiest
				 : sizeof by_place / sizeof *by_place;
	for (size_t i = 0; i < numbers; i++)
		timeline_sort_by(item, at, n, busiest ? by_busiest[i] : by_place[i]);
}

static const char *const order_words[] = {
	[ORDER_BUSIEST] = "busiest first",
	[ORDER_FILE] = "as in the file",
	[ORDER_NAME] = "by name",
	[ORDER_START] = "by start",
};

const char *
timeline_order_word(const struct timeline *v)
{
	return order_words[v->order];
}

static void
share_kind(struct timeline_place *at, size_t n, uint32_t n_processes)
{
	uint8_t *stacks = mem_zalloc(n_processes ? n_processes : 1, 1);
	for (size_t i = 0; i < n; i++)
		if (at[i].process != PROCESS_NONE && !at[i].points)
			stacks[at[i].process] = 1;
	for (size_t i = 0; i < n; i++)
		at[i].group_points = at[i].points && (at[i].process == PROCESS_NONE ||
						      !stacks[at[i].process]);
	free(stacks);
}

/* While more is read, converts sums to places, in which similar lanes keep their order. */
static void
hold_places(const struct timeline *v, const struct scene *s, struct timeline_place *at, size_t n)
{
	struct steady *lanes = mem_alloc(n ? n : 1, sizeof *lanes);

	if (v->order != ORDER_BUSIEST || s->facts->done)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		size_t stood = v->lanes.at[i].stood;
		lanes[i] = (struct steady){at[i].sum, stood ? stood : STEADY_NEW, i};
	}
	steady_sort(lanes, n);
	for (size_t i = 0; i < n; i++)
		at[lanes[i].id].sum = (int64_t)(n - i);
	free(lanes);
}

/* Does the same for groups, whose sum is that of the process. */
static void
hold_groups(const struct timeline *v, const struct scene *s, struct timeline_place *at, size_t n)
{
	struct steady *groups = mem_alloc(n ? n : 1, sizeof *groups);
	size_t *of = mem_zalloc(s->p->n_processes + 1u, sizeof *of), n_groups = 0;

	for (size_t i = 0; i < n && v->order == ORDER_BUSIEST && !s->facts->done; i++) {
		process_id process = at[i].process;
		size_t stood = v->lanes.at[i].stood, was = stood ? stood : STEADY_NEW;
		if (process != PROCESS_NONE && of[process]) {
			struct steady *g = &groups[of[process] - 1];
			g->was = was < g->was ? was : g->was;
			continue;
		}
		groups[n_groups++] = (struct steady){at[i].group_sum, was, i};
		if (process != PROCESS_NONE)
			of[process] = n_groups;
	}
	steady_sort(groups, n_groups);
	for (size_t k = 0; k < n_groups; k++)
		at[groups[k].id].group_sum = (int64_t)(n_groups - k);
	/* the other lanes of a process get the values of its first */
	memset(of, 0, (s->p->n_processes + 1u) * sizeof *of);
	for (size_t i = 0; i < n && n_groups; i++) {
		process_id process = at[i].process;
		if (process != PROCESS_NONE && !of[process])
			of[process] = i + 1;
		else if (process != PROCESS_NONE)
			at[i].group_sum = at[of[process] - 1].group_sum;
	}
	free(groups);
	free(of);
}

/* Gives the lanes of a process a common key, so that they are together; other lanes use their
 * own.  The key is the sum for the busiest order, else the place of the first lane. */
static void
share_group(const struct timeline *v, struct radix_item *item, struct timeline_place *at, size_t n,
	    uint32_t n_processes)
{
	int64_t *sum = mem_zalloc(n_processes ? n_processes : 1, sizeof *sum);
	if (v->order == ORDER_BUSIEST) {
		for (size_t i = 0; i < n; i++)
			if (at[i].process != PROCESS_NONE)
				sum[at[i].process] += at[i].sum;
	} else {
		sort_places(v, item, at, n);
		for (size_t i = n; i-- > 0;)
			if (at[item[i].thing].process != PROCESS_NONE)
				sum[at[item[i].thing].process] = (int64_t)i;
		for (size_t i = 0; i < n; i++) /* back to the lane's own place */
			at[item[i].thing].group_sum = (int64_t)i;
	}
	for (size_t i = 0; i < n; i++)
		if (at[i].process != PROCESS_NONE)
			at[i].group_sum = sum[at[i].process];
		else if (v->order == ORDER_BUSIEST)
			at[i].group_sum = at[i].sum;
	free(sum);
}

void
timeline_sort(struct timeline *v, const struct scene *s)
{
	size_t n = v->lanes.n;
	struct timeline_place *at = mem_alloc(n ? n : 1, sizeof *at);
	struct radix_item *item = mem_alloc(2 * n + 1, sizeof *item);
	for (size_t i = 0; i < n; i++) {
		const struct lane *lane = &v->lanes.at[i];
		const struct track *t = &s->p->track[lane->track];
		struct name name = {0};
		if (v->order == ORDER_NAME)
			name = names_get(&s->p->names, t->name);
		at[i] = (struct timeline_place){
			.pin = lane->pin,
			.points = !lane_has_stacks(lane),
			.sum = lane->sum,
			.start = t->has_time ? difference_clipped(t->start, lane->start) : 0,
			.process = t->under,
			.name = name.at,
			.name_len = name.len,
		};
	}
	share_kind(at, n, s->p->n_processes);
	sort_own(v, item, at, n);
	if (v->order == ORDER_BUSIEST || s->p->n_processes)
		share_group(v, item, at, n, s->p->n_processes);
	hold_groups(v, s, at, n);
	hold_places(v, s, at, n);
	sort_places(v, item, at, n);
	v->sorted.n = 0;
	for (size_t i = 0; i < n; i++) {
		size_t lane = item[i].thing;
		*vec_push(&v->sorted) = lane;
		v->lanes.at[lane].stood = v->order == ORDER_BUSIEST ? i + 1 : 0;
	}
	free(item);
	free(at);
}
