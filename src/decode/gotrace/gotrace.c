/* gotrace: execution traces of Go (runtime/trace, net/http/pprof, go test -trace, flight
 * recorders), of Go 1.11 to 1.26.
 *
 * A trace begins with `go 1.N trace` and three NULs. Versions before 1.22 have another layout:
 * gotrace_v1.c and gotrace_v2.c describe both. Each says which goroutine runs, waits or is in a
 * system call at each moment, on which P, and who woke it. */

#include <inttypes.h>
#include <time.h>

#include "src/decode/gotrace/gotrace_inside.h"

/* Returns the N of `go 1.N trace`; 0 if the bytes are no header. */
static unsigned
version_of(const uint8_t *at, size_t len)
{
	unsigned n = 0, digits = 0;

	if (len < GOTRACE_HEADER || memcmp(at, "go 1.", 5) != 0)
		return 0;
	for (at += 5; digits < 3 && *at >= '0' && *at <= '9'; at++, digits++)
		n = 10 * n + (unsigned)(*at - '0');
	return digits && !memcmp(at, " trace\0\0\0", 9 - (digits > 2 ? 1 : 0)) ? n : 0;
}

static int
gotrace_probe(struct head head)
{
	return version_of(head.at, head.len) ? 100 : 0;
}

/* ---- the file ---- */

/* Reads the header. Returns false with a refusal for versions that are not read. */
static bool
header_read(struct input *in, unsigned *version, struct err *e)
{
	if (!input_need(in, GOTRACE_HEADER))
		return err_refuse(e, "the file ends within its header");
	*version = version_of(input_at(in), input_have(in));
	if (!*version)
		return err_refuse(e, "no execution trace of Go");
	if (*version < 11)
		return err_refuse(e, "an execution trace of Go 1.%u; convert it with Go 1.10's go "
				  "tool trace", *version);
	if (*version > 26)
		return err_refuse(e, "an execution trace of Go 1.%u, which is newer than this pnav "
				  "knows", *version);
	input_skip(in, GOTRACE_HEADER);
	return true;
}

static void
describe(struct gotrace *d)
{
	const struct gotrace_marks *m = &d->marks;
	time_t at = (time_t)d->clock.wall_s;
	struct tm tm;

	builder_info(d->b, "version", "go 1.%u", d->version);
	builder_info_count(d->b, "generations", d->n_generations, "");
	if (d->clock.wall_s && d->clock.wall_s < INT64_MAX / 1000000000 &&
	    d->clock.wall_ns < 1000000000)
		builder_clock(d->b, (int64_t)(d->clock.wall_s * 1000000000 + d->clock.wall_ns) -
					    gotrace_ns(d, d->clock.wall_ticks));
	if (d->clock.wall_s && d->clock.wall_s < 253402300800u && gmtime_r(&at, &tm))
		builder_info(d->b, "date", "%04d-%02d-%02dT%02d:%02d:%02d.%09" PRIu64 "Z",
			     tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
			     tm.tm_sec, d->clock.wall_ns);
	if (m->collections)
		builder_info(d->b, "collections",
			     "%" PRIu64 ", which mark for %.1f %% of the time", m->collections,
			     d->last_ns > d->first_ns
				     ? 100 * (double)m->mark_total_ns /
					       (double)(d->last_ns - d->first_ns)
				     : 0.0);
	builder_info_count(d->b, "experiments", d->experimental, " batches, not read");
	builder_info_count(d->b, "clock skew", d->clock.clamped, " events");
	if (d->tables.missing)
		builder_warn(d->b, "strings and stacks that the file lacks, shown as [unknown]: a "
				   "program that was killed did not write them");
}

static struct gotrace *
gotrace_new(struct input *in, struct builder *b, struct err *e)
{
	struct gotrace *d = mem_alloc(1, sizeof *d);

	*d = (struct gotrace){
		.in = in,
		.b = b,
		.e = e,
		.last_ns = INT64_MIN,
		.since_ns = INT64_MIN,
		.gc = {.waiting = GOTRACE_NONE},
		.actors = {.off_cpu = METRIC_NONE, .runnable = METRIC_NONE,
			   .samples = METRIC_NONE},
	};
	err_init(&d->late);
	d->actors.cpu = builder_metric(b, "cpu", UNIT_NS, ROLE_TIME);
	builder_default_metric(b, d->actors.cpu);
	gotrace_marks_init(d);
	return d;
}

static void
gotrace_free(struct gotrace *d)
{
	gotrace_tables_release(&d->tables);
	gotrace_order_release(&d->order);
	gotrace_actors_release(&d->actors);
	gotrace_marks_release(&d->marks);
	free(d);
}

static bool
gotrace_decode(struct input *in, struct builder *b, struct err *e)
{
	unsigned version;

	if (!header_read(in, &version, e))
		return false;
	struct gotrace *d = gotrace_new(in, b, e);
	d->version = version;
	if (version < 22)
		gotrace_v1(d);
	else
		gotrace_v2(d);
	if (d->last_ns != INT64_MIN) {
		gotrace_marks_write(d, true);
		gotrace_actors_finish(d);
	}
	describe(d);
	if (!err_is_set(e) && err_is_set(&d->late))
		*e = d->late;
	gotrace_free(d);
	return !err_is_set(e);
}

static bool
gotrace_dump(struct input *in, struct dump *out, struct err *e)
{
	unsigned version;

	if (!header_read(in, &version, e) ||
	    !dump_record(out, 0, "header go 1.%u", version))
		return false;
	return version < 22 ? gotrace_v1_dump(in, out, e) : gotrace_v2_dump(in, out, e);
}

const struct decoder decoder_gotrace = {
	.name = "gotrace",
	.title = "execution traces of Go (runtime/trace)",
	.made_of = MADE_BINARY,
	.probe = gotrace_probe,
	.decode = gotrace_decode,
	.dump = gotrace_dump,
};
