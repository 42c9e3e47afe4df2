/* Passes records from the rings to the sink.
 *
 * The kernel does not record frames of interpreters.  The recorder reads them when a sample
 * arrives, some ten microseconds after its moment if samples wake the recorder.  By then the thread
 * may have moved, but over many samples a thread that uses the CPU is at each place as often. */
#include <string.h>

#include "src/collect/collect_inside.h"
#include "src/collect/probed.h"
#include "src/collect/record.h"

/* The age up to which a sample gets frames of an interpreter: one period, within these limits. */
#define FRESH_NS (5 * (uint64_t)NS / 1000)
#define FRESH_MAX_NS (20 * (uint64_t)NS / 1000)

bool
collect_give(const struct buf *records, const struct collect_sink *sink, struct err *e)
{
	for (size_t at = 0; at < records->len;) {
		struct perf_event_header h;
		memcpy(&h, records->at + at, sizeof h);
		/* buf's memory is aligned like malloc's, and records are whole words */
		const void *rec = records->at + at;
		if (!sink->take(sink->ctx, rec, e))
			return false;
		at += h.size;
	}
	return true;
}

/* The path of records to the sink. */
struct passage {
	const struct collect_sink *to;
	struct probed *probed; /* NULL: all samples are wanted */
	const struct eventlist *events;
	struct waits *waits;   /* NULL: not these */
	struct interp *interp; /* NULL: not these */
	struct mapids *mapids; /* NULL: the kernel adds the build ids */
	struct owners *owners; /* NULL: not these */
	struct taskusage *usage;   /* NULL: not these */
	uint8_t *sampled;      /* of the collection; NULL: no such limit */
	uint64_t fresh_ns;     /* the age at which samples are too old for it */
	uint64_t sample_type;  /* of samples */
	uint64_t *forks;       /* how many there were */
	struct buf records;
};

/* To find an interpreter costs more than ten samples, and most processes of a busy machine are
 * short. */
static bool
is_short(const struct passage *p, uint32_t pid)
{
	if (!p->sampled || p->sampled[pid % COLLECT_PIDS] >= COLLECT_TRIED)
		return false;
	return ++p->sampled[pid % COLLECT_PIDS] < COLLECT_TRIED;
}

/* Notes a process that begins, or its new program. */
static void
note_begin(const struct passage *p, const struct perf_event_header *record)
{
	uint32_t id[2]; /* of a fork: the process and its parent, which a thread shares */

	if (!p->sampled || record->size < sizeof *record + sizeof id)
		return;
	memcpy(id, record + 1, sizeof id);
	if ((record->type == PERF_RECORD_FORK && id[0] != id[1]) ||
	    (record->type == PERF_RECORD_COMM && record->misc & PERF_RECORD_MISC_COMM_EXEC))
		p->sampled[id[0] % COLLECT_PIDS] = 0;
}

/* Returns true if the record is a recent sample of a thread that executes an interpreter. */
static bool
is_of_interpreter(const struct passage *p, const struct perf_event_header *record)
{
	struct record_sample s;
	uint64_t registers[RECORD_REGISTERS];

	if (!p->interp || record->type != PERF_RECORD_SAMPLE)
		return false;
	memcpy(&s, record, sizeof s);
	if (!s.pid || record_now() - s.time >= p->fresh_ns || is_short(p, s.pid))
		return false;
	interp_prepare(p->interp, (pid_t)s.pid);
	return interp_look(p->interp, (pid_t)s.pid, (pid_t)s.tid,
			   record_sample_registers(record, p->sample_type, registers)
				   ? registers
				   : NULL);
}

static bool
pass(void *ctx, const struct perf_event_header *record, struct err *e)
{
	struct passage *p = ctx;

	if (p->waits)
		waits_take(p->waits, record);
	if (p->interp)
		interp_take(p->interp, record);
	note_begin(p, record);
	*p->forks += record->type == PERF_RECORD_FORK;
	if (p->usage)
		usage_take(p->usage, record);
	buf_reset(&p->records);
	if (is_of_interpreter(p, record)) {
		interp_put(p->interp, record, &p->records);
	} else {
		bool replaced = p->mapids && mapids_put(p->mapids, record, &p->records);
		if (p->owners)
			owners_take(p->owners, record, &p->records);
		if (!replaced && !p->to->take(p->to->ctx, record, e))
			return false;
	}
	return collect_give(&p->records, p->to, e);
}

/* Takes records from the rings. */
static bool
pass_wanted(void *ctx, const struct perf_event_header *record, struct err *e)
{
	struct passage *p = ctx;
	const struct collect_sink to = {pass, p};
	struct buf late = BUF_INIT;

	bool now = !p->probed || probed_take(p->probed, p->events, record, &late);
	bool good = collect_give(&late, &to, e) && (!now || pass(p, record, e));
	buf_release(&late);
	return good;
}

bool
collect_drain(struct collect *c, const struct collect_sink *sink, struct err *e)
{
	uint64_t period = NS / (c->options.hz ? c->options.hz : 1);
	struct passage p = {
		.to = sink,
		.probed = c->probed,
		.events = &c->events_list,
		.waits = c->waits,
		.interp = c->interp,
		.mapids = collect_of_cpus(c) ? c->mapids : NULL,
		.owners = c->owners,
		.usage = c->usage,
		.sampled = c->options.system && c->at_once ? c->sampled : NULL,
		.fresh_ns = FRESH_NS,
		.forks = &c->forks,
	};
	struct collect_sink noted = {pass, &p}, wanted = {pass_wanted, &p};
	struct buf looks = BUF_INIT;

	if (c->events_list.at.n)
		p.sample_type = c->events_list.at.at[0].attr.sample_type;
	if (period > p.fresh_ns)
		p.fresh_ns = period < FRESH_MAX_NS ? period : FRESH_MAX_NS;
	bool good = events_drain(c->events, &wanted, &c->result, e);
	if (c->probed)
		c->result.samples -= probed_dropped(c->probed);
	if (good && c->waits && c->ended)
		waits_end(c->waits, &looks);
	else if (good && c->waits)
		waits_look(c->waits, &looks);
	if (good && c->usage)
		usage_look(c->usage, &c->events_list, c->ended, &looks);
	p.waits = NULL;
	good = good && collect_give(&looks, &noted, e);
	buf_release(&looks);
	buf_release(&p.records);
	return good;
}
