#include "src/command/record/once.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model/base/chars.h"
#include "model/fold/nameless.h"
#include "src/input/hash.h"

#define HOUR_NS INT64_C(3600000000000)
#define LINE_MAX_BYTES 4096u /* a longer one is printed in parts */
#define LINES_MAX 64u        /* the oldest one is forgotten */

void
once_init(struct once *o)
{
	*o = (struct once){.line = BUF_INIT};
	if (pipe2(o->ends, O_CLOEXEC | O_NONBLOCK))
		o->ends[0] = o->ends[1] = -1;
	else
		fcntl(o->ends[1], F_SETFL,
		      0); /* a child waits rather than loses a message */
}

void
once_release(struct once *o)
{
	if (o->ends[0] >= 0) {
		close(o->ends[0]);
		close(o->ends[1]);
	}
	buf_release(&o->line);
	vec_release(&o->lines);
}

void
once_join(const struct once *o)
{
	if (o->ends[1] < 0)
		return;
	dup2(o->ends[1], STDERR_FILENO);
	/* else a write would wait for ever once the parent is gone */
	close(o->ends[0]);
	close(o->ends[1]);
}

/* Returns the hash of a line in which each number is one character, without the modules that have
 * no symbols: they are others in each part. */
static uint64_t
hash_of(const char *line, size_t len)
{
	static const char said[] = NAMELESS_SAID;
	char text[LINE_MAX_BYTES];
	const char *end = memmem(line, len, said, sizeof said - 1);
	size_t n = 0;

	if (end)
		len = (size_t)(end - line);
	for (size_t i = 0; i < len; i++)
		if (!is_digit(line[i]))
			text[n++] = line[i];
		else if (!n || text[n - 1] != '#')
			text[n++] = '#';
	return hash64(text, n);
}

static struct once_line *
line_find(struct once *o, uint64_t hash)
{
	struct once_line *oldest = o->lines.at;

	for (size_t i = 0; i < o->lines.n; i++) {
		if (o->lines.at[i].hash == hash)
			return &o->lines.at[i];
		if (o->lines.at[i].shown_ns < oldest->shown_ns)
			oldest = &o->lines.at[i];
	}
	if (o->lines.n < LINES_MAX)
		oldest = vec_push(&o->lines);
	*oldest = (struct once_line){.hash = hash};
	return oldest;
}

static void
line_print(struct once *o, const char *line, size_t len)
{
	struct once_line *seen = line_find(o, hash_of(line, len));
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	int64_t now = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	if (seen->shown_ns && now - seen->shown_ns < HOUR_NS) {
		seen->hidden++;
		return;
	}
	fprintf(stderr, "%.*s", (int)len, line);
	if (seen->hidden)
		fprintf(stderr, " (%u times since the last one)", seen->hidden);
	fputc('\n', stderr);
	seen->shown_ns = now;
	seen->hidden = 0;
}

/* Adds a byte; prints a line that is complete, or too long. */
static void
line_add(struct once *o, char c)
{
	bool whole = c == '\n';

	if (!whole)
		buf_addc(&o->line, c);
	if (o->line.len && (whole || o->line.len == LINE_MAX_BYTES)) {
		line_print(o, buf_str(&o->line), o->line.len);
		buf_reset(&o->line);
	}
}

void
once_print(struct once *o, bool ends)
{
	char piece[LINE_MAX_BYTES];

	for (ssize_t n;
	     o->ends[0] >= 0 && (n = read(o->ends[0], piece, sizeof piece)) > 0;)
		for (ssize_t i = 0; i < n; i++)
			line_add(o, piece[i]);
	if (!ends)
		return;
	line_add(o, '\n');
	unsigned hidden = 0;
	for (size_t i = 0; i < o->lines.n; i++)
		hidden += o->lines.at[i].hidden;
	if (hidden)
		fprintf(stderr, "pnav: %u such messages were not printed again\n",
			hidden);
}
