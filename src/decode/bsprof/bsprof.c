#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/vec.h"
#include "src/decode/bsprof/bsprof_dump.h"
#include "src/decode/bsprof/bsprof_live.h"
#include "src/decode/bsprof/bsprof_paths.h"
#include "src/decode/bsprof/bsprof_read.h"

/* Roku BrightScript profiles ("BrightScript Profiler file format specification"; what it
 * leaves open is settled in pnav-formats(7)).
 *
 * The file has no times of events, only amounts. The axis is the ordinal of the
 * measurement entries (CPU, memory, call count), so that early and late can be told
 * apart. Each module is a track with three series, one for each kind of entry, so that
 * an entry costs what it carries.
 *
 * `live` is a sum of differences: an allocation adds its size where it happens, a free
 * takes the size away again at the ordinal of the free, but from the stack that
 * allocated. A range then shows what was allocated in it and is not freed in it; the
 * whole file shows the leaks. Matching follows the order of the file and knows ids
 * alone, so that it does not depend on what is defined when.
 *
 * Entries whose path element (or a string in it) is not defined yet wait, with their
 * ordinals, and are tried again whenever enough was defined to pay for it. Only so many
 * may wait: the document promises that nothing has to.
 *
 * Rejected: one series with seven metrics (a CPU entry would cost six zeros); totals
 * without an axis (a channel's start could not be told from its end). */

#define WAITING_MAX (4u << 20)
#define AHEAD 16u /* entries */

enum measure_kind { MEASURE_CPU, MEASURE_MEMORY, MEASURE_CALLS, MEASURE_KINDS };

/* One row of a series that is to be, in terms of the file. */
struct measure {
	uint64_t offset;
	int64_t ordinal;
	uint32_t path, line;
	uint8_t kind;  /* enum measure_kind */
	uint8_t op;    /* memory: enum bsprof_op */
	bool released; /* memory: what a free takes from the path that allocated */
	int64_t value[2];
};

struct module_series {
	struct series *of[MEASURE_KINDS];
	int64_t last; /* ordinal of its last entry */
	bool counted;
};

struct bsprof {
	struct builder *b;
	struct bsprof_paths *paths;
	struct bsprof_live live;
	VEC(struct module_series) series;
	VEC(struct measure) waiting;
	uint64_t defined; /* since the waiting ones were last tried */
	int64_t entries;
	metric_id time, cpu, calls, alloc, allocs, frees, live_bytes;
	bool has[MEASURE_KINDS];
	int64_t time_scale; /* ns a unit of `time self` */
	int64_t sum[4];     /* over all modules: time, cpu, alloc, calls */
	uint64_t unmatched, unassigned;
};

static int
bsprof_probe(struct head head)
{
	return head.len >= 8 && !memcmp(head.at, "bsprof\0", 8) ? 100 : 0;
}

/* ---- metrics and series ---- */

/* Metrics appear with the first entry that carries them; a file without CPU entries is
 * looked at by what is live. */
static void
declare(struct bsprof *d, enum measure_kind kind)
{
	struct builder *b = d->b;

	if (kind == MEASURE_CPU) {
		d->time = builder_metric(b, "time", UNIT_NS, ROLE_VALUE);
		d->cpu = builder_metric(b, "cpu", UNIT_OPS, ROLE_VALUE);
		builder_default_metric(b, d->time);
	} else if (kind == MEASURE_MEMORY) {
		d->alloc = builder_metric(b, "alloc", UNIT_BYTES, ROLE_VALUE);
		d->allocs = builder_metric(b, "allocs", UNIT_OPS, ROLE_VALUE);
		d->frees = builder_metric(b, "frees", UNIT_OPS, ROLE_VALUE);
		d->live_bytes = builder_metric(b, "live", UNIT_BYTES, ROLE_VALUE);
		if (!d->has[MEASURE_CPU])
			builder_default_metric(b, d->live_bytes);
	}
	/* the format counts calls: the column is there where this file has counted none */
	d->calls = builder_metric(b, "calls", UNIT_CALLS, ROLE_VALUE);
	builder_calls_metric(b, d->calls);
	if (kind != MEASURE_CALLS && !d->has[MEASURE_CALLS])
		builder_metric_unused(b, d->calls);
	d->has[kind] = true;
}

static struct series *
series_new(struct bsprof *d, track_id track, enum measure_kind kind)
{
	metric_id cpu[] = {d->time, d->cpu};
	metric_id memory[] = {d->alloc, d->allocs, d->frees, d->live_bytes};
	metric_id calls[] = {d->calls};

	if (kind == MEASURE_CPU)
		return builder_samples(d->b, track, cpu, 2);
	if (kind == MEASURE_MEMORY)
		return builder_samples(d->b, track, memory, 4);
	return builder_samples(d->b, track, calls, 1);
}

static struct module_series *
series_of(struct bsprof *d, const struct bsprof_place *place)
{
	while (d->series.n <= place->module)
		*vec_push(&d->series) = (struct module_series){0};
	return &d->series.at[place->module];
}

/* ---- measurements ---- */

/* Writes a measurement whose place is known. */
static bool
measure_write(struct bsprof *d, const struct measure *m, const struct bsprof_place *place,
	      struct err *err)
{
	struct module_series *s = series_of(d, place);
	int64_t values[4] = {m->value[0], m->value[1], 0, 0};

	if (!s->of[m->kind])
		s->of[m->kind] = series_new(d, place->track, (enum measure_kind)m->kind);
	if (m->kind == MEASURE_MEMORY) {
		int64_t size = m->value[0];
		bool alloc = m->op == BSPROF_ALLOC;
		bool frees = m->op == BSPROF_FREE || m->op == BSPROF_FREE_REALLOC;
		values[0] = alloc ? size : 0;
		values[1] = alloc;
		values[2] = frees && !m->released;
		values[3] = alloc ? size : m->released ? -size : 0;
	}
	if (m->released) /* the event is that of the free, maybe on another track */
		return builder_sample_aside(d->b, s->of[m->kind], m->ordinal,
					    place->stack, values, m->offset, err);
	builder_track_event(d->b, place->track);
	s->last = m->ordinal > s->last ? m->ordinal : s->last;
	s->counted = true;
	return builder_sample(d->b, s->of[m->kind], m->ordinal, place->stack, values,
			      m->offset, err);
}

static bool
measure_put(struct bsprof *d, const struct measure *m, struct err *err)
{
	struct bsprof_place place;

	if (bsprof_paths_find(d->paths, m->path, m->line, &place))
		return measure_write(d, m, &place, err);
	if (d->waiting.n == WAITING_MAX)
		return err_damage(err, m->offset,
				  "more than %u entries wait for path element "
				  "%u and others, which are not defined",
				  WAITING_MAX, d->waiting.at[0].path);
	*vec_push(&d->waiting) = *m;
	return true;
}

/* Tries those that wait, in the order of the file. */
static bool
waiting_retry(struct bsprof *d, struct err *err)
{
	size_t kept = 0, i = 0;
	bool good = true;

	bsprof_paths_retry(d->paths);
	d->defined = 0;
	for (; i < d->waiting.n && good; i++) {
		struct measure *m = &d->waiting.at[i];
		struct bsprof_place place;
		if (bsprof_paths_find(d->paths, m->path, m->line, &place))
			good = measure_write(d, m, &place, err);
		else
			d->waiting.at[kept++] = *m;
	}
	d->waiting.n = kept;
	return good;
}

/* Something was defined: an eighth of what a new attempt costs pays for it. */
static bool
waiting_defined(struct bsprof *d, struct err *err)
{
	if (!d->waiting.n)
		return true;
	d->defined++;
	if (d->defined * 8 < d->waiting.n + bsprof_paths_work(d->paths))
		return true;
	return waiting_retry(d, err);
}

/* ---- entries ---- */

static bool
too_large(const struct bsprof_entry *e, struct err *err)
{
	return err_damage(err, e->offset, "with this entry a sum passes 2^63");
}

/* Adds to a sum that views make of all modules; false when it would not fit. */
static bool
adds_up(int64_t *sum, uint64_t value)
{
	if (value > (uint64_t)(INT64_MAX - *sum))
		return false;
	*sum += (int64_t)value;
	return true;
}

static bool
cpu_entry(struct bsprof *d, const struct bsprof_entry *e, struct measure *m,
	  struct err *err)
{
	int64_t time;

	if (e->value[1] > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)e->value[1], d->time_scale, &time) ||
	    !adds_up(&d->sum[0], (uint64_t)time) || !adds_up(&d->sum[1], e->value[0]))
		return too_large(e, err);
	m->value[0] = time;
	m->value[1] = (int64_t)e->value[0];
	return measure_put(d, m, err);
}

static bool
memory_entry(struct bsprof *d, const struct bsprof_entry *e, struct measure *m,
	     struct err *err)
{
	struct bsprof_block block;

	m->op = e->op;
	if (e->op == BSPROF_ALLOC) {
		if (!adds_up(&d->sum[2], e->value[1]))
			return too_large(e, err);
		m->value[0] = (int64_t)e->value[1];
		bsprof_live_alloc(&d->live, e->value[0], e->value[1], e->id, e->line);
		return measure_put(d, m, err);
	}
	if (!measure_put(d, m, err))
		return false;
	if (e->op == BSPROF_OP_UNASSIGNED) {
		d->unassigned++;
		builder_warn(d->b,
			     "at byte %" PRIu64
			     ": a memory operation of the type 3, which "
			     "is not assigned; it counts as an entry and no more",
			     e->offset);
		return true;
	}
	if (!bsprof_live_free(&d->live, e->value[0], &block)) {
		d->unmatched++;
		return true;
	}
	m->released = true;
	m->path = block.path;
	m->line = block.line;
	m->value[0] = (int64_t)block.size;
	return measure_put(d, m, err);
}

static bool
measurement(struct bsprof *d, const struct bsprof_entry *e, struct err *err)
{
	static const uint8_t kinds[BSPROF_TYPES] = {
		[BSPROF_CPU] = MEASURE_CPU,
		[BSPROF_MEMORY] = MEASURE_MEMORY,
		[BSPROF_CALLS] = MEASURE_CALLS,
	};
	struct measure m = {
		.offset = e->offset,
		.ordinal = d->entries++,
		.path = e->id,
		.line = e->line,
		.kind = kinds[e->type],
	};

	if (!d->has[m.kind])
		declare(d, (enum measure_kind)m.kind);
	if (m.kind == MEASURE_CPU)
		return cpu_entry(d, e, &m, err);
	if (m.kind == MEASURE_MEMORY)
		return memory_entry(d, e, &m, err);
	if (!adds_up(&d->sum[3], e->value[0]))
		return too_large(e, err);
	m.value[0] = (int64_t)e->value[0];
	return measure_put(d, &m, err);
}

static bool
entry(struct bsprof *d, const struct bsprof_entry *e, struct err *err)
{
	switch (e->type) {
	case BSPROF_STRING:
		bsprof_paths_string(d->paths, e);
		return waiting_defined(d, err);
	case BSPROF_MODULE:
		bsprof_paths_module(d->paths, e);
		return true;
	case BSPROF_PATH:
		return bsprof_paths_path(d->paths, e, err) && waiting_defined(d, err);
	}
	return measurement(d, e, err);
}

/* ---- what the header and the footer say ---- */

/* Milliseconds since 1970 as RFC 3339 has them; the days by the Gregorian calendar, whose
 * cycle is 400 years of 146097 days, counted from March so that a leap day comes last. */
static void
info_time(struct builder *b, const char *key, uint64_t ms)
{
	if (ms >= UINT64_C(253402300800000)) { /* the year 10000 */
		builder_info(b, key, "%" PRIu64 " ms", ms);
		return;
	}
	uint64_t days = ms / 86400000 + 719468, in_day = ms % 86400000;
	uint64_t era = days / 146097, of_era = days % 146097;
	uint64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	uint64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	uint64_t month = (5 * of_year + 2) / 153;
	builder_info(b, key, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ (%" PRIu64 " ms)",
		     (unsigned)(year + era * 400 + (month >= 10)),
		     (unsigned)(month < 10 ? month + 3 : month - 9),
		     (unsigned)(of_year - (153 * month + 2) / 5 + 1),
		     (unsigned)(in_day / 3600000), (unsigned)(in_day / 60000 % 60),
		     (unsigned)(in_day / 1000 % 60), (unsigned)(in_day % 1000), ms);
}

static void
info_header(struct builder *b, const struct bsprof_header *h)
{
	static const char *const key[BSPROF_TEXTS] = {
		[BSPROF_TARGET_NAME] = "target name",
		[BSPROF_SUPPLEMENTAL] = "supplemental information",
		[BSPROF_TARGET_VERSION] = "target version",
		[BSPROF_VENDOR] = "device vendor",
		[BSPROF_MODEL] = "device model",
		[BSPROF_FIRMWARE] = "device firmware",
	};

	builder_info(b, "format version", "%" PRIu64 ".%" PRIu64 ".%" PRIu64, h->major,
		     h->minor, h->patch);
	for (int i = 0; i < BSPROF_TEXTS; i++)
		if (h->text[i])
			builder_info_bytes(b, key[i], h->text[i], h->len[i]);
	builder_info(b, "requested sample ratio", "%.9g", (double)h->requested_ratio);
	builder_info(b, "actual sample ratio", "%.9g", (double)h->actual_ratio);
	builder_info(b, "line data", "%s", h->lines ? "yes" : "no");
	builder_info(b, "memory operations", "%s", h->memory ? "yes" : "no");
	info_time(b, "run start", h->start_ms);
	if (h->major != 1)
		builder_warn(b,
			     "format version %" PRIu64 ".%" PRIu64
			     " is not known; it is read "
			     "as version 1",
			     h->major, h->minor);
	if (h->cut)
		builder_warn(b, "the header's size leaves no room for all of its fields");
}

/* The unit of the times: nobody knows (pnav-formats(7)). */
static void
time_unit(struct bsprof *d, const char *option)
{
	d->time_scale = 1000;
	if (!option) {
		builder_info(d->b, "assumed",
			     "times are microseconds (--bsprof-time-unit "
			     "ms|us|ns)");
		return;
	}
	if (!strcmp(option, "ms"))
		d->time_scale = 1000000;
	else if (!strcmp(option, "ns"))
		d->time_scale = 1;
	builder_info(d->b, "time unit", "%s", option);
}

/* Header and footer know how long the run was.  Modules run at the same time, a channel
 * may idle, so only a factor near 1000 says something: another unit. */
static void
time_fits(struct bsprof *d, uint64_t run_ms)
{
	double run = (double)run_ms / 1e3, sum = (double)d->sum[0] / 1e9;
	const char *unit, *text;

	if (run <= 0 || sum <= 0)
		return;
	if (sum / run > 200 && sum / run < 5000) {
		unit = "ns";
		text = "nanoseconds";
	} else if (run / sum > 200 && run / sum < 5000) {
		unit = "ms";
		text = "milliseconds";
	} else {
		return;
	}
	builder_info(d->b, "time unit that fits", "%s", unit);
	builder_warn(d->b,
		     "the run lasted %.3f s and the times sum to %.3f s if they are "
		     "microseconds: %s would fit (--bsprof-time-unit %s)",
		     run, sum, text, unit);
}

static bool
footer(struct bsprof *d, struct bsprof_reader *r, const struct bsprof_header *h,
       bool assumed, struct err *err)
{
	uint64_t offset, end_ms;
	bool there;

	if (!bsprof_footer_read(r, &offset, &end_ms, &there, err))
		return false;
	if (!there) {
		if (!input_stopped(r->in))
			builder_warn(d->b, "the file ends without a footer");
		return true;
	}
	info_time(d->b, "run end", end_ms);
	if (end_ms < h->start_ms) {
		builder_warn(d->b, "the run ends before it starts");
		return true;
	}
	builder_info(d->b, "run duration", "%" PRIu64 " ms", end_ms - h->start_ms);
	if (assumed)
		time_fits(d, end_ms - h->start_ms);
	return true;
}

/* The last try for those that wait, and what is known only now. */
static bool
finish(struct bsprof *d, struct err *err)
{
	bool good = true;

	if (d->waiting.n) {
		bsprof_paths_close(d->paths);
		good = waiting_retry(d, err);
	}
	for (size_t i = 0; i < d->series.n; i++)
		if (d->series.at[i].counted)
			builder_track_end(d->b, bsprof_paths_track(d->paths, (uint32_t)i),
					  d->series.at[i].last + 1);
	if (d->has[MEASURE_MEMORY])
		builder_info(d->b, "unmatched frees", "%" PRIu64, d->unmatched);
	if (d->unassigned)
		builder_info(d->b, "unassigned memory operations", "%" PRIu64,
			     d->unassigned);
	if (!d->waiting.n)
		return good;
	builder_info(d->b, "entries without a path", "%zu", d->waiting.n);
	return err_damage(
		err, d->waiting.at[0].offset,
		"this entry needs path element %u, which the file does not define",
		d->waiting.at[0].path);
}

/* Measurements, as long as one follows the other: what one will look at in memory is on its
 * way while those before it are handled. */
static bool
entries_ahead(struct bsprof *d, struct bsprof_reader *r, struct err *err)
{
	struct bsprof_entry e[AHEAD];
	size_t n;

	do {
		n = bsprof_ahead(r, e, AHEAD);
		for (size_t i = 0; i < n; i++) {
			bsprof_paths_prefetch(d->paths, e[i].id, e[i].line);
			if (e[i].type == BSPROF_MEMORY)
				bsprof_live_prefetch(&d->live, e[i].value[0]);
		}
		for (size_t i = 0; i < n; i++)
			if (!measurement(d, &e[i], err))
				return false;
	} while (n == AHEAD);
	return true;
}

static bool
bsprof_decode(struct input *in, struct builder *b, struct err *err)
{
	const char *unit = input_option(in, "bsprof-time-unit");
	struct bsprof d = {.b = b};
	struct bsprof_reader r;
	struct bsprof_header h;
	struct bsprof_entry e;
	enum bsprof_got got = BSPROF_FAULT;
	bool good;

	builder_axis(b, UNIT_ENTRIES);
	good = bsprof_header_read(&r, in, &h, err);
	if (good || h.size)
		info_header(b, &h);
	if (!good)
		goto out;
	time_unit(&d, unit);
	d.paths = bsprof_paths_new(b, h.lines);
	while (entries_ahead(&d, &r, err) && (got = bsprof_next(&r, &e, err)) == BSPROF_ENTRY)
		if (!entry(&d, &e, err))
			break;
	good = got == BSPROF_END || got == BSPROF_STOPPED;
	if (got == BSPROF_END)
		good = footer(&d, &r, &h, !unit, err);
	good &= finish(&d, err);
out:
	bsprof_header_release(&h);
	bsprof_paths_free(d.paths);
	bsprof_live_release(&d.live);
	vec_release(&d.series);
	vec_release(&d.waiting);
	return good;
}

static const struct option_row bsprof_options[] = {
	{"bsprof-time-unit", "UNIT", "bsprof: times are in ms, us or ns",
	 .kind = OPTION_CHOICE, .choices = (const char *const[]){"ms", "us", "ns", NULL}},
	{0},
};

const struct decoder decoder_bsprof = {
	.name = "bsprof",
	.title = "Roku BrightScript profile (.bsprof)",
	.manual = "bsprof",
	.made_of = MADE_BINARY,
	.options = bsprof_options,
	.probe = bsprof_probe,
	.decode = bsprof_decode,
	.dump = bsprof_dump,
};
