#include "src/decode/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/ordered.h"
#include "model/base/wide.h"
#include "src/decode/hqnplog/hqnplog_inside.h"

/* ---- dump ---- */

/* Prints the records in the order of the file: the header, the tables of names before or after
 * the entries, and the entries, including unused space. */

static bool
dump_table(struct dump *out, const struct hqn_header *h, enum hqn_which i,
	   const struct hqn_table *raw)
{
	static const char *const word[HQN_TABLES] = {[HQN_TRACES] = "trace", [HQN_TYPES] = "type"};
	struct hqn_names names;
	struct buf scratch = BUF_INIT;
	bool good = true;

	if (!hqn_names_read(&names, raw->at, raw->len, h->table[i], h->big_endian, 0))
		return dump_record(out, h->table[i], "%s names: %zu bytes, not readable",
				   word[i], raw->len);
	for (uint32_t k = 0; k < names.n && good; k++)
		good = dump_record(
			out, h->table[i] + names.name[k].at, "%s id=%" PRIu32 " %s", word[i], k,
			dump_bytes(out, &scratch, raw->at + names.name[k].at, names.name[k].len));
	hqn_names_release(&names);
	buf_release(&scratch);
	return good;
}

static bool
dump_tables(struct dump *out, const struct hqn_header *h, struct hqn_table raw[HQN_TABLES])
{
	enum hqn_which first = h->table[HQN_TRACES] <= h->table[HQN_TYPES] ? HQN_TRACES : HQN_TYPES;
	enum hqn_which second = first == HQN_TRACES ? HQN_TYPES : HQN_TRACES;

	return dump_table(out, h, first, &raw[first]) && dump_table(out, h, second, &raw[second]);
}

static bool
dump_entries(struct input *in, struct dump *out, const struct hqn_header *h, bool *good,
	     struct err *err)
{
	uint64_t bound = hqn_entries_bound(h), offset;

	for (uint64_t n = 0; !h->count || n < h->count; n++) {
		offset = input_offset(in);
		if (bound != UINT64_MAX && bound - offset < h->entry_size)
			return true;
		if (!input_need(in, (size_t)h->entry_size)) {
			if (input_have(in) && !input_stopped(in))
				*good = err_damage(err, offset,
						   "the file ends within an entry");
			return true;
		}
		struct hqn_entry e = hqn_entry_at(h, input_at(in));
		if (!dump_record(out, offset,
				 "entry time=%" PRIu64 " duration=%" PRIu64 " thread=0x%" PRIx64
				 " trace=%" PRIu32 " type=%" PRIu32 " designator=0x%" PRIx64,
				 e.time, e.duration, e.thread, e.trace, e.type, e.designator))
			return false;
		input_skip(in, (size_t)h->entry_size);
	}
	return true;
}

/* See `dump` in decoder.h. */
static bool
hqnplog_dump(struct input *in, struct dump *out, struct err *err)
{
	struct hqn_header h;
	struct hqn_table raw[HQN_TABLES] = {0};
	bool good = hqn_header_read(in, &h, err), written;

	if (!good)
		return false;
	written = dump_record(out, 0,
			      "header %s-endian size=%" PRIu64 " ticks=%" PRIu64 " start=%" PRIu64
			      " traces=%" PRIu64 " types=%" PRIu64 " entries=%" PRIu64
			      " entry_size=%" PRIu64 " count=%" PRIu64,
			      h.big_endian ? "big" : "little", h.size, h.ticks, h.start,
			      h.table[HQN_TRACES], h.table[HQN_TYPES], h.entries, h.entry_size,
			      h.count);
	good = written && hqn_entries_reach(in, &h, raw, err);
	if (good && hqn_tables_come_first(&h))
		written = dump_tables(out, &h, raw);
	if (good && written)
		written = dump_entries(in, out, &h, &good, err);
	if (good && written && !hqn_tables_come_first(&h)) {
		for (int i = 0; i < HQN_TABLES; i++)
			hqn_table_load(in, &h, (enum hqn_which)i, &raw[i]);
		dump_tables(out, &h, raw);
	}
	for (int i = 0; i < HQN_TABLES; i++)
		free(raw[i].at);
	return good || !err_is_set(err);
}

/* Harlequin RIP probe logs ("Harlequin RIP SDK, probelog.h"; pnav-formats(7)).
 *
 * An entry is written when it ends, so a parent comes after its children. The table of names, which
 * may be anywhere in the file, distinguishes an ENTER from a point. So entries are collected in a
 * few bytes each (slicepack.h): slices by thread, entries without duration together. At the end of
 * the file the names are read, entries and exits are paired, and points and, thread by thread, the
 * steps are written (slices.c); the collected entries are freed on the way. Rejected: writing while
 * reading, since it would need to know which slices are still open.
 *
 * While the profile is displayed, a preview of the slices read so far is written, and again
 * whenever their number has grown by a factor; that costs a tenth of the time. Their names come
 * from a table that ends before the entries, or that is looked up at its place, so they are right;
 * if that is impossible, nothing is shown before the end.
 *
 * A log that was never closed has the count 0, or one that exceeds the file; it is read to its end.
 * Its file may be longer than its contents: entries of zeros are unused space. */

static int
hqnplog_probe(struct head head)
{
	if (head.len < 8 || memcmp(head.at, "HQNplog", 7) != 0)
		return 0;
	return head.at[7] == '\n' ? 100 : 60;
}

/* ---- entries ---- */

static uint32_t
thread_index(struct hqn *d, uint64_t id)
{
	uint32_t i = idmap_get(&d->thread_of, id);

	if (i != IDMAP_NONE)
		return i;
	idmap_put(&d->thread_of, id, (uint32_t)d->thread.n);
	*vec_push(&d->thread) =
		(struct hqnplog_thread){.id = id, .first = UINT64_MAX, .track = TRACK_NONE};
	return (uint32_t)d->thread.n - 1;
}

static bool
is_room(const struct hqn_entry *e)
{
	return !(e->time | e->duration | e->thread | e->trace | e->type | e->designator);
}

static bool
entry_add(struct hqn *d, struct hqn_entry e, uint32_t *last_thread, uint64_t offset,
	  struct err *err)
{
	uint64_t end, *ids = d->named.ids;

	if (d->timestamp_is_end) {
		if (e.duration > e.time)
			return err_damage(err, offset, "the entry begins before time 0");
		e.time -= e.duration;
	}
	if (__builtin_add_overflow(e.time, e.duration, &end) || end > d->ticks_max)
		return err_damage(err, offset, "the entry ends beyond 2^63 ns");
	if (*last_thread == IDMAP_NONE || d->thread.at[*last_thread].id != e.thread)
		*last_thread = thread_index(d, e.thread);
	struct hqnplog_thread *t = &d->thread.at[*last_thread];
	t->last = end > t->last ? end : t->last;
	ids[HQN_TRACES] = e.trace >= ids[HQN_TRACES] ? (uint64_t)e.trace + 1 : ids[HQN_TRACES];
	ids[HQN_TYPES] = e.type >= ids[HQN_TYPES] ? (uint64_t)e.type + 1 : ids[HQN_TYPES];
	uint64_t place = d->n_entries++;
	if (e.duration) {
		thread_runs(t, place);
		slicepack_add(&t->slices, &(struct packed_slice){.of = {
			[SLICE_START] = e.time,
			[SLICE_LENGTH] = e.duration,
			[SLICE_VALUE] = e.designator,
			[SLICE_NAME] = e.trace,
			[SLICE_NUMBER] = place,
		}});
		return true;
	}
	hqn_mark_add(d, *last_thread, &e, place);
	return true;
}

/* ---- names ---- */

static bool
names_read(struct hqn *d, enum hqn_which i)
{
	const struct hqn_table *raw = &d->named.raw[i];

	hqn_names_release(&d->named.names[i]);
	return hqn_names_read(&d->named.names[i], raw->at, raw->len, d->h.table[i], d->h.big_endian,
			      d->named.ids[i]);
}

static void
names_settle(struct hqn *d)
{
	static const char *const key[HQN_TABLES] = {
		[HQN_TRACES] = "trace names", [HQN_TYPES] = "type names"};

	for (int i = 0; i < HQN_TABLES; i++) {
		struct hqn_names *t = &d->named.names[i];
		if (names_read(d, (enum hqn_which)i))
			builder_info(d->b, "assumed", "%s are a table of %" PRIu32 ": %s",
				     key[i], t->n, t->form);
		else
			builder_info(d->b, key[i], "not readable");
		if (t->form && d->named.ids[i] > t->n)
			builder_warn(d->b, "%s: a table of %" PRIu32 ", but an entry has the id %"
					   PRIu64, key[i], t->n, d->named.ids[i] - 1);
		else if (!t->form && d->named.ids[i] && d->named.raw[i].len)
			builder_warn(d->b, "%s are not readable", key[i]);
	}
}

static frame_id
hqnplog_frame_of(void *context, uint32_t trace)
{
	struct hqn *d = context;
	uint32_t frame = idmap_get(&d->named.frame_of, trace);
	char text[24];

	if (frame != IDMAP_NONE)
		return frame;
	struct name name = hqn_name_of(&d->named, HQN_TRACES, trace, text);
	function_id f = builder_function_named(d->b, name.at, name.len);
	frame = builder_frame(d->b, f, line_unknown());
	idmap_put(&d->named.frame_of, trace, frame);
	return frame;
}

static void
info_header(struct builder *b, const struct hqn_header *h, const char *timestamp)
{
	builder_info(b, "byte order", "%s", h->big_endian ? "big-endian" : "little-endian");
	builder_info(b, "ticks a second", "%" PRIu64, h->ticks);
	builder_info(b, "start time", "%" PRIu64 " ticks", h->start);
	builder_info(b, "header size", "%" PRIu64, h->size);
	builder_info(b, "entry size", "%" PRIu64, h->entry_size);
	builder_info(b, "entries in header", "%" PRIu64, h->count);
	if (!timestamp)
		builder_info(b, "assumed",
			     "a timestamp is the start of its duration "
			     "(--hqn-timestamp start|end)");
	else
		builder_info(b, "timestamp", "%s of the duration", timestamp);
}

/* ---- tracks, in the order in which they appear in the file ---- */

struct appearance {
	uint64_t first;
	uint32_t index; /* of a thread, or a point track */
	bool is_point;
};

ORDERED_BY(compare_appearances, struct appearance, first)

static size_t
hqnplog_thread_name(const struct hqnplog_thread *t, char text[32])
{
	return (size_t)snprintf(text, 32, "thread 0x%" PRIx64, t->id);
}

static void
thread_track(struct hqn *d, struct hqnplog_thread *t)
{
	char text[32];
	size_t n = hqnplog_thread_name(t, text);

	t->track = builder_track(d->b, text, n, TRACK_THREAD);
}

/* Those that are not there yet. */
static void
tracks_make(struct hqn *d)
{
	VEC(struct appearance) all = VEC_INIT;

	for (uint32_t i = 0; i < d->thread.n; i++)
		if (d->thread.at[i].runs && d->thread.at[i].track == TRACK_NONE)
			*vec_push(&all) = (struct appearance){d->thread.at[i].first, i, false};
	for (uint32_t i = 0; i < d->what.n; i++)
		if (d->what.at[i].class == MARK_POINT && d->what.at[i].track == TRACK_NONE)
			*vec_push(&all) = (struct appearance){d->what.at[i].first, i, true};
	vec_sort(&all, compare_appearances);
	for (size_t i = 0; i < all.n; i++)
		if (all.at[i].is_point)
			hqn_point_track(d, &d->what.at[all.at[i].index]);
		else
			thread_track(d, &d->thread.at[all.at[i].index]);
	vec_release(&all);
}

static struct slices_out
slices_out(struct hqn *d)
{
	return (struct slices_out){
		.in = d->in,
		.b = d->b,
		.ticks = d->h.ticks,
		.offset = d->h.entries,
		.kind = SLICES_VALUED,
		.metric = METRIC_NONE,
		.frame = hqnplog_frame_of,
		.context = d,
	};
}

static bool
thread_write(struct hqnplog_thread *t, struct slices_out *out, bool last, struct err *err)
{
	struct slicepack_reader slices;
	char name[32];
	struct slices_track track = {.track = t->track,
				     .name = name,
				     .len = hqnplog_thread_name(t, name),
				     .kind = TRACK_THREAD,
				     .kept = &t->shown};

	slicepack_read(&slices, &t->slices, t->pairs.at, t->pairs.n, last);
	bool good = slices_write_packed(&slices, out, &track, err);
	slicepack_read_end(&slices);
	return good;
}

/* Counts exits without entries as records of their thread, from the first of them. */
static void
thread_exits(struct hqn *d, const struct hqnplog_thread *t)
{
	for (uint32_t k = 0; k < t->lone_exits; k++)
		builder_track_event(d->b, t->track);
	if (!t->lone_exits)
		return;
	builder_track_end(d->b, t->track, slices_ns(t->early_exit, d->h.ticks));
	builder_track_end(d->b, t->track, slices_ns(t->last, d->h.ticks));
}

static bool
threads_write(struct hqn *d, struct err *err)
{
	struct slices_out out = slices_out(d);

	out.all = d->n_entries;
	for (size_t i = 0; i < d->thread.n; i++) {
		struct hqnplog_thread *t = &d->thread.at[i];
		if (!t->runs)
			continue;
		bool shown = t->shown.n; /* the end of the preview is removed with it */
		if (!shown)
			thread_exits(d, t);
		if (!thread_write(t, &out, true, err))
			return false;
		if (shown)
			thread_exits(d, t);
	}
	return true;
}

/* ---- previews ---- */

/* Reads the names that are available now; returns false if they are not. */
static bool
names_known(struct hqn *d)
{
	bool first = hqn_tables_come_first(&d->h), good = true;

	for (int i = 0; i < HQN_TABLES && good; i++) {
		if (!first && !d->named.raw[i].at)
			good = hqn_table_peek(d->in, &d->h, (enum hqn_which)i, &d->named.raw[i]);
		good = good && names_read(d, (enum hqn_which)i);
	}
	return good;
}

/* Shows a preview. Errors are left to the end, which reports them. */
static void
entries_show(struct hqn *d)
{
	struct slices_out out = slices_out(d);
	struct err err = {0};

	d->next_show = d->n_entries * SHOW_AGAIN;
	if (!names_known(d)) {
		d->next_show = UINT64_MAX;
		return;
	}
	builder_timeline(d->b);
	hqn_marks_look(d);
	tracks_make(d);
	out.silent = true;
	for (size_t i = 0; i < d->thread.n && !err_is_set(&err); i++)
		if (d->thread.at[i].slices.n)
			thread_write(&d->thread.at[i], &out, false, &err);
	if (err_is_set(&err))
		d->next_show = UINT64_MAX;
}

/* ---- reading ---- */

/* Returns the number of entries to read; sets *closed if the header states it. */
static uint64_t
entries_expected(struct hqn *d, bool *closed)
{
	uint64_t bound = hqn_entries_bound(&d->h), most = UINT64_MAX;

	*closed = d->h.count != 0;
	if (bound != UINT64_MAX)
		most = (bound - d->h.entries) / d->h.entry_size;
	if (!*closed)
		return most;
	if (d->h.count <= most)
		return d->h.count;
	builder_warn(d->b, "the header counts %" PRIu64 " entries, and there is room for %" PRIu64,
		     d->h.count, most);
	return most;
}

/* Handles an input with fewer entries than expected. An incomplete last entry is damage. */
static bool
entries_end(struct hqn *d, bool closed, struct err *err)
{
	if (input_stopped(d->in))
		return true;
	if (input_have(d->in))
		return err_damage(err, input_offset(d->in), "the file ends within an entry");
	if (closed)
		builder_warn(d->b,
			     "the header counts %" PRIu64
			     " entries, and the file ends after %" PRIu64,
			     d->h.count, d->n_entries);
	return true;
}

static bool
entries_read(struct hqn *d, struct err *err)
{
	size_t size = (size_t)d->h.entry_size;
	uint32_t last_thread = IDMAP_NONE;
	bool closed;
	uint64_t left = entries_expected(d, &closed);

	if (!closed && left && input_need(d->in, 1))
		builder_warn(d->b, "the log was never closed: its header counts 0 entries");
	while (left) {
		if (!input_need(d->in, size))
			return entries_end(d, closed, err);
		const uint8_t *start = input_at(d->in), *p = start;
		uint64_t base = input_offset(d->in), n = input_have(d->in) / size;
		n = n < left ? n : left;
		left -= n;
		for (; n; n--, p += size) {
			struct hqn_entry e = hqn_entry_at(&d->h, p);
			uint64_t offset = base + (uint64_t)(p - start);
			if (!closed && is_room(&e))
				d->zeros++;
			else if (!entry_add(d, e, &last_thread, offset, err))
				return false;
		}
		input_skip(d->in, (size_t)(p - start));
		if (d->n_entries >= d->next_show && input_looked_at(d->in))
			entries_show(d);
	}
	return true;
}

/* ---- all together ---- */

static bool
hqnplog_build(struct hqn *d, struct err *err)
{
	bool good;

	builder_timeline(d->b);
	idmap_release(&d->named.frame_of); /* of names as they were known */
	names_settle(d);
	hqn_marks_pair(d);
	tracks_make(d);
	good = hqn_points_write(d, err) && threads_write(d, err);
	builder_info_count(d->b, "unused entries", d->zeros, "");
	return good;
}

static void
hqnplog_release(struct hqn *d)
{
	for (size_t i = 0; i < d->thread.n; i++) {
		slicepack_release(&d->thread.at[i].slices);
		vec_release(&d->thread.at[i].pairs);
		slices_kept_release(&d->thread.at[i].shown);
	}
	for (int i = 0; i < HQN_TABLES; i++) {
		hqn_names_release(&d->named.names[i]);
		free(d->named.raw[i].at);
	}
	vec_release(&d->thread);
	idmap_release_all(&d->thread_of, &d->named.frame_of, &d->what_of, &d->pairing.top_of);
	slicepack_release(&d->mark);
	vec_release_all(&d->what, &d->pairing.entered);
}

static bool
hqnplog_decode(struct input *in, struct builder *b, struct err *err)
{
	const char *timestamp = input_option(in, "hqn-timestamp");
	struct hqn d = {
		.in = in,
		.b = b,
		.timestamp_is_end = timestamp && !strcmp(timestamp, "end"),
		.next_show = SHOW_FIRST,
	};

	if (!hqn_header_read(in, &d.h, err))
		return false;
	input_later(in, LATER);
	wide most = wide_div(wide_mul(wide_of(INT64_MAX), wide_of_unsigned(d.h.ticks)),
			     wide_of(1000000000));
	bool fits = wide_cmp(most, wide_of_unsigned(UINT64_MAX)) < 0;
	d.ticks_max = fits ? wide_low(most) : UINT64_MAX;
	info_header(b, &d.h, timestamp);
	bool good = hqn_entries_reach(in, &d.h, d.named.raw, err) && entries_read(&d, err);
	if (!hqn_tables_come_first(&d.h))
		for (int i = 0; i < HQN_TABLES; i++) {
			/* the file may contain more or less of the table now */
			free(d.named.raw[i].at);
			hqn_table_load(in, &d.h, (enum hqn_which)i, &d.named.raw[i]);
		}
	good &= hqnplog_build(&d, err);
	hqnplog_release(&d);
	return good;
}

static const struct option_row hqnplog_options[] = {
	{"hqn-timestamp", "WHICH", "hqnplog: a timestamp is the start or the end",
	 .kind = OPTION_CHOICE, .choices = (const char *const[]){"start", "end", NULL}},
	{0},
};

const struct decoder decoder_hqnplog = {
	.name = "hqnplog",
	.title = "Harlequin RIP probe log",
	.made_of = MADE_BINARY,
	.options = hqnplog_options,
	.probe = hqnplog_probe,
	.decode = hqnplog_decode,
	.dump = hqnplog_dump,
};
