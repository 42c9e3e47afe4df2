/* The client of ClickHouse.  libcurl handles the protocol (src/input/url.c).  This file does what
 * the server requires: a query is the body of a POST, or part of the address if the body is data.
 *
 * A server that fails within a result has already sent "200 OK", and ends with an error among the
 * rows.  wait_end_of_query makes it keep the result until it is complete, in memory and then on
 * disk.  It is not a setting, so users without rights may send it. */
#include "src/store/clickhouse.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "src/input/url.h"

#define HELD (64u << 10)
/* Limits a name in a result and the elements of an array: more than any profile has. */
#define TEXT_MAX (16u << 20)
#define ARRAY_MAX (1u << 20)
#define SAID_SHOWN 300
/* The first pause before a request is sent again, and how often pauses double. */
#define PAUSE_MS 500
#define PAUSE_DOUBLES 6u
#define KILL_S 2 /* how long a browser that ends waits for an answer */

void
clickhouse_quote(struct buf *out, const char *at, size_t len)
{
	static const char hex[] = "0123456789ABCDEF";

	buf_addc(out, '\'');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)at[i];
		if (c == '\'' || c == '\\') {
			buf_addc(out, '\\');
			buf_addc(out, (char)c);
		} else if (c < 0x20 || c == 0x7F) {
			char escape[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
			buf_add(out, escape, sizeof escape);
		} else {
			buf_addc(out, (char)c);
		}
	}
	buf_addc(out, '\'');
}

void
clickhouse_name(struct buf *out, const char *name)
{
	buf_addc(out, '`');
	for (; *name; name++) {
		if (*name == '`' || *name == '\\')
			buf_addc(out, '\\');
		buf_addc(out, *name);
	}
	buf_addc(out, '`');
}

static void
add_encoded(struct buf *out, const char *text)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	for (; *text; text++)
		if (strchr(plain, *text))
			buf_addc(out, *text);
		else
			buf_addf(out, "%%%02X", (unsigned)(unsigned char)*text);
}

/* Extracts the useful part between the prefix and suffix of a server error: "Code: 60,
 * e.displayText() = DB::Exception: Table default.x doesn't exist., e.what() = ...", or in later
 * servers "Code: 60. DB::Exception: ... (UNKNOWN_TABLE) (version 24.1)". */
static void
quote_error(const struct buf *said, struct err *e)
{
	static const char before[] = "DB::Exception: ";
	const char *at = buf_str(said), *last = at, *end;

	if (!said->len)
		return;
	while ((at = strstr(at, before)))
		last = at += sizeof before - 1;
	end = strstr(last, ", e.what()");
	if (!end)
		end = strstr(last, " (version ");
	size_t n = end ? (size_t)(end - last) : strcspn(last, "\r\n");
	while (n && strchr(". \r\n", last[n - 1]))
		n--;
	if (!n)
		return;
	err_init(e);
	err_refuse(e, "the server says: %.*s", (int)(n < SAID_SHOWN ? n : SAID_SHOWN), last);
}

/* Codes of errors that pass. */
static const unsigned passing[] = {
	202, /* TOO_MANY_SIMULTANEOUS_QUERIES */
	203, /* NO_FREE_CONNECTION */
	209, /* SOCKET_TIMEOUT */
	210, /* NETWORK_ERROR */
	252, /* TOO_MANY_PARTS */
	279, /* ALL_CONNECTION_TRIES_FAILED */
};

/* True if the server's message has such a code, "Code: 210, e.displayText() = ...". */
static bool
clickhouse_passes(const struct buf *said)
{
	static const char code[] = "Code: ";
	const char *at = buf_str(said);
	unsigned long n = strncmp(at, code, sizeof code - 1) ? 0 : strtoul(at + 6, NULL, 10);

	for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
		if (passing[i] == n)
			return true;
	return false;
}

/* A request, and the reason of its failure. */
struct clickhouse_request {
	const struct store_url *url;
	const char *query; /* in the address; NULL: the body is the query */
	const void *body;
	size_t len;
	char id[33];  /* of the query, so that it can be cancelled; or empty */
	bool same;    /* the server may run it twice */
	bool unsent;  /* the server has not run it */
	bool passing; /* it may succeed later */
};

static struct source *
clickhouse_try(struct clickhouse_request *q, struct watch *w, struct err *e)
{
	const struct store_url *p = q->url;
	struct buf url = BUF_INIT, said = BUF_INIT;
	enum url_failure failure = URL_ANSWERED;
	struct url_request r = {.body = q->body, .len = q->len, .said = &said,
				.failure = &failure, .silence_s = p->silence_s};
	const char *host = strstr(p->origin, "://") + 3;

	/* libcurl looks up the password only for a user that is part of the address */
	buf_add(&url, p->origin, (size_t)(host - p->origin));
	if (p->user) {
		add_encoded(&url, p->user);
		buf_addc(&url, '@');
	}
	buf_addf(&url, "%s/?wait_end_of_query=1&database=", host);
	add_encoded(&url, p->database);
	if (*q->id)
		buf_addf(&url, "&query_id=%s", q->id);
	if (q->query) { /* return only when inserts into Distributed tables are visible */
		buf_adds(&url, "&insert_distributed_sync=1&query=");
		add_encoded(&url, q->query);
	}
	r.url = buf_str(&url);
	struct source *s = source_request(&r, w, e);
	if (!s)
		quote_error(&said, e);
	q->unsent = failure == URL_UNSENT;
	q->passing = q->unsent || failure == URL_CUT || clickhouse_passes(&said);
	buf_release(&url);
	buf_release(&said);
	return s;
}

bool
clickhouse_pause(const struct store_url *p, unsigned i, struct watch *w)
{
	struct pollfd wake = {.fd = w ? w->wake_fd : -1, .events = POLLIN};
	int ms = PAUSE_MS << (i < PAUSE_DOUBLES ? i : PAUSE_DOUBLES);

	if (i >= p->retries)
		return false;
	if (w && w->give)
		w->give(w);
	poll(&wake, 1, ms + getpid() % (ms / 4)); /* many hosts do not return at once */
	if (w && w->take)
		w->take(w);
	return !w || !atomic_load_explicit(&w->stop, memory_order_relaxed);
}

/* Gives the query a random id; none if the system has no random numbers. */
static void
clickhouse_new_id(struct clickhouse_request *q)
{
	uint64_t random[2];

	q->id[0] = '\0';
	if (!getentropy(random, sizeof random))
		snprintf(q->id, sizeof q->id, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
}

static struct source *
request(struct clickhouse_request *q, struct watch *w, struct err *e)
{
	for (unsigned i = 0;; i++) {
		if (w) /* an attempt whose connection was cut may still run under its id */
			clickhouse_new_id(q);
		struct source *s = clickhouse_try(q, w, e);
		if (s || !q->passing || !(q->same || q->unsent) ||
		    !clickhouse_pause(q->url, i, w))
			return s;
		err_init(e);
	}
}

/* Reads a response without rows to its end. */
static bool
clickhouse_finish(struct source *s, struct err *e)
{
	char rest[256];

	if (!s)
		return false;
	while (s->ops->read(s, rest, sizeof rest))
		;
	bool good = !err_is_set(&s->fault) || err_refuse(e, "%s", s->fault.text);
	s->ops->close(s);
	return good;
}

bool
clickhouse_do(const struct store_url *p, const char *sql, struct err *e)
{
	struct clickhouse_request q = {.url = p, .body = sql, .len = strlen(sql)};

	return clickhouse_finish(request(&q, NULL, e), e);
}

bool
clickhouse_insert(const struct store_url *p, const char *sql, const void *body, size_t len,
		  bool same, enum clickhouse_rows *rows, struct err *e)
{
	struct clickhouse_request q = {p, .query = sql, .body = body, .len = len, .same = same};
	bool good = clickhouse_finish(request(&q, NULL, e), e);

	if (rows && !good)
		*rows = q.passing && !q.unsent ? CLICKHOUSE_UNSURE : CLICKHOUSE_NONE;
	return good;
}

/* Cancels a query whose result is not needed any more.  A server of 18.16 does not notice that the
 * connection was closed. */
static void
clickhouse_kill(const struct store_url *p, const char *id)
{
	struct store_url quick = *p;
	struct buf sql = BUF_INIT;
	struct err unknown;

	quick.retries = 0;
	quick.silence_s = KILL_S;
	err_init(&unknown);
	buf_addf(&sql, "KILL QUERY WHERE query_id = '%s' ASYNC", id);
	clickhouse_do(&quick, buf_str(&sql), &unknown); /* otherwise it runs to its end */
	buf_release(&sql);
}

/* Returns the result of a query, in the FORMAT that it names; the caller closes it.  NULL with an
 * error in *e.  The watch, which may be NULL, counts its bytes and ends the wait; then the query is
 * cancelled. */
static struct source *
clickhouse_query(const struct store_url *p, const char *sql, struct watch *w, struct err *e)
{
	struct clickhouse_request q = {.url = p, .body = sql, .len = strlen(sql), .same = true};
	struct source *s = request(&q, w, e);

	if (w && *q.id && atomic_load_explicit(&w->stop, memory_order_relaxed))
		clickhouse_kill(p, q.id);
	return s;
}

/* ---- answers ---- */

void
rowbin_over(struct rowbin *a, struct source *source)
{
	*a = (struct rowbin){.source = source, .held = mem_alloc(HELD, 1)};
	err_init(&a->fault);
}

bool
rowbin_open(struct rowbin *a, const struct store_url *p, const char *sql, struct watch *w,
	    struct err *e)
{
	struct buf query = BUF_INIT;

	buf_addf(&query, "%s\nFORMAT RowBinary", sql);
	struct source *s = clickhouse_query(p, buf_str(&query), w, e);
	buf_release(&query);
	if (s)
		rowbin_over(a, s);
	return s != NULL;
}

bool
rowbin_is_wrong(struct rowbin *a, const char *why)
{
	return err_damage(&a->fault, a->offset + a->at, "the server's answer %s", why);
}

/* Ensures that data is buffered. */
static bool
clickhouse_refill(struct rowbin *a)
{
	if (a->at < a->n)
		return true;
	if (err_is_set(&a->fault))
		return false;
	a->offset += a->n;
	a->at = 0;
	a->n = a->source->ops->read(a->source, a->held, HELD);
	if (!a->n && err_is_set(&a->source->fault))
		a->fault = a->source->fault;
	return a->n > 0;
}

bool
rowbin_next(struct rowbin *a)
{
	return !err_is_set(&a->fault) && clickhouse_refill(a);
}

/* Reads the next n bytes, and appends them to *out if that is not NULL. */
static void
clickhouse_take(struct rowbin *a, size_t n, unsigned char *bytes, struct buf *out)
{
	while (n && !err_is_set(&a->fault)) {
		if (!clickhouse_refill(a)) {
			rowbin_is_wrong(a, "ends within a row");
			return;
		}
		size_t some = a->n - a->at < n ? a->n - a->at : n;
		if (out)
			buf_add(out, a->held + a->at, some);
		if (bytes) {
			memcpy(bytes, a->held + a->at, some);
			bytes += some;
		}
		a->at += some;
		n -= some;
	}
}

uint64_t
rowbin_whole(struct rowbin *a, unsigned bytes)
{
	unsigned char b[8] = {0};
	uint64_t v = 0;

	clickhouse_take(a, bytes, b, NULL);
	if (err_is_set(&a->fault))
		return 0;
	for (unsigned i = bytes; i-- > 0;)
		v = v << 8 | b[i];
	return v;
}

int64_t
rowbin_signed(struct rowbin *a)
{
	return (int64_t)rowbin_whole(a, 8);
}

/* Reads a length, seven bits a byte. */
static size_t
length(struct rowbin *a, size_t most)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 63; shift += 7) {
		uint64_t byte = rowbin_whole(a, 1);
		v |= (byte & 0x7F) << shift;
		if (!(byte & 0x80))
			break;
	}
	if (v <= most)
		return (size_t)v;
	rowbin_is_wrong(a, "has an impossible length");
	return 0;
}

size_t
rowbin_count(struct rowbin *a)
{
	return length(a, ARRAY_MAX);
}

/* Reads a FixedString(n). */
static void
rowbin_fixed(struct rowbin *a, struct buf *out, size_t n)
{
	buf_reset(out);
	clickhouse_take(a, n, NULL, out);
	if (err_is_set(&a->fault))
		buf_reset(out);
}

void
rowbin_text(struct rowbin *a, struct buf *out)
{
	rowbin_fixed(a, out, length(a, TEXT_MAX));
}

bool
rowbin_close(struct rowbin *a, struct err *e)
{
	bool good = !err_is_set(&a->fault);

	if (!good)
		*e = a->fault;
	a->source->ops->close(a->source);
	free(a->held);
	*a = (struct rowbin){0};
	return good;
}

bool
clickhouse_number(const struct store_url *p, const char *sql, unsigned bytes, struct watch *w,
		  uint64_t *out, struct err *e)
{
	struct rowbin a;

	if (!rowbin_open(&a, p, sql, w, e))
		return false;
	if (!rowbin_next(&a))
		rowbin_is_wrong(&a, "is empty");
	*out = rowbin_whole(&a, bytes);
	if (rowbin_next(&a))
		rowbin_is_wrong(&a, "is more than a number");
	return rowbin_close(&a, e);
}
