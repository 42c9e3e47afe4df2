#include "src/decode/perf/perfscript_sched.h"

#include <string.h>

#include "src/decode/common/words.h"

int64_t
perfscript_tid(struct text_slice digits)
{
	int64_t n = 0;

	for (size_t i = 0; i < digits.len; i++) {
		if (digits.at[i] < '0' || digits.at[i] > '9' || n > INT32_MAX)
			return 0;
		n = n * 10 + (digits.at[i] - '0');
	}
	return n;
}

bool
perfscript_is_sched(const struct perf_sample *s)
{
	return s->event.len > 6 && !memcmp(s->event.at, "sched:", 6);
}

static void
named(struct sched *s, const struct sched_task *task, int64_t time_ns)
{
	sched_named(s, task->pid, task->comm, task->len, time_ns);
}

void
perfscript_sched(struct perfscript_sched *x, const struct perf_sample *s, struct sched_known *task,
		 int64_t time_ns)
{
	const char *at = s->text.at, *end = at + s->text.len;
	struct sched_task prev, next;
	enum sched_woken how;
	enum sched_left left;
	int64_t tid = perfscript_tid(s->tid);

	if (s->cpu < 0 || !s->tid.len)
		return;
	if (*s->tid.at != '-') /* an ending thread does not have a number any more */
		sched_runs_known(&x->of, s->cpu, task, tid, s->comm.at, s->comm.len, time_ns);
	if (!perfscript_is_sched(s))
		return;
	const char *event = s->event.at + 6;
	size_t len = s->event.len - 6;
	if (is_key(event, len, "sched_switch") &&
	    sched_text_switch(at, end, &prev, &left, &next)) {
		named(&x->of, &prev, time_ns);
		named(&x->of, &next, time_ns);
		sched_switch(&x->of, s->cpu, prev.pid, left, next.pid, time_ns);
	} else if (sched_text_wakes(event, len, &how) && sched_text_wake(at, end, &next)) {
		sched_wake(&x->of, s->cpu, next.pid, tid > 0 ? tid : SCHED_NOBODY, how, time_ns);
		named(&x->of, &next, time_ns);
	}
}

static void
perfscript_describe(void *context, int64_t tid, struct sched_thread *out)
{
	struct perfscript_sched *x = context;

	sched_describe(&x->of, tid, out);
	out->track = x->track(x->context, builder_name(x->of.b, out->name->at, out->name->len));
}

void
perfscript_sched_end(struct perfscript_sched *x, int64_t end_ns)
{
	sched_write(&x->of, end_ns, perfscript_describe, x);
	if (x->of.any && !x->has_others && x->of.cpu_metric != METRIC_NONE)
		builder_default_metric(x->of.b, x->of.cpu_metric);
	sched_release(&x->of);
}
