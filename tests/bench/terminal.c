/* terminal [-s COLSxROWS] [-k TEXT] LABEL PNAV FILE: the browser as a terminal sees it.
 *
 * Runs PNAV FILE on a pseudo-terminal and measures what a user over a slow line feels:
 *	the time from start until the first screen names the file, of several starts, and what
 *	the thread that draws has run until then, and what it has waited for a processor,
 *	the time until the file is loaded (the screen rests),
 *	the bytes that a key sends back, the time from the key to its first and to its last
 *	byte, and the processor time that the browser took for it until the first byte, and
 *	until it rested,
 *	where a key takes longer than a frame, what another one has to wait that is pressed
 *	meanwhile,
 *	the time from `Q` to the end of the process, with everything loaded.
 * A screen rests when nothing came for QUIET_MS, which is far more than a frame takes, and
 * nothing was worked on, nor wanted to be: another may have had the processor.
 * Each key is pressed several times, of what is worked on for seconds fewer; medians count, and
 * the worst.  The keys are those of the
 * manual; tables are measured in `functions`, moved far enough for every step to scroll.  -k:
 * only those whose figure has TEXT in it.
 *
 * A key keeps its budget that takes no longer than a frame, or after which the picture has
 * changed within a tenth of a second.  Both are told in processor time, too: on a busy machine
 * the others' share of it says nothing of the browser.
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
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/timing.h"

#define QUIET_MS 30
#define LOADED_MS 700
#define GIVE_UP_MS 120000
#define TIMES 7
#define TIMES_LEAST 3
#define LONG_NS INT64_C(6000000000) /* all presses of a key together */
#define IDLE_MS 2   /* of processor time in a pause: it rests */
#define FRAME_MS 16 /* what takes longer than that lets the next key go first */
#define AMID_MS 30
#define KEY_BYTES 64
#define SEEN_BYTES 65536
#define NO_KEY "\033[20~"
#define NO_KEY_SAID "nothing"
#define ASKED "\033[c" /* DA1, which every terminal answers */
#define ANSWER "\033[?62;22c"

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
	t->ended = false;
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

/* What all its threads have run since it began, those that have ended, too; -1: unknown. */
static double
process_ms(const struct terminal *t)
{
	struct timespec ran;
	clockid_t clock;

	if (clock_getcpuclockid(t->pid, &clock) || clock_gettime(clock, &ran))
		return -1;
	return (double)ran.tv_sec * 1e3 + (double)ran.tv_nsec / 1e6;
}

/* Does each of its threads wait for something? */
static bool
process_waits(const struct terminal *t)
{
	char path[512], state = 'S';
	bool waits = true;
	const struct dirent *task;

	snprintf(path, sizeof path, "/proc/%d/task", (int)t->pid);
	DIR *tasks = opendir(path);
	while (tasks && (task = readdir(tasks))) {
		snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)t->pid, task->d_name);
		FILE *f = *task->d_name == '.' ? NULL : fopen(path, "r");
		if (f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1)
			waits &= state != 'R' && state != 'D';
		if (f)
			fclose(f);
	}
	if (tasks)
		closedir(tasks);
	return waits;
}

/* Answers each question as a terminal does: who is leaving waits for what is outstanding. */
static void
answer_all(struct terminal *t, const char *piece, size_t n)
{
	const char *end = piece + n, *asked;

	for (; (asked = memmem(piece, (size_t)(end - piece), ASKED, strlen(ASKED)));
	     piece = asked + strlen(ASKED))
		if (write(t->fd, ANSWER, strlen(ANSWER)) < 0)
			return;
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
	answer_all(t, piece, (size_t)n);
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
		if (now - before < IDLE_MS && process_waits(t))
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

/* What a key waits for that is pressed in the midst of what another one began, in processor
 * time until it is answered: it means nothing, and the browser says so.  < 0: unknown. */
static double
press_amid(struct terminal *t, const char *keys)
{
	double began = process_ms(t), answered = -1;
	int64_t pressed = timing_now_ns();

	if (began < 0 || write(t->fd, keys, strlen(keys)) < 0)
		return -1;
	while (process_ms(t) - began < AMID_MS &&
	       timing_now_ns() - pressed < (int64_t)AMID_MS * 10000000)
		take(t, 1);
	forget(t);
	began = process_ms(t);
	if (write(t->fd, NO_KEY, strlen(NO_KEY)) < 0)
		return -1;
	while (answered < 0 && timing_now_ns() - t->last_ns < INT64_C(2000000000)) {
		take(t, 1);
		if (memmem(t->seen, t->n_seen, NO_KEY_SAID, strlen(NO_KEY_SAID)))
			answered = process_ms(t) - began;
	}
	rest(t, QUIET_MS);
	return answered;
}

/* ---- the figures ---- */

struct measured_key {
	const char *figure, *budget;
	const char *before; /* pressed once, not measured */
	const char *key;    /* pressed again and again; another digit for each % */
	const char *back;   /* pressed after each, not measured; NULL for nothing */
};

#define PAGE "\033[6~"
#define DOWN_60 "jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj"

static const struct measured_key measured[] = {
	{"cursor in functions", "<=500", "3", "j", NULL},
	{"scroll in functions", "<=250", DOWN_60 DOWN_60, "j", NULL},
	{"page of functions", "<=9000", "g" PAGE, PAGE, "g" PAGE},
	{"end of functions", "", "3g", "G", "g"},
	{"sort functions", "", "3g", ">", "<"},
	{"the other order", "", "3g", "r", "r"},
	{"rows of functions", "", "3g", "f%\r", "\033"},
	{"search in functions", "", "3g", "/%\r", "\033"},
	{"next in functions", "", "3g/1\r", "n", NULL},
	{"cursor in tree", "<=500", "\0332g", "j", "k"},
	{"page of tree", "<=9000", "Eg" PAGE, PAGE, "g" PAGE},
	{"open all of the tree", "", "2gC", "E", "C"},
	{"end of tree", "", "2Eg", "G", "g"},
	{"hot path of the tree", "", "Cg", "*", "C"},
	{"chains in the tree", "", "2g", "c", "c"},
	{"search in tree", "", "2g", "/%\r", "\033"},
	{"next in tree", "", "2g/1\r", "n", NULL},
	{"flame (whole)", "<=28000", "\0333", "1", "3"},
	{"cursor in flame", "<=500", "1g", "j", "k"},
	{"sideways in flame", "<=500", "1gj", "l", "h"},
	{"end of flame", "", "1g", "G", "g"},
	{"zoom of the flame", "", "1gj", "\r", "\177"},
	{"flame by time", "", "1g", "T", "T"},
	{"chains in the flame", "", "1g", "c", "c"},
	{"search in flame", "", "1g", "/%\r", "\033"},
	{"next in flame", "", "1g/1\r", "n", NULL},
	{"filter", "", "\0331g", "&zzz%\r", "u"},
	{"filter by a digit", "", "1g", "&%\r", "u"},
	{"undo", "", "1g&1\r", "u", "\022"},
	{"hide", "", "u1g", ":hide %\r", "u"},
	{"collapse", "", "1g", ":collapse %\r", "u"},
	{"menu of a frame", "", "1gj", "x", "\033"},
	{"collapse unsymbolized", "", "1gj", "xu", "u"},
	{"as root", "", "1gj", "xr", "u"},
	{"by module", "", "1g", "b\033[B\033[B\r", "u"},
	{"colours", "", "1g", ":colour module\r", ":colour kind\r"},
	{"detail pane", "", "1g", "D", "D"},
	{"callers", "", "3gj1", "4", "1"},
	{"cursor in callers", "", "4g", "j", "k"},
	{"end of callers", "", "4g", "G", "g"},
	{"open all of the callers", "", "4gC", "E", "C"},
	{"a function of the callers", "", "4", "\r", "3j4"},
	{"source", "", "1g", "6", "1"},
	{"cursor in source", "", "6", "j", "k"},
	{"files", "", "6", "o", "o"},
	{"calls", "", "1g", "7", "1"},
	{"cursor in calls", "", "7g", "j", "k"},
	{"list of calls", "", "7", "o", "o"},
	{"calls of all functions", "", "7o", "a", "a"},
	{"info", "", "7o1", "8", "1"},
	{"sql", "", "1", "9", "1"},
	{"list of filters", "", "1&1\r", "F", "\033"},
	{"list of tracks", "", "u1", "t", "\033"},
	{"end of the list of tracks", "", "t", "\033[F", "\033[H"},
	{"one track", "", "\033", "t \r", "u"},
	{"menu of metrics", "", "1", "m", "\033"},
	{"menu of labels", "", "1", "L", "\033"},
	{"menu of saving", "", "1", "s", "\033"},
	{"timeline", "", "1", "5", "1"},
	{"lane of the timeline", "", "5g", "j", "k"},
	{"last lane of the timeline", "", "5g", "G", "g"},
	{"timeline closer", "", "5g", "w", "s"},
	{"timeline sideways", "", "www", "d", "a"},
	{"step in the timeline", "", "www", ".", ","},
	{"timeline that fits", "", "5", "f", "f"},
	{"order of the tracks", "", "5", "o", NULL},
	{"narrower range", "", "1", "-", "+"},
	{"slide the range", "", "---", "}", "{"},
	{"slide the range of the timeline", "", "5", "}", "{"},
	{"slide the range of functions", "", "3", "}", "{"},
	{"the whole run", "", "1", "\t\033\t", "u"},
	{"compare with another range", "", "1---v", "}", "{"},
	{"view before", "", "v\t\033\t312", "q", "2"},
	{"invert (first picture)", "", "1g", "I", "I"},
	{"cursor in the inverted tree", "", "I2g", "j", "k"},
	{"inverted tree", "", "1", "2", "1"},
	{"open all of the inverted", "", "2gC", "E", "C"},
	{"end of the inverted", "", "2g", "G", "g"},
	{"callers of the inverted", "", "1", "4", "1"},
	{"search in the inverted", "", "1g", "/%\r", "\033"},
	{"filter of the inverted", "", "\0331g", "&%\r", "u"},
	{"a key without effect", "", "I", NO_KEY, NULL},
};

/* Of all keys that were pressed on a file. */
static double every_first[4000], every_cpu[4000];
static size_t n_every;

static void
print_every(const char *label)
{
	char figure[160];

	if (!n_every)
		return;
	snprintf(figure, sizeof figure, "%s: every key (p99 until it changes)", label);
	timing_print(figure, timing_quantile(every_first, n_every, 0.99), "ms", "<=100", 0,
		     NULL);
	snprintf(figure, sizeof figure,
		 "%s: every key (p99 of processor time until it changes)", label);
	timing_print(figure, timing_quantile(every_cpu, n_every, 0.99), "ms", "<=16", 0, NULL);
}

static void
print_key(const char *label, const struct measured_key *m, const char *what, double value,
	  const char *unit, const char *budget)
{
	char figure[200];

	snprintf(figure, sizeof figure, "%s: %s%s", label, m->figure, what);
	timing_print(figure, value, unit, budget, 0, NULL);
}

/* What takes longer than a frame has no budget but that the picture changes meanwhile. */
static void
print_answers(const char *label, const struct measured_key *m, const struct answer *a, int n,
	      double amid)
{
	double bytes[TIMES], first[TIMES], first_cpu[TIMES], ms[TIMES], cpu[TIMES];

	for (int i = 0; i < n; i++) {
		bytes[i] = a[i].bytes;
		first[i] = a[i].first_ms;
		first_cpu[i] = a[i].first_cpu_ms;
		ms[i] = a[i].ms;
		cpu[i] = a[i].cpu_ms;
	}
	print_key(label, m, "", timing_median(bytes, n), "bytes", m->budget);
	print_key(label, m, " (worst until it changes)", timing_quantile(first, n, 1),
		  "ms", "<=100");
	print_key(label, m, " (time to last byte)", timing_median(ms, n), "ms", "");
	if (a[0].cpu_ms < 0)
		return;
	print_key(label, m, " (processor time)", timing_median(cpu, n), "ms", "");
	print_key(label, m, " (worst processor time)", timing_quantile(cpu, n, 1), "ms",
		  "");
	print_key(label, m, " (worst processor time until it changes)",
		  timing_quantile(first_cpu, n, 1), "ms", "<=100");
	if (amid >= 0)
		print_key(label, m, " (worst processor time that another key waits)",
			  amid, "ms", "<=30");
}

/* What was asked for before may be kept: so another number is asked for each time. */
static const char *
key_of(const struct measured_key *m, int time, char text[KEY_BYTES])
{
	size_t n = 0;

	for (; m->key[n] && n + 1 < KEY_BYTES; n++)
		text[n] = m->key[n] == '%' ? (char)('0' + time % 10) : m->key[n];
	text[n] = '\0';
	return text;
}

/* The key is pressed again, and another one behind it. */
static bool
measure_amid(struct terminal *t, const struct measured_key *m, double *worst)
{
	struct answer a;
	char text[KEY_BYTES];

	int64_t began = timing_now_ns();
	for (int i = 0; i < TIMES / 3 && (!i || timing_now_ns() - began < LONG_NS / 2); i++) {
		double amid = press_amid(t, key_of(m, i + TIMES, text));
		*worst = amid > *worst ? amid : *worst;
		if (t->ended || (m->back && !press(t, m->back, &a)))
			return false;
	}
	return true;
}

static bool
measure_key(struct terminal *t, const struct measured_key *m, const char *label)
{
	struct answer all[TIMES], a;
	double most = 0, amid = -1;
	char text[KEY_BYTES];
	int64_t began = timing_now_ns();
	int n = 0;

	if (m->before && !press(t, m->before, &a))
		return false;
	for (; n < TIMES && (n < TIMES_LEAST || timing_now_ns() - began < LONG_NS); n++) {
		if (!press(t, key_of(m, n, text), &all[n]) || (m->back && !press(t, m->back, &a)))
			return false;
		most = all[n].cpu_ms > most ? all[n].cpu_ms : most;
		if (n_every < sizeof every_first / sizeof *every_first) {
			every_first[n_every] = all[n].first_ms;
			every_cpu[n_every++] = all[n].first_cpu_ms;
		}
	}
	if (most > 2 * FRAME_MS && !measure_amid(t, m, &amid))
		return false;
	print_answers(label, m, all, n, amid);
	return true;
}

/* And the processor time in it. */
static double
quit_ms(struct terminal *t, double *cpu_ms)
{
	int64_t pressed = timing_now_ns();
	double before = process_ms(t);
	struct rusage used;
	int status;

	if (write(t->fd, "Q", 1) < 0)
		return -1;
	while (take(t, 2000))
		continue;
	if (!t->ended)
		return -1;
	wait4(t->pid, &status, 0, &used);
	t->pid = 0;
	*cpu_ms = before < 0
			  ? -1
			  : (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
				    (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3 -
				    before;
	return (double)(timing_now_ns() - pressed) / 1e6;
}

/* What the first thread, which draws, has run, and has waited for a processor. */
static void
drawer_ms(const struct terminal *t, double *ran, double *waited)
{
	char path[64];

	*ran = *waited = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)t->pid, (int)t->pid);
	FILE *f = fopen(path, "r");
	if (f && fscanf(f, "%lf %lf", ran, waited) != 2)
		*ran = *waited = 0;
	if (f)
		fclose(f);
	*ran /= 1e6;
	*waited /= 1e6;
}

static void
print_first(const char *label, const char *what, double value, const char *budget)
{
	char figure[160];

	snprintf(figure, sizeof figure, "%s: first screen%s", label, what);
	timing_print(figure, value, "ms", budget, 0, NULL);
}

/* Starts it several times, until its first screen; it goes on after the last. */
static bool
measure_first(struct terminal *t, const char *label, const struct winsize *size,
	      char *const *argv)
{
	const char *base = strrchr(argv[1], '/') ? strrchr(argv[1], '/') + 1 : argv[1];
	double wall[TIMES], ran[TIMES], waited[TIMES];

	for (int i = 0; i < TIMES; i++) {
		if (t->pid > 0) {
			kill(t->pid, SIGKILL);
			waitpid(t->pid, NULL, 0);
			close(t->fd);
		}
		if (!start(t, size, argv))
			return false;
		if (!wait_for(t, base)) {
			fprintf(stderr, "terminal: no screen that names %s\n", base);
			return false;
		}
		wall[i] = (double)(timing_now_ns() - t->started_ns) / 1e6;
		drawer_ms(t, &ran[i], &waited[i]);
	}
	print_first(label, "", timing_median(wall, TIMES), "<=50");
	print_first(label, " (the fastest)", timing_quantile(wall, TIMES, 0), "");
	print_first(label, " (processor time of who draws)", timing_median(ran, TIMES), "");
	print_first(label, " (its wait for a processor)", timing_median(waited, TIMES), "");
	return true;
}

static bool
measure(struct terminal *t, const char *label, const char *only)
{
	char figure[160];

	if (!rest(t, LOADED_MS))
		return false;
	snprintf(figure, sizeof figure, "%s: until it rests", label);
	timing_print(figure, (double)(t->last_ns - t->started_ns) / 1e6, "ms", "", 0,
		     NULL);
	for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
		if (only && !strstr(measured[i].figure, only))
			continue;
		if (!measure_key(t, &measured[i], label)) {
			fprintf(stderr, "terminal: it ended, or never rests: %s\n",
				measured[i].figure);
			return false;
		}
	}
	print_every(label);
	double cpu_ms, ms = quit_ms(t, &cpu_ms);
	if (ms < 0) {
		fprintf(stderr, "terminal: Q does not quit\n");
		return false;
	}
	snprintf(figure, sizeof figure, "%s: quit", label);
	timing_print(figure, ms, "ms", "<=50", 0, NULL);
	snprintf(figure, sizeof figure, "%s: quit (processor time)", label);
	timing_print(figure, cpu_ms, "ms", "<=50", 0, NULL);
	return true;
}

int
main(int argc, char **argv)
{
	static struct terminal t;
	struct winsize size = {.ws_col = 200, .ws_row = 60};
	const char *only = NULL;
	int c;

	while ((c = getopt(argc, argv, "s:k:")) != -1) {
		if (c == 'k')
			only = optarg;
		else if (c != 's' ||
		    sscanf(optarg, "%hux%hu", &size.ws_col, &size.ws_row) != 2)
			return 2;
	}
	if (argc - optind != 3) {
		fprintf(stderr, "usage: terminal [-s COLSxROWS] [-k TEXT] LABEL PNAV FILE\n");
		return 2;
	}
	bool good = measure_first(&t, argv[optind], &size, argv + optind + 1) &&
		    measure(&t, argv[optind], only);
	if (t.pid > 0) {
		kill(t.pid, SIGKILL);
		waitpid(t.pid, NULL, 0);
	}
	return good ? 0 : 1;
}
