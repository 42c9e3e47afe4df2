/* mcp_wire.c - lines in and out.
 *
 * One thread does everything.  While a request runs, its loops rest now and then (pace.h), and a
 * rest looks for new bytes: they wait in `text`, and a cancellation among them takes effect at
 * once.  A second thread that reads would need locks and could not be woken from read() at the end
 * without a signal.
 *
 * After the end of the input the requests that were received are still answered, so that a file of
 * requests can be piped in.  But a client that has gone must not leave a process that computes:
 * each request then gets a second at most. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "src/command/mcp/mcp_inside.h"
#include "src/input/clock.h"

#define READ_BYTES 65536u
#define KEPT_MOST (2 * MCP_MESSAGE_MOST) /* received and not taken; then reading waits */
#define LOOK_MS 5    /* between two looks for bytes */
#define GRACE_MS 900 /* for a request after the end of the input */

static bool
rest(struct pace *p)
{
	struct mcp_wire *w = (struct mcp_wire *)((char *)p - offsetof(struct mcp_wire, pace));
	int64_t now = clock_ms();

	if (now - w->looked_ms < LOOK_MS)
		return true;
	return !mcp_wire_stops(w);
}

void
mcp_wire_init(struct mcp_wire *w, int in, FILE *out)
{
	*w = (struct mcp_wire){
		.in = in,
		.out = out,
		.pace = {.rest = rest, .every = PACE_STEPS},
	};
}

void
mcp_wire_release(struct mcp_wire *w)
{
	buf_release(&w->text);
	buf_release(&w->id);
	for (size_t i = 0; i < w->others.n; i++)
		free(w->others.at[i]);
	vec_release(&w->others);
}

/* ---- cancellations ---- */

static void
note_cancelled(void *ctx, enum mcp_code code, const struct mcp_message *m)
{
	struct mcp_wire *w = ctx;

	if (code != MCP_OK || m->id.at || strcmp(buf_str(&m->method), "notifications/cancelled"))
		return;
	struct mcp_span id = mcp_member(m->params, "requestId", NULL);
	if (!id.at)
		return;
	if (mcp_span_is(id, (struct mcp_span){w->id.at, w->id.len}))
		w->cancelled = true;
	else
		*vec_push(&w->others) = mem_dup(id.at, id.len);
}

/* Looks through the lines that arrived while a request runs. */
static void
look_for_cancelled(struct mcp_wire *w)
{
	while (w->scanned < w->text.len) {
		const char *line = w->text.at + w->scanned;
		const char *end = memchr(line, '\n', w->text.len - w->scanned);
		struct buf why = BUF_INIT;
		if (!end)
			return;
		w->scanned = (size_t)(end + 1 - w->text.at);
		size_t len = (size_t)(end - line);
		if (memmem(line, len, "cancelled", 9) && mcp_check(line, len, &why) == MCP_OK)
			mcp_split(line, len, note_cancelled, w);
		buf_release(&why);
	}
}

bool
mcp_wire_forget(struct mcp_wire *w, struct mcp_span id)
{
	for (size_t i = 0; i < w->others.n; i++) {
		char *other = w->others.at[i];
		if (strlen(other) != id.len || memcmp(other, id.at, id.len))
			continue;
		free(other);
		w->others.at[i] = w->others.at[--w->others.n];
		return true;
	}
	return false;
}

bool
mcp_wire_begin(struct mcp_wire *w, struct mcp_span id)
{
	if (mcp_wire_forget(w, id))
		return false;
	buf_reset(&w->id);
	buf_add(&w->id, id.at, id.len);
	w->cancelled = false;
	w->pace.over = false;
	w->pace.steps = 0;
	w->began_ms = w->looked_ms = clock_ms();
	w->scanned = w->scanned > w->at ? w->scanned : w->at;
	return true;
}

bool
mcp_wire_idle(struct mcp_wire *w)
{
	w->idle = true;
	w->pace.over = false;
	w->pace.steps = 0;
	if (!mcp_wire_stops(w))
		return true;
	w->idle = false;
	return false;
}

void
mcp_wire_end(struct mcp_wire *w)
{
	w->idle = false;
	buf_reset(&w->id);
	w->cancelled = false;
	w->pace.over = false;
}

/* ---- bytes ---- */

/* Drops what belongs to a message that is too long. */
static void
refuse_long(struct mcp_wire *w)
{
	const char *end = memrchr(w->text.at + w->at, '\n', w->text.len - w->at);
	size_t begin = end ? (size_t)(end + 1 - w->text.at) : w->at;

	if (w->text.len - begin <= MCP_MESSAGE_MOST)
		return;
	w->text.len = begin;
	w->searched = w->searched < begin ? w->searched : begin;
	w->scanned = w->scanned < begin ? w->scanned : begin;
	w->skips = true;
	w->refused++;
}

/* Appends received bytes. */
static void
keep_bytes(struct mcp_wire *w, const char *at, size_t n)
{
	if (w->skips) {
		const char *end = memchr(at, '\n', n);
		if (!end)
			return;
		n -= (size_t)(end + 1 - at);
		at = end + 1;
		w->skips = false;
	}
	buf_add(&w->text, at, n);
	if (w->text.len - w->at > MCP_MESSAGE_MOST)
		refuse_long(w);
}

/* Reads what is there, waiting at most timeout_ms for it. Returns false if nothing came. */
static bool
receive(struct mcp_wire *w, int timeout_ms)
{
	struct pollfd p = {.fd = w->in, .events = POLLIN};
	char bytes[READ_BYTES];

	if (w->ended || (timeout_ms >= 0 && poll(&p, 1, timeout_ms) <= 0))
		return false;
	ssize_t n = read(w->in, bytes, sizeof bytes);
	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0) {
		w->ended = true;
		w->ended_ms = clock_ms();
		return true;
	}
	keep_bytes(w, bytes, (size_t)n);
	return true;
}

bool
mcp_wire_stops(struct mcp_wire *w)
{
	while (!w->ended && w->text.len - w->at <= KEPT_MOST && receive(w, 0))
		;
	look_for_cancelled(w);
	int64_t now = clock_ms();
	w->looked_ms = now;
	if (w->idle && (w->ended || w->text.len > w->at))
		return true;
	int64_t since = w->ended_ms > w->began_ms ? w->ended_ms : w->began_ms;
	return w->cancelled || (w->ended && now - since > GRACE_MS);
}

/* Forgets the lines that were taken. */
static void
drop_taken(struct mcp_wire *w)
{
	if (w->at < READ_BYTES && w->at != w->text.len)
		return;
	w->text.len -= w->at;
	if (w->text.len)
		memmove(w->text.at, w->text.at + w->at, w->text.len);
	w->scanned -= w->scanned < w->at ? w->scanned : w->at;
	w->searched -= w->searched < w->at ? w->searched : w->at;
	w->at = 0;
}

const char *
mcp_wire_line(struct mcp_wire *w, size_t *len)
{
	drop_taken(w);
	for (;;) {
		size_t from = w->searched > w->at ? w->searched : w->at;
		const char *end = w->text.len > from
					  ? memchr(w->text.at + from, '\n', w->text.len - from)
					  : NULL;
		if (end || (w->ended && w->text.len > w->at)) {
			const char *line = w->text.at + w->at;
			*len = end ? (size_t)(end - line) : w->text.len - w->at;
			w->at += *len + (end != NULL);
			if (*len <= MCP_MESSAGE_MOST)
				return line;
			w->refused++;
			return NULL;
		}
		w->searched = w->text.len;
		if (w->refused || w->ended)
			return NULL;
		receive(w, -1);
	}
}
