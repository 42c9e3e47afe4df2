/* Hardware and software events have one name for each number.  A cache event consists of three
 * parts, cache | operation << 8 | result << 16, and its name of all three. */
#include "src/decode/perf/event_names.h"

#include <inttypes.h>
#include <string.h>

#include "src/decode/common/words.h"

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))

/* enum perf_type_id */
enum { TYPE_HARDWARE, TYPE_SOFTWARE, TYPE_TRACEPOINT, TYPE_CACHE, TYPE_RAW };

static const char *const hardware[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};
static const char *const software[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};
static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
				     "iTLB",      "branch",    "node"};
static const char *const one[] = {"load", "store", "prefetch"};
static const char *const many[] = {"loads", "stores", "prefetches"};

/* Names that perf takes, too. */
static const struct {
	const char *name, *means;
} others[] = {
	{"cpu-cycles", "cycles"},   {"branch-instructions", "branches"},
	{"faults", "page-faults"},  {"cs", "context-switches"},
	{"migrations", "cpu-migrations"},
};

static void
name_cache(struct buf *out, uint64_t config)
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

	if (cache >= COUNT_OF(caches) || op >= COUNT_OF(one) || result >= 2)
		buf_addf(out, "cache 0x%" PRIx64, config);
	else if (result)
		buf_addf(out, "%s-%s-misses", caches[cache], one[op]);
	else
		buf_addf(out, "%s-%s", caches[cache], many[op]);
}

void
event_name(struct buf *out, uint32_t type, uint64_t config)
{
	if (type == TYPE_HARDWARE && (config & UINT32_MAX) < COUNT_OF(hardware))
		buf_adds(out, hardware[config & UINT32_MAX]);
	else if (type == TYPE_SOFTWARE && config < COUNT_OF(software))
		buf_adds(out, software[config]);
	else if (type == TYPE_TRACEPOINT)
		buf_addf(out, "tracepoint %" PRIu64, config);
	else if (type == TYPE_CACHE)
		name_cache(out, config);
	else if (type == TYPE_RAW)
		buf_addf(out, "raw 0x%" PRIx64, config);
	else
		buf_addf(out, "event %" PRIu32 "/0x%" PRIx64, type, config);
}

static bool
event_names_find(const char *const *names, size_t n, const char *name, size_t len, uint64_t *config)
{
	for (size_t i = 0; i < n; i++)
		if (is_key(name, len, names[i])) {
			*config = i;
			return true;
		}
	return false;
}

/* Searches all 42 names of cache events. */
static bool
find_cache(const char *name, size_t len, uint64_t *config)
{
	struct buf made = BUF_INIT;
	bool found = false;

	for (uint64_t c = 0; !found && c < COUNT_OF(caches) * COUNT_OF(one) * 2; c++) {
		*config = c / 6 | (c / 2 % 3) << 8 | (c % 2) << 16;
		buf_reset(&made);
		name_cache(&made, *config);
		found = is_key(name, len, buf_str(&made));
	}
	buf_release(&made);
	return found;
}

/* "r1a2b": a raw event of the processor's manual. */
static bool
find_raw(const char *name, size_t len, uint64_t *config)
{
	*config = 0;
	if (len < 2 || len > 17 || name[0] != 'r')
		return false;
	for (size_t i = 1; i < len; i++) {
		const char *digits = "0123456789abcdef", *at = strchr(digits, name[i]);
		if (!name[i] || !at)
			return false;
		*config = *config << 4 | (uint64_t)(at - digits);
	}
	return true;
}

bool
event_named(const char *name, size_t len, uint32_t *type, uint64_t *config)
{
	for (size_t i = 0; i < COUNT_OF(others); i++)
		if (is_key(name, len, others[i].name))
			return event_named(others[i].means, strlen(others[i].means), type,
					   config);
	if (event_names_find(hardware, COUNT_OF(hardware), name, len, config))
		*type = TYPE_HARDWARE;
	else if (event_names_find(software, COUNT_OF(software), name, len, config))
		*type = TYPE_SOFTWARE;
	else if (find_cache(name, len, config))
		*type = TYPE_CACHE;
	else if (find_raw(name, len, config))
		*type = TYPE_RAW;
	else
		return false;
	return true;
}
