/* Names and letters follow perf record where it has the same option. */
#include "src/command/record/record_options.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/profile/moment.h"
#include "src/collect/probed.h"
#include "src/collect/sampler.h"
#include "src/command/record/profile_options.h"
#include "src/encode/zstd.h"
#include "src/options.h"

#define RECORD_HZ 997u
#define HZ_MAX 50000
#define STACK_COPY_MAX 65528 /* the kernel's limit */

/* Returns the system's limit, as perf does. */
static unsigned
highest_rate(void)
{
	unsigned hz = 0;
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");

	if (f && fscanf(f, "%u", &hz) != 1)
		hz = 0;
	if (f)
		fclose(f);
	return !hz ? RECORD_HZ : hz < HZ_MAX ? hz : HZ_MAX;
}

static bool
set_frequency(struct options *o, const struct option_row *row, const char *value,
	      struct err *e)
{
	struct record_options *r = o->own;
	long long hz;
	r->hz_given = true;
	if (!strcmp(value, "max")) {
		r->collect.hz = highest_rate();
		return true;
	}
	if (!option_number(row->name, value, &hz, e))
		return false;
	if (hz < 1 || hz > HZ_MAX)
		return err_usage(e, "--freq takes 1 to %d samples a second, not '%s'",
				 HZ_MAX, value);
	r->collect.hz = (unsigned)hz;
	return true;
}

static bool
set_period(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct record_options *r = o->own;
	long long n;
	if (!option_number(row->name, value, &n, e))
		return false;
	if (n < 1)
		return err_usage(e, "--count: a sample every %s events is impossible", value);
	r->collect.period = (uint64_t)n;
	return true;
}

static bool
set_events(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct record_options *r = o->own;
	(void)row;
	return eventlist_add(&r->events, value, e);
}

static bool
set_tasks(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct record_options *r = o->own;
	bool threads = !strcmp(row->name, "tid");
	if (r->pids.n && r->collect.threads != threads)
		return err_usage(e, "--pid or --tid, not both");
	r->collect.threads = threads;
	return task_numbers_add(&r->pids, row->name, value, e);
}

/* Reads a folder, or a name below the folder of control groups. */
static bool
set_cgroup(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	static const char *const roots[] = {"", "/sys/fs/cgroup/perf_event/",
					    "/sys/fs/cgroup/unified/", "/sys/fs/cgroup/"};
	struct record_options *r = o->own;
	struct stat st;
	(void)row;
	for (size_t i = value[0] == '/' ? 0 : 1; i < sizeof roots / sizeof *roots; i++) {
		buf_reset(&r->cgroup);
		buf_addf(&r->cgroup, "%s%s", roots[i], value);
		if (!stat(buf_str(&r->cgroup), &st) && S_ISDIR(st.st_mode)) {
			r->collect.system = true;
			return true;
		}
	}
	return err_usage(e, "--cgroup: there is no control group '%s'", value);
}

static bool
set_cpus(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct record_options *r = o->own;
	(void)row;
	r->collect.cpus = value;
	return events_cpus_good(value) ||
	       err_usage(e, "--cpu takes CPUs of this machine as 0,2-3, not '%s'", value);
}

/* Reads a time; `unit` is the unit of a bare number. */
static bool
read_time(const struct option_row *row, const char *value, const char *unit, uint64_t *ns,
	  struct err *e)
{
	struct buf text = BUF_INIT;
	struct moment m;
	struct err why;
	size_t digits = strspn(value, "0123456789.");

	err_init(&why);
	buf_addf(&text, "%s%s", value, digits && !value[digits] ? unit : "");
	bool good = moment_parse(buf_str(&text), &m, &why) && m.kind == MOMENT_NS && m.value > 0 &&
		    !m.back;
	buf_release(&text);
	if (!good)
		return err_usage(e, "--%s takes a time, as 500ms or 10s, not '%s'", row->name,
				 value);
	*ns = (uint64_t)m.value;
	return true;
}

static bool
set_time(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct record_options *r = o->own;
	bool delay = !strcmp(row->name, "delay"); /* perf record reads it in ms */
	uint64_t *ns = delay			    ? &r->collect.delay_ns
		       : !strcmp(row->name, "ring") ? &r->ring_ns
		       : !strcmp(row->name, "every") ? &r->every_ns
						     : &r->collect.duration_ns;
	return read_time(row, value, delay ? "ms" : "s", ns, e);
}

static bool
set_trigger(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct record_options *r = o->own;
	(void)row;
	return trigger_parse(value, vec_push(&r->triggers), e);
}

static bool
set_pointers(struct options *o, const struct option_row *row, const char *value,
	     struct err *e)
{
	(void)row, (void)value, (void)e;
	struct record_options *r = o->own;
	r->collect.stacks = COLLECT_FRAME_POINTERS;
	r->stacks_given = true;
	return true;
}

static bool
set_call_graph(struct options *o, const struct option_row *row, const char *value,
	       struct err *e)
{
	struct record_options *r = o->own;
	long long size = 0;
	r->stacks_given = true;
	if (!strncmp(value, "dwarf,", 6)) {
		if (!option_number(row->name, value + 6, &size, e))
			return false;
		if (size < 8 || size > STACK_COPY_MAX)
			return err_usage(e,
					 "--call-graph dwarf,SIZE copies 8 to %d bytes, "
					 "not '%s'",
					 STACK_COPY_MAX, value + 6);
		r->collect.stack_bytes = (unsigned)(size + 7) / 8 * 8;
		value = "dwarf";
	}
	if (!strcmp(value, "fp"))
		r->collect.stacks = COLLECT_FRAME_POINTERS;
	else if (!strcmp(value, "dwarf"))
		r->collect.stacks = COLLECT_STACK_COPIES;
	else if (!strcmp(value, "no"))
		r->collect.stacks = COLLECT_LEAF;
	else
		return err_usage(e, "--call-graph takes dwarf[,SIZE], fp or no, not '%s'",
				 value);
	return true;
}

/* Reads bytes, or a number with a unit, as perf does. */
static bool
set_max_size(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	static const char units[] = "BKMGbkmg";
	struct record_options *r = o->own;
	size_t digits = strspn(value, "0123456789");
	const char *unit = value[digits] ? strchr(units, value[digits]) : units;
	unsigned shift = unit ? 10 * ((unsigned)(unit - units) % 4) : 0;

	errno = 0;
	unsigned long long n = strtoull(value, NULL, 10);
	if (!digits || !unit || (value[digits] && value[digits + 1]) || !n || errno ||
	    n > UINT64_MAX >> shift)
		return err_usage(e, "--%s takes a size, as 100M or 2G, not '%s'", row->name, value);
	*(!strcmp(row->name, "spool-size") ? &r->spool_bytes : &r->max_size) = (uint64_t)n << shift;
	return true;
}

static bool
set_sampler(struct options *o, const struct option_row *row, const char *value,
	    struct err *e)
{
	struct record_options *r = o->own;
	(void)row;
	return sampler_named(value, &r->collect.sampler) ||
	       err_usage(e, "--sampler takes perf, ptrace or any, not '%s'", value);
}

static bool
set_compress(struct options *o, const struct option_row *row, const char *value,
	     struct err *e)
{
	(void)row, (void)value;
	((struct record_options *)o->own)->compress = true;
	return zstd_there() ||
	       err_usage(e, "--compress: this pnav was built without zstd");
}

static bool
set_embed(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct record_options *r = o->own;
	static const char *const words[] = {
		[EMBED_NONE] = "none", [EMBED_NAMES] = "names", [EMBED_ALL] = "all"};

	(void)row;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(value, words[i])) {
			r->embeds = (enum record_embeds)i;
			return true;
		}
	return err_usage(e, "--embed takes names, all or none, not '%s'", value);
}

static bool
set_store_label(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct record_options *r = o->own;

	if (!strchr(value, '=') || *value == '=')
		return err_usage(e, "--%s takes KEY=VALUE, not '%s'", row->name, value);
	if (r->labels.n == CONTINUOUS_LABELS_MAX)
		return err_usage(e, "--%s: at most %u of them", row->name, CONTINUOUS_LABELS_MAX);
	*vec_push(&r->labels) = value;
	return true;
}

#define CONTINUOUS_HZ 19 /* of --store: less than 1 % of a core */

#define AT(field) offsetof(struct record_options, field)

const struct option_row record_rows[] = {
	{"freq", "HZ", "samples a second (997)", .letter = 'F', .set = set_frequency},
	{"count", "N", "a sample every N events, instead", .letter = 'c', .set = set_period},
	{"event", "EVENT", "the events to sample, as in perf list; several with commas",
	 .letter = 'e', .repeats = true, .set = set_events},
	{"off-cpu", NULL, "also where threads wait", .at = AT(collect.off_cpu)},
	{"why", NULL, "also who wakes whom, of the whole system: for report --why", .at = AT(why)},
	{"output", "OUT", "write OUT, and open no browser; - for standard output",
	 .letter = 'o', .kind = OPTION_TEXT, .at = AT(out)},
	{"pid", "PID", "sample running processes", .letter = 'p', .repeats = true,
	 .set = set_tasks},
	{"tid", "TID", "sample running threads", .letter = 't', .repeats = true,
	 .set = set_tasks},
	{"all-cpus", NULL, "sample the whole system", .letter = 'a',
	 .at = AT(collect.system)},
	{"usage", NULL, "of --all-cpus: also what tasks wait, read and write",
	 .at = AT(collect.usage)},
	{"exclude-idle", NULL, "of --all-cpus: not the idle task, swapper",
	 .at = AT(collect.no_idle)},
	{"cpu", "CPUS", "only on these CPUs: 0,2-3", .letter = 'C', .set = set_cpus},
	{"cgroup", "NAME", "only the tasks of a control group", .set = set_cgroup},
	{"duration", "T", "stop after this time: 10s", .set = set_time},
	{"delay", "T", "start after this time: 500ms", .letter = 'D', .set = set_time},
	{"call-graph", "HOW",
	 "dwarf[,SIZE]: copies of the stack; fp: frame pointers; no: only leaves",
	 .set = set_call_graph},
	{"frame-pointers", NULL, "the same as --call-graph fp", .letter = 'g',
	 .set = set_pointers},
	{"sampler", "WHICH", "perf, ptrace, or any (the first one allowed)", .set = set_sampler},
	{"no-interpreters", NULL, "stacks of interpreters show their loop, not their functions",
	 .at = AT(collect.no_interpreters)},
	{"max-size", "SIZE", "stop the recording at this size: 500M", .set = set_max_size},
	{"ring", "T", "keep the last T in memory, and write them when something happens",
	 .set = set_time},
	{"trigger", "EXPR", "of --ring: 'psi cpu>20', 'rss>2G', 'latency uprobe:F>50ms'",
	 .repeats = true, .set = set_trigger},
	{"store", "ADDRESS", "record all of the time, into this store (pnav-store(7))",
	 .kind = OPTION_TEXT, .at = AT(store)},
	{"service", "NAME", "of --store: the service of the profiles", .kind = OPTION_TEXT,
	 .at = AT(service)},
	{"every", "T", "of --store: a profile has this length: 60s", .set = set_time},
	{"label", "KEY=VALUE", "of --store: an attribute of the profiles", .repeats = true,
	 .set = set_store_label},
	{"spool", "FOLDER", "of --store: where recordings wait", .kind = OPTION_TEXT,
	 .at = AT(spool)},
	{"spool-size", "SIZE", "of --store: at most this much waits: 256M", .set = set_max_size},
	{"embed", "WHAT", "names: symbols that reports need; all: code, too; none",
	 .set = set_embed},
	{"buildid-cache", NULL, "link the executed files into ~/.debug, perf's cache",
	 .at = AT(cache)},
	{"compress", NULL, "compress the recording", .letter = 'z', .set = set_compress},
	{"quiet", NULL, "print nothing unless something is wrong", .letter = 'q', .at = AT(quiet)},
	{0},
};

int
record_own_words(int argc, char **argv, bool *dashes)
{
	int i = 1;
	*dashes = false;
	while (i < argc && argv[i][0] == '-' && argv[i][1]) {
		const char *word = argv[i++];
		if (!strcmp(word, "--")) {
			*dashes = true;
			break;
		}
		for (const struct option_row *row = record_rows; row->name; row++)
			if ((!strncmp(word, "--", 2) && !strcmp(word + 2, row->name)) ||
			    (row->letter && word[1] == row->letter && !word[2]))
				i += row->value != NULL;
	}
	return i < argc ? i : argc;
}

void
record_options_init(struct record_options *o)
{
	*o = (struct record_options){
		.collect = {.hz = RECORD_HZ,
			    .stacks = COLLECT_STACK_COPIES,
			    .cycles = true,
			    .in = -1,
			    .out = -1,
			    .err = -1},
		.embeds = EMBED_NAMES,
		.every_ns = UINT64_C(60000000000),
		.spool_bytes = UINT64_C(256) << 20,
	};
}

/* Threads of other programs wake those of the command or processes, and they wait for others, too.
 * So the scheduler's events are those of the whole system, also with --cgroup; processes end the
 * recording when they end. */
static bool
add_scheduler(struct record_options *o, struct err *e)
{
	struct buf folder = BUF_INIT;
	bool there = eventlist_tracefs(&folder);
	int fault = there ? 0 : errno;

	buf_release(&folder);
	if (fault)
		return err_usage(e, "--why needs the scheduler's events: %s",
				 fault == ENOENT ? "as root: mount -t tracefs nodev "
						   "/sys/kernel/tracing"
						 : "only root may read /sys/kernel/tracing");
	o->beside = !o->collect.system && !o->collect.threads && !o->cgroup.len;
	o->collect.system = true;
	if (!o->events.at.n && !eventlist_add(&o->events, "cpu-clock", e))
		return false;
	return eventlist_add(&o->events,
			     "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new", e);
}

/* Adds the two probes of a trigger, and the events that are sampled without -e. */
static bool
add_latency(struct record_options *o, const struct trigger *t, struct err *e)
{
	static const char *const places[] = {"uprobe:", "uretprobe:"};
	struct buf name = BUF_INIT;
	bool good = o->events.at.n || eventlist_add(&o->events, "cpu-clock", e);

	for (size_t i = 0; good && i < 2; i++) {
		buf_reset(&name);
		buf_addf(&name, "%s%.*s", places[i], (int)t->probe_len, t->text + t->probe_at);
		good = eventlist_add(&o->events, buf_str(&name), e);
	}
	buf_release(&name);
	return good;
}

static bool
add_latencies(struct record_options *o, struct err *e)
{
	for (size_t i = 0; i < o->triggers.n; i++)
		if (o->triggers.at[i].kind == TRIGGER_LATENCY &&
		    !add_latency(o, &o->triggers.at[i], e))
			return false;
	return true;
}

/* Checks --store, whose parts are recordings of --every. */
static bool
store_done(struct record_options *o, struct err *e)
{
	const struct collect_options *c = &o->collect;

	if (!o->store)
		return !(o->service || o->spool || o->labels.n) ||
		       err_usage(e, "--service, --spool and --label need --store ADDRESS");
	if (!o->service || !*o->service)
		return err_usage(e, "--store needs --service NAME");
	if (c->argv[0])
		return err_usage(e, "--store records what runs already: -a, --cgroup or -p PID");
	if (o->out || o->ring_ns || o->max_size)
		return err_usage(e, "--store has no --output, --ring and --max-size");
	if (!o->hz_given)
		o->collect.hz = CONTINUOUS_HZ;
	o->collect.system |= o->cgroup.len && !o->pids.n;
	o->duration_ns = c->duration_ns;
	o->collect.duration_ns = o->every_ns;
	return true;
}

/* Checks that there is exactly one target to record. */
static bool
check_target(const struct record_options *o, struct err *e)
{
	const struct collect_options *c = &o->collect;
	bool pids = o->pids.n > 0;

	if ((!c->argv || !c->argv[0]) && !pids && !c->system)
		return err_usage(e, "no command to record");
	if (pids && c->system && !o->why)
		return err_usage(e, "--pid: some processes or the whole system, not both");
	return true;
}

bool
record_options_done(struct record_options *o, struct err *e)
{
	if (!store_done(o, e) || (o->why && !add_scheduler(o, e)))
		return false;
	if (o->triggers.n && !o->ring_ns)
		return err_usage(e, "--trigger needs --ring T");
	if (o->ring_ns && o->max_size)
		return err_usage(e, "--ring keeps a time, --max-size a size: not both");
	if (!add_latencies(o, e))
		return false;
	if (o->collect.threads && probed_any(&o->events))
		return err_usage(e, "--tid: a probe is sampled in whole processes: give --pid");
	o->collect.events = &o->events;
	o->collect.pid = o->pids.at;
	o->collect.n_pids = o->pids.n;
	if (o->cgroup.len && !o->why)
		o->collect.cgroup = buf_str(&o->cgroup);
	/* as perf does */
	if (o->collect.cpus && !o->pids.n && (!o->collect.argv || !o->collect.argv[0]))
		o->collect.system = true;
	if ((o->collect.usage || o->collect.no_idle) && !o->collect.system)
		return err_usage(e, "--%s needs --all-cpus",
				 o->collect.usage ? "usage" : "exclude-idle");
	/* copying the stacks of all processes would give 8 MB a second and CPU */
	if (o->collect.system && !o->cgroup.len && !o->stacks_given)
		o->collect.stacks = COLLECT_FRAME_POINTERS;
	return check_target(o, e);
}

void
record_options_release(struct record_options *o)
{
	eventlist_release(&o->events);
	vec_release(&o->pids);
	vec_release(&o->labels);
	vec_release(&o->triggers);
	buf_release(&o->cgroup);
}

char *
record_options_title(const struct record_options *o, const char *file)
{
	char *const *word = o->collect.argv;
	struct buf title = BUF_INIT;

	buf_adds(&title, file);
	if (word && *word)
		buf_adds(&title, " of");
	for (; word && *word; word++)
		buf_addf(&title, " %s", *word);
	char *copy = mem_dup(title.at, title.len);
	buf_release(&title);
	return copy;
}
