/* jfr: recordings of Java's Flight Recorder (OpenJDK's jdk.jfr.internal), and those of
 * async-profiler in the same format.
 *
 * A file is a sequence of self-contained chunks.  A chunk has events, and anywhere between them
 * the types (metadata) and the values that events refer to (constant pools); the header states
 * their offsets.  The decoder loads a chunk into memory, reads types and pools, then the
 * events.  If the recording is in progress or truncated, the header lacks the offsets, and the
 * decoder searches for them. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/decode/jfr/jfr_inside.h"

enum { TYPE_METADATA = 0, TYPE_POOLS = 1, POOLS_MAX = 1 << 20 };

/* ---- the events of a chunk ---- */

struct record {
	size_t at, size;
	uint64_t type;
	struct cursor c; /* after size and type */
};

/* Reads the record at `at`.  Returns false at the end of the chunk, and for an incomplete
 * record (*cut). */
static bool
record_at(const struct jfr_chunk *k, size_t at, struct record *r, bool *cut)
{
	*cut = false;
	if (at >= k->len)
		return false;
	r->at = at;
	r->c = jfr_at(k, at);
	r->size = jfr_int(k, &r->c);
	r->type = jfr_long(k, &r->c);
	size_t head = (size_t)(r->c.at - r->c.start) - at;
	if (r->c.bad || r->size < head || r->size > k->len - at) {
		*cut = true;
		return false;
	}
	r->c.end = r->c.start + at + r->size;
	return true;
}

/* Returns true if only zeros follow the last event, as in a recording in progress. */
static bool
jfr_is_empty(const struct jfr_chunk *k, size_t at)
{
	while (at < k->len && !k->at[at])
		at++;
	return at >= k->len;
}

static void
pools_follow(struct jfr *d, uint64_t at)
{
	struct record r;
	int64_t delta = 0;
	bool cut, good = true;

	for (unsigned n = 0; good && n < POOLS_MAX; n++) {
		good = at <= SIZE_MAX && record_at(&d->chunk, (size_t)at, &r, &cut) &&
		       r.type == TYPE_POOLS && jfr_pools(d, r.c, false, &delta);
		if (!good)
			builder_warn(d->b, "malformed constant pools");
		/* the previous one is before it */
		if (!good || delta >= 0 || (uint64_t)-delta > at)
			return;
		at -= (uint64_t)-delta;
	}
}

/* Searches for the parts whose offsets the header lacks. */
static void
parts_find(struct jfr *d)
{
	struct record r;
	int64_t delta;
	bool cut;

	for (size_t at = JFR_HEADER; record_at(&d->chunk, at, &r, &cut); at += r.size)
		if (r.type == TYPE_METADATA)
			jfr_metadata(d, r.c);
	for (size_t at = JFR_HEADER;
	     d->chunk.has_metadata && record_at(&d->chunk, at, &r, &cut); at += r.size)
		if (r.type == TYPE_POOLS && !jfr_pools(d, r.c, true, &delta))
			builder_warn(d->b, "malformed constant pools");
}

static bool
events_read(struct jfr *d)
{
	struct record r;
	bool cut;
	size_t at = JFR_HEADER;

	for (; record_at(&d->chunk, at, &r, &cut); at += r.size) {
		uint32_t type = idmap_get(&d->chunk.type_of, r.type);
		if (type == IDMAP_NONE)
			continue;
		if (d->chunk.type.at[type].event == EVENT_SETTING)
			jfr_setting(d, type, r.c);
		d->samplers.wall_apart |= d->chunk.type.at[type].event == EVENT_WALL;
	}
	for (at = JFR_HEADER; record_at(&d->chunk, at, &r, &cut); at += r.size) {
		uint32_t type = idmap_get(&d->chunk.type_of, r.type);
		if (r.type == TYPE_METADATA || r.type == TYPE_POOLS)
			continue;
		d->events++;
		if (type == IDMAP_NONE)
			builder_warn(d->b, "events of types that the metadata lacks, left out");
		else if (!jfr_event(d, type, r.c, d->chunk.offset + at))
			return false;
		if (d->events % 4096 == 0)
			input_breathe(d->in);
	}
	if (cut && !jfr_is_empty(&d->chunk, at))
		return err_damage(d->err, d->chunk.offset + at,
				  "the file ends within an event");
	return true;
}

/* ---- chunks ---- */

/* Loads the next chunk into the window.  Returns false at the end, and if there is no chunk. */
static bool
chunk_open(struct jfr *d, uint64_t *metadata, uint64_t *pools)
{
	d->chunk.offset = input_offset(d->in);
	if (!input_need(d->in, JFR_HEADER)) {
		if (input_have(d->in))
			err_damage(d->err, d->chunk.offset,
				   "the file ends within a chunk's header");
		return false;
	}
	const uint8_t *p = input_at(d->in);
	if (memcmp(p, "FLR\0", 4) != 0)
		return err_damage(d->err, d->chunk.offset, "expected a chunk");
	if (bytes_u16(p + 4, true) != 2) {
		if (d->chunks)
			return err_damage(d->err, d->chunk.offset,
					  "a chunk of another version");
		return err_refuse(d->err, "a recording of version %u; only 2, of JDK 9 and "
					  "later, is read: jfr of JDK 8u262 and later writes it",
				  bytes_u16(p + 4, true));
	}
	uint64_t size = bytes_u64(p + 8, true);
	*pools = bytes_u64(p + 16, true);
	*metadata = bytes_u64(p + 24, true);
	if (size < JFR_HEADER || !input_need(d->in, size > SIZE_MAX ? SIZE_MAX : (size_t)size))
		size = 0;
	while (!size && input_have(d->in) < INPUT_WINDOW_MAX && input_more(d->in))
		;
	d->chunk.at = p = input_at(d->in);
	d->chunk.len = size ? (size_t)size : input_have(d->in);
	d->chunk.start_ns = bytes_u64(p + 32, true);
	d->chunk.start_ticks = bytes_u64(p + 48, true);
	d->chunk.ticks = bytes_u64(p + 56, true);
	d->chunk.packed = bytes_u32(p + 64, true) & 1;
	if (!d->chunk.ticks)
		d->chunk.ticks = 1000000000;
	return true;
}

static bool
chunk_read(struct jfr *d, uint64_t metadata, uint64_t pools)
{
	struct record r;
	bool cut;

	jfr_pools_forget(d);
	jfr_types_release(d);
	if (metadata >= JFR_HEADER && metadata < d->chunk.len && pools >= JFR_HEADER &&
	    pools < d->chunk.len && record_at(&d->chunk, (size_t)metadata, &r, &cut) &&
	    r.type == TYPE_METADATA && jfr_metadata(d, r.c))
		pools_follow(d, pools);
	else
		parts_find(d);
	d->chunks++;
	if (!d->chunk.has_metadata)
		return err_damage(d->err, d->chunk.offset, "a chunk without metadata");
	return events_read(d);
}

static bool
chunks_read(struct jfr *d)
{
	uint64_t metadata, pools;

	while (chunk_open(d, &metadata, &pools)) {
		if (!chunk_read(d, metadata, pools))
			return false;
		input_skip(d->in, d->chunk.len);
	}
	return !err_is_set(d->err);
}

/* ---- the decoder ---- */

static void
jfr_report(struct jfr *d)
{
	cast_rename(&d->cast);
	builder_clock(d->b, 0); /* all times are since 1970: jfr_time_of() */
	builder_info(d->b, "chunks", "%" PRIu64, d->chunks);
	jfr_events_report(d);
	for (size_t i = 0; i < d->count.n; i++) {
		struct name n = builder_name_get(d->b, d->count.at[i].name);
		builder_info(d->b, "events not shown", "%.*s: %" PRIu64, (int)n.len, n.at,
			     d->count.at[i].n);
		builder_unshown(d->b, d->count.at[i].n);
	}
}

static void
jfr_release(struct jfr *d)
{
	jfr_pools_forget(d);
	for (size_t i = 0; i < d->track.n; i++)
		vec_release(&d->track.at[i].traced);
	vec_release_all(&d->chunk.type, &d->chunk.field, &d->pools.stack, &d->pools.method,
			&d->pools.frames, &d->track);
	cast_release(&d->cast);
	live_blocks_release(&d->live);
	vec_release_all(&d->count, &d->phase);
	buf_release(&d->text);
}

static struct jfr *
jfr_new(struct input *in, struct builder *b, struct err *e)
{
	struct jfr *d = mem_zalloc(1, sizeof *d);

	d->in = in;
	d->b = b;
	d->err = e;
	d->cast = (struct cast){.in = in, .b = b, .labelled = true};
	d->async = METRIC_NONE;
	d->chunk.string_type = JFR_NONE;
	for (unsigned i = 0; i < JFR_METRICS; i++)
		d->metric[i] = METRIC_NONE;
	return d;
}

static bool
jfr_decode(struct input *in, struct builder *b, struct err *e)
{
	struct jfr *d = jfr_new(in, b, e);
	bool good = chunks_read(d);

	jfr_types_release(d);
	if (good || d->chunks) {
		good = jfr_slices_write(d) && good;
		jfr_metrics_default(d);
		jfr_report(d);
	}
	jfr_release(d);
	free(d);
	return good;
}

/* ---- dump ---- */

/* Prints a record in a line: the number of its type, its size, its bytes. */
static bool
dump_chunk(struct jfr *d, struct dump *out)
{
	struct buf quoted = BUF_INIT;
	struct record r;
	bool cut, good;

	good = dump_record(out, d->chunk.offset,
			   "chunk size=%zu start=%" PRIu64 " ticks=%" PRIu64 "/s %s",
			   d->chunk.len, d->chunk.start_ns, d->chunk.ticks,
			   d->chunk.packed ? "packed" : "fixed");
	for (size_t at = JFR_HEADER; good && record_at(&d->chunk, at, &r, &cut);
	     at += r.size) {
		const char *kind = r.type == TYPE_METADATA ? "metadata"
				   : r.type == TYPE_POOLS ? "pools"
							    : "event";
		good = dump_record(
			out, d->chunk.offset + at, "%s type=%" PRIu64 " size=%zu %s",
			kind, r.type, r.size,
			r.type <= TYPE_POOLS ? ""
					     : dump_bytes(out, &quoted, r.c.at,
							  (size_t)(r.c.end - r.c.at)));
	}
	if (good && cut)
		err_damage(d->err, d->chunk.offset + r.at,
			   "the file ends within an event");
	buf_release(&quoted);
	return good && !err_is_set(d->err);
}

static bool
jfr_dump(struct input *in, struct dump *out, struct err *e)
{
	struct jfr *d = jfr_new(in, NULL, e);
	uint64_t metadata, pools;
	bool good = true;

	while (good && chunk_open(d, &metadata, &pools)) {
		good = dump_chunk(d, out);
		d->chunks++;
		input_skip(in, d->chunk.len);
	}
	jfr_release(d);
	free(d);
	return good && !err_is_set(e);
}

const struct decoder decoder_jfr = {
	.name = "jfr",
	.title = "Java Flight Recorder: recordings of JVMs, async-profiler",
	.made_of = MADE_BINARY,
	DECODER_MAGIC("FLR\0"),
	.decode = jfr_decode,
	.dump = jfr_dump,
};
