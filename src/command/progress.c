#include "src/command/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/base/escape.h"
#include "model/profile/human.h"
#include "src/apart.h"
#include "src/command/say.h"

#define CLEAR "\r\033[K"
#define MS INT64_C(1000000)
#define QUICK_MS 50 /* shorter work shows no progress */
#define LOOK_MS 5

static int64_t
progress_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 * MS + t.tv_nsec;
}

/* Writes `pnav: FILE: `. */
static void
progress_begin(struct buf *line, const char *file)
{
	buf_adds(line, CLEAR "pnav: ");
	escape_shown(line, file, strlen(file), false);
	buf_adds(line, ": ");
}

/* Writes the line at once, since warnings come from another thread. */
static void
draw(struct buf *line)
{
	fwrite(buf_str(line), 1, line->len, stderr);
	fflush(stderr);
	buf_release(line);
}

void
progress_load(const char *file, const struct load_state *s)
{
	double seconds = (double)s->elapsed_ns / 1e9;
	struct buf line = BUF_INIT;

	progress_begin(&line, file);
	buf_addf(&line, "%.1f MB", (double)s->bytes / 1e6);
	if (s->size)
		buf_addf(&line, " of %.1f MB (%.0f %%)", (double)s->size / 1e6,
			 100.0 * (double)s->bytes / (double)s->size);
	if (seconds > 0)
		buf_addf(&line, ", %.0f MB/s", (double)s->bytes / 1e6 / seconds);
	draw(&line);
}

void
progress_clear(void)
{
	fputs(CLEAR, stderr);
}

/* Some formats read the events several times, so the share of the total is unknown. */
static void
draw_work(struct progress *g, int64_t now)
{
	uint64_t events = atomic_load_explicit(&g->events, memory_order_relaxed);
	struct buf line = BUF_INIT;

	progress_begin(&line, g->file);
	buf_addf(&line, "%s", g->doing);
	if (events) {
		buf_adds(&line, ": ");
		human_count(&line, (int64_t)events);
		if (events <= g->all) {
			buf_adds(&line, " of ");
			human_count(&line, (int64_t)g->all);
		}
		buf_adds(&line, " events");
	}
	buf_addf(&line, ", %lld s", (long long)((now - g->start) / (1000 * MS)));
	draw(&line);
}

static bool
progress_rest(struct pace *p)
{
	const struct timespec look = {.tv_nsec = LOOK_MS * MS};
	struct progress *g = (struct progress *)p;
	int64_t now = progress_clock_ns();

	if (now - g->start > QUICK_MS * MS)
		nanosleep(&look, NULL);
	if (now >= g->next) {
		draw_work(g, now);
		g->next = now + PROGRESS_MS * MS;
		g->shown = true;
	}
	return true;
}

void
progress_init(struct progress *g, const char *file, const char *doing, const struct profile *p)
{
	*g = (struct progress){
		.pace = {.rest = progress_rest, .every = 1}, .file = file, .doing = doing};
	for (track_id t = 0; p && t < p->n_tracks; t++)
		g->all += p->track[t].events;
}

void
progress_call(struct progress *g, void (*call)(void *ctx), void *ctx)
{
	struct apart a = {.runs = false};

	g->start = progress_clock_ns();
	g->next = g->start + PROGRESS_MS * MS;
	apart_call(&a, call, ctx, isatty(STDERR_FILENO) ? &g->pace : NULL);
	if (g->shown)
		progress_clear();
	g->shown = false;
}

void
progress_warn(const void *file, const char *text)
{
	flockfile(stderr);
	if (isatty(STDERR_FILENO))
		progress_clear();
	say_warning(file, "%s", text);
	funlockfile(stderr);
}
