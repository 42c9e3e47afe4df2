/* terminal [-s COLSxROWS] [-k TEXT] [-f BUDGET] LABEL PNAV FILE: the browser as a terminal sees it.
 *
 * Runs PNAV FILE on a pseudo-terminal and measures the delays of a user over a slow line:
 *	the time from start until the first screen names the file, of several starts, with
 *	the run time of the drawing thread until then, and its wait for a processor,
 *	the time until the file is loaded (the screen rests),
 *	the bytes that a key sends back, the time from the key to its first and to its last
 *	byte, and the browser's processor time for it until the first byte, and
 *	until it rested,
 *	if a key takes longer than a frame, how long another key pressed meanwhile has to wait,
 *	the time from `Q` to the end of the process, with everything loaded.
 * A screen rests when the browser waits for the next key and all that it wrote has arrived, as the
 * kernel reports (terminal_process.h).  Where the kernel does not report it, and while the file is
 * read, a screen rests when nothing came for QUIET_MS, far more than a frame takes, and the browser
 * neither worked nor wanted to: other programs may have had the processor. Each key is pressed
 * several times, fewer if it takes seconds; the medians and the worst times are printed.  The keys
 * are those of the manual; tables are measured in `functions`, moved far enough for every step to
 * scroll.  -k selects only the figures that contain TEXT, -f only the first screen, with the budget
 * that it then has.
 *
 * A key keeps its budget if it takes no longer than a frame, or if the picture has changed within a
 * tenth of a second.  Both are printed in processor time, too: on a busy machine other programs'
 * share says nothing about the browser.
 *
 * Rejected: counting in the program itself, which sees neither terminfo's padding nor the bytes
 * that the kernel's line discipline adds. */
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
#include <unistd.h>

#include "tests/bench/terminal_keys.h"
#include "tests/bench/terminal_process.h"
#include "tests/bench/timing.h"

#define QUIET_MS 30
#define STEP_MS 1 /* between two looks at the browser */
#define LOADED_MS 700
#define GIVE_UP_MS 120000
#define STARTS 7
#define TIMES 5
#define AMID_TIMES 2
#define TIMES_LEAST 3
#define LONG_NS INT64_C(2000000000) /* all presses of a key together */
#define IDLE_MS 2                   /* processor time in a pause below which it rests */
#define FRAME_MS 16                 /* longer work lets the next key go first */
#define AMID_MS 30
#define KEY_BYTES 64
#define SEEN_BYTES 65536
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
	double first_cpu_ms;       /* of the process, when it arrived */
	char seen[SEEN_BYTES + 1];
	size_t n_seen;
};

struct answer {
	double bytes, first_ms, ms, cpu_ms; /* cpu_ms: < 0 if it is unknown */
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

/* Answers each query like a terminal: a program that quits waits for pending answers. */
static void
answer_all(struct terminal *t, const char *piece, size_t n)
{
	const char *end = piece + n, *asked;

	for (; (asked = memmem(piece, (size_t)(end - piece), ASKED, strlen(ASKED)));
	     piece = asked + strlen(ASKED))
		if (write(t->fd, ANSWER, strlen(ANSWER)) < 0)
			return;
}

/* Reads what arrives within `ms`; returns false if nothing did, or the program ended. */
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
		t->first_cpu_ms = process_ms(t->pid);
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

/* Waits until the screen rests.  `pressed` is the moment of the last key. */
static bool
rest(struct terminal *t, int quiet_ms, const struct process_mark *pressed)
{
	int64_t begin = timing_now_ns();
	double before = process_ms(t->pid);

	for (;;) {
		for (int ms = 0; ms < quiet_ms; ms += STEP_MS) {
			if (take(t, STEP_MS))
				ms = 0;
			else if (process_rests(t->pid, pressed, t->bytes, quiet_ms))
				return true;
		}
		double now = process_ms(t->pid);
		if (t->ended || timing_now_ns() - begin > (int64_t)GIVE_UP_MS * 1000000)
			return false;
		if (now - before < IDLE_MS && process_waits(t->pid))
			return true;
		before = now;
	}
}

static bool
send_keys(struct terminal *t, const char *keys, struct process_mark *before)
{
	process_mark(t->pid, before);
	forget(t);
	return write(t->fd, keys, strlen(keys)) > 0;
}

static bool
press(struct terminal *t, const char *keys, struct answer *a)
{
	double before = process_ms(t->pid);
	struct process_mark mark;

	if (!send_keys(t, keys, &mark))
		return false;
	int64_t pressed = t->last_ns;
	if (!rest(t, QUIET_MS, &mark))
		return false;
	a->bytes = (double)t->bytes;
	a->ms = (double)(t->last_ns - pressed) / 1e6;
	a->first_ms = t->first_ns ? (double)(t->first_ns - pressed) / 1e6 : 0;
	a->cpu_ms = before < 0 ? -1 : process_ms(t->pid) - before;
	a->first_cpu_ms = t->first_ns ? t->first_cpu_ms - before : 0;
	return true;
}

/* Presses a key without a meaning during the work of another one; returns the processor time until
 * the browser has reported it.  < 0: unknown. */
static double
press_amid(struct terminal *t, const char *keys)
{
	double began = process_ms(t->pid), answered = -1;
	struct process_mark mark;
	int64_t pressed = timing_now_ns();

	if (began < 0 || write(t->fd, keys, strlen(keys)) < 0)
		return -1;
	while (process_ms(t->pid) - began < AMID_MS &&
	       timing_now_ns() - pressed < (int64_t)AMID_MS * 10000000)
		take(t, 1);
	began = process_ms(t->pid);
	if (!send_keys(t, NO_KEY, &mark))
		return -1;
	while (answered < 0 && timing_now_ns() - t->last_ns < INT64_C(2000000000)) {
		take(t, 1);
		if (memmem(t->seen, t->n_seen, NO_KEY_SAID, strlen(NO_KEY_SAID)))
			answered = process_ms(t->pid) - began;
	}
	rest(t, QUIET_MS, &mark);
	return answered;
}

/* ---- the figures ---- */

/* Over all keys pressed on a file. */
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

/* Work longer than a frame has only the budget that the picture changes meanwhile. */
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

/* The previous result may be cached, so each time uses another number. */
static const char *
key_of(const struct measured_key *m, int time, char text[KEY_BYTES])
{
	size_t n = 0;

	for (; m->key[n] && n + 1 < KEY_BYTES; n++)
		text[n] = m->key[n] == '%' ? (char)('0' + time % 10) : m->key[n];
	text[n] = '\0';
	return text;
}

/* Presses the key again, and another one after it. */
static bool
measure_amid(struct terminal *t, const struct measured_key *m, double *worst)
{
	struct answer a;
	char text[KEY_BYTES];

	int64_t began = timing_now_ns();
	for (int i = 0; i < AMID_TIMES && (!i || timing_now_ns() - began < LONG_NS / 2); i++) {
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

/* Also measures its processor time. */
static double
quit_ms(struct terminal *t, double *cpu_ms)
{
	int64_t pressed = timing_now_ns();
	double before = process_ms(t->pid);
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

static void
print_first(const char *label, const char *what, double value, const char *budget)
{
	char figure[160];

	snprintf(figure, sizeof figure, "%s: first screen%s", label, what);
	timing_print(figure, value, "ms", budget, 0, NULL);
}

/* Starts it several times, until its first screen; the last one continues. */
static bool
measure_first(struct terminal *t, const char *label, const char *budget,
	      const struct winsize *size, char *const *argv)
{
	const char *base = strrchr(argv[1], '/') ? strrchr(argv[1], '/') + 1 : argv[1];
	double wall[STARTS], ran[STARTS], waited[STARTS];

	for (int i = 0; i < STARTS; i++) {
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
		process_drawer_ms(t->pid, &ran[i], &waited[i]);
	}
	print_first(label, "", timing_median(wall, STARTS), budget ? budget : "<=50");
	print_first(label, " (the fastest)", timing_quantile(wall, STARTS, 0), "");
	print_first(label, " (processor time of who draws)", timing_median(ran, STARTS), "");
	print_first(label, " (its wait for a processor)", timing_median(waited, STARTS), "");
	return true;
}

static bool
measure(struct terminal *t, const char *label, const char *only)
{
	char figure[160];

	if (!rest(t, LOADED_MS, &(struct process_mark){0}))
		return false;
	snprintf(figure, sizeof figure, "%s: until it rests", label);
	timing_print(figure, (double)(t->last_ns - t->started_ns) / 1e6, "ms", "", 0,
		     NULL);
	for (size_t i = 0; i < measured_keys_count; i++) {
		if (only && !strstr(measured_keys[i].figure, only))
			continue;
		if (!measure_key(t, &measured_keys[i], label)) {
			fprintf(stderr, "terminal: it ended, or never rests: %s\n",
				measured_keys[i].figure);
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
	const char *only = NULL, *first = NULL;
	int c;

	while ((c = getopt(argc, argv, "s:k:f:")) != -1) {
		if (c == 'k')
			only = optarg;
		else if (c == 'f')
			first = optarg;
		else if (c != 's' ||
		    sscanf(optarg, "%hux%hu", &size.ws_col, &size.ws_row) != 2)
			return 2;
	}
	if (argc - optind != 3) {
		fprintf(stderr, "usage: terminal [-s COLSxROWS] [-k TEXT] [-f BUDGET] "
				"LABEL PNAV FILE\n");
		return 2;
	}
	bool good = measure_first(&t, argv[optind], first, &size, argv + optind + 1) &&
		    (first || measure(&t, argv[optind], only));
	if (t.pid > 0) {
		kill(t.pid, SIGKILL);
		waitpid(t.pid, NULL, 0);
	}
	return good ? 0 : 1;
}
