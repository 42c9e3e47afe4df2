#include "model/build/builder.h"

#include <assert.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/build/builder_inside.h"
#include "model/build/builder_load.h"
#include "model/profile/running.h"

/* Several files in one profile share metrics of one name and unit. A metric's role belongs to
 * the file, not to the metric: one file counts samples where the next has a number for each. So
 * the builder keeps the roles that its own decoder declared, and series remember theirs.
 * Decimals belong to the metric. If a file of whole numbers joins a metric with decimals, its
 * values are multiplied here, unknown to the decoder. */

/* Returns true if metric m can be the metric that this file declares. */
static bool
metric_joins(const struct builder *b, metric_id m, name_id name, enum unit unit,
	     enum metric_role role)
{
	const struct metric *x = &b->p->metric[m];

	if (x->name != name || (m == b->p->events_metric && !b->p->events_shown))
		return false;
	if (b->own[m].role != BUILDER_NO_ROLE)
		return b->own[m].role == role;
	return x->unit == unit && (x->role == ROLE_LINES) == (role == ROLE_LINES);
}

static uint64_t
metric_hash(name_id name)
{
	return (name + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
}

/* Adds a row for a metric of the profile. Earlier names of metrics stay in the map; a lookup
 * compares names. */
static void
own_metric_put(struct builder *b, metric_id m)
{
	if (m >= b->own_cap) {
		b->own_cap = (uint32_t)vec_grown(b->own_cap, (size_t)m + 1);
		b->own = mem_realloc(b->own, b->own_cap, sizeof *b->own);
	}
	for (; b->n_own <= m; b->n_own++)
		b->own[b->n_own] = (struct own_metric){.role = BUILDER_NO_ROLE};
	map_insert(&b->metric_map, metric_hash(b->p->metric[m].name), m);
}

/* From here on each event is weighed exactly, with the decimals of its metrics. */
static void
count_parts(struct builder *b)
{
	if (!b->counts_parts)
		builder_settle(b);
	b->counts_parts = b->pending.precise = true;
}

/* Adds rows for metrics that others declared since. */
static void
own_metrics_know_all(struct builder *b)
{
	while (b->n_own < b->p->n_metrics) {
		if (b->p->metric[b->n_own].decimals)
			count_parts(b);
		own_metric_put(b, b->n_own);
	}
}

void
builder_metrics_init(struct builder *b)
{
	b->counted = METRIC_NONE;
	map_init(&b->metric_map);
	own_metrics_know_all(b);
}

static metric_id
metric_push(struct profile *p, struct metric x)
{
	if (p->n_metrics == p->metrics_cap) {
		p->metrics_cap = (uint32_t)vec_grown(p->metrics_cap, 0);
		p->metric = mem_realloc(p->metric, p->metrics_cap, sizeof *p->metric);
		if (p->weight)
			p->weight = mem_realloc(p->weight, p->metrics_cap, sizeof *p->weight);
	}
	p->metric[p->n_metrics] = x;
	if (p->weight)
		p->weight[p->n_metrics] = 0;
	return p->n_metrics++;
}

/* Returns true if another unit has this name: two files may use one name for different things. */
static bool
name_is_taken(const struct builder *b, name_id name, enum unit unit)
{
	const struct profile *p = b->p;
	uint64_t hash = metric_hash(name);
	uint32_t slot = map_first(&b->metric_map, hash), m;

	while (map_probe(&b->metric_map, &slot, hash, &m))
		if (p->metric[m].name == name && profile_metric_shown(p, m) &&
		    p->metric[m].unit != unit)
			return true;
	return false;
}

static metric_id
metric_add(struct builder *b, name_id name, enum unit unit, enum metric_role role)
{
	struct profile *p = b->p;

	if (b->group && name_is_taken(b, name, unit)) {
		struct buf text = BUF_INIT;
		buf_addf(&text, "%s (%s)", names_get(&p->names, name).at, unit_name(unit));
		name = names_put_cut(&p->names, buf_str(&text), text.len);
		buf_release(&text);
	}
	metric_id m = metric_push(
		p, (struct metric){.name = name, .unit = (uint8_t)unit, .role = (uint8_t)role});
	own_metric_put(b, m);
	return m;
}

static metric_id
metric_find(struct builder *b, name_id name, enum unit unit, enum metric_role role)
{
	struct profile *p = b->p;
	uint64_t hash = metric_hash(name);
	uint32_t slot = map_first(&b->metric_map, hash), m;
	metric_id first = METRIC_NONE;

	/* the metric that always exists; in the first file it has no other meaning */
	if (role == ROLE_EVENTS && !b->group) {
		p->metric[p->events_metric].name = name;
		p->metric[p->events_metric].unit = (uint8_t)unit;
		p->events_shown = true;
		own_metric_put(b, p->events_metric);
		return p->events_metric;
	}
	while (map_probe(&b->metric_map, &slot, hash, &m))
		if (m < first && metric_joins(b, m, name, unit, role))
			first = m;
	return first == METRIC_NONE ? metric_add(b, name, unit, role) : first;
}

metric_id
builder_metric(struct builder *b, const char *name, enum unit unit, enum metric_role role)
{
	struct profile *p = b->p;

	own_metrics_know_all(b);
	metric_id m = metric_find(b, names_put_cut(&p->names, name, strlen(name)), unit, role);

	if (b->own[m].role == BUILDER_NO_ROLE && p->metric[m].decimals)
		b->multiplies = b->own[m].whole = true; /* and counts_parts is set */
	b->own[m].role = (uint8_t)role;
	if (role == ROLE_EVENTS && m < b->counted)
		b->counted = m;
	p->metric[m].unused = false;
	if (role == ROLE_CALLS)
		p->calls_metric = m;
	if (role == ROLE_LINES)
		p->lines_metric = m;
	return m;
}

metric_id
builder_time(struct builder *b, const char *name)
{
	metric_id time = builder_metric(b, name, UNIT_NS, ROLE_TIME);

	builder_metric(b, "calls", UNIT_CALLS, ROLE_CALLS);
	return time;
}

metric_id
builder_timeline(struct builder *b)
{
	metric_id time = builder_time(b, "time");

	builder_default_metric(b, time);
	return time;
}

void
builder_calls_metric(struct builder *b, metric_id m)
{
	assert(m < b->p->n_metrics);
	b->p->calls_metric = m;
}

void
builder_metric_unused(struct builder *b, metric_id m)
{
	struct metric *x = &b->p->metric[m];

	assert(m < b->p->n_metrics);
	x->unused = x->role == ROLE_VALUE && !builder_has_values(b, m);
}

void
builder_default_metric(struct builder *b, metric_id m)
{
	assert(m < b->p->n_metrics);
	if (b->default_free)
		b->p->default_metric = m;
}

/* Returns the first metric of the file that has values and is of the given unit, any unit if
 * `any`; METRIC_NONE if there is none. Calls are left out unless `calls`. */
static metric_id
first_with_values(struct builder *b, enum unit unit, bool any, bool calls)
{
	struct profile *p = b->p;

	for (metric_id m = 0; m < p->n_metrics; m++)
		if (profile_metric_shown(p, m) && !p->metric[m].computed && m != p->events_metric &&
		    (any || p->metric[m].unit == unit) && (m == p->calls_metric) == calls &&
		    builder_has_values(b, m))
			return m;
	return METRIC_NONE;
}

void
builder_default_kept(struct builder *b)
{
	b->default_kept = true;
}

void
builder_default_settle(struct builder *b)
{
	metric_id m = profile_default_metric(b->p), other;

	if (!b->default_free || b->default_kept || m == METRIC_NONE || builder_has_values(b, m))
		return;
	other = first_with_values(b, (enum unit)b->p->metric[m].unit, false, false);
	if (other == METRIC_NONE)
		other = first_with_values(b, UNIT_COUNT, true, false);
	if (other == METRIC_NONE)
		other = first_with_values(b, UNIT_CALLS, true, true);
	if (other != METRIC_NONE)
		b->p->default_metric = other;
}

bool
builder_metric_decimals(struct builder *b, metric_id m, uint64_t offset, struct err *e)
{
	struct profile *p = b->p;
	assert(m < b->n_own && b->own[m].role != BUILDER_NO_ROLE);
	if (p->metric[m].decimals) {
		b->own[m].whole = false;
		return true;
	}
	/* no sum of a series exceeds the sum of all weights */
	if (!builder_can_multiply(b, m))
		return err_damage(e, offset, "the sum of the values is too large for fractions "
					     "of a millionth");
	for (uint32_t t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			if (!series_scales(p->track[t].series[i], m))
				return err_damage(e, offset, "fractions of what a file before "
							     "has in whole numbers");
	for (uint32_t t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			series_scale(p->track[t].series[i], m, BUILDER_MILLION);
	builder_has_multiplied(b, m);
	b->carried.odd |= b->total.n > 0; /* kept as whole numbers */
	p->metric[m].decimals = 6;
	count_parts(b);
	b->own[m].whole = false;
	return true;
}

enum unit
builder_metric_unit(const struct builder *b, metric_id m)
{
	return (enum unit)b->p->metric[m].unit;
}

void
builder_compute_metrics(struct profile *p)
{
	metric_id base = running_base(p);
	bool runs = false;

	for (uint32_t g = 0; g < p->n_groups && !runs; g++)
		runs = running_kind(p, g, base) != TRACK_MARKS;
	if (!runs)
		return;
	const char *name = profile_metric(p, "wall", 4) == METRIC_NONE ? "wall" : "wall-time";
	metric_push(p, (struct metric){.name = names_put(&p->names, name, strlen(name)),
				       .unit = UNIT_NS,
				       .role = ROLE_WALL,
				       .computed = true});
	p->generation++;
}
