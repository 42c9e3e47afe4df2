/* terminal [-s COLSxROWS] LABEL PNAV FILE: the browser as a terminal sees it.
 *
 * Runs PNAV FILE on a pseudo-terminal and measures what a user over a slow line feels:
 *	the time from start until the first screen names the file,
 *	the time until the file is loaded (the screen rests),
 *	the bytes that a key sends back, the time from the key to its first and to its last
 *	byte, and the processor time that the browser took for it until it rested (Linux
 *	counts it in schedstat),
 *	the time from `Q` to the end of the process, with everything loaded.
 * A screen rests when nothing came for QUIET_MS, which is far more than a frame takes, and
 * nothing was worked on.
 * Each key is pressed several times; medians count.  The keys are those of the manual;
 * tables are measured in `functions`, moved far enough for every step to scroll.
 *
 * Rejected: counting in the program itself, which sees neither terminfo's padding nor
 * what the kernel's line discipline adds. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/timing.h"

#define QUIET_MS 60
#define LOADED_MS 700
#define GIVE_UP_MS 120000
#define TIMES 9
#define IDLE_MS 2 /* of processor time in a pause: it rests */
#define SEEN_BYTES 65536

struct terminal {
	int fd;
	pid_t pid;
	int64_t started_ns;
	bool ended;
	/* Of what came since the last reset. */
	uint64_t bytes;
	int64_t first_ns, last_ns; /* first_ns 0: nothing came */
	double first_cpu_ms;       /* of the process, when it came */
	char seen[SEEN_BYTES + 1];
	size_t n_seen;
};

struct answer {
	double bytes, first_ms, ms, cpu_ms; /* cpu_ms: < 0 where it is not known */
	double first_cpu_ms;                /* until the picture changes */
};

static void
forget(struct terminal *t)
{
	t->bytes = 0;
	t->n_seen = 0;
	t->first_ns = 0;
	t->last_ns = timing_now_ns();
}

static bool
start(struct terminal *t, const struct winsize *size, char *const *argv)
{
	forget(t);
	t->started_ns = timing_now_ns();
	t->pid = forkpty(&t->fd, NULL, NULL, size);
	if (t->pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		unsetenv("NO_COLOR");
		unsetenv("LINES");
		unsetenv("COLUMNS");
		execvp(argv[0], argv);
		_exit(127);
	}
	return t->pid > 0;
}

/* What all its threads have run since it began; -1: unknown. */
static double
process_ms(const struct terminal *t)
{
	char path[512];
	double sum = 0, ns;
	const struct dirent *task;

	snprintf(path, sizeof path, "/proc/%d/task", (int)t->pid);
	DIR *tasks = opendir(path);
	if (!tasks)
		return -1;
	while ((task = readdir(tasks))) {
		snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", (int)t->pid,
			 task->d_name);
		FILE *f = *task->d_name == '.' ? NULL : fopen(path, "r");
		if (f && fscanf(f, "%lf", &ns) == 1)
			sum += ns / 1e6;
		if (f)
			fclose(f);
	}
	closedir(tasks);
	return sum;
}

/* What comes within `ms`; false when nothing did, or the program ended. */
static bool
take(struct terminal *t, int ms)
{
	char piece[65536];
	struct pollfd p = {.fd = t->fd, .events = POLLIN};

	if (t->ended || poll(&p, 1, ms) <= 0)
		return false;
	ssize_t n = read(t->fd, piece, sizeof piece);
	if (n <= 0) {
		t->ended = true;
		return false;
	}
	size_t keep =
		(size_t)n < SEEN_BYTES - t->n_seen ? (size_t)n : SEEN_BYTES - t->n_seen;
	memcpy(t->seen + t->n_seen, piece, keep);
	t->n_seen += keep;
	t->seen[t->n_seen] = '\0';
	t->bytes += (uint64_t)n;
	t->last_ns = timing_now_ns();
	if (!t->first_ns) {
		t->first_ns = t->last_ns;
		t->first_cpu_ms = process_ms(t);
	}
	return true;
}

static bool
wait_for(struct terminal *t, const char *text)
{
	while (timing_now_ns() - t->started_ns < (int64_t)GIVE_UP_MS * 1000000) {
		if (!take(t, 1000) && t->ended)
			return false;
		if (memmem(t->seen, t->n_seen, text, strlen(text)))
			return true;
		if (t->n_seen == SEEN_BYTES)
			return false;
	}
	return false;
}

static bool
rest(struct terminal *t, int quiet_ms)
{
	int64_t begin = timing_now_ns();
	double before = process_ms(t);

	for (;;) {
		while (take(t, quiet_ms))
			;
		double now = process_ms(t);
		if (t->ended || timing_now_ns() - begin > (int64_t)GIVE_UP_MS * 1000000)
			return false;
		if (now - before < IDLE_MS)
			return true;
		before = now;
	}
}

static bool
press(struct terminal *t, const char *keys, struct answer *a)
{
	double before = process_ms(t);

	forget(t);
	int64_t pressed = t->last_ns;
	if (write(t->fd, keys, strlen(keys)) < 0 || !rest(t, QUIET_MS))
		return false;
	a->bytes = (double)t->bytes;
	a->ms = (double)(t->last_ns - pressed) / 1e6;
	a->first_ms = t->first_ns ? (double)(t->first_ns - pressed) / 1e6 : 0;
	a->cpu_ms = before < 0 ? -1 : process_ms(t) - before;
	a->first_cpu_ms = t->first_ns ? t->first_cpu_ms - before : 0;
	return true;
}

/* ---- the figures ---- */

struct measured_key {
	const char *figure, *budget;
	const char *before; /* pressed once, not measured */
	const char *key;    /* pressed again and again */
	const char *back;   /* pressed after each, not measured; NULL for nothing */
};

#define DOWN_60 "jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj"

static const struct measured_key measured[] = {
	{"cursor in functions", "<=500", "3", "j", NULL},
	{"scroll in functions", "<=250", DOWN_60 DOWN_60, "j", NULL},
	{"page of functions", "<=9000", "g\033[6~", "\033[6~", "g\033[6~"},
	{"cursor in tree", "<=500", "2g", "j", "k"},
	{"page of tree", "<=9000", "Eg\033[6~", "\033[6~", "g\033[6~"},
	{"flame (whole)", "<=28000", "3", "1", "3"},
	{"cursor in flame", "<=500", "1g", "j", "k"},
	{"sort functions", "", "3g", ">", "<"},
	{"rows of functions", "", "3g", "fx\r", "\033"},
	{"end of functions", "", "3g", "G", "g"},
	{"filter", "", "1g", "&zzz\r", "u"},
	{"undo", "", "1g&zzz\r", "u", "\022"},
	{"hide", "", "u1g", ":hide zzz\r", "u"},
	{"search", "", "2g", "/func\r", "\033"},
	{"callers", "", "3gj1", "4", "1"},
	{"a function of the callers", "", "4", "\r", "3j4"},
	{"source", "", "1g", "6", "1"},
	{"files", "", "6", "o", "o"},
	{"calls", "", "1", "7", "1"},
	{"list of filters", "", "1&zzz\r", "F", "\033"},
	{"list of tracks", "", "u1", "t", "\033"},
	{"timeline", "", "1", "5", "1"},
	{"timeline closer", "", "5", "w", "s"},
	{"timeline sideways", "", "www", "d", "a"},
	{"end of flame", "", "1g", "G", "g"},
	{"invert (first picture)", "", "1g", "I", "I"},
	{"cursor in the inverted tree", "", "I2g", "j", "k"},
	{"inverted tree", "", "1", "2", "1"},
	{"callers of the inverted", "", "1", "4", "1"},
	{"a key without effect", "", "I", "\033[20~", NULL},
};

/* Of all keys that were pressed on a file. */
static double every_first[1000], every_cpu[1000];
static size_t n_every;

static void
print_every(const char *label)
{
	char figure[160];

	if (!n_every)
		return;
	snprintf(figure, sizeof figure, "%s: every key (until it changes, p99)", label);
	timing_print(figure, timing_quantile(every_first, n_every, 0.99), "ms", "<=100", 0,
		     NULL);
	snprintf(figure, sizeof figure,
		 "%s: every key (processor time until it changes, p99)", label);
	timing_print(figure, timing_quantile(every_cpu, n_every, 0.99), "ms", "<=16", 0, NULL);
}

static bool
measure_key(struct terminal *t, const struct measured_key *m, const char *label)
{
	double bytes[TIMES], first[TIMES], ms[TIMES], cpu[TIMES];
	struct answer a;
	char figure[160];

	if (m->before && !press(t, m->before, &a))
		return false;
	for (int i = 0; i < TIMES; i++) {
		if (!press(t, m->key, &a))
			return false;
		bytes[i] = a.bytes;
		first[i] = a.first_ms;
		ms[i] = a.ms;
		cpu[i] = a.cpu_ms;
		if (n_every < sizeof every_first / sizeof *every_first) {
			every_first[n_every] = a.first_ms;
			every_cpu[n_every++] = a.first_cpu_ms;
		}
		if (m->back && !press(t, m->back, &a))
			return false;
	}
	snprintf(figure, sizeof figure, "%s: %s", label, m->figure);
	timing_print(figure, timing_median(bytes, TIMES), "bytes", m->budget, 0, NULL);
	/* what takes longer than a frame may, as long as the picture changes meanwhile */
	snprintf(figure, sizeof figure, "%s: %s (until it changes, worst)", label, m->figure);
	timing_print(figure, timing_quantile(first, TIMES, 1), "ms", "<=100", 0, NULL);
	snprintf(figure, sizeof figure, "%s: %s (time to last byte)", label, m->figure);
	timing_print(figure, timing_median(ms, TIMES), "ms", "", 0, NULL);
	snprintf(figure, sizeof figure, "%s: %s (processor time)", label, m->figure);
	if (cpu[0] >= 0)
		timing_print(figure, timing_median(cpu, TIMES), "ms", "<=16", 0, NULL);
	return true;
}

static double
quit_ms(struct terminal *t)
{
	int64_t pressed = timing_now_ns();
	int status;

	if (write(t->fd, "Q", 1) < 0)
		return -1;
	while (take(t, 2000))
		continue;
	if (!t->ended)
		return -1;
	waitpid(t->pid, &status, 0);
	t->pid = 0;
	return (double)(timing_now_ns() - pressed) / 1e6;
}

static bool
measure(struct terminal *t, const char *label, const char *file)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	char figure[160];

	if (!wait_for(t, base)) {
		fprintf(stderr, "terminal: no screen that names %s\n", base);
		return false;
	}
	snprintf(figure, sizeof figure, "%s: first screen", label);
	timing_print(figure, (double)(timing_now_ns() - t->started_ns) / 1e6, "ms",
		     "<=50", 0, NULL);
	if (!rest(t, LOADED_MS))
		return false;
	snprintf(figure, sizeof figure, "%s: until it rests", label);
	timing_print(figure, (double)(t->last_ns - t->started_ns) / 1e6, "ms", "", 0,
		     NULL);
	for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
		if (!measure_key(t, &measured[i], label)) {
			fprintf(stderr, "terminal: it ended, or never rests: %s\n",
				measured[i].figure);
			return false;
		}
	}
	print_every(label);
	double ms = quit_ms(t);
	if (ms < 0) {
		fprintf(stderr, "terminal: Q does not quit\n");
		return false;
	}
	snprintf(figure, sizeof figure, "%s: quit", label);
	timing_print(figure, ms, "ms", "<=50", 0, NULL);
	return true;
}

int
main(int argc, char **argv)
{
	static struct terminal t;
	struct winsize size = {.ws_col = 200, .ws_row = 60};
	int c;

	while ((c = getopt(argc, argv, "s:")) != -1) {
		if (c != 's' ||
		    sscanf(optarg, "%hux%hu", &size.ws_col, &size.ws_row) != 2)
			return 2;
	}
	if (argc - optind != 3) {
		fprintf(stderr, "usage: terminal [-s COLSxROWS] LABEL PNAV FILE\n");
		return 2;
	}
	if (!start(&t, &size, argv + optind + 1))
		return 1;
	bool good = measure(&t, argv[optind], argv[optind + 2]);
	if (t.pid > 0) {
		kill(t.pid, SIGKILL);
		waitpid(t.pid, NULL, 0);
	}
	return good ? 0 : 1;
}
