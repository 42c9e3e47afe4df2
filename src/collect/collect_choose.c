/* Chooses one of the two samplers, or explains why neither works.
 *
 * Perf events come first.  ptrace is used only if they are refused and the options need nothing
 * that it lacks.  The events' attrs show what the system has refused of the request. */
#include "src/collect/collect_inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/owners.h"
#include "src/collect/record.h"
#include "src/collect/taskrun.h"

/* Id of the event for looks: the kernel counts counters from 1. */
#define LOOKS_ID ((uint64_t)1 << 62)

/* Processes of other users are never observed, whatever the settings. */
static bool
is_others(const struct sampler_target *t, struct err *e)
{
	char path[64];
	struct stat st;
	for (size_t i = 0; geteuid() && t->runs && i < t->n; i++) {
		snprintf(path, sizeof path, "/proc/%d", (int)t->pid[i]);
		if (stat(path, &st) || st.st_uid == geteuid())
			continue;
		char user[32] = "another user";
		owners_name(st.st_uid, user, sizeof user);
		err_refuse(e,
			   "process %d belongs to %s (uid %u): only that user or root may "
			   "sample it",
			   (int)t->pid[i], user, (unsigned)st.st_uid);
		return true;
	}
	return false;
}

/* A request that only the kernel supports, and the option that makes it. */
struct needs {
	const char *what, *option;
};

static struct needs
needs_events(const struct collect_options *o)
{
	if (o->system)
		return (struct needs){"all of the system", "--all-cpus"};
	if (o->events && o->events->at.n)
		return (struct needs){"events", "--event"};
	if (o->off_cpu)
		return (struct needs){"waiting", "--off-cpu"};
	if (o->threads)
		return (struct needs){"single threads", "--tid"};
	if (o->n_pids > 1)
		return (struct needs){"several processes", "more than one --pid"};
	if (o->n_pids && o->argv && o->argv[0])
		return (struct needs){"a process beside a command", "the command"};
	if (o->cpus)
		return (struct needs){"chosen CPUs", "--cpu"};
	if (o->delay_ns)
		return (struct needs){"what begins later", "--delay"};
	return (struct needs){0};
}

/* If the kernel takes no samples of switches, the recorder examines waiting threads itself.
 * Otherwise it examines only threads that wait already, and an event without a counter reports
 * them. */
static void
look_at_waits(struct collect *c)
{
	struct collect_event *v = &c->events_list.at.at[c->events_list.at.n - 1];

	if (!v->ids.n)
		return;
	bool kernel = !v->attr.exclude_kernel;
	if (kernel) {
		struct perf_event_attr attr = v->attr;
		v = eventlist_push(&c->events_list);
		v->attr = attr;
		v->attr.exclude_kernel = v->attr.exclude_hv = 1;
		*vec_push(&v->ids) = LOOKS_ID;
	}
	/* looks have neither */
	v->attr.sample_type &= ~(uint64_t)(PERF_SAMPLE_RAW | PERF_SAMPLE_CGROUP);
	c->waits = waits_new(&v->attr, v->ids.at[0], kernel);
}

static bool
open_events(struct collect *c, size_t *failed)
{
	c->events = events_new(&c->events_list, c->target, failed);
	struct collect_event *v = &c->events_list.at.at[collect_first(c)];
	struct perf_event_attr *a = &v->attr;
	if (a->type == PERF_TYPE_SOFTWARE && a->freq && !v->name) {
		/* cycles were replaced by a clock */
		a->freq = 0;
		a->sample_period = NS / c->options.hz;
		a->exclude_idle = c->options.no_idle;
		if (c->options.system)
			a->config = PERF_COUNT_SW_CPU_CLOCK;
		events_free(c->events);
		c->events = events_new(&c->events_list, c->target, failed);
	}
	c->result.sampler = COLLECT_PERF;
	c->result.kernel = !a->exclude_kernel;
	if (c->events && c->interp)
		interp_reported(c->interp);
	if (c->events && c->options.off_cpu)
		look_at_waits(c);
	return c->events != NULL;
}

/* If the kernel has no counters of control groups, samples the command's tasks. */
static bool
open_without_group(struct collect *c, size_t *failed)
{
	collect_leave_group(c);
	collect_make_events(c);
	return open_events(c, failed);
}

/* `without`: the option without which the other sampler could run; NULL: there is none. */
static bool
refuse_events(const struct collect *c, size_t failed, int fault, const char *without,
	      struct err *e)
{
	const struct collect_event *v = &c->events_list.at.at[failed];

	if (fault == EACCES || fault == EPERM)
		return err_refuse(e, "perf events cannot be used%s%s: %s; see "
				     "/proc/sys/kernel/perf_event_paranoid%s%s%s",
				  v->name ? " for " : "", v->name ? v->name : "",
				  strerror(fault), without ? "; without " : "",
				  without ? without : "", without ? " ptrace can sample" : "");
	if (v->name && fault != EMFILE && fault != ENFILE)
		return err_refuse(e, "this system cannot sample %s: %s", v->name,
				  fault == ENOENT || fault == EOPNOTSUPP
					  ? "it has no such counter"
					  : strerror(fault));
	return err_refuse(e, "perf events cannot be used: %s; see %s", strerror(fault),
			  collect_allows(fault));
}

static bool
open_tracer(struct collect *c, struct err *e)
{
	struct perf_event_attr *a = &c->events_list.at.at[0].attr;
	a->type = PERF_TYPE_SOFTWARE;
	a->config = PERF_COUNT_SW_TASK_CLOCK;
	a->freq = 0;
	a->build_id = 0;
	a->sample_max_stack = TRACER_CHAIN_MAX;
	a->sample_period = NS / c->options.hz;
	a->exclude_kernel = 1;
	c->result.sampler = COLLECT_PTRACE;
	c->result.kernel = false;
	c->tracer = tracer_new(a, c->target);
	if (c->tracer)
		return true;
	int fault = errno;
	pid_t other = c->target.runs ? taskrun_status(c->target.pid[0], "TracerPid") : 0;
	if (other)
		return err_refuse(e, "ptrace cannot be used: process %d traces process %d already",
				  (int)other, (int)c->target.pid[0]);
	if (c->events_fault)
		return err_refuse(
			e,
			"neither perf events (%s) nor ptrace (%s) can be used: see "
			"perf_event_paranoid and yama/ptrace_scope in "
			"/proc/sys/kernel",
			strerror(c->events_fault), strerror(fault));
	return err_refuse(
		e, "ptrace cannot be used: %s; see /proc/sys/kernel/yama/ptrace_scope",
		strerror(fault));
}

static bool
open_sampler(struct collect *c, struct err *e)
{
	struct needs needs = needs_events(&c->options);
	size_t failed = 0;

	if (c->options.sampler != COLLECT_PTRACE) {
		if (open_events(c, &failed) || (c->cgroup && open_without_group(c, &failed)))
			return true;
		c->events_fault = errno;
		if (c->options.sampler == COLLECT_PERF || needs.what)
			return refuse_events(c, failed, errno,
					     needs.option && !c->options.system &&
							     c->options.sampler == COLLECT_ANY
						     ? needs.option
						     : NULL,
					     e);
	} else if (needs.what) {
		return err_refuse(e, "%s cannot be sampled by ptrace", needs.what);
	}
	collect_make_events(c);
	return open_tracer(c, e);
}

bool
collect_choose(struct collect *c, struct err *e)
{
	if (is_others(&c->target, e) || !open_sampler(c, e))
		return false;
	/* the records have build ids, also where the recorder adds them */
	if (collect_of_cpus(c) || c->tracer)
		c->events_list.at.at[0].attr.build_id = 1;
	return true;
}
