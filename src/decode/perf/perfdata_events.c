/* Events.
 *
 * A file has one perf_event_attr per event, and for each the ids of the counters (one per CPU or
 * thread) that count it. If there is more than one event, samples contain the id, and perf puts it
 * at the same place in the samples of all events.
 *
 * The attr lacks the event's name. EVENT_DESC (files) or EVENT_UPDATE (pipes) has the words that
 * the user gave to perf record; without them the name is derived from type and config as in
 * perf. */
#include "src/decode/perf/perfdata_events.h"

#include <inttypes.h>
#include <string.h>

#include "src/decode/perf/event_names.h"

#define BUILD_ID_SHA1 20u

void
perfdata_events_release(struct perfdata_events *v)
{
	vec_release_all(&v->event, &v->last);
	idmap_release_all(&v->id, &v->described, &v->counter);
	perfdata_fields_release(&v->fields);
}

/* Adds an event with n_ids u64 at ids. */
static void
perfdata_event_add(struct perfdata_events *v, const struct perfdata_attr *a,
		   const uint8_t *ids, size_t n_ids, bool big_endian)
{
	uint32_t index = (uint32_t)v->event.n;
	struct perfdata_event *event = vec_push(&v->event);
	*event = (struct perfdata_event){.attr = *a, .metric = METRIC_NONE};
	for (size_t i = 0; i < n_ids; i++) {
		uint64_t id = perfdata_word(ids, i, big_endian);
		uint32_t name = idmap_get(&v->described, id);
		if (name != IDMAP_NONE)
			event->name = name;
		idmap_put(&v->id, id, index);
	}
}

/* attr_size bytes an event: perf_event_attr, then the section of its ids */
bool
perfdata_events_read(struct perfdata_events *v, struct perfdata_file *f)
{
	struct perfdata_bytes attrs = {0}, ids = {0};
	size_t size = (size_t)f->attr_size;
	bool ok = perfdata_section(f, f->attrs, &attrs) && attrs.v.n >= size;
	for (size_t at = 0; ok && at + size <= attrs.v.n; at += size) {
		struct cursor r =
			perfdata_over(attrs.v.at + at + size - 16, 16, f->big_endian);
		struct perfdata_section s = {.offset = cursor_u64(&r)};
		s.size = cursor_u64(&r);
		struct perfdata_attr a =
			perfdata_attr(attrs.v.at + at, size - 16, f->big_endian);
		ok = perfdata_section(f, s, &ids);
		if (ok)
			perfdata_event_add(v, &a, ids.v.at, ids.v.n / 8, f->big_endian);
	}
	vec_release_all(&attrs.v, &ids.v);
	return ok || err_damage(f->e, 0, "its events are missing");
}

/* perf_event_attr, its size in its second word; u64 ids */
bool
perfdata_event_record(struct perfdata_events *v, const struct perfdata_record *rec,
		      bool big_endian, struct err *e)
{
	struct cursor r = perfdata_body(rec, big_endian);
	cursor_u32(&r);
	uint32_t size = cursor_u32(&r);
	const uint8_t *at = rec->at + PERFDATA_HEADER;
	if (size < PERFDATA_ATTR_MIN || size > rec->size - PERFDATA_HEADER)
		return err_damage(e, rec->offset, "an event of %" PRIu32 " bytes", size);
	struct perfdata_attr a = perfdata_attr(at, size, big_endian);
	size_t n_ids = (rec->size - PERFDATA_HEADER - size) / 8;
	perfdata_event_add(v, &a, at + size, n_ids, big_endian);
	return true;
}

uint32_t
perfdata_event_of(const struct perfdata_events *v, const struct perfdata_record *rec,
		  bool big_endian)
{
	if (v->event.n < 2)
		return v->event.n ? 0 : UINT32_MAX;
	uint32_t at = perfdata_id_position(v->event.at[0].attr.sample_type);
	if (at == UINT32_MAX)
		return 0;
	struct cursor r = perfdata_body(rec, big_endian);
	cursor_bytes(&r, at);
	uint64_t id = cursor_u64(&r);
	return id ? idmap_get(&v->id, id) : 0;
}

const struct perfdata_attr *
perfdata_event_trailer(const struct perfdata_events *v, const struct perfdata_record *rec,
		       bool big_endian)
{
	if (!v->event.n)
		return NULL;
	const struct perfdata_attr *first = &v->event.at[0].attr;
	size_t words = (rec->size - PERFDATA_HEADER) / 8;
	if (v->event.n == 1 || !(first->sample_type & PERFDATA_HAS_IDENTIFIER) ||
	    !words || !perfdata_flag(first, PERFDATA_SAMPLE_ID_ALL))
		return first;
	uint32_t i = idmap_get(
		&v->id, perfdata_word(rec->at + PERFDATA_HEADER, words - 1, big_endian));
	return i == IDMAP_NONE ? first : &v->event.at[i].attr;
}

/* A kernel that writes build ids for another recorder marks our records as well. The device that
 * they have instead may look like a length (8 is the first disk), so some event has to ask for
 * build ids. Recordings of pnav 0.1 by ptrace have some of 20 bytes and do not say so. */
size_t
perfdata_event_build_id(const struct perfdata_events *v, const struct perfdata_record *rec,
			const uint8_t *field)
{
	bool asked = false;

	for (size_t i = 0; i < v->event.n; i++)
		asked |= v->event.at[i].attr.flags >> PERFDATA_WITH_BUILD_IDS & 1;
	if (!(rec->misc & PERFDATA_MMAP_BUILD_ID) || field[1] || field[2] || field[3])
		return 0;
	return field[0] == BUILD_ID_SHA1 || (asked && field[0] < BUILD_ID_SHA1) ? field[0] : 0;
}

/* ---- names ---- */

/* u32 n, u32 attr size; n × (attr, u32 n_ids, u32 length, name, n_ids × u64) */
void
perfdata_events_described(struct perfdata_events *v, struct builder *b, const uint8_t *at,
			  size_t len, bool big_endian)
{
	struct cursor r = perfdata_over(at, len, big_endian);
	uint32_t n = cursor_u32(&r), attr_size = cursor_u32(&r);
	for (uint32_t i = 0; i < n && !r.bad; i++) {
		size_t name_len;
		cursor_bytes(&r, attr_size);
		uint32_t n_ids = cursor_u32(&r);
		uint32_t room = cursor_u32(&r);
		struct cursor name = cursor_over(cursor_bytes(&r, room), room);
		const uint8_t *ids = cursor_bytes(&r, (uint64_t)n_ids * 8);
		if (r.bad || !room)
			return;
		const char *text = cursor_text(&name, &name_len);
		name_id id = builder_name(b, text, name_len);
		for (uint32_t j = 0; j < n_ids; j++) {
			uint64_t counter = perfdata_word(ids, j, big_endian);
			uint32_t event = idmap_get(&v->id, counter);
			idmap_put(&v->described, counter, id);
			if (event != IDMAP_NONE)
				v->event.at[event].name = id;
		}
		if (!n_ids && i < v->event.n)
			v->event.at[i].name = id;
	}
}

/* u64 what (2: name), u64 id, text */
void
perfdata_event_update(struct perfdata_events *v, struct builder *b,
		      const struct perfdata_record *rec, bool big_endian)
{
	struct cursor r = perfdata_body(rec, big_endian);
	uint64_t what = cursor_u64(&r);
	uint32_t event = idmap_get(&v->id, cursor_u64(&r));
	size_t len;
	const char *name = cursor_text(&r, &len);
	if (!r.bad && what == 2 && event != IDMAP_NONE && len)
		v->event.at[event].name = builder_name(b, name, len);
}

static void
name_event(struct buf *out, const struct perfdata_attr *a)
{
	event_name(out, a->type, a->config);
	bool user = perfdata_flag(a, PERFDATA_EXCLUDE_USER);
	bool kernel = perfdata_flag(a, PERFDATA_EXCLUDE_KERNEL);
	unsigned precise = (unsigned)(a->flags >> PERFDATA_PRECISE & 3);
	if (user || kernel || precise)
		buf_addc(out, ':');
	if (kernel)
		buf_addc(out, 'u');
	else if (user)
		buf_addc(out, 'k');
	buf_add(out, "ppp", precise);
}

name_id
perfdata_event_name(struct perfdata_events *v, struct builder *b, uint32_t event)
{
	struct perfdata_event *e = &v->event.at[event];
	if (e->name == NAME_EMPTY)
		e->name = perfdata_fields_event(&v->fields, &e->attr);
	if (e->name == NAME_EMPTY) {
		struct buf text = BUF_INIT;
		name_event(&text, &e->attr);
		e->name = builder_name(b, text.at, text.len);
		buf_release(&text);
	}
	return e->name;
}

uint64_t
perfdata_counter_step(struct perfdata_events *v, uint64_t id, uint64_t value)
{
	uint32_t i;
	if (idmap_add(&v->counter, id, v->last.n, &i))
		*vec_push(&v->last) = 0;
	uint64_t step = value - v->last.at[i];
	v->last.at[i] = value;
	return step;
}
