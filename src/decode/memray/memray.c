/* memray (Bloomberg): every allocation of a Python program, versions 10 to 13 of the file, which
 * memray 1.7 to 1.20 write; inside an LZ4 frame unless the program was killed.
 *
 *	"memray" 00   i32 version   [12: i32 PY_VERSION_HEX]   u8 native stacks   u8 kind
 *	u64 allocations   u64 frames   i64 start ms   i64 end ms   command line 00   i32 pid
 *	u64 main thread   u64 frames to skip there   u8 Python's allocator
 *	[11: u8 traced]   [12: u8 objects]   [13: path 00, two lists of paths 00 ... 00]
 *
 * Kind 0 has all allocations: records that push and pop frames, name threads, allocate and free.
 * Differences (of addresses, lines, ids) are signed and continue from record to record. Kind 1 has
 * sums: tables of frames and of a tree of stacks, then what each stack had at the peak and in the
 * end. Records: memray_read.c.
 *
 * Allocations have no time. They get that of the last record of resident memory, which memray
 * writes every 10 ms. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "src/decode/memray/memray_inside.h"

#define MAGIC "memray"

/* ---- the header ---- */

static bool
header_number(struct memray_header *h, struct cursor *c, struct builder *b)
{
	static const char *const names[] = {"",	     "pymalloc", "pymalloc (debug)",
					    "malloc", "other",    "mimalloc",
					    "mimalloc (debug)"};
	const uint8_t *bytes;
	size_t len;

	cursor_bytes(c, sizeof MAGIC + 4);
	h->python = h->version >= MEMRAY_TOKENS ? cursor_u32(c) : 0;
	if (!(bytes = cursor_bytes(c, 2)) || bytes[0] > 1 || bytes[1] > 1)
		return false;
	h->native = bytes[0];
	h->aggregated = bytes[1];
	cursor_u64(c);
	cursor_u64(c);
	h->start_ms = (int64_t)cursor_u64(c);
	cursor_u64(c); /* the end; 0: the program was killed */
	const char *command = cursor_cstring(c, &len);
	uint32_t pid = cursor_u32(c);
	h->main_thread = cursor_u64(c);
	h->skip = cursor_u64(c);
	bytes = cursor_bytes(c, 1u + (h->version >= 11) + (h->version >= MEMRAY_TOKENS));
	if (h->version >= 13) {
		cursor_cstring(c, &(size_t){0});
		for (unsigned lists = 0; lists < 2 && !c->bad;) {
			size_t path = 0;
			cursor_cstring(c, &path);
			lists += !path;
		}
	}
	if (c->bad || !b)
		return !c->bad;
	builder_info(b, "version", "%" PRId32 "%s", h->version,
		     h->aggregated ? ", aggregated" : "");
	if (h->python)
		builder_info(b, "python", "%u.%u.%u", h->python >> 24, h->python >> 16 & 255,
			     h->python >> 8 & 255);
	builder_info_bytes(b, "command", command, len);
	builder_info(b, "pid", "%" PRIu32, pid);
	if (bytes[0] && bytes[0] < sizeof names / sizeof *names)
		builder_info(b, "allocator", "%s", names[bytes[0]]);
	return true;
}

/* Reads the header and skips it; false with a refusal. `b` may be NULL. */
static bool
memray_header_read(struct input *in, struct memray_header *h, struct builder *b, struct err *e)
{
	size_t want = sizeof MAGIC + 4;

	if (!input_need(in, want))
		return err_refuse(e, "the file ends within its header");
	h->version = (int32_t)bytes_u32(input_at(in) + sizeof MAGIC, false);
	if (h->version < 10)
		return err_refuse(e, "version %" PRId32 " of memray's files; open it with memray "
				  "before 1.7", h->version);
	if (h->version > 13)
		return err_refuse(e, "version %" PRId32 " of memray's files, which is newer than "
				  "this pnav knows", h->version);
	for (;;) {
		struct cursor c = cursor_over(input_at(in), input_have(in));
		if (header_number(h, &c, NULL)) {
			c = cursor_over(input_at(in), input_have(in));
			header_number(h, &c, b);
			input_skip(in, (size_t)(c.at - c.start));
			return true;
		}
		if (!c.bad)
			return err_refuse(e, "a header of memray that is not of 64 bits");
		if (!input_need(in, input_have(in) + 1))
			return err_refuse(e, "the file ends within its header");
	}
}

/* ---- records ---- */

static uint64_t
record_address(struct memray *d, const struct memray_record *r)
{
	if (d->header.version < MEMRAY_TOKENS)
		return (uint64_t)(d->address = (int64_t)((uint64_t)d->address +
							 (uint64_t)r->delta));
	if (r->recent < MEMRAY_NOT_RECENT)
		return d->recent[r->recent];
	d->address = (int64_t)((uint64_t)d->address + (uint64_t)r->delta);
	memmove(d->recent + 1, d->recent, sizeof d->recent - sizeof *d->recent);
	return d->recent[0] = (uint64_t)d->address << 3;
}

static int64_t
memray_more(int64_t *last, int64_t delta)
{
	return *last = (int64_t)((uint64_t)*last + (uint64_t)delta);
}

static struct memray_thread *
thread_now(struct memray *d)
{
	return d->current == MEMRAY_NO_THREAD ? NULL : &d->thread.at[d->current];
}

static bool
take_alloc(struct memray *d, const struct memray_record *r)
{
	struct memray_thread *t = thread_now(d);
	uint64_t address = record_address(d, r);

	if (!t)
		return memray_bad(d, "an allocation before the first thread");
	if (memray_is_free(r->allocator))
		return memray_allocated(d, r->allocator, address, 0, STACK_EMPTY);
	int64_t native = memray_more(&d->native, r->native);
	if (!r->flag)
		native = 0;
	stack_id stack = t->stack.n ? t->stack.at[t->stack.n - 1] : STACK_EMPTY;
	return memray_allocated(d, r->allocator, address, r->size,
				memray_stack(d->b, &d->frames, stack, (uint64_t)native));
}

static bool
take_object(struct memray *d, const struct memray_record *r)
{
	record_address(d, r);
	memray_more(&d->native, r->native);
	d->heap.made += r->flag;
	d->heap.destroyed += !r->flag;
	return true;
}

static bool
take_frame(struct memray *d, const struct memray_record *r)
{
	bool aggregated = d->header.aggregated;
	uint64_t id = aggregated ? r->number : (uint64_t)memray_more(&d->id, r->native);
	int64_t line = aggregated ? r->delta : memray_more(&d->line, r->delta);

	memray_frame_add(d->b, &d->frames, r, id, line);
	return true;
}

static bool
take_code(struct memray *d, const struct memray_record *r)
{
	memray_code_add(d->b, &d->frames, r, memray_more(&d->line, r->delta));
	return true;
}

static bool
take_push(struct memray *d, const struct memray_record *r)
{
	struct memray_thread *t = thread_now(d);
	frame_id frame;

	if (!t)
		return memray_bad(d, "a frame before the first thread");
	if (d->header.version < MEMRAY_TOKENS)
		frame = memray_frame_named(d->b, &d->frames,
					   (uint64_t)memray_more(&d->id, r->delta));
	else
		frame = memray_code_frame(d->b, &d->frames, d->header.python, r->number, r->delta);
	stack_id parent = t->stack.n ? t->stack.at[t->stack.n - 1] : STACK_EMPTY;
	if (t->stack.n >= STACK_DEPTH_MAX)
		return memray_bad(d, "a stack that is too deep");
	if (t->tid != d->header.main_thread || t->stack.n >= d->header.skip)
		parent = builder_child(d->b, parent, frame);
	if (parent == STACK_NONE)
		return memray_bad(d, "more stacks than pnav reads");
	*vec_push(&t->stack) = parent;
	return true;
}

static bool
take_pop(struct memray *d, const struct memray_record *r)
{
	struct memray_thread *t = thread_now(d);

	if (!t || t->stack.n < r->flag + 1)
		return memray_bad(d, "the end of a frame that did not begin");
	t->stack.n -= r->flag + 1;
	return true;
}

static bool
take_native(struct memray *d, const struct memray_record *r)
{
	uint64_t parent = (uint64_t)memray_more(&d->native, r->native);
	uint64_t ip = (uint64_t)memray_more(&d->ip, r->delta);

	if (parent > d->frames.native.n || d->frames.native.n >= UINT32_MAX - 1)
		return memray_bad(d, "a native frame below one that does not exist");
	*vec_push(&d->frames.native) = (struct memray_native){
		.ip = ip, .parent = (uint32_t)parent, .frame = MEMRAY_NO_FRAME};
	return true;
}

static bool
take_module(struct memray *d, const struct memray_record *r)
{
	memray_module_add(d->b, &d->frames, r);
	return true;
}

static bool
take_thread(struct memray *d, const struct memray_record *r)
{
	struct memray_thread *t = thread_now(d);
	struct buf name = BUF_INIT;

	if (!t)
		return memray_bad(d, "the name of a thread before the first thread");
	buf_add(&name, r->text.at, r->text.len);
	buf_addf(&name, "%s0x%" PRIx64, r->text.len ? " " : "", t->tid);
	builder_track_rename(d->b, t->track, name.at, name.len);
	buf_release(&name);
	return true;
}

static bool
take_switch(struct memray *d, const struct memray_record *r)
{
	d->current = memray_thread_at(d, r->number);
	return true;
}

static int64_t
ns_of(uint64_t ms)
{
	return ms < INT64_MAX / 1000000 ? (int64_t)ms * 1000000 : 0;
}

static bool
take_rss(struct memray *d, const struct memray_record *r)
{
	int64_t time = ns_of(r->number);

	if (time > d->heap.now_ns)
		d->heap.now_ns = time;
	return memray_sizes(d, d->heap.now_ns, r->size, d->heap.total);
}

static bool
take_snapshot(struct memray *d, const struct memray_record *r)
{
	uint64_t start = (uint64_t)d->header.start_ms;

	return memray_sizes(d, ns_of(r->number > start ? r->number - start : 0), r->size,
			    r->sum[0] > INT64_MAX ? INT64_MAX : (int64_t)r->sum[0]);
}

/* ---- aggregated files ---- */

static bool
take_indexed(struct memray *d, const struct memray_record *r)
{
	idmap_put(&d->frames.frame_of, r->number,
		  memray_code_frame(d->b, &d->frames, d->header.python, r->size, r->delta));
	return true;
}

static bool
take_node(struct memray *d, const struct memray_record *r)
{
	struct memray_node node = {0};

	if (r->size > d->node.n)
		return memray_bad(d, "a stack below one that does not exist");
	if (r->size)
		node = d->node.at[r->size - 1];
	frame_id frame = memray_frame_named(d->b, &d->frames, r->number);
	if (node.depth >= STACK_DEPTH_MAX)
		return memray_bad(d, "a stack that is too deep");
	node.stack = builder_child(d->b, node.stack, frame);
	if (node.depth++ >= d->header.skip)
		node.main_stack = builder_child(d->b, node.main_stack, frame);
	if (node.stack == STACK_NONE || node.main_stack == STACK_NONE)
		return memray_bad(d, "more stacks than pnav reads");
	*vec_push(&d->node) = node;
	return true;
}

static bool
take_sum(struct memray *d, const struct memray_record *r)
{
	struct memray_node node = {0};
	int64_t value[4];

	if (r->number > d->node.n)
		return memray_bad(d, "an allocation by a stack that does not exist");
	if (r->number)
		node = d->node.at[r->number - 1];
	stack_id stack = r->size == d->header.main_thread ? node.main_stack : node.stack;
	stack = memray_stack(d->b, &d->frames, stack, (uint64_t)r->native);
	/* the file has blocks at the peak, blocks left, bytes at the peak, bytes left */
	for (unsigned i = 0; i < 4; i++) {
		uint64_t v = r->sum[(i & 1) * 2 + i / 2];
		if (v > INT64_MAX)
			return memray_bad(d, "an allocation of more than 2^63 bytes");
		value[i] = (int64_t)v;
	}
	return memray_sum(d, memray_thread_at(d, r->size), r->allocator, stack, value);
}

static bool
take_survivor(struct memray *d, const struct memray_record *r UNUSED)
{
	d->heap.surviving++;
	return true;
}

static bool
take_trailer(struct memray *d, const struct memray_record *r UNUSED)
{
	d->ended = true;
	return true;
}

static bool
take_filler(struct memray *d, const struct memray_record *r UNUSED)
{
	if (d->zeros == MEMRAY_NO_ZEROS)
		d->zeros = d->offset;
	return true;
}

/* ---- the loop ---- */

static const struct {
	const char *name;
	bool (*take)(struct memray *d, const struct memray_record *r);
} memray_kinds[MEMRAY_KINDS] = {
	[MEMRAY_FILLER] = {"filler", take_filler},
	[MEMRAY_TRAILER] = {"trailer", take_trailer},
	[MEMRAY_ALLOC] = {"allocation", take_alloc},
	[MEMRAY_OBJECT] = {"object", take_object},
	[MEMRAY_FRAME] = {"frame", take_frame},
	[MEMRAY_CODE] = {"code", take_code},
	[MEMRAY_PUSH] = {"push", take_push},
	[MEMRAY_POP] = {"pop", take_pop},
	[MEMRAY_NATIVE] = {"native", take_native},
	[MEMRAY_MAPS] = {"maps", take_module},
	[MEMRAY_MODULE] = {"module", take_module},
	[MEMRAY_SEGMENT] = {"segment", take_module},
	[MEMRAY_THREAD] = {"name", take_thread},
	[MEMRAY_RSS] = {"rss", take_rss},
	[MEMRAY_SWITCH] = {"thread", take_switch},
	[MEMRAY_SNAPSHOT] = {"snapshot", take_snapshot},
	[MEMRAY_SUM] = {"sum", take_sum},
	[MEMRAY_NODE] = {"node", take_node},
	[MEMRAY_INDEXED] = {"frame", take_indexed},
	[MEMRAY_SURVIVOR] = {"survivor", take_survivor},
};

/* Calls take() for each record up to the trailer. Returns false at damage. */
static bool
each_record(struct input *in, const struct memray_header *h, struct err *e,
	    bool (*take)(void *ctx, uint64_t offset, const struct memray_record *r), void *ctx)
{
	struct memray_record r = {.kind = MEMRAY_FILLER};
	bool good = true;

	while (good && r.kind != MEMRAY_TRAILER && input_need(in, 1)) {
		struct cursor c = cursor_over(input_at(in), input_have(in));
		uint64_t offset = input_offset(in);
		const uint8_t *begin = c.at;
		for (; c.at < c.end && good && r.kind != MEMRAY_TRAILER; begin = c.at) {
			begin = c.at;
			bool known = h->aggregated ? memray_read_aggregated(h, &c, &r)
						   : memray_read(h, &c, &r);
			uint64_t at = offset + (uint64_t)(begin - c.start);
			if (c.bad && c.torn)
				break;
			if (c.bad || !known)
				good = err_damage(e, at, c.bad ? "a malformed number"
							       : "an unknown record");
			else
				good = take(ctx, at, &r);
		}
		input_skip(in, (size_t)(begin - c.start));
		if (c.bad && c.torn && good && !input_need(in, input_have(in) + 1) &&
		    !input_stopped(in))
			good = err_damage(e, input_offset(in), "the last record is truncated");
	}
	return good;
}

static bool
record_take(void *ctx, uint64_t offset, const struct memray_record *r)
{
	struct memray *d = ctx;

	d->offset = offset;
	if (r->kind != MEMRAY_FILLER)
		d->zeros = MEMRAY_NO_ZEROS;
	return memray_kinds[r->kind].take(d, r);
}

static void
memray_report(struct memray *d)
{
	const struct memray_heap *h = &d->heap;
	time_t at = (time_t)(d->header.start_ms / 1000);
	struct tm tm;

	if (d->header.start_ms > 0 && d->header.start_ms < 253402300800000 && gmtime_r(&at, &tm))
		builder_info(d->b, "date", "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", tm.tm_year + 1900,
			     tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
			     (int)(d->header.start_ms % 1000));
	if (d->header.start_ms > 0 && d->header.start_ms < INT64_MAX / 1000000)
		builder_clock(d->b, d->header.start_ms * 1000000);
	if (!d->header.aggregated) {
		builder_info(d->b, "peak", "%" PRId64 " bytes at %" PRId64 " ms", h->most,
			     h->most_ns / 1000000);
		builder_info(d->b, "assumed", "allocations have the time of the last record of "
			     "resident memory before them");
	}
	if (h->unmatched)
		builder_info(d->b, "unmatched frees", "%" PRIu64, h->unmatched);
	if (h->made || h->destroyed || h->surviving)
		builder_info(d->b, "python objects",
			     "made %" PRIu64 ", destroyed %" PRIu64 ", surviving %" PRIu64, h->made,
			     h->destroyed, h->surviving);
	if (d->frames.native.n)
		builder_info(d->b, "assumed", "native frames are below those of Python");
	builder_warn_count(d->b, d->frames.unknown,
			   "frame that the file does not describe: [unknown]",
			   "frames that the file does not describe: [unknown]");
	if (!d->ended && !err_is_set(d->e) && !input_stopped(d->in))
		builder_warn(d->b, "not closed: ends at byte %" PRIu64 ", as if the program was "
			     "killed",
			     d->zeros == MEMRAY_NO_ZEROS ? input_offset(d->in) : d->zeros);
}

static bool
memray_decode(struct input *in, struct builder *b, struct err *e)
{
	struct memray d = {.in = in, .b = b, .e = e, .current = MEMRAY_NO_THREAD,
			   .zeros = MEMRAY_NO_ZEROS};
	struct err none = {0};

	if (!memray_header_read(in, &d.header, b, e))
		return false;
	memray_heap_begin(b, &d.heap, d.header.aggregated);
	bool good = each_record(in, &d.header, e, record_take, &d);
	d.e = good ? e : &none; /* everything before the damage is shown */
	good = memray_heap_finish(&d) && good;
	d.e = e;
	memray_report(&d);
	memray_heap_release(&d.heap);
	memray_frames_release(&d.frames);
	for (size_t i = 0; i < d.thread.n; i++)
		vec_release(&d.thread.at[i].stack);
	vec_release_all(&d.thread, &d.node);
	idmap_release(&d.thread_of);
	return good;
}

/* ---- the dump ---- */

static bool
record_dump(void *ctx, uint64_t offset, const struct memray_record *r)
{
	struct dump *out = ctx;
	struct buf line = BUF_INIT, scratch = BUF_INIT;

	if (r->kind == MEMRAY_FILLER)
		return true;
	if (r->kind == MEMRAY_ALLOC || r->kind == MEMRAY_SUM)
		buf_addf(&line, " %s", memray_allocators[r->allocator]);
	if (r->kind == MEMRAY_ALLOC || r->kind == MEMRAY_OBJECT)
		buf_addf(&line, " recent=%u", r->recent);
	buf_addf(&line, " delta=%" PRId64 " native=%" PRId64 " number=%" PRIu64 " size=%" PRIu64
		 " flag=%u", r->delta, r->native, r->number, r->size, r->flag);
	if (r->text.len)
		buf_addf(&line, " %s", dump_bytes(out, &scratch, r->text.at, r->text.len));
	if (r->file.len)
		buf_addf(&line, " %s", dump_bytes(out, &scratch, r->file.at, r->file.len));
	for (unsigned i = 0; i < 4 && r->kind == MEMRAY_SUM; i++)
		buf_addf(&line, " %" PRIu64, r->sum[i]);
	bool good = dump_record(out, offset, "%s%s", memray_kinds[r->kind].name, buf_str(&line));
	buf_release_all(&line, &scratch);
	return good;
}

static bool
memray_dump(struct input *in, struct dump *out, struct err *e)
{
	struct memray_header h = {0};

	return memray_header_read(in, &h, NULL, e) &&
	       dump_record(out, 0, "header version=%" PRId32 " native=%d aggregated=%d", h.version,
			   h.native, h.aggregated) &&
	       each_record(in, &h, e, record_dump, out);
}

static int
memray_probe(struct head head)
{
	if (head.len < sizeof MAGIC + 4 || memcmp(head.at, MAGIC, sizeof MAGIC) != 0)
		return 0;
	uint32_t version = bytes_u32(head.at + sizeof MAGIC, false);
	return version && version < 100 ? 100 : 0;
}

const struct decoder decoder_memray = {
	.name = "memray",
	.title = "memray: every allocation of a Python program",
	.made_of = MADE_BINARY,
	.probe = memray_probe,
	.decode = memray_decode,
	.dump = memray_dump,
};
