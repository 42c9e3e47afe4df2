/* html_axis.c - the timeline of a page becomes counters:
 *
 *	"time":{"unit":"ns","from":0,"length":4000,"tracks":[
 *		{"name":"main","kind":"thread","step":true,"parts":[63,63,0,...]},
 *		{"name":"heap","kind":"counter","low":0,"high":81,"unit":"bytes","parts":[...]}]}
 *
 * A page has no events, only how busy each track was, so the values of tracks that are no counters
 * are percents of the busiest part. */
#include "src/decode/html/html_axis.h"

#include <string.h>

static bool
axis_take_track(struct rows_json *r, void *axis, void *element)
{
	struct html_axis *a = axis;

	(void)r;
	*vec_push(&a->tracks) = *(struct html_track *)element;
	return true;
}

static const struct json_row track_rows[] = {
	{"name", ROW_NAME(struct html_track, name)},
	{"kind", ROW_NAME(struct html_track, kind)},
	{"unit", ROW_NAME(struct html_track, unit)},
	{"low", ROW_NUMBER(struct html_track, low_milli), .scale = 3},
	{"high", ROW_NUMBER(struct html_track, high_milli), .scale = 3},
	{"parts", ROW_NUMBERS(struct html_track, parts)},
	{0},
};
static const struct json_list tracks = {
	.rows = track_rows, .size = sizeof(struct html_track), .torn = true,
	.end = axis_take_track};

const struct json_row html_axis_rows[] = {
	{"unit", ROW_NAME(struct html_axis, unit)},
	{"from", ROW_NUMBER(struct html_axis, from)},
	{"length", ROW_NUMBER(struct html_axis, length)},
	{"tracks", ROW_LIST(&tracks)},
	{0},
};

void
html_axis_release(struct html_axis *a)
{
	for (size_t i = 0; i < a->tracks.n; i++)
		vec_release(&a->tracks.at[i].parts);
	vec_release(&a->tracks);
}

static bool
name_is(const struct builder *b, name_id id, const char *text)
{
	struct name name = builder_name_get(b, id);

	return name.len == strlen(text) && !memcmp(name.at, text, name.len);
}

static bool
build_track(const struct html_axis *a, const struct html_track *x, struct builder *b,
	    uint64_t offset, struct err *e)
{
	struct name name = builder_name_get(b, x->name);
	bool counter = name_is(b, x->kind, "counter");
	track_id t = builder_track(b, name.at, name.len, TRACK_COUNTER);
	struct series *s = builder_points(b, t, true);
	double low = counter ? (double)x->low_milli / 1e3 : 0;
	double high = counter ? (double)x->high_milli / 1e3 : 100;

	name = builder_name_get(b, x->unit);
	builder_track_unit(b, t, counter ? name.at : "%", counter ? name.len : 1);
	for (size_t i = 0; i < x->parts.n; i++) {
		double part = (double)x->parts.at[i] / HTML_LEVELS;
		double after = (double)a->length * ((double)i / (double)x->parts.n);
		part = part < 0 ? 0 : part > 1 ? 1 : part;
		if (!builder_point_double(b, s, a->from + (int64_t)after,
					  low + (high - low) * part, offset, e))
			return false;
	}
	builder_track_end(b, t, a->from + a->length);
	return true;
}

bool
html_axis_build(const struct html_axis *a, struct builder *b, uint64_t offset, struct err *e)
{
	const int64_t limit = INT64_C(1) << 62;

	if (!a->tracks.n)
		return true;
	if (a->length <= 0 || a->length > limit || a->from > limit || a->from < -limit)
		return err_damage(e, offset, "a timeline with an impossible range");
	for (enum unit u = UNIT_NS; u <= UNIT_COUNT; u++)
		if (name_is(b, a->unit, unit_name(u)))
			builder_axis(b, u);
	for (size_t i = 0; i < a->tracks.n; i++)
		if (!build_track(a, &a->tracks.at[i], b, offset, e))
			return false;
	return true;
}
