#include "model/profile.h"

#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "model/mem.h"
#include "model/series.h"

struct profile *
profile_new(void)
{
	struct profile *p = mem_zalloc(1, sizeof *p);

	names_init(&p->names);
	frames_init(&p->frames);
	stacks_init(&p->stacks);
	err_init(&p->damage);
	p->default_metric = METRIC_NONE;
	p->calls_metric = METRIC_NONE;
	p->lines_metric = METRIC_NONE;
	p->metric = mem_alloc(METRICS_MAX, sizeof *p->metric);
	p->metrics_cap = METRICS_MAX;
	p->events_metric = 0;
	p->metric[p->n_metrics++] = (struct metric){
		.name = names_put(&p->names, "samples", strlen("samples")),
		.unit = UNIT_SAMPLES,
		.role = ROLE_EVENTS,
	};
	return p;
}

void
profile_free(struct profile *p)
{
	if (!p)
		return;
	for (uint32_t t = 0; t < p->n_tracks; t++) {
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			series_free(p->track[t].series[i]);
		free(p->track[t].series);
	}
	for (uint32_t i = 0; i < p->n_warnings; i++)
		free(p->warning[i].text);
	free(p->track);
	free(p->group);
	free(p->info);
	free(p->warning);
	free(p->metric);
	callstats_release(&p->recorded);
	free(p->why);
	stacks_release(&p->stacks);
	frames_release(&p->frames);
	names_release(&p->names);
	free(p);
}

bool
profile_metric_shown(const struct profile *p, metric_id m)
{
	if (m >= p->n_metrics || p->metric[m].role == ROLE_LINES)
		return false;
	return p->metric[m].role != ROLE_EVENTS || p->events_shown;
}

metric_id
profile_metric(const struct profile *p, const char *name, size_t len)
{
	name_id id = names_find(&p->names, name, len);

	for (metric_id m = 0; m < p->n_metrics; m++)
		if (p->metric[m].name == id && profile_metric_shown(p, m))
			return m;
	return METRIC_NONE;
}

metric_id
profile_default_metric(const struct profile *p)
{
	if (p->default_metric != METRIC_NONE)
		return p->default_metric;
	for (metric_id m = 0; m < p->n_metrics; m++)
		if (profile_metric_shown(p, m))
			return m;
	return p->n_metrics ? p->events_metric : METRIC_NONE;
}

name_id
profile_info(const struct profile *p, const char *key)
{
	name_id id = names_find(&p->names, key, strlen(key));

	for (uint32_t i = 0; i < p->n_info; i++)
		if (p->info[i].key == id)
			return p->info[i].value;
	return NAME_EMPTY;
}

void
profile_show_name(const struct profile *p, name_id id, struct buf *out)
{
	struct name name = names_get(&p->names, id);

	human_bytes(out, name.at, name.len, p->charset == CHARSET_CP437);
}
