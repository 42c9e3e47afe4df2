/* browse_feed.c - see browse_feed.h.
 *
 * The application knows neither files nor threads: it reads the progress of loading, holds the lock
 * while it draws, and may stop the load. */
#include "src/command/browse/browse_feed.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/decode/decoder.h"

#define FIRST_LOOK_MS 5 /* a load that has ended or failed by then shows no progress bar */
#define PROBED_MS 100   /* an unknown format is refused before a screen opens, if by then */

/* Returns the first line of news; the writer of the stream reports its result before it closes the
 * stream. */
static const char *
stream_news(struct browse_feed *f)
{
	struct browse_stream *s = f->stream;
	char part[1024];
	ssize_t n;
	if (!s)
		return NULL;
	while (s->news >= 0 && (n = read(s->news, part, sizeof part)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		buf_add(&s->said, part, (size_t)n);
	}
	snprintf(f->line, sizeof f->line, "%.*s",
		 (int)strcspn(buf_str(&s->said), "\n"), buf_str(&s->said));
	return *f->line ? f->line : NULL;
}

void
browse_feed_wait(const struct browse_feed *f)
{
	int ms = FIRST_LOOK_MS;
	bool done = load_wait(f->load, f->scripted ? -1 : FIRST_LOOK_MS);

	for (; !done && ms < PROBED_MS && !load_state(f->load).format; ms += FIRST_LOOK_MS)
		done = load_wait(f->load, FIRST_LOOK_MS);
}

bool
browse_feed_refused(const struct browse_feed *f)
{
	if (!load_state(f->load).done) /* load_refused() would block */
		return false;
	bool refused = load_refused(f->load);
	for (size_t i = 0; f->compare && i < f->options->files.n; i++) {
		struct err e = load_file_error(f->load, i);
		refused |= err_is_set(&e) && e.class != ERR_DAMAGED;
	}
	return refused;
}

static void
feed_lock(void *ctx)
{
	load_lock(((struct browse_feed *)ctx)->load);
}

static void
feed_unlock(void *ctx)
{
	load_unlock(((struct browse_feed *)ctx)->load);
}

static struct app_state
feed_state(void *ctx)
{
	struct browse_feed *f = ctx;
	struct load_state l = load_state(f->load);
	const struct decoder *d = l.format ? decoder_named(l.format) : NULL;
	enum browse_rolling roll =
		f->roll ? browse_roll_look(f->roll, f->load, f->p) : ROLLING_OVER;
	bool done = l.done && roll == ROLLING_OVER;
	return (struct app_state){
		.done = done,
		.cut = f->roll && f->roll->taken > 1,
		.over = roll == ROLLING_DUE || roll == ROLLING_SOON,
		.rolls = roll == ROLLING_DUE,
		.stopped = l.stopped,
		.refused = done && browse_feed_refused(f),
		/* a pipe or a followed file can grow after its end was reached; the size of a file
		 * is known with its format */
		.live = !done && (f->options->format.follow || f->roll || (l.format && !l.size)),
		.bytes = l.bytes,
		.size = l.size,
		.elapsed_ns = f->scripted ? 0 : l.elapsed_ns,
		.generation = l.generation,
		.format = l.format,
		.title = f->cached ? "from the packed copy in pnav's cache" : d ? d->title : NULL,
		.news = stream_news(f),
	};
}

static void
feed_stop(void *ctx)
{
	struct browse_feed *f = ctx;
	load_stop(f->load);
	if (f->roll)
		browse_roll_stop(f->roll);
}

struct app_feed
browse_feed(struct browse_feed *f)
{
	return (struct app_feed){{f, feed_state, feed_stop}, {f, feed_lock, feed_unlock}};
}
