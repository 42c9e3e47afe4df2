/* The text of `perf script` (pnav-formats(7)): a header a sample, then its chain.
 *
 * perfscript_line.c classifies lines; this file converts them to samples. A sample is open from its
 * header until an empty line, the next header or the end, and is written then, since its stack is
 * known only with its last (root-most) frame.
 *
 * Nearly all lines are frames, and most of them repeat: the text after the address is looked up in
 * a cache by its hash, and only new texts are parsed. The builder looks up whole chains.
 *
 * Two properties are known only after a frame's line: its source position (`srcline` is on the next
 * line) and, for an inlined function, its module (perf prints `(inlined)` instead: it is the module
 * of the next frame towards the root, into which it was inlined). Both replace the frame by another
 * one of the same name, found in a second cache.
 *
 * A truncated chain keeps its complete frames; a truncated header is no sample. A branch (`from =>
 * to`) is a sample of its origin.
 *
 * Invariants: chain has the frames of the open sample, leaf first; a series is (track, event). */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/perf_unit.h"
#include "src/decode/common/text_cache.h"
#include "src/decode/perf/hybrid.h"
#include "src/decode/perf/perfscript_frames.h"
#include "src/decode/perf/perfscript_probe.h"
#include "src/decode/perf/perfscript_sched.h"
#include "src/input/lines.h"

#define INFO_ROWS_MAX 64

struct perf_event {
	name_id name;
	metric_id metric;
};

/* The number of samples of an event, according to the header. */
struct perf_rate {
	name_id name;
	int64_t interval_ns;
};

/* Found for a thread and an event, and used for all of their samples. */
struct perf_header {
	struct series *series;
	struct sched_known task;
};

struct perfscript {
	struct cast cast;
	struct builder *b;
	struct err *e;
	struct lines lines;
	struct perf_frames frames;

	struct perfscript_sched sched;
	metric_id samples;
	struct {
		struct hybrid hybrid;
		name_id event;
	} preferred; /* the event of the default metric */
	struct {
		struct buf leader; /* the first event; empty without one */
		VEC(struct perf_rate) rate;
	} header;
	VEC(struct perf_event) event;
	VEC(struct series *) series;
	struct idmap series_of; /* series_key() -> series, or thread of the cast */
	struct {
		VEC(struct perf_header) header;
		struct perf_header none; /* of a sample without a thread's name or number */
		struct text_cache of; /* the text of a thread -> index in `header`, + 1 */
		uint32_t event;       /* index of the last sample's event */
	} known;
	struct buf track_name;

	struct {
		bool open, one_line;
		uint64_t offset;
		int64_t time, period;
		struct series *series;
	} sample; /* the open one */
	bool timed, any_time_known;
	int64_t last_time;

	struct {
		bool bare_headers; /* some sample has no frames, and the next one follows at once */
		bool chains;       /* some sample has frames on separate lines */
		bool modules;      /* frames end with a bracket */
		bool plain, bare;  /* whether complete frames had only a name, only an address */
	} shape; /* of the lines of frames */
	struct {
		uint64_t samples, lines, bad, first_bad, info_rows, branches;
	} counts;
};

/* ---- tracks and events ---- */

/* Returns the index of a sample's event, which is new or not. */
static uint32_t
event_named(struct perfscript *p, const struct perf_sample *s)
{
	name_id name = builder_name(p->b, s->event.at, s->event.len);
	for (size_t i = 0; i < p->event.n; i++)
		if (p->event.at[i].name == name)
			return (uint32_t)i;
	metric_id m = builder_metric(p->b, builder_name_get(p->b, name).at,
				     s->has_period ? perf_unit(s->event.at, s->event.len)
						   : UNIT_SAMPLES,
				     ROLE_VALUE);
	/* perf report begins with the event that was requested first, which need not be the first
	 * one in the file */
	bool leads = p->header.leader.len == s->event.len &&
		     !memcmp(buf_str(&p->header.leader), s->event.at, s->event.len);
	bool other = !perfscript_is_sched(s);
	p->sched.has_others |= other;
	if (other && s->has_period && (leads || !p->sched.has_default)) {
		builder_default_metric(p->b, m);
		p->sched.has_default = true;
		p->preferred.event = name;
	}
	if (other && s->has_period)
		hybrid_event(&p->preferred.hybrid, p->b, name, m, p->preferred.event,
			     p->samples);
	*vec_push(&p->event) = (struct perf_event){.name = name, .metric = m};
	return (uint32_t)p->event.n - 1;
}

/* Returns the index of a sample's event, nearly always that of the last sample; UINT32_MAX if none
 * is printed. */
static uint32_t
event_for(struct perfscript *p, const struct perf_sample *s)
{
	if (!s->event.len)
		return UINT32_MAX;
	if (p->event.n) {
		struct name last = builder_name_get(p->b, p->event.at[p->known.event].name);
		if (last.len == s->event.len && !memcmp(last.at, s->event.at, last.len))
			return p->known.event;
	}
	return p->known.event = event_named(p, s);
}

/* In place of an event: the thread itself, through which its other events find it. */
#define NO_EVENT_YET (UINT32_MAX - 1)

/* Of the name of a track, and an event: an index, or UINT32_MAX where none is printed. */
static uint64_t
series_key(name_id track, uint32_t event)
{
	return (uint64_t)track << 32 | event;
}

static struct series *
series_for(struct perfscript *p, const struct perf_sample *s, uint32_t event)
{
	buf_reset(&p->track_name);
	buf_add(&p->track_name, s->comm.at, s->comm.len);
	if (s->comm.len && s->tid.len)
		buf_addc(&p->track_name, ' ');
	buf_add(&p->track_name, s->tid.at, s->tid.len);
	if (!p->track_name.len)
		buf_adds(&p->track_name, "all");
	name_id name = builder_name(p->b, p->track_name.at, p->track_name.len);
	uint32_t i = idmap_get(&p->series_of, series_key(name, event));
	if (i != IDMAP_NONE)
		return p->series.at[i];

	uint32_t thread = idmap_get(&p->series_of, series_key(name, NO_EVENT_YET));
	if (thread == IDMAP_NONE) {
		struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE,
					  .kind = TRACK_THREAD, .prefix = PREFIX_NEVER,
					  .name = name};
		thread = cast_add(&p->cast, like);
		idmap_put(&p->series_of, series_key(name, NO_EVENT_YET), thread);
		cast_made(&p->cast, thread);
		cast_under(&p->cast, thread, perfscript_tid(s->pid));
	}
	metric_id metrics[2] = {p->samples};
	unsigned n = 1;
	if (event != UINT32_MAX)
		metrics[n++] = p->event.at[event].metric;
	struct series *series =
		builder_samples(p->b, cast_made(&p->cast, thread), metrics, n);
	for (size_t k = 0; event != UINT32_MAX && p->timed && k < p->header.rate.n; k++)
		if (p->header.rate.at[k].name == p->event.at[event].name)
			builder_sample_interval(series, p->header.rate.at[k].interval_ns);
	idmap_put(&p->series_of, series_key(name, event), (uint32_t)p->series.n);
	return *vec_push(&p->series) = series;
}

/* Returns the data of a sample's thread and event. They are found by the text of the header, from
 * the name of the thread to its number. */
static struct perf_header *
header_for(struct perfscript *p, const struct perf_sample *s)
{
	uint32_t event = event_for(p, s), *known = NULL;
	size_t len = (size_t)(s->tid.at - s->comm.at);
	struct hash128 hash;

	if (s->comm.len && s->tid.len) {
		hash = hash128_seeded(s->comm.at, len + s->tid.len,
				      (uint64_t)event << 32 ^ len << 16 ^ s->comm.len);
		known = text_cache_find(&p->known.of, hash);
		if (*known)
			return &p->known.header.at[*known - 1];
	}
	struct perf_header new = {.series = series_for(p, s, event)};
	if (!known) {
		p->known.none = new;
		return &p->known.none;
	}
	*vec_push(&p->known.header) = new;
	text_cache_put(&p->known.of, known, hash, (uint32_t)p->known.header.n);
	return &p->known.header.at[p->known.header.n - 1];
}

/* ---- samples ---- */

static bool
finish_sample(struct perfscript *p)
{
	if (!p->sample.open)
		return true;
	p->sample.open = false;
	stack_id stack = perf_frames_stack(&p->frames, p->b);
	p->counts.samples++;
	return builder_sample(p->b, p->sample.series, p->sample.time, stack,
			      &p->sample.period, p->sample.offset, p->e);
}

static bool
begin_sample(struct perfscript *p, const struct perf_sample *s, uint64_t offset)
{
	p->shape.bare_headers |=
		p->sample.open && !p->sample.one_line && !p->frames.chain.n;
	if (!finish_sample(p))
		return false;
	if (s->huge)
		return err_damage(p->e, offset, "a time or period exceeds 2^63");
	if (!p->any_time_known) {
		/* The first sample decides the unit of the axis. */
		p->any_time_known = true;
		p->timed = s->has_time;
		if (!p->timed)
			builder_axis(p->b, UNIT_SAMPLES);
	}
	p->sample.open = true;
	p->sample.one_line = s->frame.len > 0;
	p->sample.offset = offset;
	if (s->has_time)
		p->last_time = s->time_ns;
	p->sample.time = p->timed ? p->last_time : (int64_t)p->counts.samples;
	p->sample.period = s->has_period ? s->period : 1;
	struct perf_header *known = header_for(p, s);
	p->sample.series = known->series;
	if (p->timed)
		perfscript_sched(&p->sched, s, &known->task, p->sample.time);
	perf_frames_reset(&p->frames);
	struct text_slice address, behind;
	if (perf_address(s->frame.at, s->frame.len, &address, &behind))
		perf_frames_push(&p->frames, p->b, address, behind);
	p->counts.branches += s->branch;
	return true;
}

/* Stores an attribute of an event from the header. */
static void
note_event(struct perfscript *p, struct text_slice key, struct text_slice value)
{
	struct text_slice name;
	int64_t interval_ns;
	if (!perf_event(key, value, &name, &interval_ns))
		return;
	if (!p->header.leader.len)
		buf_add(&p->header.leader, name.at, name.len);
	if (interval_ns)
		*vec_push(&p->header.rate) = (struct perf_rate){
			builder_name(p->b, name.at, name.len), interval_ns};
}

static void
add_comment(struct perfscript *p, const struct text_line *line)
{
	struct text_slice key, value;
	struct buf text = BUF_INIT;
	if (p->counts.info_rows >= INFO_ROWS_MAX ||
	    !perf_comment(line->at, line->len, &key, &value))
		return;
	p->counts.info_rows++;
	note_event(p, key, value);
	buf_add(&text, key.at, key.len);
	builder_info_bytes(p->b, buf_str(&text), value.at, value.len);
	buf_release(&text);
}

/* ---- lines ---- */

static bool
is_cut(const struct perfscript *p, const struct text_line *line)
{
	return !line->ended && !line->cut &&
	       (input_fault(p->lines.in) || !line->len || line->at[line->len - 1] != ')');
}

/* Returns true if the last line, which lacks its line end, is complete.  One without a module
 * is complete if complete ones before it had no module either. */
static bool
cut_frame(const struct perfscript *p, const struct text_line *line, struct text_slice behind)
{
	bool usual = behind.len ? p->shape.plain : p->shape.bare;
	return is_cut(p, line) && !perf_symbol(behind).whole &&
	       (p->shape.modules || !usual || input_fault(p->lines.in));
}

static bool
cut_header(const struct perfscript *p, const struct text_line *line,
	   const struct perf_sample *s)
{
	bool ends = s->event.len &&
		    s->event.at + s->event.len + 1 >= line->at + line->len - 1;
	return is_cut(p, line) && (p->shape.chains || p->sample.one_line || !ends);
}

/* Stops reading a chain at the maximum depth, because it would be refused anyway. */
static bool
not_too_deep(struct perfscript *p, const struct text_line *line)
{
	return p->frames.chain.n <= STACK_DEPTH_MAX ||
	       err_damage(p->e, line->offset, "a stack of more than %u frames",
			  STACK_DEPTH_MAX);
}

static bool
add_frame(struct perfscript *p, const struct text_line *line)
{
	static const struct perf_sample anonymous = {
		.comm = {"", 0}, .tid = {"", 0}, .event = {"", 0}, .frame = {"", 0}};
	struct text_slice address, behind;
	perf_address(line->at, line->len, &address, &behind);
	p->shape.chains = true; /* even if none of the frames is complete */
	if (cut_frame(p, line, behind))
		return err_damage(p->e, line->offset, "the last line is truncated");
	p->shape.plain |= behind.len > 0;
	p->shape.bare |= !behind.len;
	if (!p->shape.modules)
		p->shape.modules = behind.len && behind.at[behind.len - 1] == ')';
	/* With `-F ip,sym` the header of a sample is an empty line. */
	if (!p->sample.open && !begin_sample(p, &anonymous, line->offset))
		return false;
	perf_frames_push(&p->frames, p->b, address, behind);
	return not_too_deep(p, line);
}

/* The common case: a tab, an address in its 16 columns, and a known text. Then the address itself
 * does not matter. */
static inline bool
is_known_frame(struct perfscript *p, const struct text_line *line)
{
	const char *at = line->at;
	return p->sample.open && line->ended && line->len > 18 && at[0] == '\t' && at[17] == ' ' &&
	       at[16] != ' ' && at[18] != ' ' && at[18] != '(' &&
	       perf_frames_push_known(&p->frames,
				      slice_of(at + 18, line->len - 18));
}

static bool
decode_line(struct perfscript *p, const struct text_line *line)
{
	struct perf_sample sample;
	if (line->cut)
		return err_damage(p->e, line->offset, "a line of more than %u bytes",
				  LINE_MAX_BYTES);
	p->counts.lines++;
	if (is_known_frame(p, line)) {
		p->shape.chains = true;
		return not_too_deep(p, line);
	}
	enum perf_kind kind =
		perf_line(line->at, line->len, p->sample.open, p->frames.chain.n > 0,
			  p->sample.one_line, &sample);
	switch (kind) {
	case PERF_BLANK:
		p->shape.chains |= p->sample.open && line->len && is_cut(p, line);
		if (p->sample.open && line->len && is_cut(p, line))
			return err_damage(p->e, line->offset, "the last line is truncated");
		return finish_sample(p);
	case PERF_FRAME:
		return add_frame(p, line);
	case PERF_SAMPLE:
		if (cut_header(p, line, &sample))
			return err_damage(p->e, line->offset, "the last line is truncated");
		return begin_sample(p, &sample, line->offset);
	case PERF_SOURCE:
		perf_frames_source(&p->frames, p->b, perf_source(line->at, line->len));
		return true;
	case PERF_COMMENT:
		add_comment(p, line);
		return true;
	case PERF_RECORD:
		return finish_sample(p);
	case PERF_FIELD:
		return true;
	case PERF_OTHER:
		if (is_cut(p, line))
			return err_damage(p->e, line->offset, "the last line is truncated");
		if (!p->counts.bad++)
			p->counts.first_bad = p->lines.number;
		return true;
	}
	return true;
}

/* Writes the open sample at the end of the input. */
static bool
perfscript_finish(struct perfscript *p, bool ok)
{
	if (input_stopped(p->lines.in))
		return true;
	/* events without chains, between events with chains; the last one may end the file */
	bool whole = p->frames.chain.n || !p->shape.chains || p->shape.bare_headers;
	/* After damage inside a chain, its complete frames are kept. */
	if (!ok && p->sample.open && whole)
		finish_sample(p);
	if (!ok)
		return false;
	if (p->sample.open && !whole)
		return err_damage(p->e, p->sample.offset,
				  "the file ends after a sample's header");
	return finish_sample(p);
}

static track_id
track_known(void *context, name_id name)
{
	struct perfscript *p = context;
	uint32_t thread = idmap_get(&p->series_of, series_key(name, NO_EVENT_YET));

	return thread == IDMAP_NONE ? TRACK_NONE : cast_made(&p->cast, thread);
}

static bool
perfscript_decode(struct input *in, struct builder *b, struct err *e)
{
	struct perfscript p = {.b = b, .e = e, .cast = {.b = b},
			       .sched = {.track = track_known, .of = {.b = b, .turns = true}}};
	struct text_line line;
	bool ok = true;
	lines_init(&p.lines, in);
	p.samples = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	builder_default_metric(b, p.samples);
	while (ok && lines_next(&p.lines, &line)) {
		if (!line.ended && input_stopped(in))
			break;
		ok = decode_line(&p, &line);
	}
	ok = perfscript_finish(&p, ok);
	p.sched.context = &p;
	perfscript_sched_end(&p.sched, p.last_time);
	if (p.counts.bad)
		builder_warn(b,
			     "%" PRIu64 " line%s not perf script, skipped; the first is "
			     "line %" PRIu64,
			     p.counts.bad, p.counts.bad > 1 ? "s are" : " is",
			     p.counts.first_bad);
	if (p.counts.branches)
		builder_info(b, "assumed", "a branch is counted where it comes from");
	if (ok && (!p.counts.samples || p.counts.bad > p.counts.lines / 2) &&
	    !input_stopped(in))
		ok = err_refuse(e,
				"not perf script: %" PRIu64 " samples, %" PRIu64
				" of %" PRIu64 " lines not understood",
				p.counts.samples, p.counts.bad, p.counts.lines);
	cast_release(&p.cast);
	perf_frames_release(&p.frames);
	vec_release_all(&p.event, &p.series, &p.known.header, &p.header.rate);
	text_cache_release(&p.known.of);
	idmap_release(&p.series_of);
	buf_release_all(&p.track_name, &p.header.leader);
	return ok;
}

/* ---- dump ---- */

static bool
dump_sample(struct dump *d, const struct text_line *line, const struct perf_sample *s)
{
	struct buf out = BUF_INIT, text = BUF_INIT;
	if (s->comm.len)
		buf_addf(&out, " comm %s", dump_bytes(d, &text, s->comm.at, s->comm.len));
	if (s->tid.len)
		buf_addf(&out, " tid %.*s", (int)s->tid.len, s->tid.at);
	if (s->has_time)
		buf_addf(&out, " time %" PRId64 " ns", s->time_ns);
	if (s->event.len)
		buf_addf(&out, " event %s",
			 dump_bytes(d, &text, s->event.at, s->event.len));
	if (s->has_period)
		buf_addf(&out, " period %" PRId64, s->period);
	if (s->frame.len)
		buf_addf(&out, " frame %s",
			 dump_bytes(d, &text, s->frame.at, s->frame.len));
	bool ok = dump_record(d, line->offset, "sample%s", buf_str(&out));
	buf_release_all(&out, &text);
	return ok;
}

static bool
perfscript_dump(struct input *in, struct dump *d, struct err *e UNUSED)
{
	static const char *const words[] = {
		[PERF_COMMENT] = "comment", [PERF_RECORD] = "record",
		[PERF_FRAME] = "frame",     [PERF_SOURCE] = "source",
		[PERF_FIELD] = "field",     [PERF_OTHER] = "other",
	};
	struct buf text = BUF_INIT;
	struct lines lines;
	struct text_line line;
	struct perf_sample s;
	bool open = false, framed = false, one_line = false, ok = true;
	lines_init(&lines, in);
	while (ok && lines_next(&lines, &line)) {
		enum perf_kind kind = line.cut ? PERF_OTHER
					       : perf_line(line.at, line.len, open,
							   framed, one_line, &s);
		if (kind == PERF_BLANK) {
			open = framed = one_line = false;
		} else if (kind == PERF_SAMPLE) {
			open = true;
			framed = one_line = s.frame.len > 0;
			ok = dump_sample(d, &line, &s);
		} else {
			framed |= kind == PERF_FRAME;
			open |= kind == PERF_FRAME;
			ok = dump_record(d, line.offset, "%s %s", words[kind],
					 dump_bytes(d, &text, line.at, line.len));
		}
	}
	buf_release(&text);
	return ok;
}

const struct decoder decoder_perfscript = {
	.name = "perfscript",
	.title = "text of perf script, with or without call chains",
	.manual = "perf script text",
	.made_of = MADE_TEXT,
	.mangled = true,
	.probe = perfscript_probe,
	.decode = perfscript_decode,
	.dump = perfscript_dump,
};
