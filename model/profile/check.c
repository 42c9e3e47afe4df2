#include <assert.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/profile/profile.h"

#include <stdlib.h>

/* profile_check(): walks the invariants of the headers. Tests and fuzzers call it after every
 * load. It compares checkpoints and blocks with sums made event by event, so that a wrong one is
 * found here and not in displayed numbers. Sums that a packed profile states are the exception:
 * they may be wrong like the values of its events (series_prefix.h). */

#define HOLDS(condition, ...)                                                            \
	do {                                                                             \
		if (!(condition))                                                        \
			return err_refuse(e, __VA_ARGS__);                               \
	} while (0)

static bool
check_tables(const struct profile *p, struct err *e)
{
	for (name_id i = 0; i < p->names.n; i++) {
		struct name name = names_get(&p->names, i);
		HOLDS(names_find(&p->names, name.at, name.len) == i,
		      "name %u is not found as itself", i);
	}
	for (function_id i = 0; i < p->frames.n_functions; i++) {
		struct function f = profile_function(p, i);
		HOLDS(f.name < p->names.n && f.file < p->names.n &&
			      f.module < p->names.n,
		      "function %u has a name that is none", i);
		HOLDS(f.kind < KINDS, "function %u has kind %u", i, f.kind);
	}
	for (frame_id i = 0; i < p->frames.n; i++)
		HOLDS(p->frames.frame.function[i] < p->frames.n_functions,
		      "frame %u has no function", i);
	HOLDS(p->stacks.parent[0] == STACK_NONE, "stack 0 has a parent");
	for (stack_id i = 1; i < p->stacks.n; i++) {
		HOLDS(p->stacks.parent[i] < i, "stack %u comes before its parent", i);
		HOLDS(p->stacks.frame[i] < p->frames.n, "stack %u has no frame", i);
	}
	for (metric_id m = 0; m < p->n_metrics; m++)
		HOLDS(p->metric[m].name < p->names.n, "metric %u has no name", m);
	return true;
}

/* Returns what one event adds to a metric of its series. */
static int64_t
event_value(const struct series *s, unsigned m, const struct chunk *c, uint32_t at,
	    int64_t length)
{
	assert(m < s->n_metrics && at < c->n);
	if (s->role[m] == ROLE_WALL)
		length = wall_clock_between(s->clock, column_get(&c->time, at),
					    column_get(&c->time, at) + length);
	return role_adds((enum metric_role)s->role[m],
			 s->column[m] != UINT8_MAX ? series_number(s, c, at, m) : 0, length,
			 chunk_stack(c, at));
}

static bool
check_checkpoint(const struct series *s, uint32_t checkpoint, const int64_t *sum,
		 uint32_t n_stacks, struct err *e)
{
	const struct checkpoint *c = &s->checkpoint[checkpoint];

	HOLDS(c->key <= checkpoint && s->checkpoint[c->key].key == c->key,
	      "checkpoint %u counts from one that is no key", checkpoint);
	for (unsigned m = 0; !s->prefix && m < s->n_metrics; m++)
		for (uint32_t i = 0; i < c->n; i++) {
			int64_t says = 0;
			series_checkpoint_add(s, checkpoint, m, i, 1, 1, &says);
			HOLDS(says == sum[m * (size_t)n_stacks + s->seen[i]],
			      "the checkpoint before event %llu is wrong for stack %u",
			      (unsigned long long)c->events, s->seen[i]);
		}
	return true;
}

/* Checks the sizes of the chunks before any event is read, since reading relies on them. */
static bool
check_chunks(const struct series *s, uint32_t n_stacks, struct err *e)
{
	uint64_t n = 0;

	for (uint32_t k = 0; k < s->n_chunks; n += s->chunk[k++].n)
		HOLDS(s->chunk[k].first == n && s->chunk[k].n &&
			      s->chunk[k].n <= s->chunk[k].cap,
		      "chunk %u begins at the wrong event", k);
	for (uint32_t i = 0; i < s->n_blocks; i++)
		HOLDS(s->block[i].dominant < n_stacks, "block %u has no stack", i);
	for (uint32_t i = 0; i < s->n_checkpoints; i++)
		HOLDS(s->checkpoint[i].n <= s->n_seen && s->checkpoint[i].events <= s->n,
		      "checkpoint %u has more than its series", i);
	HOLDS(n == s->n, "a series has %llu events and says %llu", (unsigned long long)n,
	      (unsigned long long)s->n);
	return true;
}

/* Walks the events once, with a sum for each metric and stack. */
static bool
check_events(const struct profile *p, const struct series *s, int64_t *sum, struct err *e)
{
	int64_t all[SERIES_METRICS_MAX] = {0}, before = INT64_MIN;
	uint64_t n = 0;

	for (uint32_t k = 0; k < s->n_chunks; k++) {
		const struct chunk *c = &s->chunk[k];
		if (c->checkpoint != UINT32_MAX) {
			HOLDS(c->checkpoint < s->n_checkpoints &&
				      s->checkpoint[c->checkpoint].events == n,
			      "chunk %u has a checkpoint of elsewhere", k);
			if (!check_checkpoint(s, c->checkpoint, sum, p->stacks.n, e))
				return false;
		}
		for (uint32_t at = 0; at < c->n; at++, n++) {
			int64_t t = column_get(&c->time, at);
			stack_id stack = chunk_stack(c, at) & STEP_STACK;
			struct event event = {0};
			HOLDS(!s->sorted || t >= before,
			      "event %llu lies before the one before it",
			      (unsigned long long)n);
			HOLDS(stack < p->stacks.n, "event %llu has no stack",
			      (unsigned long long)n);
			HOLDS(!s->labelled ||
				      (uint64_t)column_get(&c->labels, at) < p->labels.n_sets,
			      "event %llu has no labels", (unsigned long long)n);
			HOLDS(series_event(s, n, &event) && event.time == t,
			      "event is not itself");
			for (unsigned m = 0; m < s->n_metrics; m++) {
				int64_t v = event_value(s, m, c, at, event.end - t);
				if (n % BLOCK_EVENTS == 0 && !s->prefix)
					HOLDS(s->block_sum[n / BLOCK_EVENTS *
								   s->n_metrics +
							   m] == all[m],
					      "block %llu has the wrong sum",
					      (unsigned long long)(n / BLOCK_EVENTS));
				sum[m * (size_t)p->stacks.n + stack] += v;
				if (!role_lasts((enum metric_role)s->role[m]) ||
				    stack != STACK_EMPTY)
					all[m] += v;
			}
			before = t;
		}
	}
	return true;
}

/* Labelled totals are also kept one by one: both must agree. */
static bool
check_totals(const struct profile *p, const struct series *s, struct err *e)
{
	int64_t sum[SERIES_METRICS_MAX] = {0};

	if (!s->labelled) {
		HOLDS(!s->n_chunks, "totals without labels are kept one by one");
		return true;
	}
	if (!check_chunks(s, p->stacks.n, e))
		return false;
	for (uint32_t k = 0; k < s->n_chunks; k++)
		for (uint32_t at = 0; at < s->chunk[k].n; at++) {
			HOLDS((uint64_t)column_get(&s->chunk[k].labels, at) < p->labels.n_sets,
			      "a total has no labels");
			for (unsigned m = 0; m < s->n_metrics; m++)
				sum[m] += event_value(s, m, &s->chunk[k], at, 0);
		}
	for (unsigned m = 0; m < s->n_metrics; m++)
		HOLDS(sum[m] == s->sum[m], "totals of metric %u are not their parts", m);
	return true;
}

static bool
check_actors(const struct profile *p, struct err *e)
{
	for (actor_id i = 0; i < p->n_actors; i++) {
		const struct actor *a = &p->actor[i];
		const struct group *g = &p->group[a->group];
		HOLDS(a->name < p->names.n && a->group < p->n_groups,
		      "actor %u has no name or group", i);
		HOLDS(a->track == TRACK_NONE || a->track < p->n_tracks,
		      "actor %u has no track", i);
		HOLDS(a->under == PROCESS_NONE || a->under < p->n_processes,
		      "actor %u is of no process", i);
		for (uint32_t k = 0; k < a->n; k++) {
			actor_id by;
			HOLDS(actor_time(a, k) >= (k ? actor_time(a, k - 1) : g->start) &&
				      actor_time(a, k) <= g->end,
			      "state %u of actor %u lies outside", k, i);
			HOLDS((unsigned)actor_state(a, k) < ACTOR_STATE_COUNT,
			      "state %u of actor %u is none", k, i);
			HOLDS(!actor_woken(a, k, &by) || by == ACTOR_NONE || by < p->n_actors,
			      "actor %u was woken by none", i);
		}
	}
	for (uint32_t i = 0; i < p->n_edges; i++)
		HOLDS(p->edge[i].to < p->n_actors && edge_from(&p->edge[i]) < p->n_actors,
		      "edge %u is between no actors", i);
	return true;
}

bool
profile_check(const struct profile *p, struct err *e)
{
	if (!check_tables(p, e) || !check_actors(p, e))
		return false;
	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *track = &p->track[t];
		HOLDS(track->name < p->names.n && track->group < p->n_groups,
		      "track %u has no name or group", t);
		HOLDS(track->under == PROCESS_NONE || track->under < p->n_processes,
		      "track %u is of no process", t);
		for (uint32_t i = 0; i < track->n_value_names; i++)
			HOLDS(track->value_name[i].name < p->names.n &&
				      (!i || track->value_name[i - 1].value <
						     track->value_name[i].value),
			      "track %u has names of values out of order", t);
		HOLDS(!track->has_time || track->start <= track->end,
		      "track %u ends early", t);
		for (uint32_t i = 0; i < track->n_series; i++) {
			const struct series *s = track->series[i];
			bool good;
			HOLDS(s->track == t, "a series is not of its track");
			if (s->kind == SERIES_TOTALS) {
				if (!check_totals(p, s, e))
					return false;
				continue;
			}
			int64_t *sum = mem_zalloc(
				(size_t)p->stacks.n * (s->n_metrics + 1u), sizeof *sum);
			good = check_chunks(s, p->stacks.n, e) && check_events(p, s, sum, e);
			free(sum);
			if (!good)
				return false;
		}
	}
	return true;
}
