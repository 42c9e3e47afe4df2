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
#include "src/decode/common/last_line.h"
#include "src/decode/common/perf_unit.h"
#include "src/decode/perf/perfscript_dump.h"
#include "src/decode/perf/perfscript_inside.h"
#include "src/decode/perf/perfscript_probe.h"

#define INFO_ROWS_MAX 64

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
	 * one in the file. Without a header, that is most likely the one of the processor's time:
	 * context switches and page faults are recorded beside it. */
	bool cpu = perf_is_cpu_time(s->event.at, s->event.len) && !p->preferred.is_cpu;
	bool leads = p->header.leader.len ? p->header.leader.len == s->event.len &&
						    !memcmp(buf_str(&p->header.leader),
							    s->event.at, s->event.len)
					  : cpu;
	bool other = !perfscript_is_sched(s);
	p->sched.has_others |= other;
	if (other && s->has_period && (leads || !p->sched.has_default)) {
		builder_default_metric(p->b, m);
		p->sched.has_default = true;
		p->preferred.event = name;
		p->preferred.is_cpu = cpu;
	}
	if (other && s->has_period)
		hybrid_event(&p->preferred.hybrid, p->b, name, m, p->preferred.event,
			     p->samples);
	for (size_t k = 0; perfscript_has(p, TIMED) && k < p->header.rate.n; k++)
		if (p->header.rate.at[k].name == name)
			builder_metric_interval(p->b, m, p->header.rate.at[k].interval_ns);
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

/* Puts a new track under its process, which a part may have made. */
static void
put_under(struct perfscript *p, uint32_t thread, int64_t pid)
{
	struct buf name = BUF_INIT;

	if (pid < 1 || pid > INT32_MAX)
		return;
	uint32_t i = cast_process(&p->cast, pid);
	struct cast_process *process = &p->cast.process.at[i];
	cast_owner_text(&name, p->b, NAME_EMPTY, pid, "process");
	if (process->made == PROCESS_NONE)
		process->made = builder_process_named(p->b, buf_str(&name), name.len);
	buf_release(&name);
	cast_under(&p->cast, thread, pid);
}

/* Returns the thread of this name in the cast, with its track, which a part may have made. */
static uint32_t
thread_named(struct perfscript *p, const struct perf_sample *s, name_id name)
{
	struct name text = builder_name_get(p->b, name);
	struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE,
				  .kind = TRACK_THREAD, .prefix = PREFIX_NEVER, .name = name};

	like.track = builder_track_named(p->b, text.at, text.len, TRACK_THREAD);
	like.made = like.track != TRACK_NONE;
	uint32_t thread = cast_add(&p->cast, like);
	idmap_put(&p->series_of, series_key(name, NO_EVENT_YET), thread);
	if (!like.made) {
		cast_made(&p->cast, thread);
		put_under(p, thread, perfscript_tid(s->pid));
	}
	return thread;
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
	if (thread == IDMAP_NONE)
		thread = thread_named(p, s, name);
	metric_id metrics[2] = {p->samples};
	unsigned n = 1;
	if (event != UINT32_MAX)
		metrics[n++] = p->event.at[event].metric;
	struct series *series =
		builder_samples_once(p->b, cast_made(&p->cast, thread), metrics, n);
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

static void perfscript_again(struct perfscript *p, uint64_t offset);

static bool
finish_sample(struct perfscript *p)
{
	if (!p->sample.open)
		return true;
	p->sample.open = false;
	p->n->count[SAMPLES]++;
	if (p->again)
		return true;
	stack_id stack = perf_frames_stack(&p->frames, p->b);
	return builder_sample(p->b, p->sample.series, p->sample.time, stack,
			      &p->sample.period, p->sample.offset, p->e);
}

/* Sets the time of the open sample. The first sample decides the unit of the axis. */
static void
begin_time(struct perfscript *p, const struct perf_sample *s)
{
	if (!perfscript_has(p, TIME_KNOWN)) {
		perfscript_set(p, TIME_KNOWN, true);
		perfscript_set(p, TIMED, s->has_time);
		if (!perfscript_has(p, TIMED))
			builder_axis(p->b, UNIT_SAMPLES);
	}
	p->n->whole |= !perfscript_has(p, TIMED); /* samples are numbered */
	p->n->odd |= !s->has_time && !p->n->has_last; /* in a part, its time is that before it */
	if (s->has_time) {
		bool steps = perfscript_has(p, STEPS);
		int64_t time;
		if (__builtin_add_overflow(steps ? p->n->last : 0, s->time_ns, &time))
			time = INT64_MAX;
		p->n->whole |= steps;
		carried_time(p->n, time);
	}
	p->sample.time = perfscript_has(p, TIMED) ? p->n->last : (int64_t)p->n->count[SAMPLES];
}

/* Handles the scheduler's data of a sample.  Its events concern what ran before, so a file that has
 * them is read as a whole from here on. */
static void
begin_sched(struct perfscript *p, const struct perf_sample *s, struct perf_header *known,
	    uint64_t offset)
{
	if (perfscript_is_sched(s)) {
		p->n->odd = true;
		if (!p->n->whole && p->n->joins && !p->again)
			perfscript_again(p, offset);
		p->n->whole = true;
	}
	perfscript_sched(&p->sched, s, &known->task, p->sample.time);
}

static bool
begin_sample(struct perfscript *p, const struct perf_sample *s, uint64_t offset)
{
	bool bare = p->sample.open && !p->sample.one_line && !p->frames.chain.n;

	perfscript_set(p, BARE_HEADERS, bare);
	if (!finish_sample(p))
		return false;
	if (s->huge)
		return err_damage(p->e, offset, "a time or period exceeds 2^63");
	begin_time(p, s);
	p->sample.open = true;
	p->sample.one_line = s->frame.len > 0;
	p->sample.branch = s->branch;
	p->sample.offset = offset;
	p->sample.period = s->has_period ? s->period : 1;
	struct perf_header *known = header_for(p, s);
	p->sample.series = known->series;
	if (perfscript_has(p, TIMED))
		begin_sched(p, s, known, offset);
	perf_frames_reset(&p->frames);
	struct text_slice address, behind;
	if (perf_address(s->frame.at, s->frame.len, &address, &behind))
		perf_frames_push(&p->frames, p->b, address, behind);
	p->n->count[BRANCHES] += s->branch;
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
	if (!interval_ns)
		return;
	name_id id = builder_name(p->b, name.at, name.len);
	*vec_push(&p->header.rate) = (struct perf_rate){id, interval_ns};
	for (size_t i = 0; perfscript_has(p, TIMED) && i < p->event.n; i++)
		if (p->event.at[i].name == id)
			builder_metric_interval(p->b, p->event.at[i].metric, interval_ns);
}

static void
add_comment(struct perfscript *p, const struct text_line *line)
{
	struct text_slice key, value;
	struct buf text = BUF_INIT;
	if (p->info_rows >= INFO_ROWS_MAX ||
	    !perf_comment(line->at, line->len, &key, &value))
		return;
	p->info_rows++;
	note_event(p, key, value);
	if (p->again)
		return;
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

/* Returns true if the last line lacks its line end and the brackets of a module. */
static bool
cut_frame(const struct perfscript *p, const struct text_line *line, struct text_slice behind)
{
	return is_cut(p, line) && !perf_symbol(behind).whole;
}

static bool
cut_header(const struct perfscript *p, const struct text_line *line,
	   const struct perf_sample *s)
{
	bool ends = s->event.len &&
		    s->event.at + s->event.len + 1 >= line->at + line->len - 1;
	return is_cut(p, line) && (perfscript_has(p, CHAINS) || p->sample.one_line || !ends);
}

/* Stops reading a chain at the maximum depth, because it would be refused anyway. */
static bool
not_too_deep(struct perfscript *p, const struct text_line *line)
{
	return p->frames.chain.n <= STACK_DEPTH_MAX ||
	       err_damage(p->e, line->offset, "a stack of more than %u frames",
			  STACK_DEPTH_MAX);
}

/* Call it before the first frame below a header: what looked like a frame in the header is an
 * address of data (perf script -F +addr). */
static inline void
below_header(struct perfscript *p)
{
	if (!p->sample.one_line || p->sample.branch)
		return;
	p->sample.one_line = false;
	perf_frames_reset(&p->frames);
}

static bool
add_frame(struct perfscript *p, const struct text_line *line)
{
	static const struct perf_sample anonymous = {
		.comm = {"", 0}, .tid = {"", 0}, .event = {"", 0}, .frame = {"", 0}};
	struct text_slice address, behind;
	perf_address(line->at, line->len, &address, &behind);
	perfscript_set(p, CHAINS, true); /* even if none of the frames is complete */
	if (cut_frame(p, line, behind))
		return last_line_allowed(p->lines.in, line->offset, LAST_OPEN, p->e);
	/* With `-F ip,sym` the header of a sample is an empty line. */
	if (!p->sample.open && !begin_sample(p, &anonymous, line->offset))
		return false;
	below_header(p);
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
	       at[16] != ' ' && at[18] != ' ' && at[18] != '(' && !p->sample.one_line &&
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
	p->n->count[LINES]++;
	if (is_known_frame(p, line)) {
		perfscript_set(p, CHAINS, true);
		return not_too_deep(p, line);
	}
	enum perf_kind kind =
		perf_line(line->at, line->len, p->sample.open, p->frames.chain.n > 0,
			  p->sample.one_line, &sample);
	switch (kind) {
	case PERF_BLANK:
		perfscript_set(p, CHAINS, p->sample.open && line->len && is_cut(p, line));
		if (p->sample.open && line->len && is_cut(p, line))
			return last_line_allowed(p->lines.in, line->offset, LAST_OPEN, p->e);
		return finish_sample(p);
	case PERF_FRAME:
		return add_frame(p, line);
	case PERF_SAMPLE:
		if (cut_header(p, line, &sample))
			return last_line_allowed(p->lines.in, line->offset, LAST_OPEN, p->e);
		return begin_sample(p, &sample, line->offset);
	case PERF_SOURCE:
		if (is_cut(p, line) &&
		    last_line_number(line->at, line->at + line->len) == LAST_OPEN)
			return last_line_allowed(p->lines.in, line->offset, LAST_OPEN, p->e);
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
			return last_line_allowed(p->lines.in, line->offset, LAST_OPEN, p->e);
		if (!p->n->count[BAD]++)
			p->first_bad = p->lines.number;
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
	bool whole = p->frames.chain.n || !perfscript_has(p, CHAINS) ||
		     perfscript_has(p, BARE_HEADERS);
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
	struct name text = builder_name_get(p->b, name);

	if (thread == IDMAP_NONE)
		return p->n->joins ? builder_track_named(p->b, text.at, text.len, TRACK_THREAD)
				   : TRACK_NONE;
	return cast_made(&p->cast, thread);
}

static void
perfscript_init(struct perfscript *p, struct builder *b, struct err *e, struct carried *n)
{
	*p = (struct perfscript){.b = b, .e = e, .n = n, .cast = {.b = b},
				 .sched = {.track = track_known,
					   .of = {.b = b, .turns = true}}};
	n->begins = 1u << BAD;
	p->samples = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
}

static void
perfscript_release(struct perfscript *p)
{
	cast_release(&p->cast);
	perf_frames_release(&p->frames);
	vec_release_all(&p->event, &p->series, &p->known.header, &p->header.rate);
	text_cache_release(&p->known.of);
	idmap_release(&p->series_of);
	buf_release_all(&p->track_name, &p->header.leader);
}

static void
stay(void *ctx UNUSED, struct input *in UNUSED)
{
}

/* Parts have not passed on which threads ran on which processors. Collects that again from all
 * samples before `offset`, which are in the profile: it neither makes nor appends anything. */
static void
perfscript_again(struct perfscript *p, uint64_t offset)
{
	struct perfscript q;
	struct carried n = {0};
	struct text_line line;
	struct err none;
	struct input *in = input_open_part(p->lines.in);
	bool good = true;

	if (!in) /* the file was emptied */
		return;
	err_init(&none);
	input_limit(in, offset, stay, NULL);
	perfscript_init(&q, p->b, &none, &n);
	q.again = true;
	lines_init(&q.lines, in);
	do { /* nothing in the profile is half done, and the open sample is not in it yet */
		input_breathe(p->lines.in);
		while (good && lines_ready(&q.lines, &line))
			good = decode_line(&q, &line);
	} while (good && lines_more(&q.lines));
	sched_release(&p->sched.of);
	p->sched.of = q.sched.of;
	for (size_t i = 0; i < p->known.header.n; i++)
		p->known.header.at[i].task = (struct sched_known){0};
	p->known.none.task = (struct sched_known){0};
	perfscript_release(&q);
	input_close(in);
}

/* Judges the whole file by its lines. */
static bool
perfscript_judge(struct perfscript *p, bool ok)
{
	uint64_t bad = p->n->count[BAD], samples = p->n->count[SAMPLES];

	if (bad)
		builder_warn(p->b,
			     "%" PRIu64 " line%s not perf script, skipped; the first is "
			     "line %" PRIu64,
			     bad, bad > 1 ? "s are" : " is", p->first_bad);
	builder_warn_count(
		p->b, p->n->back,
		"time goes backwards: texts of several recordings, or a clock that was set",
		"times go backwards: texts of several recordings, or a clock that was set");
	if (p->n->count[BRANCHES])
		builder_info(p->b, "assumed", "a branch is counted where it comes from");
	if (ok && (!samples || bad > p->n->count[LINES] / 2) && !input_stopped(p->lines.in))
		ok = err_refuse(p->e,
				"not perf script: %" PRIu64 " samples, %" PRIu64
				" of %" PRIu64 " lines not understood",
				samples, bad, p->n->count[LINES]);
	return ok;
}

static bool
perfscript_decode(struct input *in, struct builder *b, struct err *e)
{
	struct perfscript p;
	struct text_line line;
	bool ok = true;
	perfscript_init(&p, b, e, builder_carried(b));
	if (!p.n->part && !p.n->joins && input_need(in, 1)) {
		perfscript_set(&p, STEPS, perfscript_has_steps(in));
		if (perfscript_has(&p, STEPS))
			builder_info(b, "assumed", "a time is that since the sample before "
						   "(perf script --deltatime)");
	}
	lines_init(&p.lines, in);
	builder_default_metric(b, p.samples);
	while (ok && lines_next(&p.lines, &line)) {
		if (!line.ended && input_stopped(in))
			break;
		ok = decode_line(&p, &line);
	}
	ok = perfscript_finish(&p, ok);
	p.sched.context = &p;
	if (p.n->part) {
		sched_release(&p.sched.of);
	} else {
		perfscript_sched_end(&p.sched, p.n->last);
		ok = perfscript_judge(&p, ok);
	}
	perfscript_release(&p);
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
	.record_end = perfscript_record_end,
	.dump = perfscript_dump,
};
