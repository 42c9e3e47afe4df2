/* har: HTTP archives, version 1.2, as browsers, Playwright and proxies save them.
 *
 *	{"log": {"creator": {"name": "Playwright", "version": "1.65.1"}, "browser": {...},
 *	  "pages": [{"id": "page_1", "title": "x", "startedDateTime": "2026-11-23T07:41:49.016Z",
 *		     "pageTimings": {"onContentLoad": 120.4, "onLoad": 135.5}}],	ms
 *	  "entries": [{"pageref": "page_1", "connection": "186",
 *		       "startedDateTime": "2026-11-23T07:41:49.025Z", "time": 12.408,	ms
 *		       "request": {"method": "GET", "url": "http://depot:8099/a?b=1", ...},
 *		       "response": {"status": 200, "bodySize": 155, "_transferSize": 311,
 *				    "content": {"mimeType": "text/html", ...}, ...},
 *		       "timings": {"blocked": 1.5, "dns": -1, "connect": -1, "ssl": -1,
 *				   "send": 0.1, "wait": 0.2, "receive": 1.8}}, ...]}}
 *
 * An entry is a span without a parent on the track of its host, its phases are its children:
 *
 *	time     |---------------------------------------|
 *	         blocked | dns | connect | send | wait | receive
 *	                         |- ssl -|
 *
 * Requests run beside each other, so spans.h gives them lanes. HAR counts ssl within connect, but
 * Playwright writes it beside connect. The decoder chooses the rule by which the phases add up to
 * `time`.
 *
 * A phase of length 0 is left out: programs write 0 for phases that they do not measure. Headers,
 * cookies and bodies are skipped unread, and so are queries of URLs: they hold secrets. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/decode/common/json_read.h"
#include "src/decode/common/spans.h"
#include "src/decode/decoder.h"
#include "src/input/isodate.h"

#define HAR_PHASES(X) X(BLOCKED, "blocked") X(DNS, "dns") X(CONNECT, "connect") X(SSL, "ssl") \
	X(SEND, "send") X(WAIT, "wait") X(RECEIVE, "receive")
#define HAR_PHASE_ENUM(phase, name) HAR_##phase,
enum har_phase { HAR_PHASES(HAR_PHASE_ENUM) HAR_PHASE_COUNT };
#undef HAR_PHASE_ENUM
#define HAR_PHASE_MAX (SPANS_TIME_MAX / HAR_PHASE_COUNT)
#define HAR_DATE_MAX 40u /* bytes of a date */

struct har_entry {
	int64_t time, phase[HAR_PHASE_COUNT]; /* ns; negative: missing */
	int64_t status, transferred, body;    /* negative: missing */
	bool has_status;
	name_id method, mime, page, connection;
	struct buf started, url;
};

struct har_page {
	int64_t content, load; /* ns after its start; negative: missing */
	name_id id, title;
	struct buf started;
};

/* onContentLoad or onLoad of a page. */
struct har_mark {
	int64_t time;
	bool load;
	labels_id labels;
};

struct har_program {
	name_id name, version;
};

struct har {
	struct spans s;
	struct har_entry entry;
	struct har_page page;
	struct har_program creator, browser;
	uint64_t n_entries, n_pages, beside; /* beside: entries whose ssl follows connect */
	uint64_t last_id;
	name_id phase[HAR_PHASE_COUNT];
	VEC(struct har_mark) mark;
};

/* Reads a date as ns since 1970. Returns false if there is none. */
static bool
har_date(const struct buf *text, int64_t *ns)
{
	char copy[HAR_DATE_MAX];

	if (text->len >= sizeof copy)
		return false;
	memcpy(copy, buf_str(text), text->len);
	copy[text->len] = '\0';
	return isodate_read(copy, ns);
}

/* ---- pages ---- */

static void *
har_page_begin(struct rows_json *r UNUSED, void *log, void *own UNUSED)
{
	struct har_page *p = &((struct har *)log)->page;

	buf_reset(&p->started);
	*p = (struct har_page){.content = -1, .load = -1, .started = p->started};
	return p;
}

static void
har_mark_add(struct har *h, int64_t start, int64_t after, bool load, labels_id labels)
{
	if (after >= 0 && after <= SPANS_TIME_MAX && start <= SPANS_TIME_MAX - after)
		*vec_push(&h->mark) = (struct har_mark){start + after, load, labels};
}

static bool
har_page_take(struct rows_json *r, void *log, void *element)
{
	struct har *h = log;
	const struct har_page *p = element;
	label_id label[2];
	int64_t start;

	h->n_pages++;
	if (!har_date(&p->started, &start))
		return true;
	label[0] = builder_label_text(r->b, builder_name(r->b, "page", 4), p->id);
	label[1] = builder_label_text(r->b, builder_name(r->b, "title", 5), p->title);
	labels_id labels = builder_labels(r->b, label, 2);
	har_mark_add(h, start, p->content, false, labels);
	har_mark_add(h, start, p->load, true, labels);
	return true;
}

static bool
har_marks_write(struct har *h, struct err *e)
{
	static const char *const names[] = {"onContentLoad", "onLoad"};
	struct series *points[2] = {NULL, NULL};
	struct builder *b = h->s.b;

	for (size_t i = 0; i < h->mark.n; i++) {
		const struct har_mark *m = &h->mark.at[i];
		struct series **to = &points[m->load];
		if (!*to) {
			const char *name = names[m->load];
			track_id t = builder_track(b, name, strlen(name), TRACK_MARKS);
			*to = builder_points(b, t, false);
			builder_labelled(b, *to);
		}
		builder_next_labels(b, *to, m->labels);
		if (!builder_point(b, *to, m->time, 0, 0, e))
			return false;
	}
	return true;
}

/* ---- entries ---- */

static void *
har_entry_begin(struct rows_json *r UNUSED, void *log, void *own UNUSED)
{
	struct har_entry *x = &((struct har *)log)->entry;

	buf_reset(&x->started);
	buf_reset(&x->url);
	*x = (struct har_entry){.time = -1, .transferred = -1, .body = -1,
				.started = x->started, .url = x->url};
	for (unsigned i = 0; i < HAR_PHASE_COUNT; i++)
		x->phase[i] = -1;
	return x;
}

/* The parts of a URL that are shown. */
struct har_url {
	const char *host, *path;
	size_t host_len, path_len;
};

/* Splits SCHEME://USER@HOST/PATH?QUERY#FRAGMENT. A URL without a host, such as `data:...`, has its
 * scheme as the host and as the path, because the rest is a body. */
static struct har_url
har_url_split(const struct buf *text)
{
	const char *at = buf_str(text), *end = at + text->len, *colon, *stop, *user;

	colon = memchr(at, ':', text->len);
	if (!colon || end - colon < 3 || colon[1] != '/' || colon[2] != '/') {
		size_t len = colon ? (size_t)(colon - at) + 1 : 0;
		return (struct har_url){at, at, len, len};
	}
	at = colon + 3;
	for (stop = at; stop < end && !strchr("/?#", *stop);)
		stop++;
	user = memrchr(at, '@', (size_t)(stop - at));
	at = user ? user + 1 : at;
	struct har_url u = {.host = at, .path = stop, .host_len = (size_t)(stop - at)};
	while (stop < end && *stop != '?' && *stop != '#')
		stop++;
	u.path_len = (size_t)(stop - u.path);
	if (!u.path_len)
		u = (struct har_url){u.host, "/", u.host_len, 1};
	return u;
}

/* Returns the name `METHOD PATH`. */
static name_id
har_name(struct har *h, const struct har_url *u)
{
	struct name method = builder_name_get(h->s.b, h->entry.method);
	struct buf *text = &h->s.text;

	buf_reset(text);
	buf_add(text, method.at, method.len);
	if (method.len && u->path_len)
		buf_addc(text, ' ');
	buf_add(text, u->path, u->path_len);
	return builder_name(h->s.b, buf_str(text), text->len);
}

static void
har_label(struct har *h, const char *key, struct span_value v)
{
	if (v.is_number || v.text != NAME_EMPTY)
		spans_attribute(&h->s, &h->s.owner, builder_name(h->s.b, key, strlen(key)), v);
}

/* Gives an entry and its phases their labels. */
static void
har_labels(struct har *h)
{
	const struct har_entry *x = &h->entry;

	if (x->has_status)
		har_label(h, "status", (struct span_value){.is_number = true, .number = x->status});
	har_label(h, "mime", (struct span_value){.text = x->mime});
	har_label(h, "page", (struct span_value){.text = x->page});
	har_label(h, "connection", (struct span_value){.text = x->connection});
}

/* Adds a span, and returns its id. */
static uint64_t
har_span(struct har *h, uint64_t parent, name_id name, int64_t start, int64_t end)
{
	struct span_draft *d = spans_begin(&h->s);

	d->id.span = ++h->last_id;
	d->parent = parent;
	d->name = name;
	d->start = start;
	d->end = end;
	spans_end(&h->s);
	return h->last_id;
}

/* Returns the length of a phase; 0 if it is missing. */
static int64_t
har_phase_length(const struct har_entry *x, enum har_phase phase)
{
	int64_t length = x->phase[phase];

	return length < 0 ? 0 : length > HAR_PHASE_MAX ? HAR_PHASE_MAX : length;
}

static int64_t
har_distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/* Adds the phases of an entry, whose draft is complete, one after the other up to its end. */
static void
har_phases(struct har *h, uint64_t entry, int64_t start, int64_t end, bool ssl_beside)
{
	const struct har_entry *x = &h->entry;
	int64_t at = start, ssl = har_phase_length(x, HAR_SSL);

	for (unsigned i = 0; i < HAR_PHASE_COUNT; i++) {
		int64_t length = har_phase_length(x, i);
		if (!length || (i == HAR_SSL && !ssl_beside))
			continue;
		if (length > end - at)
			length = end - at;
		if (!length)
			break;
		uint64_t id = har_span(h, entry, h->phase[i], at, at + length);
		at += length;
		if (i == HAR_CONNECT && ssl && !ssl_beside)
			har_span(h, id, h->phase[HAR_SSL],
				 ssl < length ? at - ssl : at - length, at);
	}
}

/* Finishes the drafts of an entry and its phases. */
static void
har_seal(struct har *h, const struct har_url *u)
{
	name_id host = builder_name(h->s.b, u->host, u->host_len);
	name_id on = host != NAME_EMPTY ? host : builder_name(h->s.b, "[unknown host]", 14);
	uint32_t track = spans_track(&h->s, on, NAME_EMPTY);

	for (size_t i = 0; i < h->s.drafts.n; i++)
		spans_seal_one(&h->s, i, track);
	spans_sealed(&h->s);
	spans_owner_reset(&h->s);
}

static bool
har_entry_take(struct rows_json *r, void *log, void *element)
{
	struct har *h = log;
	struct har_entry *x = element;
	struct har_url u = har_url_split(&x->url);
	int64_t start = 0, sum = 0, ssl = har_phase_length(x, HAR_SSL), time, end;
	bool timed = har_date(&x->started, &start), beside;

	for (unsigned i = 0; i < HAR_PHASE_COUNT; i++)
		sum += i == HAR_SSL ? 0 : har_phase_length(x, i);
	time = x->time >= 0 ? x->time : sum;
	beside = ssl && har_distance(sum + ssl, time) < har_distance(sum, time);
	h->n_entries++;
	h->beside += beside;
	if (__builtin_add_overflow(start, time, &end))
		end = INT64_MAX;
	if (timed)
		har_labels(h);
	uint64_t id = har_span(h, 0, har_name(h, &u), start, end);
	struct span_draft *d = &h->s.drafts.at[0];
	d->module = builder_name(r->b, u.host, u.host_len);
	d->value = x->transferred >= 0 ? x->transferred : x->body >= 0 ? x->body : 0;
	d->bits |= timed ? 0 : SPAN_TIMELESS;
	if (timed && end <= SPANS_TIME_MAX)
		har_phases(h, id, start, end, beside);
	har_seal(h, &u);
	return true;
}

/* ---- the document ---- */

static const struct json_row program_rows[] = {
	{"name", ROW_NAME(struct har_program, name)},
	{"version", ROW_NAME(struct har_program, version), .loose = true},
	{0},
};
static const struct json_row page_timings_rows[] = {
	{"onContentLoad", ROW_NUMBER(struct har_page, content), .scale = 6},
	{"onLoad", ROW_NUMBER(struct har_page, load), .scale = 6},
	{0},
};
static const struct json_row page_rows[] = {
	{"id", ROW_NAME(struct har_page, id), .loose = true},
	{"title", ROW_NAME(struct har_page, title)},
	{"startedDateTime", ROW_TEXT(struct har_page, started)},
	{"pageTimings", ROW_HERE(page_timings_rows)},
	{0},
};
static const struct json_row request_rows[] = {
	{"method", ROW_NAME(struct har_entry, method)},
	{"url", ROW_TEXT(struct har_entry, url)},
	{0},
};
static const struct json_row content_rows[] = {
	{"mimeType", ROW_NAME(struct har_entry, mime)},
	{0},
};
static const struct json_row response_rows[] = {
	{"status", ROW_NUMBER(struct har_entry, status), ROW_HAS(struct har_entry, has_status)},
	{"bodySize", ROW_NUMBER(struct har_entry, body)},
	{"_transferSize", ROW_NUMBER(struct har_entry, transferred)},
	{"content", ROW_HERE(content_rows)},
	{0},
};
static const struct json_row timings_rows[] = {
#define HAR_PHASE_ROW(i, text) {text, ROW_NUMBER(struct har_entry, phase[HAR_##i]), .scale = 6},
	HAR_PHASES(HAR_PHASE_ROW)
#undef HAR_PHASE_ROW
	{0},
};
static const struct json_row entry_rows[] = {
	{"startedDateTime", ROW_TEXT(struct har_entry, started)},
	{"time", ROW_NUMBER(struct har_entry, time), .scale = 6},
	{"request", ROW_HERE(request_rows)},
	{"response", ROW_HERE(response_rows)},
	{"timings", ROW_HERE(timings_rows)},
	{"connection", ROW_NAME(struct har_entry, connection), .loose = true},
	{"pageref", ROW_NAME(struct har_entry, page), .loose = true},
	{0},
};
static const struct json_list har_pages = {
	.rows = page_rows, .record = true, .begin = har_page_begin, .end = har_page_take};
static const struct json_list har_entries = {
	.rows = entry_rows, .record = true, .begin = har_entry_begin, .end = har_entry_take};
static const struct json_row log_rows[] = {
	{"version", ROW_FACT("version")},
	{"creator", ROW_IN(struct har, creator, program_rows)},
	{"browser", ROW_IN(struct har, browser, program_rows)},
	{"pages", ROW_LIST(&har_pages)},
	{"entries", ROW_LIST(&har_entries)},
	{0},
};
static const struct json_row document_rows[] = {
	{"log", ROW_HERE(log_rows)},
	{0},
};

static void
har_report_program(struct har *h, const char *key, const struct har_program *p)
{
	struct name name = builder_name_get(h->s.b, p->name);
	struct name version = builder_name_get(h->s.b, p->version);

	if (name.len)
		builder_info(h->s.b, key, "%.*s %.*s", (int)name.len, name.at, (int)version.len,
			     version.at);
}

static void
har_report(struct har *h)
{
	har_report_program(h, "creator", &h->creator);
	har_report_program(h, "browser", &h->browser);
	builder_info(h->s.b, "entries", "%" PRIu64, h->n_entries);
	builder_info_count(h->s.b, "pages", h->n_pages, "");
	if (h->beside)
		builder_info(h->s.b, "assumed",
			     "ssl follows connect in %" PRIu64 " of %" PRIu64 " entries", h->beside,
			     h->n_entries);
}

static bool
har_decode(struct input *in, struct builder *b, struct err *e)
{
	static const char *const phases[] = {
#define HAR_PHASE_NAME(phase, name) [HAR_##phase] = (name),
		HAR_PHASES(HAR_PHASE_NAME)
#undef HAR_PHASE_NAME
	};
	struct har h = {.n_entries = 0};
	bool good;

	spans_init(&h.s, in, b);
	h.s.value.name = "bytes";
	h.s.value.unit = UNIT_BYTES;
	for (unsigned i = 0; i < HAR_PHASE_COUNT; i++)
		h.phase[i] = builder_name(b, phases[i], strlen(phases[i]));
	good = json_decode(in, b, e, document_rows, &h, "no HTTP archive");
	good = spans_write(&h.s, e) && good;
	good = har_marks_write(&h, e) && good;
	har_report(&h);
	spans_release(&h.s);
	vec_release(&h.mark);
	buf_release_all(&h.entry.started, &h.entry.url, &h.page.started);
	return good;
}

const struct decoder decoder_har = {
	.name = "har",
	.title = "HTTP archives of browsers, Playwright and proxies",
	.made_of = MADE_JSON,
	.members = "log/version log/creator|log/creator log/entries",
	.decode = har_decode,
};
