#include "src/command/record/probes.h"

#include "src/collect/record.h"

bool
probes_want(const struct record_options *o, const struct perf_event_header *record)
{
	const struct record_sample *s = (const void *)record;

	if (!o->probes || !o->pids.n || record->type != PERF_RECORD_SAMPLE)
		return true;
	for (size_t i = 0; i < o->pids.n; i++)
		if (s->pid == (uint32_t)o->pids.at[i])
			return true;
	return false;
}

bool
probes_ended(const struct record_options *o)
{
	bool any = !o->probes || !o->pids.n;

	for (size_t i = 0; i < o->pids.n && !any; i++)
		any = record_task_runs(o->pids.at[i]);
	return !any;
}
