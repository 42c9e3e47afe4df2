/* pack_facts.c - what a packed profile says besides its events: modules, processes, actors, calls,
 * facts, warnings. */
#include "model/base/chars.h"
#include "src/decode/pack/pack.h"

#include <string.h>

#include "model/base/escape.h"
#include "src/symbol/embedded.h"

bool
pack_read_modules(struct pack *x)
{
	while (pack_more(x)) {
		name_id module = pack_name(x), path = pack_name(x);
		struct name hex = builder_name_get(x->b, pack_name(x));
		uint8_t id[64];
		size_t n = hex.len / 2 < sizeof id ? hex.len / 2 : sizeof id;
		for (size_t i = 0; i < n; i++)
			id[i] = (uint8_t)(hex_digit(hex.at[2 * i]) << 4 |
					  hex_digit(hex.at[2 * i + 1]));
		if (!x->c.bad)
			builder_module_file(x->b, module, path, id, n);
	}
	return !x->c.bad;
}

bool
pack_read_ranges(struct pack *x)
{
	while (pack_more(x)) {
		name_id module = pack_name(x);
		uint64_t start = cursor_varint(&x->c), limit = cursor_varint(&x->c);
		uint64_t offset = cursor_varint(&x->c);
		if (!x->c.bad)
			builder_module_range(x->b, module, start, limit, offset);
	}
	return !x->c.bad;
}

bool
pack_read_processes(struct pack *x)
{
	while (pack_more(x)) {
		struct name name = builder_name_get(x->b, pack_name(x));
		if (!x->c.bad)
			*vec_push(&x->id.process) = builder_process(x->b, name.at, name.len);
	}
	return !x->c.bad;
}

bool
pack_read_outside(struct pack *x)
{
	while (pack_more(x)) {
		uint32_t i = pack_id(x, x->id.process.n);
		if (!x->c.bad)
			builder_process_outside(x->b, x->id.process.at[i], true);
	}
	return !x->c.bad;
}

/* ---- actors ---- */

/* An actor without its states. */
static bool
read_actor(struct pack *x)
{
	uint32_t file = pack_id(x, x->id.n_files);
	struct name name = builder_name_get(x->b, pack_name(x));
	uint32_t track = pack_id(x, (size_t)x->id.n_tracks + 1);
	uint32_t under = pack_id(x, x->id.process.n + 1);

	if (x->c.bad)
		return false;
	builder_adopt_in(x->b, file);
	actor_id a = builder_actor(x->b, name.at, name.len,
				   track ? x->id.first_track + track - 1 : TRACK_NONE);
	if (a == ACTOR_NONE)
		return false;
	if (under)
		builder_actor_under(x->b, a, x->id.process.at[under - 1]);
	*vec_push(&x->id.actor) = a;
	return true;
}

static bool
read_states(struct pack *x)
{
	uint32_t actor = pack_id(x, x->id.actor.n);
	uint64_t n = cursor_varint(&x->c);
	int64_t time = 0;

	if (x->c.bad)
		return false;
	for (uint64_t i = 0; i < n && !x->c.bad; i++) {
		actor_id a = x->id.actor.at[actor];
		uint64_t after = (uint64_t)cursor_zigzag(&x->c);
		uint8_t state = cursor_u8(&x->c);
		uint32_t by = pack_id(x, x->id.actor.n + 2);
		if (x->c.bad || state >= ACTOR_STATE_COUNT)
			return false;
		time = (int64_t)((uint64_t)time + after);
		if (by)
			builder_woken(x->b, a, time,
				      by > 1 ? x->id.actor.at[by - 2] : ACTOR_NONE);
		else
			builder_state(x->b, a, time, (enum actor_state)state);
	}
	return !x->c.bad;
}

bool
pack_read_actors(struct pack *x)
{
	uint64_t n = cursor_varint(&x->c);

	for (uint64_t i = 0; i < n; i++)
		if (!read_actor(x))
			return false;
	while (pack_more(x))
		if (!read_states(x))
			return false;
	return !x->c.bad;
}

bool
pack_read_edges(struct pack *x)
{
	while (pack_more(x)) {
		uint8_t kind = cursor_u8(&x->c);
		uint32_t from = pack_id(x, x->id.actor.n), to = pack_id(x, x->id.actor.n);
		struct edge edge = {0};
		edge.from_time = cursor_zigzag(&x->c);
		edge.to_time = cursor_zigzag(&x->c);
		if (x->c.bad || kind > EDGE_LINK)
			return false;
		edge.from_and_kind = x->id.actor.at[from] << EDGE_KIND_BITS | kind;
		edge.to = x->id.actor.at[to];
		builder_adopt_edge(x->b, &edge);
	}
	return !x->c.bad;
}

/* ---- calls, stated totals ---- */

bool
pack_read_calls(struct pack *x)
{
	struct callrows *c = builder_recorded_calls(x->b);
	bool per_call = cursor_u8(&x->c);
	uint8_t unit = cursor_u8(&x->c);

	if (x->c.bad || unit > UNIT_COUNT)
		return false;
	c->per_call = per_call;
	c->unit = unit;
	while (pack_more(x)) {
		uint32_t track = pack_id(x, (size_t)x->id.n_tracks + 1);
		uint32_t function = pack_id(x, x->id.function.n);
		struct callstats_row row = {0};
		row.has = pack_id(x, (uint64_t)UINT32_MAX + 1);
		row.calls = cursor_zigzag(&x->c);
		for (unsigned i = 0; i < CALL_TIMES * CALL_NUMBERS; i++)
			row.value[i / CALL_NUMBERS][i % CALL_NUMBERS] = cursor_zigzag(&x->c);
		if (x->c.bad)
			return false;
		row.track = track ? x->id.first_track + track - 1 : TRACK_NONE;
		row.function = x->id.function.at[function];
		callrows_add(c, &row);
	}
	return !x->c.bad;
}

bool
pack_read_stated(struct pack *x)
{
	while (pack_more(x)) {
		uint32_t track = pack_id(x, x->id.n_tracks), metric = pack_id(x, x->id.n_metrics);
		bool estimated = cursor_u8(&x->c);
		uint64_t n = cursor_varint(&x->c);
		if (x->c.bad)
			return false;
		builder_stated(x->b, x->id.first_track + track, builder_adopt_metric(x->b, metric),
			       estimated);
		for (uint64_t i = 0; i < n && !x->c.bad; i++) {
			uint32_t function = pack_id(x, x->id.function.n);
			int64_t total = cursor_zigzag(&x->c);
			if (!x->c.bad)
				builder_stated_total(x->b, x->id.function.at[function], total);
		}
	}
	return !x->c.bad;
}

/* ---- facts ---- */

bool
pack_read_info(struct pack *x)
{
	while (pack_more(x)) {
		uint32_t file = pack_id(x, x->id.n_files);
		struct name key = builder_name_get(x->b, pack_name(x));
		struct name value = builder_name_get(x->b, pack_name(x));
		if (x->c.bad)
			return false;
		builder_adopt_in(x->b, file);
		builder_info_bytes(x->b, key.at, value.at, value.len);
	}
	return !x->c.bad;
}

bool
pack_read_warnings(struct pack *x)
{
	struct buf text = BUF_INIT, missed = BUF_INIT;

	while (pack_more(x)) {
		uint32_t file = pack_id(x, (size_t)x->id.n_files + 1);
		uint64_t count = cursor_varint(&x->c);
		size_t len, missed_len;
		const uint8_t *at = pack_text(x, &len), *name = pack_text(x, &missed_len);
		if (x->c.bad)
			break;
		buf_reset(&text);
		buf_reset(&missed);
		escape_shown(&text, (const char *)at, len, false);
		escape_shown(&missed, (const char *)name, missed_len, false);
		if (file)
			builder_adopt_in(x->b, file - 1);
		builder_adopt_warning(x->b, buf_str(&text), count, file ? NULL : buf_str(&missed));
	}
	buf_release_all(&text, &missed);
	return !x->c.bad;
}

bool
pack_read_why(struct pack *x)
{
	struct err damage = {0};
	struct buf why = BUF_INIT;
	size_t len, why_len;

	uint32_t file = pack_id(x, x->id.n_files);
	bool has_damage = cursor_u8(&x->c), damaged = cursor_u8(&x->c);
	bool has_offset = cursor_u8(&x->c);
	uint64_t offset = cursor_varint(&x->c);
	const uint8_t *text = pack_text(x, &len), *at = pack_text(x, &why_len);
	if (x->c.bad)
		return false;
	err_damage(&damage, offset, "%.*s", (int)(len < ERR_TEXT_MAX ? len : ERR_TEXT_MAX),
		   (const char *)text);
	damage.class = damaged ? ERR_DAMAGED : ERR_REFUSED;
	damage.has_offset = has_offset;
	escape_shown(&why, (const char *)at, why_len, false);
	builder_adopt_why(x->b, buf_str(&why), has_damage ? &damage : NULL, file);
	buf_release(&why);
	return true;
}

bool
pack_read_attachment(struct pack *x)
{
	static const char kind[] = EMBEDDED_KIND;
	size_t len, n;
	const uint8_t *name = pack_text(x, &len), *at = pack_text(x, &n);
	struct embedded *embedded;

	if (x->c.bad || len != sizeof kind - 1 || memcmp(name, kind, len) != 0)
		return !x->c.bad;
	embedded = embedded_read(at, n, x->e);
	if (!embedded)
		return false;
	builder_attach(x->b, EMBEDDED_KIND, embedded, embedded_release, embedded_bytes);
	return true;
}
