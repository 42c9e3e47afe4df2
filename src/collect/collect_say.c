/* Describes a collection: which sampler ran, and what it cannot see. */
#include "src/collect/collect_inside.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define MORE_HZ 10000
#define MANY_SAMPLES 100u   /* with fewer the difference may be chance */
#define UNSEEN_NS (NS / 50) /* less may be chance */

/* If the kernel does not report where threads wait, the recorder examined them. */
static void
describe_waits(const struct collect *c, struct buf *out)
{
	struct waits_counts t = waits_counted(c->waits);

	if (t.n && !t.seen && t.refused)
		buf_adds(
			out,
			"; the places of waits are missing: only users who may trace the "
			"threads see them "
			"(/proc/sys/kernel/yama/ptrace_scope)");
	else if (t.n > t.seen)
		buf_addf(
			out,
			"; %llu waits have a place, %.0f %% of the waiting time: %llu ended "
			"too soon",
			(unsigned long long)t.seen,
			t.ns ? 100 * (double)t.seen_ns / (double)t.ns : 100.0,
			(unsigned long long)(t.n - t.seen));
}

/* Describes an event and its rate. */
static void
describe_event(const struct collect *c, struct buf *out)
{
	size_t first = collect_first(c), i = first;
	const struct collect_event *v = &c->events_list.at.at[i];

	if (v->name)
		for (; i < c->events_list.at.n && c->events_list.at.at[i].name; i++)
			buf_addf(out, "%s%s", i > first ? ", " : "",
				 c->events_list.at.at[i].name);
	else
		buf_adds(out, v->attr.type == PERF_TYPE_HARDWARE         ? "cycles"
			      : v->attr.config == PERF_COUNT_SW_CPU_CLOCK ? "CPU clock"
									  : "task clock");
	if (c->options.period)
		buf_addf(out, ", one of %llu", (unsigned long long)c->options.period);
	else if (v->attr.type == PERF_TYPE_TRACEPOINT || v->probed)
		buf_adds(out, ", each");
	else
		buf_addf(out, ", %u a second", c->options.hz);
	buf_addc(out, ')');
	if (c->waits)
		describe_waits(c, out);
}

/* True if the user asked for the event without the kernel, as cpu-clock:u. */
static bool
asks_for_user(const struct collect *c)
{
	const struct eventlist *l = c->options.events;

	return l && l->at.n && l->at.at[0].attr.exclude_kernel;
}

static void
describe_events(const struct collect *c, struct buf *out)
{
	buf_adds(out, "sampled by perf events (");
	describe_event(c, out);
	if (!c->result.kernel)
		buf_adds(out, asks_for_user(c)
				      ? "; kernel time is not requested"
				      : "; kernel time is missing: "
					"/proc/sys/kernel/perf_event_paranoid would have to be 1");
}

/* A task starts with a whole period before its first sample, so shorter tasks have none.  If all
 * tasks together cannot have lost that much, samples were late or forbidden.  Only the periods of a
 * clock are CPU time. */
static void
describe_unseen(const struct collect *c, struct buf *out)
{
	const struct collect_result *r = &c->result;
	const struct collect_event *v = &c->events_list.at.at[collect_first(c)];
	/* the check needs the command's own complete time */
	if (!c->command || c->target.runs || r->cut || c->delayed || c->options.delay_ns ||
	    c->options.period || v->name || v->attr.type != PERF_TYPE_SOFTWARE || r->lost ||
	    r->setuid ||
	    r->seen_ns / 9 * 10 >= r->used_ns || r->used_ns - r->seen_ns < UNSEEN_NS)
		return;
	buf_addf(out, "; samples saw %.2f of %.2f s of CPU time (%.0f %%): ",
		 (double)r->seen_ns / NS, (double)r->used_ns / NS,
		 100 * (double)r->seen_ns / (double)r->used_ns);
	if (r->used_ns - r->seen_ns > UNSEEN_NS + (1 + c->forks) * (NS / c->options.hz)) {
		buf_addf(out, "the machine was too busy for the others%s",
			 geteuid() ? ", or programs ran as another user, which only root may sample"
				   : "");
		return;
	}
	buf_addf(out, "processes and threads that end within 1/%u s are missing", c->options.hz);
	if (geteuid())
		buf_adds(out, ", root sees them");
	if (c->options.hz < MORE_HZ)
		buf_addf(out, ", record -F %d sees more", MORE_HZ);
}

/* Returns the most that a share may be off, in points, with `n` of `wanted` samples.  Their periods
 * are exponential, so chance alone accounts for at most the error of 2n samples at a half: 1.96 *
 * sqrt(2 * 0.25 / n).  The missing samples are not a random choice: beside fifteen busy threads 91
 * of 169 were taken and a share was 37 points off, where chance explains 15.  They may all belong
 * to one function, so their part of all samples is added. */
static double
late_points(double n, double wanted)
{
	double points = 138.6 / sqrt(n) * n / wanted + 100 * (wanted - n) / wanted;

	return points < 100 ? points : 100;
}

/* Each sample represents a period on average, unless the recorder was late for some, or the thread
 * left its CPU in between.  Up to a quarter may be missing, plus chance: twice the root of their
 * number. */
static void
describe_late(const struct collect *c, struct buf *out)
{
	const struct collect_result *r = &c->result;
	uint64_t wanted = r->seen_ns / c->events_list.at.at[0].attr.sample_period;
	double missing = (double)wanted - (double)r->samples;

	if (wanted < MANY_SAMPLES || missing < (double)wanted / 4 ||
	    missing * missing < 4 * (double)wanted || !r->samples)
		return;
	buf_addf(out,
		 "; %llu samples were taken where %llu were due, because the machine is busy: "
		 "shares may be off by %.0f points",
		 (unsigned long long)r->samples, (unsigned long long)wanted,
		 late_points((double)r->samples, (double)wanted));
	if (missing > (double)wanted / 2)
		buf_adds(out, ", and by more in a program that works in bursts of a few ms");
}

/* Describes what makes the numbers wrong; each part begins with "; ". */
static void
describe_faults(const struct collect *c, struct buf *out)
{
	bool perf = c->result.sampler == COLLECT_PERF;

	if (c->result.setuid)
		buf_adds(out, perf ? "; a setuid program is missing: only root may sample it"
				   : "; a setuid program runs without its privileges");
	if (c->result.lost)
		buf_addf(out, "; %llu records were lost: take fewer samples a second",
			 (unsigned long long)c->result.lost);
	if (!perf)
		describe_late(c, out);
	describe_unseen(c, out);
}

static void
describe_tracer(const struct collect *c, struct buf *out)
{
	buf_addf(out, "sampled by ptrace (%u a second)", c->options.hz);
	if (c->events_fault)
		buf_addf(out,
			 ", because perf events cannot be used (%s: see %s)",
			 strerror(c->events_fault), collect_allows(c->events_fault));
	buf_adds(out,
		 "; functions of the kernel are not shown, each sample stops its thread");
}

void
collect_describe(const struct collect *c, struct buf *out)
{
	if (c->result.sampler == COLLECT_PERF)
		describe_events(c, out);
	else
		describe_tracer(c, out);
	describe_faults(c, out);
}

void
collect_warn(const struct collect *c, struct buf *out)
{
	struct buf faults = BUF_INIT;

	describe_faults(c, &faults);
	if (faults.len)
		buf_adds(out, buf_str(&faults) + strlen("; "));
	buf_release(&faults);
}

void
collect_say_interpreters(const struct collect *c, struct buf *out)
{
	if (c->interp)
		interp_say(c->interp, "pnav: ", out);
}
