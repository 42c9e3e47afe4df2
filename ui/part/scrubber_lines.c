/* scrubber_lines.c - chooses the tracks with a line in the scrubber: the busiest of the whole run,
 * or, with several processes, the busiest processes.
 *
 * While more is read, about equally busy tracks keep their places (steady.h). */
#include "ui/part/scrubber.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "ui/part/steady.h"

bool
scrubber_has_stacks(const struct track *t)
{
	for (uint32_t i = 0; i < t->n_series; i++)
		if (t->series[i]->kind == SERIES_STEPS ||
		    t->series[i]->kind == SERIES_SAMPLES)
			return true;
	return false;
}

int
scrubber_metric_in(const struct series *s, metric_id metric)
{
	if (s->kind != SERIES_STEPS && s->kind != SERIES_SAMPLES)
		return -1;
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->metric[i] == metric)
			return (int)i;
	return -1;
}

bool
scrubber_looks_at(const struct scene *s, track_id i)
{
	return scrubber_has_stacks(&s->p->track[i]) && fold_has_track(s->fold, i);
}

static int64_t
track_weight(const struct profile *p, const struct track *t, metric_id metric)
{
	int64_t weight = 0;
	for (uint32_t i = 0; i < t->n_series; i++) {
		int m = scrubber_metric_in(t->series[i], metric);
		if (m >= 0)
			weight += t->series[i]->sum[m] *
				  profile_metric_unit(p, t->series[i], (unsigned)m);
	}
	return weight;
}

/* True if the selected tracks belong to several processes, one of which has several. */
static bool
goes_by_process(const struct scene *s)
{
	uint32_t *n = mem_zalloc(s->p->n_processes + 1u, sizeof *n);
	unsigned processes = 0;
	bool several = false;
	for (uint32_t i = 0; i < s->p->n_tracks; i++) {
		process_id under = s->p->track[i].under;
		if (under == PROCESS_NONE || !scrubber_looks_at(s, i))
			continue;
		processes += !n[under]++;
		several |= n[under] > 1;
	}
	free(n);
	return several && processes > 1;
}

/* Returns the previous place of a line that begins with this track. */
static size_t
place_before(const struct scrubber *sc, const struct scene *s, track_id track)
{
	for (unsigned i = 0; i < sc->n_before && !s->facts->done; i++)
		if (sc->before[i] == track)
			return i;
	return STEADY_NEW;
}

bool
scrubber_is_main(const struct profile *p, process_id process, track_id track)
{
	static const char unnamed[] = "process";
	struct name of = names_get(&p->names, p->process[process].name);
	struct name name = names_get(&p->names, p->track[track].name);
	size_t word = sizeof unnamed - 1, tail = of.len - word;

	return of.len > word && !memcmp(of.at, unnamed, word) && name.len > tail &&
	       !memcmp(name.at + name.len - tail, of.at + word, tail);
}

void
scrubber_choose_lines(struct scrubber *sc, const struct scene *s, int rows)
{
	VEC(struct scrub_line) all = VEC_INIT;
	bool grouped = goes_by_process(s);
	uint32_t *at = mem_zalloc(s->p->n_processes + 1u, sizeof *at);
	uint32_t *n = mem_zalloc(s->p->n_processes + 1u, sizeof *n);
	for (uint32_t i = 0; i < s->p->n_tracks; i++) {
		process_id under = grouped ? s->p->track[i].under : PROCESS_NONE;
		if (!scrubber_looks_at(s, i))
			continue;
		int64_t weight = track_weight(s->p, &s->p->track[i], sc->metric);
		n[under == PROCESS_NONE ? s->p->n_processes : under]++;
		if (under != PROCESS_NONE && at[under]) {
			struct scrub_line *line = &all.at[at[under] - 1];
			line->weight += weight;
			if (scrubber_is_main(s->p, under, i))
				line->track = i;
			continue;
		}
		*vec_push(&all) = (struct scrub_line){i, under, weight, NULL};
		if (under != PROCESS_NONE)
			at[under] = (uint32_t)all.n;
	}
	for (size_t i = 0; i < all.n; i++) /* a track's name is more specific than its process's */
		if (all.at[i].process != PROCESS_NONE && n[all.at[i].process] == 1)
			all.at[i].process = PROCESS_NONE;
	free(at);
	free(n);
	struct steady *order = mem_alloc(all.n ? all.n : 1, sizeof *order);
	for (size_t i = 0; i < all.n; i++)
		order[i] = (struct steady){all.at[i].weight,
					   place_before(sc, s, all.at[i].track), i};
	steady_sort(order, all.n);
	for (size_t i = 0; i < all.n && (int)i < rows; i++)
		*vec_push(&sc->lines) = all.at[order[i].id];
	free(order);
	vec_release(&all);
}
