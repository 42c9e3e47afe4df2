/* monkey [-g] [-n KEYS] [-s SEED] [-v] FILE...: types random keys into the browser.
 *
 * The browser runs unchanged, on a screen without a terminal: keys, words, clicks, drags,
 * wheels and resizes come from a generator, and every frame is checked for impossible cells.
 * Most keys have a meaning, so the monkey gets far; the same seed plays the same game.  A game
 * ends when the browser quits, and the next one begins, until KEYS were typed in all; the last
 * one ends with Q, and must end.  In every second game the browser's works rest all the time,
 * so that keys arrive in between.
 *
 * With -g the file grows while the monkey plays: each time the browser asks for a key, some
 * more bytes go into a pipe.  The loader reads them on its thread, alone or compared with the
 * whole file.  The monkey also suspends the browser and runs editors while the loader
 * continues.  Time jumps, so that the browser looks at the growing file as often as it gets
 * keys; most games end before the file does.
 *
 * It is a program and not a unit test because a game takes as long as requested, and because a
 * hang must end it: no frame may take longer than a minute.
 *
 * The monkey can reach the prompts that write files.  So it runs in a folder of its own, and as
 * root it first drops its privileges. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/profile/profile.h"
#include "src/command/browse/browse_feed.h"
#include "src/input/input.h"
#include "src/load.h"
#include "ui/app/app.h"
#include "ui/part/keys.h"

#define FRAME_SECONDS 60
#define NOBODY 65534
#define GAME_KEYS 400 /* maximum for a game with a growing file */

/* Time jumps by this amount, so no timer of the browser takes long. */
static atomic_int_fast64_t jumped_ns;

int
clock_gettime(clockid_t id, struct timespec *t)
{
	if (syscall(SYS_clock_gettime, id, t))
		return -1;
	int64_t ns = t->tv_nsec + (id == CLOCK_MONOTONIC ? atomic_load(&jumped_ns) : 0);
	t->tv_sec += (time_t)(ns / 1000000000);
	t->tv_nsec = (long)(ns % 1000000000);
	return 0;
}

/* A file that is fed to the loader. */
struct growing {
	const char *at;
	size_t len, given;
	int into; /* the pipe; -1: everything was written */
	int step; /* maximum bytes at once */
};

struct monkey {
	struct screen screen;
	uint64_t chance;
	long left; /* keys of all games that are left */
	int w, h;
	bool verbose, grows;
	long game; /* keys of this game */
	struct growing file;
	char text[64];
};

static uint64_t
chance_bits(struct monkey *m)
{
	/* xorshift64* */
	m->chance ^= m->chance >> 12;
	m->chance ^= m->chance << 25;
	m->chance ^= m->chance >> 27;
	return m->chance * UINT64_C(0x2545F4914F6CDD1D);
}

static int
below(struct monkey *m, int n)
{
	return (int)((chance_bits(m) >> 33) % (uint64_t)n);
}

/* ---- actions ---- */

static uint32_t
some_key(struct monkey *m)
{
	static const uint32_t common[] = {
		KEYCODE_ENTER, KEYCODE_ENTER,      KEYCODE_ESC,   KEYCODE_UP,
		KEYCODE_DOWN,  KEYCODE_LEFT,       KEYCODE_RIGHT, KEYCODE_BACKSPACE,
		KEYCODE_TAB,   KEYCODE_SPACE,      'u',           'x',
		'F',           'j',                'l',           '1',
		'2',           '3',                '4',           '5',
		'6',           '7',                '+',           '-',
	};
	static const uint32_t upsetting[] = {
		KEYCODE_CTRL('Z'), 'e', 'L', 'v', '\\', ':', '5', 't', 'm', 'I', 'p', 'u',
		KEYCODE_CTRL('R'), 'B', 'b', '/', 'n', 'C', 'M', 'F', 'T', KEYCODE_ESC, '.', 'w',
	};
	int kind = below(m, 100);
	if (m->grows && kind < 25)
		return upsetting[below(m, (int)(sizeof upsetting / sizeof *upsetting))];
	if (kind < 40)
		return common[below(m, (int)(sizeof common / sizeof *common))];
	if (kind < 85)
		return (uint32_t)(' ' + below(m, 95));
	if (kind < 92)
		return (uint32_t)(KEYCODE_UP + below(m, KEYCODE_F12 - KEYCODE_UP + 1));
	if (kind < 97)
		return (uint32_t)(1 + below(m, 31));
	return (uint32_t)(0xA0 + below(m, 0x3000));
}

/* Most keys that quit are replaced; otherwise games would be short. */
static uint32_t
patient_key(struct monkey *m)
{
	uint32_t key = some_key(m);
	bool quits = key == 'Q' || key == 'q' || key == KEYCODE_CTRL('C');
	return quits && below(m, 10) ? KEYCODE_DOWN : key;
}

static const char *
some_text(struct monkey *m)
{
	static const char *const texts[] = {
		"main", "^r",  "(",      "[a-",   ".*",       "!main",  "module:lib",
		"12%",  "1ms", "metric", "hide ", "bind a ",  "\xff\xfe", "a\nb",
		"kind:system", "=main", "解析", "", "from 10%", "to 20%", "by line",
		"last 1s", "over 1us", "label cat", "where cat:=net", "by module", "compare",
	};
	snprintf(m->text, sizeof m->text, "%s",
		 texts[below(m, (int)(sizeof texts / sizeof *texts))]);
	return m->text;
}

static void
some_size(struct monkey *m)
{
	static const int sizes[][2] = {{80, 24}, {60, 15}, {300, 90}, {40, 10},
				       {39, 9},  {1, 1},   {120, 40}, {41, 200}};
	if (below(m, 2)) {
		const int *size = sizes[below(m, 8)];
		m->w = size[0];
		m->h = size[1];
	} else {
		m->w = 1 + below(m, 200);
		m->h = 1 + below(m, 60);
	}
}

static struct event_in
some_event(struct monkey *m)
{
	struct event_in e = {.kind = EVENT_KEY, .key = patient_key(m)};
	e.x = below(m, m->w + 1);
	e.y = below(m, m->h + 1);
	switch (below(m, 40)) {
	case 0:
		some_size(m);
		e.kind = EVENT_RESIZE;
		e.w = m->w;
		e.h = m->h;
		break;
	case 1:
		e.kind = EVENT_TEXT;
		e.text = some_text(m);
		break;
	case 2:
	case 3:
		e.kind = EVENT_CLICK;
		e.twice = below(m, 3) == 0;
		break;
	case 4:
		e.kind = EVENT_DRAG;
		break;
	case 5:
		e.kind = EVENT_WHEEL;
		e.key = below(m, 2) ? KEYCODE_UP : KEYCODE_DOWN;
		break;
	case 6:
		e.kind = EVENT_HOVER;
		break;
	default:
		break;
	}
	return e;
}

/* ---- the screen ---- */

static void
monkey_size(struct screen *s, int *w, int *h)
{
	struct monkey *m = (struct monkey *)s;
	*w = m->w;
	*h = m->h;
}

/* A frame has the requested size, and cells that a terminal can show. */
static void
monkey_show(struct screen *s, const struct canvas *c)
{
	struct monkey *m = (struct monkey *)s;
	alarm(FRAME_SECONDS);
	if (c->w != m->w || c->h != m->h) {
		fprintf(stderr, "a frame of %dx%d on %dx%d\n", c->w, c->h, m->w, m->h);
		abort();
	}
	for (int y = 0; y < c->h; y++)
		for (int x = 0; x < c->w; x++) {
			const struct cell *cell = canvas_cell(c, y, x);
			bool half = x && canvas_cell(c, y, x - 1)->cols == 2;
			uint32_t ch = cell->ch[0];
			if (cell->ink < INK_COUNT && cell->cols <= 2 &&
			    (cell->cols == 0) == half &&
			    (!cell->cols || (ch >= ' ' && ch != 127)) &&
			    (cell->cols != 2 || x + 1 < c->w))
				continue;
			fprintf(stderr, "a bad cell at %d,%d: U+%04X, %d columns\n", x, y,
				(unsigned)ch, cell->cols);
			abort();
		}
}

/* Feeds some more bytes to the loader, or the end of the file. */
static void
grow(struct monkey *m)
{
	struct growing *g = &m->file;
	size_t n = g->into < 0 ? 0 : (size_t)below(m, g->step) + 1;
	if (g->into < 0)
		return;
	n = n < g->len - g->given ? n : g->len - g->given;
	ssize_t done = n ? write(g->into, g->at + g->given, n) : 0;
	if (done > 0)
		g->given += (size_t)done;
	if (g->given < g->len)
		return;
	close(g->into);
	g->into = -1;
}

/* The loader continues for a while without the browser. */
static void
elsewhere(struct monkey *m)
{
	for (int i = below(m, 8); m->grows && i >= 0; i--) {
		grow(m);
		usleep((useconds_t)below(m, 1500));
	}
}

static void
monkey_suspend(struct screen *s)
{
	elsewhere((struct monkey *)s);
}

static int
monkey_run(struct screen *s, char *const *argv)
{
	(void)argv;
	elsewhere((struct monkey *)s);
	return below((struct monkey *)s, 2);
}

/* Performs the events between two keys. */
static void
pass(struct monkey *m, int timeout_ms)
{
	grow(m);
	atomic_fetch_add(&jumped_ns, below(m, 4) ? 100000 : below(m, 400) * INT64_C(1000000));
	if (timeout_ms && below(m, 20) == 0)
		usleep(500);
}

static struct event_in
monkey_read(struct screen *s, int timeout_ms)
{
	struct monkey *m = (struct monkey *)s;
	struct event_in e;
	if (m->grows)
		pass(m, timeout_ms);
	if (below(m, 3) == 0)
		return (struct event_in){.kind = EVENT_NONE};
	if (m->left <= 0 || (m->grows && m->game <= 0)) {
		/* Leave whatever is open, and quit. */
		e = (struct event_in){.kind = EVENT_KEY,
				      .key = below(m, 2) ? 'Q' : KEYCODE_ESC};
		if (m->game-- < -1000) {
			fprintf(stderr, "it does not quit\n");
			abort();
		}
		return e;
	}
	m->left--;
	m->game -= m->grows;
	e = some_event(m);
	if (m->verbose && e.kind == EVENT_KEY) {
		struct buf name = BUF_INIT;
		key_write(e.key, &name);
		fprintf(stderr, "%s ", buf_str(&name));
		buf_release(&name);
	} else if (m->verbose) {
		fprintf(stderr, "[%d: %d,%d %dx%d %s] ", e.kind, e.x, e.y, e.w, e.h,
			e.text ? e.text : "");
	}
	return e;
}

static bool
monkey_copy(struct screen *s, const char *text, size_t len)
{
	(void)text;
	(void)len;
	return below((struct monkey *)s, 2);
}

static const struct screen_ops monkey_ops = {
	.size = monkey_size,
	.show = monkey_show,
	.read = monkey_read,
	.copy = monkey_copy,
	.suspend = monkey_suspend,
	.run = monkey_run,
};

/* ---- the profile ---- */

static void
nothing(void *ctx)
{
	(void)ctx;
}

static struct app_state
all_loaded(void *ctx)
{
	(void)ctx;
	return (struct app_state){.done = true, .generation = 1, .format = "monkey"};
}

static void
play(struct monkey *m, const char *file, struct profile *p)
{
	struct app_feed feed = {.loader = {NULL, all_loaded, nothing}};
	struct lens lens;
	lens_init(&lens);
	for (unsigned game = 0; m->left > 0; game++) {
		struct err e;
		struct app_config config = {.files = &file, .n_files = 1, .lens = &lens,
					    .mouse = true, .restless = game % 2, .frees = true};
		err_init(&e);
		m->w = 80;
		m->h = 24;
		m->game = 0;
		if (!app_run(&config, p, &feed, &m->screen, &e)) {
			fprintf(stderr, "%s: %s\n", file, e.text);
			abort();
		}
	}
	lens_release(&lens);
}

static bool
move_out(void)
{
	static char folder[] = "/tmp/pnav-monkey.XXXXXX";
	if (!mkdtemp(folder) || chmod(folder, 0777) || chdir(folder))
		return false;
	if (rmdir(folder)) /* it exists until we end, and no file can be created in it */
		return false;
	if (geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)))
		return false;
	return !setenv("EDITOR", "true", 1) && !setenv("VISUAL", "true", 1);
}

/* ---- a file that grows ---- */

/* Makes a lens that the file will have data for. */
static void
some_lens(struct monkey *m, struct lens *l)
{
	static const enum granularity by[] = {BY_FUNCTION, BY_FUNCTION, BY_LINE, BY_FILE,
					      BY_MODULE};
	lens_init(l);
	l->by = by[below(m, 5)];
	l->invert = below(m, 4) == 0;
}

static void
play_growing(struct monkey *m, const char *file, const char *text, size_t len)
{
	int ends[2], whole = memfd_create("whole", MFD_CLOEXEC);
	char old[64], now[64];
	const char *paths[] = {old, now};
	if (whole < 0 || write(whole, text, len) != (ssize_t)len || pipe2(ends, O_CLOEXEC))
		exit(2);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	snprintf(old, sizeof old, "/proc/self/fd/%d", whole);
	snprintf(now, sizeof now, "/proc/self/fd/%d", ends[0]);
	m->file = (struct growing){text, len, 0, ends[1], 1 << (6 + below(m, 12))};
	m->game = 1 + below(m, GAME_KEYS);
	struct options o;
	struct lens lens;
	struct err e;
	options_init(&o, NULL);
	err_init(&e);
	some_lens(m, &lens);
	bool compare = below(m, 3) == 0;
	struct browse_feed f = {.options = &o, .compare = compare};
	struct profile *p = profile_new();
	if (compare)
		profile_compare_files(p, 1);
	*vec_push(&o.files) = paths[!compare];
	if (compare)
		*vec_push(&o.files) = paths[1];
	f.load = compare ? load_start_files(p, paths, 2, &o.format)
			 : load_start(p, file, ends[0], &o.format);
	struct app_feed feed = browse_feed(&f);
	struct app_config config = {.files = paths + !compare, .n_files = 1 + compare,
				    .lens = &lens, .mouse = true,
				    .command = compare ? "diff" : NULL, .n_base = compare,
				    .restless = below(m, 2), .frees = true};
	m->w = 80;
	m->h = 24;
	/* false if the lens does not fit the loaded file: the browser reports it, and the game is
	 * over */
	app_run(&config, p, &feed, &m->screen, &e);
	load_stop(f.load);
	load_wait(f.load, -1);
	if (!profile_check(p, &e)) {
		fprintf(stderr, "%s: %s\n", file, e.text);
		abort();
	}
	load_free(f.load);
	profile_free(p);
	lens_release(&lens);
	options_release(&o);
	if (m->file.into >= 0)
		close(m->file.into);
	close(ends[0]);
	close(whole);
}

static char *
read_whole(const char *path, size_t *len)
{
	char *text = NULL;
	size_t room = 0, n = 0;
	FILE *f = fopen(path, "r");
	*len = 0;
	if (!f) {
		perror(path);
		exit(2);
	}
	do {
		*len += n;
		if (*len == room)
			text = mem_realloc(text, room = room * 2 + 65536, 1);
	} while ((n = fread(text + *len, 1, room - *len, f)) > 0);
	fclose(f);
	return text;
}

static void
play_files(struct monkey *m, char **files, int n, long keys, uint64_t seed)
{
	char **text = mem_zalloc((size_t)n + 1, sizeof *text);
	size_t *len = mem_zalloc((size_t)n + 1, sizeof *len);
	for (int i = 0; i < n; i++)
		text[i] = read_whole(files[i], &len[i]);
	signal(SIGPIPE, SIG_IGN);
	if (!move_out()) {
		perror("monkey");
		exit(2);
	}
	for (int i = 0; i < n; i++) {
		m->left = keys;
		for (uint64_t game = 0; m->left > 0; game++) {
			m->chance = seed * UINT64_C(0x9E3779B97F4A7C15) + game * 977 + (uint64_t)i;
			if (m->verbose)
				fprintf(stderr, "\n[game %llu]\n", (unsigned long long)game);
			play_growing(m, files[i], text[i], len[i]);
		}
		free(text[i]);
	}
	free(text);
	free(len);
}

int
main(int argc, char **argv)
{
	struct monkey m = {.screen = {.ops = &monkey_ops, .scripted = true}, .file.into = -1};
	long keys = 20000;
	int c;
	uint64_t seed = 1;
	while ((c = getopt(argc, argv, "gn:s:v")) != -1)
		switch (c) {
		case 'g':
			m.grows = true;
			break;
		case 'n':
			keys = atol(optarg);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'v':
			m.verbose = true;
			break;
		default:
			return 2;
		}
	setlocale(LC_CTYPE, "C.UTF-8");
	int n = argc - optind;
	m.screen.scripted = !m.grows;
	if (m.grows) {
		play_files(&m, argv + optind, n, keys, seed);
		return 0;
	}
	struct profile **profiles = mem_zalloc((size_t)n + 1, sizeof *profiles);
	for (int i = 0; i < n; i++) {
		struct format_options format = {0};
		profiles[i] = profile_new();
		struct load *load = load_start(profiles[i], argv[optind + i], -1, &format);
		load_wait(load, -1);
		bool refused = load_refused(load);
		load_free(load);
		if (refused) {
			fprintf(stderr, "%s: no profile\n", argv[optind + i]);
			return 2;
		}
	}
	if (!move_out()) {
		perror("monkey");
		return 2;
	}
	for (int i = 0; i < n; i++) {
		m.chance = seed * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)i;
		m.left = keys;
		play(&m, argv[optind + i], profiles[i]);
		profile_free(profiles[i]);
	}
	free(profiles);
	return 0;
}
