/* Profiles of R, written by Rprof() (R's manual, utils::Rprof):
 *
 *	memory profiling: GC profiling: line profiling: sample.interval=5000
 *	#File 1: depot.R
 *	:564422:659245:36332016:217:1#4 "order" 1#3 "sort_parts" 1#6 "main"
 *
 * A line is a sample, leaf first; the interval between samples is in microseconds.  The memory
 * that R used may precede it: small and large vectors, nodes, duplications.  `1#3` is file 1,
 * line 3, the position of the function to its right. */
#include "src/decode/decoder.h"

#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/odd_lines.h"
#include "src/decode/common/words.h"

struct rprof {
	struct builder *b;
	struct err *e;
	uint64_t offset;
	int64_t interval_ns, time_ns;
	track_id track, heap_track;
	struct series *series, *heap;
	struct idmap file_of; /* number -> name */
	VEC(frame_id) frame;
};

static int
rprof_probe(struct head head)
{
	const char *next = NULL, *at, *end, *found;
	int64_t interval;

	if (!head_line_filled(head, &next, &at, &end))
		return 0;
	found = text_find(at, end, "sample.interval=");
	return found && number_parse(found + 16, end, &interval) ? 100 : 0;
}

/* `#File 1: depot.R` */
static void
file_line(struct rprof *r, const char *at, const char *end)
{
	const char *colon = text_find(at, end, ": ");
	int64_t n;

	if (colon && number_parse(at + 6, colon, &n) && n >= 0)
		idmap_put(&r->file_of, (uint64_t)n,
			  builder_name(r->b, colon + 2, (size_t)(end - colon) - 2));
}

/* Parses `:small:large:nodes:dups:`; returns where the following text begins, NULL for other
 * text. */
static const char *
memory(struct rprof *r, const char *at, const char *end)
{
	int64_t n[4], bytes, nodes;

	for (unsigned i = 0; i < 4; i++) {
		const char *colon = memchr(at + 1, ':', (size_t)(end - at - 1));
		if (!colon || !number_parse(at + 1, colon, &n[i]) || n[i] < 0)
			return NULL;
		at = colon;
	}
	if (__builtin_add_overflow(n[0], n[1], &bytes) ||
	    __builtin_mul_overflow(bytes, 8, &bytes) || __builtin_mul_overflow(n[2], 56, &nodes) ||
	    __builtin_add_overflow(bytes, nodes, &bytes))
		return NULL;
	if (!r->heap) {
		r->heap_track = builder_track(r->b, "R heap", 6, TRACK_COUNTER);
		builder_track_unit(r->b, r->heap_track, "bytes", 5);
		r->heap = builder_points(r->b, r->heap_track, false);
	}
	return builder_point(r->b, r->heap, r->time_ns, bytes, r->offset, r->e) ? at + 1 : NULL;
}

static void
rprof_add_frame(struct rprof *r, const struct buf *name, name_id file, int64_t line)
{
	bool gc = name->len == 4 && !memcmp(name->at, "<GC>", 4);
	struct function f = {
		.name = builder_name(r->b, buf_str(name), name->len),
		.file = file,
		.kind = (uint8_t)(gc ? KIND_SYSTEM : kind_of_name(buf_str(name), name->len)),
	};

	*vec_push(&r->frame) = builder_frame_of(r->b, f, line);
}

/* Parses `"name"`, in which R escapes quotes; returns its end, or NULL. */
static const char *
quoted(const char *at, const char *end, struct buf *out)
{
	buf_reset(out);
	for (at++; at < end && *at != '"'; at++) {
		if (*at == '\\' && at + 1 < end && (at[1] == '"' || at[1] == '\\'))
			at++;
		buf_addc(out, *at);
	}
	return at < end ? at + 1 : NULL;
}

/* `1#3`; false where it is none. */
static bool
place(struct rprof *r, const char *at, const char *end, name_id *file, int64_t *line)
{
	const char *hash = memchr(at, '#', (size_t)(end - at));
	int64_t n;

	if (!hash || !number_parse(at, hash, &n) || n < 0 || !number_parse(hash + 1, end, line))
		return false;
	uint32_t name = idmap_get(&r->file_of, (uint64_t)n);
	*file = name == IDMAP_NONE ? NAME_EMPTY : name;
	return true;
}

static bool
sample_line(struct rprof *r, const char *at, const char *end)
{
	struct buf name = BUF_INIT;
	name_id file = NAME_EMPTY;
	int64_t line = 0;
	bool good = true;

	if (*at == ':' && !(at = memory(r, at, end)))
		return false;
	r->frame.n = 0;
	for (at = skip_blanks(at, end); good && at < end; at = skip_blanks(at, end)) {
		const char *stop = *at == '"' ? quoted(at, end, &name) : word_end(at, end);
		good = stop && (*at == '"' || place(r, at, stop, &file, &line));
		if (good && *at == '"') {
			rprof_add_frame(r, &name, file, line);
			file = NAME_EMPTY;
			line = 0;
		}
		at = good ? stop : end;
	}
	buf_release(&name);
	if (!good)
		return false;
	int64_t value = r->interval_ns;
	stack_id stack = r->frame.n ? builder_stack_leaf_first(r->b, r->frame.at, r->frame.n)
				    : builder_stack_missing(r->b, 1);
	good = builder_sample(r->b, r->series, r->time_ns, stack, &value, r->offset, r->e);
	if (good && __builtin_add_overflow(r->time_ns, r->interval_ns, &r->time_ns))
		return err_damage(r->e, r->offset, "times exceed 2^63");
	return good;
}

static bool
rprof_begin(struct rprof *r, const char *at, const char *end)
{
	const char *found = text_find(at, end, "sample.interval=");
	metric_id metric[2];
	int64_t us;

	if (!found || !number_parse(found + 16, end, &us) || us <= 0 || us > INT64_MAX / 1000)
		return err_refuse(r->e, "not a profile of R: its first line has no interval");
	r->interval_ns = us * 1000;
	metric[0] = builder_metric(r->b, "time", UNIT_NS, ROLE_VALUE);
	metric[1] = builder_metric(r->b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	builder_default_metric(r->b, metric[0]);
	r->track = builder_main(r->b);
	r->series = builder_samples(r->b, r->track, metric, 2);
	builder_info(r->b, "interval", "%" PRId64 " us", us);
	return true;
}

static bool
rprof_line(void *state, const char *at, const char *end)
{
	struct rprof *r = state;

	if (at == end || (!r->series && skip_blanks(at, end) == end))
		return true;
	if (!r->series)
		return rprof_begin(r, at, end);
	if (!begins_with(at, end, "#File "))
		return sample_line(r, at, end);
	file_line(r, at, end);
	return true;
}

/* A sample ends with the quoted name of its root. */
static enum last_line
rprof_last_line(const char *at, const char *end)
{
	bool inside = false;

	for (const char *c = at; c < end; c++)
		if (*c == '\\')
			c++;
		else
			inside ^= *c == '"';
	return !inside && last_line_closed(at, end, "\"") == LAST_CLOSED ? LAST_NUMBER : LAST_OPEN;
}

static bool
rprof_decode(struct input *in, struct builder *b, struct err *e)
{
	struct rprof r = {.b = b, .e = e};

	bool good = text_lines(in, b, e, &r.offset, rprof_last_line, rprof_line, &r);
	if (r.series)
		builder_track_end(b, r.track, r.time_ns);
	vec_release(&r.frame);
	idmap_release(&r.file_of);
	return good;
}

const struct decoder decoder_rprof = {
	.name = "rprof",
	.title = "R's profiles: Rprof.out, with lines, memory and collections",
	.made_of = MADE_TEXT,
	.probe = rprof_probe,
	.decode = rprof_decode,
};
