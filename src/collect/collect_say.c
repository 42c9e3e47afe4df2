/* What a collection says of itself: which sampler ran, and what it cannot see. */
#include "src/collect/collect_inside.h"

#include <string.h>

#define MORE_HZ 10000
#define UNSEEN_NS (NS / 50) /* less may be chance */

/* Where the kernel does not tell where threads wait, they were looked at. */
static void
describe_waits(const struct collect *c, struct buf *out)
{
	struct waits_told t = waits_tell(c->waits);

	if (t.n && !t.seen && t.refused)
		buf_adds(out, "; where threads wait is not seen: only who may trace them may look "
			      "(/proc/sys/kernel/yama/ptrace_scope)");
	else if (t.n > t.seen)
		buf_addf(out,
			 "; where threads wait was seen of %llu waits, %.0f %% of the time waited: "
			 "%llu were over too soon",
			 (unsigned long long)t.seen,
			 t.ns ? 100 * (double)t.seen_ns / (double)t.ns : 100.0,
			 (unsigned long long)(t.n - t.seen));
}

/* What, and how often. */
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
	else if (v->attr.type == PERF_TYPE_TRACEPOINT)
		buf_adds(out, ", each");
	else
		buf_addf(out, ", %u a second", c->options.hz);
	buf_addc(out, ')');
	if (c->waits)
		describe_waits(c, out);
}

static void
describe_events(const struct collect *c, struct buf *out)
{
	buf_adds(out, "sampled by perf events (");
	describe_event(c, out);
	if (!c->result.kernel)
		buf_adds(out, "; the kernel's own time is not seen: "
			      "/proc/sys/kernel/perf_event_paranoid would have to be 1");
	if (c->result.setuid)
		buf_adds(out, "; a setuid program is not seen: only root may sample it");
	if (c->result.lost)
		buf_addf(out, "; %llu records were lost: take fewer samples a second",
			 (unsigned long long)c->result.lost);
}

/* A task begins with a whole period before its first sample; one that is shorter has
 * none.  Only a clock's periods are CPU time. */
static void
describe_unseen(const struct collect *c, struct buf *out)
{
	const struct collect_result *r = &c->result;
	/* what may be short is of the command alone, and its time all there is */
	if (!c->command || c->target.runs || c->delayed || c->options.delay_ns ||
	    c->options.period || c->events_list.at.at[0].name ||
	    c->events_list.at.at[0].attr.type != PERF_TYPE_SOFTWARE || r->lost || r->setuid ||
	    r->seen_ns / 9 * 10 >= r->used_ns || r->used_ns - r->seen_ns < UNSEEN_NS)
		return;
	buf_addf(out,
		 "; samples saw %.2f of %.2f s of CPU time: processes and threads that "
		 "end within 1/%u s are not seen",
		 (double)r->seen_ns / NS, (double)r->used_ns / NS, c->options.hz);
	if (c->options.hz < MORE_HZ)
		buf_addf(out, ", record -F %d sees more", MORE_HZ);
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
		 "; the kernel's own time is not seen, each sample stops its thread");
	if (c->result.setuid)
		buf_adds(out, "; a setuid program runs without its privileges");
}

void
collect_describe(const struct collect *c, struct buf *out)
{
	if (c->result.sampler == COLLECT_PERF)
		describe_events(c, out);
	else
		describe_tracer(c, out);
	describe_unseen(c, out);
}

