/* decode [-n PAIRS] [-c] [-t | -v | -r BYTES] LABEL MB/S MEMORY FILE [BESIDE...]: the speed of
 * reading a file.
 *
 * Loads FILE as pnav does (src/load.h: its own thread, the lock, decompression and all), in a fresh
 * process each time, so no run profits from pages or caches of the previous one, and the kernel's
 * peak of resident memory is this load's.  The yardsticks run between two loads, each in a process
 * of its own as well:
 *	read	all bytes through a 256 KB buffer: the minimum for any reader
 *	copy	the same, and a copy of every byte
 *	probe	(-t, text) the same, split into lines and at `;`, each piece hashed and
 *		looked up in a table: the minimum for a text format
 *	varints	(-v) the first, and the sum of all varints of seven bits a byte, byte by
 *		byte: the minimum for a format made of them
 *	append	(-r BYTES) the first, all words of each record of that many bytes, and 16 bytes
 *		appended for it to untouched memory: the minimum for a profile that holds
 *		each event of a binary log
 * The machine may be shared: a load is compared with the yardsticks of its own round, and the
 * median of the ratios is printed.  BESIDE are files that belong to FILE; their bytes count.
 *
 * With -c each round also loads the file on one core, which shows the benefit of the others by the
 * clock.  The figure is meaningless while other programs need them.
 *
 * Loads are measured by the clock, because waiting is slow too, and by processor time, which other
 * programs disturb less.  After each load the profile is folded: completely, for a range, and
 * through a filter. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/fold/fold.h"
#include "src/input/hash.h"
#include "src/load.h"
#include "tests/bench/timing.h"

#define BUFFER_BYTES (256u << 10)
#define SLOTS_LOG2 16
#define PAIRS_MAX 99
#define RECORD_MAX 256u

enum figure {
	FIGURE_NS,     /* the work itself */
	FIGURE_CPU_NS, /* the same in processor time, of all threads */
	FIGURE_PEAK,   /* peak of resident bytes */
	FIGURE_STACKS,
	FIGURE_EVENTS,
	FIGURE_FOLD_NS,
	FIGURE_RANGE_NS,
	FIGURE_FILTER_NS,
	FIGURES,
};

struct job {
	char **file;
	int n_files;
	bool alone; /* the load has one core */
	enum yardstick {
		YARDSTICK_READ,
		YARDSTICK_COPY,
		YARDSTICK_PROBE,
		YARDSTICK_VARINTS,
		YARDSTICK_APPEND,
	} with;
	size_t record; /* bytes; whole words */
	uint64_t sum; /* the result of the yardsticks, which keeps them from being optimised away */
};

/* ---- the yardsticks ---- */

struct probe {
	uint64_t slot[1u << SLOTS_LOG2];
};

static uint64_t
look_up(struct probe *p, const char *at, size_t len)
{
	uint64_t h = hash64(at, len);
	uint64_t *slot = &p->slot[h >> (64 - SLOTS_LOG2)];
	uint64_t known = *slot == h;

	*slot = h;
	return known;
}

/* The rest of a line at the buffer's end counts as a line: one in hundreds. */
static uint64_t
split(struct probe *p, const char *at, size_t len)
{
	const char *end = at + len;
	uint64_t known = 0;

	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		if (!line_end)
			line_end = end;
		while (at < line_end) {
			const char *piece_end = memchr(at, ';', (size_t)(line_end - at));
			if (!piece_end)
				piece_end = line_end;
			known += look_up(p, at, (size_t)(piece_end - at));
			at = piece_end + 1;
		}
		at = line_end + 1;
	}
	return known;
}

/* A varint at a buffer's end continues in the next one. */
struct varints {
	uint64_t number;
	unsigned shift;
};

static uint64_t
add_varints(struct varints *v, const char *at, size_t len)
{
	uint64_t sum = 0, number = v->number;
	unsigned shift = v->shift;

	for (size_t i = 0; i < len; i++) {
		number |= (uint64_t)(at[i] & 0x7F) << (shift & 63);
		shift += 7;
		if (at[i] & 0x80)
			continue;
		sum += number;
		number = shift = 0;
	}
	*v = (struct varints){number, shift};
	return sum;
}

/* The memory that a record is reduced to; its blocks are fresh from the system. */
struct left {
	uint64_t first, others;
};
#define EVENTS_BLOCK ((size_t)1 << 16)

struct records {
	struct left *block;
	size_t n;              /* in the block */
	char rest[RECORD_MAX]; /* of a record cut by the buffer's end */
	size_t n_rest;
};

static inline bool
add_record(struct records *r, const char *at, size_t words)
{
	uint64_t word, others = 0;

	if (r->n == 0 || r->n == EVENTS_BLOCK) {
		r->block = mmap(NULL, EVENTS_BLOCK * sizeof *r->block, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		r->n = 0;
		if (r->block == MAP_FAILED)
			return false;
	}
	for (size_t i = 1; i < words; i++) {
		memcpy(&word, at + i * sizeof word, sizeof word);
		others += word;
	}
	memcpy(&word, at, sizeof word);
	r->block[r->n++] = (struct left){word, others};
	return true;
}

static inline bool
add_records_of(struct records *r, const char *at, size_t len, size_t words)
{
	size_t size = words * sizeof(uint64_t);

	if (r->n_rest) {
		size_t n = size - r->n_rest < len ? size - r->n_rest : len;
		memcpy(r->rest + r->n_rest, at, n);
		r->n_rest += n;
		at += n;
		len -= n;
		if (r->n_rest < size)
			return true;
		r->n_rest = 0;
		if (!add_record(r, r->rest, words))
			return false;
	}
	for (; len >= size; at += size, len -= size)
		if (!add_record(r, at, words))
			return false;
	memcpy(r->rest, at, len);
	r->n_rest = len;
	return true;
}

/* The lengths of the measured formats are known to the compiler, as in a reader of the format. */
static bool
add_records(struct records *r, const char *at, size_t len, size_t size)
{
	switch (size) {
	case 24:
		return add_records_of(r, at, len, 3);
	case 40:
		return add_records_of(r, at, len, 5);
	default:
		return add_records_of(r, at, len, size / sizeof(uint64_t));
	}
}

static bool
run_yardstick(struct job *job, int64_t *figure)
{
	static char buffer[BUFFER_BYTES], copy[BUFFER_BYTES];
	static struct probe probe;
	struct varints varints = {0};
	struct records records = {0};
	int64_t start = timing_now_ns(), cpu = timing_cpu_ns();

	for (int i = 0; i < job->n_files; i++) {
		int fd = open(job->file[i], O_RDONLY | O_CLOEXEC);
		ssize_t n;
		if (fd < 0)
			return false;
		while ((n = read(fd, buffer, sizeof buffer)) > 0) {
			if (job->with == YARDSTICK_COPY)
				memcpy(copy, buffer, (size_t)n);
			job->sum += (uint64_t)copy[n / 2];
			if (job->with == YARDSTICK_PROBE)
				job->sum += split(&probe, buffer, (size_t)n);
			if (job->with == YARDSTICK_VARINTS)
				job->sum += add_varints(&varints, buffer, (size_t)n);
			if (job->with == YARDSTICK_APPEND &&
			    !add_records(&records, buffer, (size_t)n, job->record))
				return false;
		}
		close(fd);
	}
	figure[FIGURE_NS] = timing_now_ns() - start;
	figure[FIGURE_CPU_NS] = timing_cpu_ns() - cpu;
	return true;
}

/* ---- pnav ---- */

static int64_t
time_fold(struct fold *f, const struct profile *p, const struct lens *lens)
{
	struct err e;
	int64_t start = timing_now_ns();

	err_init(&e);
	/* A usage error (no time axis) gives no figure. */
	return fold_update(f, p, lens, NULL, &e) ? timing_now_ns() - start : 0;
}

static void
run_folds(const struct profile *p, int64_t *figure)
{
	struct fold *f = fold_new();
	struct lens lens;
	struct err e;

	err_init(&e);
	lens_init(&lens);
	figure[FIGURE_FOLD_NS] = time_fold(f, p, &lens);
	lens.from = (struct moment){.kind = MOMENT_PERCENT, .value = 251234567};
	lens.to = (struct moment){.kind = MOMENT_PERCENT, .value = 501234567};
	figure[FIGURE_RANGE_NS] = time_fold(f, p, &lens);
	lens.from = lens.to = (struct moment){.kind = MOMENT_OPEN};
	if (lens_add(&lens, VERB_HIDE, "pa.se", 5, &e))
		figure[FIGURE_FILTER_NS] = time_fold(f, p, &lens);
	lens_release(&lens);
	fold_free(f);
}

/* Restricts the process to the core that it runs on. */
static bool
keep_one_core(void)
{
	int here = sched_getcpu();
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((unsigned)(here < 0 ? 0 : here), &one);
	return sched_setaffinity(0, sizeof one, &one) == 0;
}

static bool
run_load(struct job *job, int64_t *figure)
{
	if (job->alone && !keep_one_core())
		return false;
	struct format_options options = {0};
	struct rusage usage;
	struct profile *p = profile_new();
	int64_t start = timing_now_ns(), cpu = timing_cpu_ns();
	struct load *load = load_start(p, job->file[0], -1, &options);

	load_wait(load, -1);
	struct err e = load_file_error(load, 0);
	load_free(load);
	figure[FIGURE_NS] = timing_now_ns() - start;
	figure[FIGURE_CPU_NS] = timing_cpu_ns() - cpu;
	if (err_is_set(&e)) {
		fprintf(stderr, "decode: %s: %s\n", job->file[0], e.text);
		return false;
	}
	getrusage(RUSAGE_SELF, &usage);
	figure[FIGURE_PEAK] = (int64_t)usage.ru_maxrss * 1024;
	figure[FIGURE_STACKS] = p->stacks.n;
	figure[FIGURE_EVENTS] = (int64_t)p->events;
	run_folds(p, figure);
	return true;
}

/* ---- a process each ---- */

typedef bool runner(struct job *, int64_t *figure);

static bool
run(runner *what, struct job *job, int64_t *figure)
{
	int64_t found[FIGURES] = {0};
	int fd[2], status;
	pid_t pid;

	fflush(NULL);
	if (pipe(fd) < 0 || (pid = fork()) < 0)
		return false;
	if (pid == 0) {
		bool good = what(job, found) &&
			    write(fd[1], found, sizeof found) == (ssize_t)sizeof found;
		_exit(good ? 0 : 1);
	}
	close(fd[1]);
	bool whole = read(fd[0], figure, sizeof found) == (ssize_t)sizeof found;
	close(fd[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- the figures ---- */

struct rounds {
	unsigned n;
	double load_ns[PAIRS_MAX], cpu_ns[PAIRS_MAX], fold_ms[PAIRS_MAX],
		range_ms[PAIRS_MAX], filter_ms[PAIRS_MAX];
	double read_mbs[PAIRS_MAX], of_read[PAIRS_MAX];
	double work_mbs[PAIRS_MAX], of_work[PAIRS_MAX];
	bool alone; /* the following decode is measured */
	double of_alone[PAIRS_MAX];
	int64_t last[FIGURES];
};

static bool
run_rounds(struct rounds *r, struct job *job, enum yardstick with, unsigned pairs, double bytes)
{
	int64_t *f = r->last;

	r->alone = job->alone;
	for (r->n = 0; r->n < pairs; r->n++) {
		unsigned i = r->n;
		int64_t pass[FIGURES], work[FIGURES], one[FIGURES] = {0};
		struct job plain = *job, heavy = *job, all = *job;
		heavy.with = with;
		all.alone = false;
		if (!run(run_yardstick, &plain, pass) || !run(run_yardstick, &heavy, work) ||
		    !run(run_load, &all, f) || (job->alone && !run(run_load, job, one)))
			return false;
		r->of_alone[i] = (double)one[FIGURE_NS] / (double)f[FIGURE_NS];
		r->load_ns[i] = (double)f[FIGURE_NS];
		r->cpu_ns[i] = (double)f[FIGURE_CPU_NS];
		r->read_mbs[i] = bytes * 1e3 / (double)pass[FIGURE_NS];
		r->work_mbs[i] = bytes * 1e3 / (double)work[FIGURE_NS];
		r->of_read[i] = (double)pass[FIGURE_NS] / r->load_ns[i];
		r->of_work[i] = (double)work[FIGURE_CPU_NS] / r->cpu_ns[i];
		r->fold_ms[i] = (double)f[FIGURE_FOLD_NS] / 1e6;
		r->range_ms[i] = (double)f[FIGURE_RANGE_NS] / 1e6;
		r->filter_ms[i] = (double)f[FIGURE_FILTER_NS] / 1e6;
	}
	return true;
}

static void
print_rounds(struct rounds *r, const char *label, const char *speed, const char *memory,
	     enum yardstick with, double bytes)
{
	const char *work = with == YARDSTICK_PROBE     ? "probe"
			   : with == YARDSTICK_VARINTS ? "varints"
			   : with == YARDSTICK_APPEND ? "append"
						       : "copy";
	unsigned n = r->n;
	char figure[128], budget[32] = "";
	double mbs = bytes * 1e3 / timing_median(r->load_ns, n);

	if (*speed)
		snprintf(budget, sizeof budget, ">=%s", speed);
	snprintf(figure, sizeof figure, "%s: read()", label);
	timing_print(figure, timing_median(r->read_mbs, n), "MB/s", "", 0, NULL);
	snprintf(figure, sizeof figure, "%s: %s", label, work);
	timing_print(figure, timing_median(r->work_mbs, n), "MB/s", "", 0, NULL);
	snprintf(figure, sizeof figure, "%s: decode", label);
	timing_print(figure, mbs, "MB/s", budget, timing_median(r->of_read, n), "read()");
	snprintf(figure, sizeof figure, "%s: decode (processor time)", label);
	timing_print(figure, bytes * 1e3 / timing_median(r->cpu_ns, n), "MB/s", budget,
		     timing_median(r->of_work, n), work);
	if (r->alone) {
		snprintf(figure, sizeof figure, "%s: time of one core to that of all", label);
		timing_print(figure, timing_median(r->of_alone, n), "times", ">=1.5", 0, NULL);
	}
	/* Small files do not show the costs of the start. */
	snprintf(budget, sizeof budget, "%s%s", bytes >= 9e8 && *memory ? "<=" : "",
		 bytes >= 9e8 ? memory : "");
	snprintf(figure, sizeof figure, "%s: peak memory", label);
	timing_print(figure, (double)r->last[FIGURE_PEAK] / bytes, "of the file", budget,
		     0, NULL);
	snprintf(figure, sizeof figure, "%s: records", label);
	timing_print(figure, (double)r->last[FIGURE_EVENTS] / 1e6, "million", "", 0,
		     NULL);
	snprintf(figure, sizeof figure, "%s: stacks", label);
	timing_print(figure, (double)r->last[FIGURE_STACKS] / 1e3, "thousand", "", 0,
		     NULL);
	snprintf(figure, sizeof figure, "%s: first fold", label);
	timing_print(figure, timing_median(r->fold_ms, n), "ms", "", 0, NULL);
	if (r->last[FIGURE_RANGE_NS]) {
		snprintf(figure, sizeof figure, "%s: fold after a range", label);
		timing_print(figure, timing_median(r->range_ms, n), "ms", "<=5", 0, NULL);
	}
	snprintf(figure, sizeof figure, "%s: fold after a filter", label);
	timing_print(figure, timing_median(r->filter_ms, n), "ms", "<=100", 0, NULL);
}

int
main(int argc, char **argv)
{
	static struct rounds rounds;
	struct job job = {0};
	unsigned pairs = 7;
	enum yardstick with = YARDSTICK_COPY;
	double bytes = 0;
	int c;

	while ((c = getopt(argc, argv, "cn:tvr:")) != -1) {
		if (c == 'n')
			pairs = (unsigned)strtoul(optarg, NULL, 10);
		else if (c == 'c')
			job.alone = true;
		else if (c == 't')
			with = YARDSTICK_PROBE;
		else if (c == 'v')
			with = YARDSTICK_VARINTS;
		else if (c == 'r') {
			with = YARDSTICK_APPEND;
			job.record = strtoul(optarg, NULL, 10);
		} else
			return 2;
	}
	if (argc - optind < 4 || pairs < 1 || pairs > PAIRS_MAX ||
	    job.record % sizeof(uint64_t) || job.record > RECORD_MAX ||
	    (with == YARDSTICK_APPEND && !job.record)) {
		fprintf(stderr,
			"usage: decode [-n PAIRS] [-c] [-t | -v | -r BYTES] LABEL MB/S MEMORY "
			"FILE [BESIDE...]\n");
		return 2;
	}
	job.file = argv + optind + 3;
	job.n_files = argc - optind - 3;
	for (int i = 0; i < job.n_files; i++) {
		int fd = open(job.file[i], O_RDONLY | O_CLOEXEC);
		off_t len = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
		if (len < 0) {
			fprintf(stderr, "decode: %s: %s\n", job.file[i], strerror(errno));
			return 1;
		}
		bytes += (double)len;
		close(fd);
	}
	if (!run_rounds(&rounds, &job, with, pairs, bytes)) {
		fprintf(stderr, "decode: %s could not be measured\n", job.file[0]);
		return 1;
	}
	print_rounds(&rounds, argv[optind], argv[optind + 1], argv[optind + 2], with,
		     bytes);
	return 0;
}
