#include "src/decode/stacks/stacktext.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

/* The part that all grammars share: collects the frames of a stack, and writes the profile. */

/* ---- for grammars ---- */

void
stacktext_map(struct stacktext *s, const char *at, size_t len)
{
	name_id name = builder_name(s->b, at, len);

	for (s->map = 0; s->map < s->map_name.n; s->map++)
		if (s->map_name.at[s->map] == name)
			return;
	*vec_push(&s->map_name) = name;
}

void
stacktext_clear(struct stacktext *s)
{
	s->frame.n = s->label.n = 0;
	buf_reset(&s->track);
	buf_reset(&s->held);
	s->inside = s->stackless = false;
	s->state = 0;
}

static uint32_t
lane_of(struct stacktext *s)
{
	if (!s->track.len)
		buf_adds(&s->track, "main");
	name_id name = builder_name(s->b, s->track.at, s->track.len);
	uint32_t i;
	if (!idmap_add(&s->lane_of, name, s->lane.n, &i))
		return i;
	*vec_push(&s->lane) = builder_track(s->b, s->track.at, s->track.len, TRACK_THREAD);
	return i;
}

bool
stacktext_add(struct stacktext *s, int64_t count)
{
	if (s->frame.n || s->stackless) {
		stack_id stack = s->stackless ? builder_stack_missing(s->b, 1)
					      : builder_stack_leaf_first(s->b, s->frame.at,
									 s->frame.n);
		if (stack == STACK_NONE && s->frame.n > STACK_DEPTH_MAX)
			return err_damage(s->e, s->begun, "a stack of more than %u frames",
					  (unsigned)STACK_DEPTH_MAX);
		labels_id labels = s->label.n ? builder_labels(s->b, s->label.at, s->label.n)
					      : LABELS_NONE;
		if (!s->map_name.n)
			stacktext_map(s, "", 0);
		uint32_t lane = lane_of(s);
		builder_track_event(s->b, s->lane.at[lane]);
		*vec_push(&s->entry) = (struct stacktext_entry){
			stack, labels, lane, s->map, count, s->begun};
	}
	stacktext_clear(s);
	return true;
}

bool
stacktext_thread(struct stacktext *s)
{
	s->stackless = !s->frame.n && s->label.n;
	return stacktext_add(s, 1);
}

void
stacktext_track(struct stacktext *s, const char *name, size_t len)
{
	buf_reset(&s->track);
	if (len)
		buf_add(&s->track, name, len);
	else
		buf_adds(&s->track, "virtual threads");
}

void
stacktext_label(struct stacktext *s, const char *key, const char *at, size_t len)
{
	*vec_push(&s->label) = builder_label_text(s->b, builder_name(s->b, key, strlen(key)),
						  builder_name(s->b, at, len));
}

void
stacktext_frame(struct stacktext *s, const char *name, size_t name_len, const char *file,
	     size_t file_len, const char *module, size_t module_len, uint32_t line, enum kind kind)
{
	struct function f = {
		.name = builder_name(s->b, name, name_len),
		.file = file_len ? builder_name(s->b, file, file_len) : NAME_EMPTY,
		.module = module_len ? builder_name(s->b, module, module_len) : NAME_EMPTY,
		.kind = (uint8_t)kind,
	};

	if (!s->inside) {
		s->inside = true;
		s->begun = s->offset;
	}
	*vec_push(&s->frame) = builder_frame_of(s->b, f, line);
}

const char *
stacktext_name_end(const char *at, const char *end)
{
	const char *plus = end;
	bool hex = false;

	while (plus > at && plus[-1] != '+')
		plus--;
	if (plus - at < 2 || plus == end)
		return end;
	if (end - plus > 2 && plus[0] == '0' && plus[1] == 'x')
		hex = true;
	for (const char *c = plus + 2 * hex; c < end; c++)
		if (!is_digit(*c) && !(hex && hex_digit(*c) < 16))
			return end;
	return plus - 1;
}

bool
stacktext_file_line(const char *at, const char *end, const char **file_end, uint32_t *line)
{
	const char *colon = end;
	int64_t n;

	while (colon > at && is_digit(colon[-1]))
		colon--;
	if (colon == at || colon == end || colon[-1] != ':' ||
	    !number_parse(colon, end, &n) || n >= UINT32_MAX)
		return false;
	*file_end = colon - 1;
	*line = (uint32_t)n;
	return true;
}

/* ---- the profile ---- */

static metric_id
stacktext_metric_of(struct stacktext *s, uint32_t map)
{
	struct name name = builder_name_get(s->b, s->map_name.at[map]);
	struct buf text = BUF_INIT;

	if (s->map_name.n == 1 || !name.len)
		return builder_metric(s->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	buf_add(&text, name.at, name.len);
	metric_id m = builder_metric(s->b, buf_str(&text), UNIT_COUNT, ROLE_VALUE);
	buf_release(&text);
	return m;
}

bool
stacktext_write(struct stacktext *s)
{
	struct idmap series_of = {0}; /* (lane, map) -> index */
	VEC(struct series *) series = VEC_INIT;
	VEC(metric_id) metric = VEC_INIT;
	bool labelled = false, good = true;

	for (uint32_t i = 0; i < s->map_name.n; i++)
		*vec_push(&metric) = stacktext_metric_of(s, i);
	if (metric.n)
		builder_default_metric(s->b, metric.at[0]);
	for (size_t i = 0; i < s->entry.n; i++)
		labelled |= s->entry.at[i].labels != LABELS_NONE;
	for (size_t i = 0; good && i < s->entry.n; i++) {
		const struct stacktext_entry *x = &s->entry.at[i];
		uint64_t key = (uint64_t)x->lane << 32 | x->map;
		uint32_t at;
		if (idmap_add(&series_of, key, series.n, &at)) {
			*vec_push(&series) = builder_totals(s->b, s->lane.at[x->lane],
							    &metric.at[x->map], 1);
			if (labelled)
				builder_labelled(s->b, series.at[at]);
		}
		if (labelled)
			builder_next_labels(s->b, series.at[at], x->labels);
		good = builder_total(s->b, series.at[at], x->stack, &x->count, x->offset, s->e);
	}
	vec_release_all(&series, &metric);
	idmap_release(&series_of);
	return good;
}

void
stacktext_release(struct stacktext *s)
{
	vec_release_all(&s->frame, &s->label, &s->entry, &s->map_name, &s->lane);
	idmap_release(&s->lane_of);
	buf_release_all(&s->track, &s->held);
}
