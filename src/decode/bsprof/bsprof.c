#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "src/decode/bsprof/bsprof_inside.h"

/* ---- dump ---- */

/* Ids are printed as numbers, since their definitions may come later in the file, or never. */

static bool
dump_header(struct dump *d, const struct bsprof_header *h)
{
	static const char *const key[BSPROF_TEXTS] = {
		"target", "supplemental", "version", "vendor", "model", "firmware",
	};
	struct buf scratch = BUF_INIT;
	bool good = dump_record(d, 0,
				"header version=%" PRIu64 ".%" PRIu64 ".%" PRIu64 " size=%" PRIu64
				" requested=%.9g actual=%.9g lines=%d memory=%d start=%" PRIu64,
				h->major, h->minor, h->patch, h->size, (double)h->requested_ratio,
				(double)h->actual_ratio, h->lines, h->memory, h->start_ms);

	for (int i = 0; i < BSPROF_TEXTS && good; i++)
		if (h->text[i])
			good = dump_record(d, 0, "header %s=%s", key[i],
					   dump_bytes(d, &scratch, h->text[i], h->len[i]));
	buf_release(&scratch);
	return good;
}

static bool
dump_path(struct dump *d, const struct bsprof_entry *e)
{
	if (!e->caller)
		return dump_record(d, e->offset,
				   "path id=%u root module=%u file=%u line=%u function=%u", e->id,
				   e->module, e->file, e->definition, e->function);
	return dump_record(d, e->offset, "path id=%u caller=%u at=%u file=%u line=%u function=%u",
			   e->id, e->caller, e->line, e->file, e->definition, e->function);
}

static bool
dump_entry(struct dump *d, const struct bsprof_entry *e, struct buf *scratch)
{
	static const char *const op[] = {"alloc", "free", "free_realloc", "unassigned"};

	switch (e->type) {
	case BSPROF_STRING:
		return dump_record(d, e->offset, "string id=%u %s", e->id,
				   dump_bytes(d, scratch, e->text, e->len));
	case BSPROF_MODULE:
		return dump_record(d, e->offset, "module id=%u name=%u", e->id, e->string);
	case BSPROF_PATH:
		return dump_path(d, e);
	case BSPROF_MEMORY:
		if (e->op == BSPROF_ALLOC)
			return dump_record(d, e->offset,
					   "memory path=%u op=alloc at=%u address=0x%" PRIx64
					   " size=%" PRIu64,
					   e->id, e->line, e->value[0], e->value[1]);
		return dump_record(d, e->offset, "memory path=%u op=%s at=%u address=0x%" PRIx64,
				   e->id, op[e->op], e->line, e->value[0]);
	case BSPROF_CPU:
		return dump_record(d, e->offset, "cpu path=%u at=%u cpu=%" PRIu64 " time=%" PRIu64,
				   e->id, e->line, e->value[0], e->value[1]);
	}
	return dump_record(d, e->offset, "calls path=%u count=%" PRIu64, e->id, e->value[0]);
}

/* See `dump` in decoder.h. */
static bool
bsprof_dump(struct input *in, struct dump *d, struct err *err)
{
	struct buf scratch = BUF_INIT;
	struct bsprof_reader r;
	struct bsprof_header h;
	struct bsprof_entry e;
	enum bsprof_got got = BSPROF_FAULT;
	uint64_t offset, end_ms;
	bool written = true, there, good = bsprof_header_read(&r, in, &h, err);

	if (good || h.size)
		written = dump_header(d, &h);
	while (good && written && (got = bsprof_next(&r, &e, err)) == BSPROF_ENTRY)
		written = dump_entry(d, &e, &scratch);
	if (written && got == BSPROF_END) {
		written = dump_record(d, e.offset, "end");
		good = bsprof_footer_read(&r, &offset, &end_ms, &there, err);
		if (written && good && there)
			dump_record(d, offset, "footer end=%" PRIu64, end_ms);
	}
	good &= got != BSPROF_FAULT || !written;
	bsprof_header_release(&h);
	buf_release(&scratch);
	return good;
}

/* Roku BrightScript profiles ("BrightScript Profiler file format specification"; pnav-formats(7)
 * settles what it leaves open).
 *
 * Events in the file have no times, only amounts. The axis is the ordinal of the measurement
 * entries (CPU, memory, call count), so that early and late are distinguishable. Each module is a
 * track with three series, one for each kind of entry, so that an entry needs memory only for its
 * own values.
 *
 * `live` is a sum of differences: an allocation adds its size at its ordinal. A free subtracts that
 * size at the ordinal of the free, but from the stack of the allocation. A range then shows the
 * memory that was allocated in it and not freed in it; the whole file shows the leaks. Allocations
 * and frees are matched by id, in the order of the file, so the result does not depend on the order
 * of definitions.
 *
 * Entries whose path element (or a string in it) is not defined yet wait, with their ordinals. They
 * are tried again whenever enough definitions have arrived to make that worthwhile. The number of
 * waiting entries is limited: the document promises that no entry has to wait.
 *
 * Rejected: one series with seven metrics (a CPU entry would store six zeros); totals without an
 * axis (the start of a channel would look like its end). */

/* ---- entries ---- */

static bool
entry(struct bsprof *d, const struct bsprof_entry *e, struct err *err)
{
	switch (e->type) {
	case BSPROF_STRING:
		bsprof_paths_string(d->paths, e);
		return bsprof_waiting_defined(d, err);
	case BSPROF_MODULE:
		bsprof_paths_module(d->paths, e);
		return true;
	case BSPROF_PATH:
		return bsprof_paths_path(d->paths, e, err) && bsprof_waiting_defined(d, err);
	}
	return bsprof_measure(d, e, err);
}

/* ---- header and footer ---- */

/* Writes milliseconds since 1970 in the form of RFC 3339.  The Gregorian calendar has a cycle
 * of 400 years, 146097 days; years count from March, so that a leap day is the last one. */
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
	if (h->start_ms && h->start_ms < INT64_MAX / 1000000)
		builder_clock(b, (int64_t)h->start_ms * 1000000);
	if (h->major != 1)
		builder_warn(b,
			     "format version %" PRIu64 ".%" PRIu64
			     " is not known; it is read as version 1",
			     h->major, h->minor);
	if (h->cut)
		builder_warn(b, "the header's size leaves no room for all of its fields");
}

/* Chooses the unit of the times, which the file does not state (pnav-formats(7)). */
static void
time_unit(struct bsprof *d, const char *option)
{
	d->time_scale = 1000;
	if (!option) {
		builder_info(d->b, "assumed",
			     "times are microseconds (--bsprof-time-unit ms|us|ns)");
		return;
	}
	if (!strcmp(option, "ms"))
		d->time_scale = 1000000;
	else if (!strcmp(option, "ns"))
		d->time_scale = 1;
	builder_info(d->b, "time unit", "%s", option);
}

/* Checks the unit against the duration of the run in header and footer.  Modules run at the
 * same time and a channel may idle, so only a factor near 1000 indicates another unit. */
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

/* Extends the last entry of each module to the file's next entry. */
static void
tracks_end(struct bsprof *d)
{
	track_id before = TRACK_NONE;
	int64_t last;

	for (size_t i = 0; i < d->series.of.n; i++) { /* those of a module follow each other */
		const struct bsprof_series *s = d->series.of.at[i];
		if (!s || s->track == before)
			continue;
		before = s->track;
		if (builder_track_last(d->b, s->track, &last))
			builder_track_end(d->b, s->track, last + 1);
	}
}

/* Tries waiting entries for the last time, and reports what is known only now. */
static bool
bsprof_finish(struct bsprof *d, struct err *err)
{
	bool good = true;

	if (d->waiting.n) {
		bsprof_paths_close(d->paths);
		good = bsprof_waiting_retry(d, err);
	}
	tracks_end(d);
	if (d->has[MEASURE_MEMORY])
		builder_info(d->b, "unmatched frees", "%" PRIu64, d->unmatched);
	builder_info_count(d->b, "unassigned memory operations", d->unassigned, "");
	if (!d->waiting.n)
		return good;
	builder_info(d->b, "entries without a path", "%zu", d->waiting.n);
	return err_damage(err, d->waiting.at[0].offset,
			  "this entry needs path element %u, which the file does not define",
			  d->waiting.at[0].path);
}

/* Handles all entries of the window; nearly all are measurements. */
static enum bsprof_got
window_read(struct bsprof *d, struct bsprof_reader *r, struct bsprof_entry *e, struct err *err)
{
	enum bsprof_got got;

	do {
		if (!bsprof_measure_all(d, r, err))
			return BSPROF_FAULT;
		got = bsprof_here(r, e, err);
		if (got == BSPROF_ENTRY && !entry(d, e, err))
			return BSPROF_FAULT;
	} while (got == BSPROF_ENTRY);
	return got;
}

static enum bsprof_got
entries_read(struct bsprof *d, struct bsprof_reader *r, struct err *err)
{
	struct bsprof_entry e;
	enum bsprof_got got;

	do {
		got = window_read(d, r, &e, err);
		if (got != BSPROF_MORE)
			return got;
		got = bsprof_more(r, &e, err);
	} while (got == BSPROF_ENTRY);
	return got;
}

static bool
bsprof_decode(struct input *in, struct builder *b, struct err *err)
{
	const char *unit = input_option(in, "bsprof-time-unit");
	struct bsprof d = {.b = b, .series.b = b};
	struct bsprof_reader r;
	struct bsprof_header h;
	enum bsprof_got got = BSPROF_FAULT;
	bool good;

	builder_axis(b, UNIT_ENTRIES);
	good = bsprof_header_read(&r, in, &h, err);
	if (good || h.size)
		info_header(b, &h);
	if (!good)
		goto out;
	time_unit(&d, unit);
	d.paths = bsprof_paths_new(b);
	d.known = bsprof_paths_cache(d.paths);
	got = entries_read(&d, &r, err);
	good = got == BSPROF_END || got == BSPROF_STOPPED;
	if (got == BSPROF_END)
		good = footer(&d, &r, &h, !unit, err);
	good &= bsprof_finish(&d, err);
out:
	bsprof_header_release(&h);
	bsprof_paths_free(d.paths);
	live_blocks_release(&d.live);
	bsprof_series_release(&d.series);
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
	.made_of = MADE_BINARY,
	.options = bsprof_options,
	DECODER_MAGIC("bsprof\0\0"),
	.decode = bsprof_decode,
	.dump = bsprof_dump,
};
