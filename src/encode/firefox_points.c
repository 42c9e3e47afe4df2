/* firefox_points.c - markers and counters of the Firefox Profiler's form: marks, flows, points.
 *
 * A flow is a marker at each of its ends. Fields of the formats flow-id and terminating-flow-id
 * have its number, by which the application joins them. */
#include "src/encode/firefox_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/ordered.h"
#include "model/profile/human.h"

/* ---- markers and counters ---- */

static void
firefox_mark(void *ctx, const struct shown_point *e)
{
	struct firefox_writer *x = ctx;
	const struct track *t = &x->shown.p->track[x->series->track];
	name_id name = track_value_name(t, e->value);

	comma(x);
	if (x->writes == STACKS)
		json_whole(x->out, firefox_name(x, name == NAME_EMPTY ? t->name : name));
	else if (x->writes == TIMES)
		milliseconds(x, e->time, x->axis_ns);
}

static void
points_column(struct firefox_writer *x, const struct track *t,
	      void (*emit)(void *ctx, const struct shown_point *e))
{
	x->n = 0;
	for (uint32_t i = 0; i < t->n_series; i++) {
		x->series = t->series[i];
		if (x->series->kind == SERIES_POINTS)
			shown_points(&x->shown, x->series, emit, x);
	}
}

const char firefox_flow_schema[] =
	"\n{\"name\":\"pnav flow\",\"tooltipLabel\":\"flow\",\"display\":[\"marker-chart\","
	"\"marker-table\"],\"fields\":[{\"key\":\"flow\",\"label\":\"Flow\","
	"\"format\":\"flow-id\"}]},"
	"\n{\"name\":\"pnav flow end\",\"tooltipLabel\":\"flow\",\"display\":[\"marker-chart\","
	"\"marker-table\"],\"fields\":[{\"key\":\"flow\",\"label\":\"Flow\","
	"\"format\":\"terminating-flow-id\"}]}";

static void
flow_found(void *ctx, const struct shown_flow *flow)
{
	struct firefox_writer *x = ctx;

	*vec_push(&x->flow) = (struct firefox_flow){flow->from, x->flows, flow->from_time, false};
	*vec_push(&x->flow) = (struct firefox_flow){flow->to, x->flows++, flow->to_time, true};
}

ORDERED_BY_THREE(firefox_flow_order, struct firefox_flow, track, time, number)

void
firefox_find_flows(struct firefox_writer *x)
{
	shown_flows(&x->shown, flow_found, x);
	if (x->flow.n > 1)
		qsort(x->flow.at, x->flow.n, sizeof *x->flow.at, firefox_flow_order);
}

/* Returns the ends of flows of a track; NULL where *n is 0. */
static const struct firefox_flow *
flows_of(const struct firefox_writer *x, track_id t, uint64_t *n)
{
	size_t low = bisect(i, x->flow.n, x->flow.at[i].track < t);

	for (*n = 0; low + *n < x->flow.n && x->flow.at[low + *n].track == t;)
		++*n;
	return *n ? x->flow.at + low : NULL;
}

static void
flow_data(struct firefox_writer *x, const struct firefox_flow *flow)
{
	struct buf id = BUF_INIT;

	buf_addf(&id, "0x%x", flow->number + 1);
	fprintf(x->out, "{\"type\":\"pnav flow%s\",\"flow\":%u}", flow->arrives ? " end" : "",
		firefox_string(x, buf_str(&id), id.len));
	buf_release(&id);
}

void
firefox_write_markers(struct firefox_writer *x, track_id t, bool marks)
{
	const struct track *track = &x->shown.p->track[t];
	uint64_t n = 0, flows;
	const struct firefox_flow *flow = flows_of(x, t, &flows);

	fputs(",\"markers\":{\"name\":[", x->out);
	x->writes = STACKS;
	x->n = 0;
	if (marks)
		points_column(x, track, firefox_mark);
	n = x->n;
	for (uint64_t i = 0; i < flows; i++) {
		comma(x);
		json_whole(x->out, firefox_string(x, "flow", 4));
	}
	fputs("],\"startTime\":[", x->out);
	x->writes = TIMES;
	x->n = 0;
	if (marks)
		points_column(x, track, firefox_mark);
	for (uint64_t i = 0; i < flows; i++) {
		comma(x);
		milliseconds(x, flow[i].time, x->axis_ns);
	}
	firefox_constants(x, "],\"endTime\":[", "null", n + flows);
	firefox_constants(x, "],\"phase\":[", "0", n + flows);
	firefox_constants(x, "],\"category\":[", "0", n + flows);
	firefox_constants(x, "],\"data\":[", "null", n);
	x->n = n;
	for (uint64_t i = 0; i < flows; i++) {
		comma(x);
		flow_data(x, &flow[i]);
	}
	fprintf(x->out, "],\"length\":%llu}", (unsigned long long)(n + flows));
}

static void
firefox_count(void *ctx, const struct shown_point *e)
{
	struct firefox_writer *x = ctx;
	struct buf text = BUF_INIT;
	double real;

	comma(x);
	if (x->writes == TIMES) {
		milliseconds(x, e->time, x->axis_ns);
		return;
	}
	if (x->series->floating) {
		memcpy(&real, &e->value, sizeof real);
		real = real - real == 0 ? real : 0; /* JSON has no infinity */
		human_real(&text, real - x->before_real);
		x->before_real = real;
	} else {
		human_plain(&text, (int64_t)((uint64_t)e->value - (uint64_t)x->before), 0);
		x->before = e->value;
	}
	fputs(buf_str(&text), x->out);
	buf_release(&text);
}

static bool
firefox_has_points(const struct track *t)
{
	for (uint32_t i = 0; i < t->n_series; i++)
		if (t->series[i]->kind == SERIES_POINTS)
			return true;
	return false;
}

void
firefox_write_counters(struct firefox_writer *x)
{
	const struct profile *p = x->shown.p;
	bool any = false;

	fputs(",\n\"counters\":[", x->out);
	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *track = &p->track[t];
		if (!x->shown.shows[t] || track->kind == TRACK_MARKS || !firefox_has_points(track))
			continue;
		fputs(any ? ",\n{\"name\":" : "\n{\"name\":", x->out);
		any = true;
		firefox_own_text(x, t, track_own_name);
		track_members(&x->ids, t, x->out);
		fprintf(x->out, ",\"category\":\"\",\"description\":\"\",\"pid\":\"%lld\","
			"\"mainThreadIndex\":0,\"samples\":{\"time\":[",
			(long long)track_pid_of_counter(&x->ids, t));
		x->axis_ns = p->group[track->group].axis == UNIT_NS;
		x->writes = TIMES;
		points_column(x, track, firefox_count);
		fputs("],\"count\":[", x->out);
		x->writes = WEIGHTS;
		x->before = 0;
		x->before_real = 0;
		points_column(x, track, firefox_count);
		fprintf(x->out, "],\"length\":%llu}}", (unsigned long long)x->n);
	}
	putc(']', x->out);
}
