/* Requests to the kernel: an attr for each event, linux/perf_event.h.
 *
 * All events have samples of one layout, which readers of files with several events rely on; ids
 * distinguish them.  The first one reports tasks, maps and switches. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "src/collect/collect_inside.h"
#include "src/collect/record.h"
#include "src/collect/tracedata.h"

/* Returns the system's limit of a chain, by which readers recognise chains that were cut; 0: not
 * known. */
static uint16_t
longest_chain(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	unsigned n = 0;

	if (f && fscanf(f, "%u", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n <= UINT16_MAX ? (uint16_t)n : 0;
}

/* Returns true if the event may wake the recorder when it happens.  An event that the recorder
 * itself causes may not, since it would wake the recorder again and again: a switch, because the
 * recorder preempts a thread, and, in the whole system, a call that the recorder makes. */
static bool
may_wake(const struct collect_event *v, bool system)
{
	static const char *const calls[] = {"syscalls:", "raw_syscalls:", "uprobe:", "uretprobe:"};

	if (v->attr.type == PERF_TYPE_SOFTWARE)
		return v->attr.config != PERF_COUNT_SW_CONTEXT_SWITCHES &&
		       v->attr.config != PERF_COUNT_SW_CPU_MIGRATIONS;
	for (size_t i = 0; i < sizeof calls / sizeof *calls && v->name; i++)
		if (!strncmp(v->name, calls[i], strlen(calls[i])))
			return !system;
	return v->attr.type != PERF_TYPE_TRACEPOINT;
}

/* Sets the fields common to all events. */
static void
fill_attr(struct collect_event *v, struct collect *c)
{
	const struct collect_options *o = &c->options;
	struct perf_event_attr *a = &v->attr;

	a->sample_type = RECORD_SAMPLE_TYPE;
	a->disabled = 1;
	a->inherit = !o->system && !c->cgroup && !v->probed; /* of a task */
	a->sample_id_all = 1;
	a->exclude_guest = 1; /* as perf does */
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
	a->watermark = 1;
	a->wakeup_watermark = 256u << 10;
	c->quiet |= !may_wake(v, o->system);
	if (c->at_once && may_wake(v, o->system)) {
		a->watermark = 0;
		a->wakeup_events = 1;
	}
	if (tracedata_wanted(&c->events_list))
		a->sample_type |= PERF_SAMPLE_RAW;
	if (o->system)
		a->sample_type |= PERF_SAMPLE_CGROUP;
	if (o->stacks != COLLECT_LEAF) {
		a->sample_type |= PERF_SAMPLE_CALLCHAIN;
		a->sample_max_stack = longest_chain();
	}
	if (o->stacks == COLLECT_STACK_COPIES && record_registers()) {
		a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		a->sample_regs_user = record_registers();
		a->sample_stack_user =
			o->stack_bytes ? o->stack_bytes : RECORD_STACK_BYTES;
		a->exclude_callchain_user = 1;
	}
}

/* Sets the rate.  Clocks have a period: the kernel would only limit a frequency.  Other counters
 * hardly count on an idle CPU. */
static void
fill_rate(struct perf_event_attr *a, const struct collect_options *o)
{
	bool clock = a->type == PERF_TYPE_SOFTWARE &&
		     (a->config == PERF_COUNT_SW_CPU_CLOCK ||
		      a->config == PERF_COUNT_SW_TASK_CLOCK);

	a->exclude_idle = clock && o->no_idle;
	if (o->period) {
		a->sample_period = o->period;
	} else if (clock) {
		a->sample_period = NS / o->hz;
	} else if (!a->sample_period) {
		a->freq = 1;
		a->sample_freq = o->hz;
	}
}

/* One event reports tasks and maps. */
static void
make_tracking(struct perf_event_attr *a, const struct collect *c)
{
	a->mmap = a->mmap2 = 1;
	a->comm = a->comm_exec = 1;
	a->task = 1;
	a->build_id = !collect_of_cpus(c);
	a->cgroup = (a->sample_type & PERF_SAMPLE_CGROUP) != 0;
	/* perf's unwinder reads .eh_frame through the maps of read-only data */
	a->mmap_data = (a->sample_type & PERF_SAMPLE_STACK_USER) != 0;
}

static struct perf_event_attr *
add_software(struct eventlist *l, uint64_t config)
{
	struct collect_event *v = eventlist_push(l);

	v->attr.type = PERF_TYPE_SOFTWARE;
	v->attr.config = config;
	return &v->attr;
}

/* Adds the default event, the CPU's time. */
static void
add_default(struct eventlist *l, const struct collect_options *o)
{
	struct perf_event_attr *a = add_software(l, PERF_COUNT_SW_TASK_CLOCK);

	if (o->system)
		a->config = PERF_COUNT_SW_CPU_CLOCK; /* the other clock counts a task's time */
	if (o->cycles) {
		a->type = PERF_TYPE_HARDWARE;
		a->config = PERF_COUNT_HW_CPU_CYCLES;
	}
}

/* A command that is sampled later must be known from its start, and the system's tasks before the
 * first sample; probes are of no task.  So an event that counts nothing reports tasks and maps. */
void
collect_make_events(struct collect *c)
{
	const struct collect_options *o = &c->options;
	struct eventlist *l = &c->events_list;

	eventlist_release(l);
	if (collect_tracks_apart(c))
		add_software(l, PERF_COUNT_SW_DUMMY)->sample_period = 1;
	for (size_t i = 0; o->events && i < o->events->at.n; i++) {
		const struct collect_event *from = &o->events->at.at[i];
		struct collect_event *v = eventlist_push(l);
		v->attr = from->attr;
		v->name = mem_dup(from->name, strlen(from->name));
		if (from->probed)
			v->probed = mem_dup(from->probed, strlen(from->probed));
	}
	if (!o->events || !o->events->at.n)
		add_default(l, o);
	if (c->usage)
		usage_events(c->usage, l);
	if (o->off_cpu)
		add_software(l, PERF_COUNT_SW_CONTEXT_SWITCHES)->sample_period = 1;
	for (size_t i = 0; i < l->at.n; i++) {
		fill_attr(&l->at.at[i], c);
		if (!(o->off_cpu && i + 1 == l->at.n))
			fill_rate(&l->at.at[i].attr, o);
	}
	make_tracking(&l->at.at[0].attr, c);
	/* waits begin with sampling, not with the earlier reports of tasks and maps */
	l->at.at[collect_first(c)].attr.context_switch = o->off_cpu;
}
