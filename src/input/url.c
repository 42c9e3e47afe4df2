/* Profiles from a URL, such as those of a running server's profiler.
 *
 * libcurl fetches; its callbacks fill a buffer that read() empties, on the thread that decodes.
 * While the buffer is full, the transfer is paused, so that an endless body costs no memory.
 *
 * pnav gives up a silent server after a minute (or after --timeout): a connection that died without
 * notice would block a command for ever. A profiler that runs for `seconds=N` sends nothing
 * meanwhile, so N is added.
 *
 * Certificates are checked. Names and passwords come from ~/.netrc alone, since other users can
 * read a command line. Redirects stay within http and https. This file follows them instead of
 * libcurl, which selects the password by the name of the host alone: it would send a password meant
 * for a server with a certificate to any port, and unencrypted. After a redirect to another scheme,
 * host or port, no password is sent any more. */
#include "src/input/url.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/base/mem.h"
#include "src/late.h"

bool
url_is(const char *name)
{
	return !strncasecmp(name, "http://", 7) || !strncasecmp(name, "https://", 8);
}

#ifdef HAVE_LIBCURL
#include <curl/curl.h>

#define HELD_MAX (1u << 20) /* bytes in the buffer before the transfer pauses */
#define SAID_MAX 160u       /* of a server's message about an error */
#define SAID_ALL 4096u      /* of the same for callers that want the original */
#define REDIRECTS_MAX 10u
#define POLL_MS 250

struct url_source {
	struct source base;
	CURLM *multi;
	CURL *easy;
	struct watch *watch;
	struct buf held; /* received, and not yet read */
	size_t at;       /* bytes of held that have been read */
	struct buf said; /* the body of an error */
	struct buf *error_body; /* receives that body unchanged, or NULL */
	enum url_failure *failure; /* receives the kind of a failure, or NULL */
	struct curl_slist *headers;
	char *reason;    /* of the last status line: "Not Found" */
	char *url;       /* of the last request */
	unsigned redirects;
	bool strayed;    /* the redirects led to another server, which gets no password */
	bool follows;    /* redirects are followed */
	int connect_s, silence_s; /* < 0: no limit */
	uint64_t given;  /* bytes returned in all */
	bool paused, ended;
	char error[CURL_ERROR_SIZE];
};

/* The functions of libcurl, which are loaded for the first URL (late.h). */
#define FUNCTIONS(F) \
	F(easy_cleanup) F(easy_getinfo) F(easy_init) F(easy_pause) \
	F(easy_setopt) F(easy_strerror) F(global_init) F(multi_add_handle) \
	F(multi_cleanup) F(multi_info_read) F(multi_init) F(multi_perform) \
	F(multi_poll) F(multi_remove_handle) F(slist_append) F(slist_free_all)

static struct {
#define F(name) __typeof__(curl_##name) *name;
	FUNCTIONS(F)
#undef F
} curl;

static const char *const names[] = {
#define F(name) "curl_" #name,
	FUNCTIONS(F)
#undef F
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct err unloaded; /* why it could not be loaded */

static void
begin_curl(void)
{
	err_init(&unloaded);
	if (late_load("libcurl.so.4", names, sizeof names / sizeof *names, &curl, &unloaded))
		curl.global_init(CURL_GLOBAL_DEFAULT);
}

static long
status_of(const struct url_source *u)
{
	long status = 0;

	curl.easy_getinfo(u->easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

/* Returns true if a body of this status is not a profile. 206 is a part of one, which pnav did not
 * request. */
static bool
is_refused(long status)
{
	return status >= 300 || status == 206;
}

/* Parses "HTTP/1.1 404 Not Found" of each answer, also of redirects. */
static size_t
take_header(char *at, size_t size, size_t n, void *ctx)
{
	struct url_source *u = ctx;
	size_t len = size * n;

	if (len > 5 && !strncmp(at, "HTTP/", 5)) {
		const char *code = memchr(at, ' ', len);
		size_t rest = code ? len - (size_t)(code - at) : 0;
		free(u->reason);
		u->reason = NULL;
		if (rest > 5) {
			size_t end = rest;
			while (end > 5 && isspace((unsigned char)code[end - 1]))
				end--;
			u->reason = mem_dup(code + 5, end - 5);
		}
	}
	return len;
}

static size_t
take_body(char *at, size_t size, size_t n, void *ctx)
{
	struct url_source *u = ctx;
	size_t len = size * n;

	if (is_refused(status_of(u))) {
		size_t most = u->error_body ? SAID_ALL : SAID_MAX, room = most - u->said.len;
		buf_add(&u->said, at, len < room ? len : room);
		return u->said.len < most ? len : 0; /* enough */
	}
	if (u->held.len - u->at > HELD_MAX) {
		u->paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	buf_add(&u->held, at, len);
	return len;
}

static void
wait_for_bytes(struct url_source *u)
{
	struct curl_waitfd wake = {.fd = u->watch ? u->watch->wake_fd : -1,
				   .events = CURL_WAIT_POLLIN};

	if (u->watch && u->watch->give)
		u->watch->give(u->watch);
	curl.multi_poll(u->multi, &wake, wake.fd >= 0, POLL_MS, NULL);
	if (u->watch && u->watch->take)
		u->watch->take(u->watch);
}

/* Returns the result of a transfer that has ended; CURLE_OK while it runs. */
static CURLcode
result_of(struct url_source *u)
{
	int left;

	for (CURLMsg *m; (m = curl.multi_info_read(u->multi, &left));)
		if (m->msg == CURLMSG_DONE) {
			u->ended = true;
			return m->data.result;
		}
	return CURLE_OK;
}

/* Appends one line of untrusted text. */
static void
add_said(struct buf *out, const struct buf *said)
{
	size_t n = 0;

	while (n < said->len && said->at[n] != '\r' && said->at[n] != '\n' && said->at[n] != '<')
		n++;
	if (n) {
		buf_adds(out, ": ");
		buf_add(out, said->at, n);
	}
}

/* Appends the reason why a transfer failed. */
static void
add_failure(const struct url_source *u, CURLcode result, struct buf *out)
{
	curl_off_t connected = 0;

	curl.easy_getinfo(u->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
	if (result == CURLE_OPERATION_TIMEDOUT && connected)
		buf_addf(out, "the server sent nothing for %d s; --timeout waits longer",
			 u->silence_s);
	else if (result == CURLE_OPERATION_TIMEDOUT)
		buf_addf(out, "no connection within %d s", u->connect_s);
	else
		buf_adds(out, *u->error ? u->error : curl.easy_strerror(result));
}

/* Returns the kind of the failure of a request that got no answer. */
static enum url_failure
url_failure_of(const struct url_source *u, CURLcode result)
{
	curl_off_t connected = 0;

	curl.easy_getinfo(u->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
	switch ((int)result) {
	case CURLE_COULDNT_CONNECT:
		return URL_UNSENT;
	case CURLE_OPERATION_TIMEDOUT:
		return connected ? URL_SILENT : URL_UNSENT;
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_PARTIAL_FILE:
		return URL_CUT;
	}
	return URL_ANSWERED;
}

/* Reports an answer that is not a profile. Returns false. */
static bool
url_refuse(const struct url_source *u, CURLcode result, struct err *e)
{
	long status = status_of(u);
	struct buf said = BUF_INIT;

	if (is_refused(status)) {
		if (u->error_body && u->said.len)
			buf_add(u->error_body, u->said.at, u->said.len);
		add_said(&said, &u->said);
		err_refuse(e, "the server says %ld%s%s%s%s", status,
			   u->reason && *u->reason ? " " : "", u->reason ? u->reason : "",
			   status == 206 ? ": a part of the profile, but pnav requested the whole"
			   : status == 401 && u->strayed
				   ? ": no password goes along with a redirect to another server"
				   : "",
			   buf_str(&said));
	} else {
		if (u->failure)
			*u->failure = url_failure_of(u, result);
		add_failure(u, result, &said);
		err_refuse(e, "%s", buf_str(&said));
	}
	buf_release(&said);
	return false;
}

/* Reports damage after the received bytes, if the transfer failed in the middle of the body. */
static bool
break_off(const struct url_source *u, CURLcode result, uint64_t at, struct err *fault)
{
	struct buf why = BUF_INIT;

	add_failure(u, result, &why);
	err_damage(fault, at, "%s", buf_str(&why));
	buf_release(&why);
	return false;
}

/* ---- redirects ---- */

/* Returns the length of "scheme://host:port". */
static size_t
origin_len(const char *url)
{
	const char *host = strstr(url, "://");

	return host ? (size_t)(host + 3 - url) + strcspn(host + 3, "/?#") : 0;
}

static bool
same_origin(const char *a, const char *b)
{
	size_t n = origin_len(a);

	return n && n == origin_len(b) && !strncasecmp(a, b, n);
}

/* Follows a redirect, if the answer is one; false if it is not. After too many redirects, *fault
 * has a refusal. */
static bool
redirect(struct url_source *u, struct err *fault)
{
	char *to = NULL;
	long status = status_of(u);

	if (!u->follows || status < 300 || status >= 400 ||
	    curl.easy_getinfo(u->easy, CURLINFO_REDIRECT_URL, &to) || !to)
		return false;
	if (++u->redirects > REDIRECTS_MAX) {
		err_refuse(fault, "more than %u redirects", REDIRECTS_MAX);
		return false;
	}
	to = mem_dup(to, strlen(to));
	if (!u->strayed && !same_origin(u->url, to)) {
		u->strayed = true;
		curl.easy_setopt(u->easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	}
	free(u->url);
	u->url = to;
	curl.multi_remove_handle(u->multi, u->easy);
	curl.easy_setopt(u->easy, CURLOPT_URL, u->url);
	curl.multi_add_handle(u->multi, u->easy);
	buf_reset(&u->said);
	u->ended = false;
	return true;
}

/* Waits until bytes are received. Returns false at the end, for whatever reason, and when
 * stopped. */
static bool
fetch(struct url_source *u, struct err *fault)
{
	while (u->at == u->held.len) {
		int running;
		buf_reset(&u->held);
		u->at = 0;
		if (u->ended || (u->watch && atomic_load_explicit(&u->watch->stop,
								  memory_order_relaxed)))
			return false;
		if (u->paused) {
			u->paused = false;
			curl.easy_pause(u->easy, CURLPAUSE_CONT);
		}
		curl.multi_perform(u->multi, &running);
		CURLcode result = result_of(u);
		if (u->ended && !result && redirect(u, fault))
			continue;
		if (err_is_set(fault))
			return false;
		if (u->ended && is_refused(status_of(u)))
			return url_refuse(u, result, fault);
		if (result && u->at == u->held.len)
			return u->given ? break_off(u, result, u->given, fault)
					: url_refuse(u, result, fault);
		if (result) /* reported by the next read, after the bytes before it */
			u->ended = !break_off(u, result, u->given + u->held.len, fault);
		if (running && u->at == u->held.len)
			wait_for_bytes(u);
	}
	return true;
}

static size_t
url_read(struct source *s, void *out, size_t n)
{
	struct url_source *u = (struct url_source *)s;

	if (!fetch(u, &s->fault))
		return 0;
	size_t have = u->held.len - u->at;
	n = n < have ? n : have;
	memcpy(out, u->held.at + u->at, n);
	u->at += n;
	u->given += n;
	if (u->watch)
		atomic_fetch_add_explicit(&u->watch->bytes, n, memory_order_relaxed);
	return n;
}

/* Waits for a slow server as for a pipe. */
static bool
url_ready(struct source *s, int timeout_ms)
{
	struct url_source *u = (struct url_source *)s;
	int running;

	if (u->at < u->held.len || u->ended)
		return true;
	curl.multi_poll(u->multi, NULL, 0, timeout_ms, NULL);
	curl.multi_perform(u->multi, &running);
	return u->at < u->held.len || !running;
}

static void
url_close(struct source *s)
{
	struct url_source *u = (struct url_source *)s;

	curl.multi_remove_handle(u->multi, u->easy);
	curl.easy_cleanup(u->easy);
	curl.multi_cleanup(u->multi);
	curl.slist_free_all(u->headers);
	buf_release_all(&u->held, &u->said);
	free_all(u->reason, u->url, u);
}

static const struct source_ops url_ops = {
	.read = url_read,
	.ready = url_ready,
	.close = url_close,
};

/* Sends a request body: to this server only, and at once. */
static void
set_body(struct url_source *u, const struct url_request *r)
{
	u->error_body = r->said;
	u->failure = r->failure;
	u->follows = !r->body;
	if (!r->body)
		return;
	u->headers = curl.slist_append(u->headers, "Expect:");
	u->headers = curl.slist_append(u->headers, "Content-Type: application/octet-stream");
	curl.easy_setopt(u->easy, CURLOPT_HTTPHEADER, u->headers);
	curl.easy_setopt(u->easy, CURLOPT_POST, 1l);
	curl.easy_setopt(u->easy, CURLOPT_POSTFIELDS, r->body);
	curl.easy_setopt(u->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->len);
}

/* Returns N of `seconds=N`, how long the profiler measures before it answers; 0 if there is
 * none. */
static int
asked_seconds(const char *url)
{
	static const char name[] = "seconds=";

	for (const char *at = strchr(url, '?'); at; at = strchr(at, '&')) {
		at++;
		if (!strncmp(at, name, sizeof name - 1))
			return (int)(strtoul(at + sizeof name - 1, NULL, 10) % 1000000);
	}
	return 0;
}

static void
set_times(struct url_source *u, const struct url_request *r)
{
	int silence = r->silence_s ? r->silence_s : URL_SILENCE_S;

	u->connect_s = silence > 0 && silence < URL_CONNECT_S ? silence : URL_CONNECT_S;
	u->silence_s = silence < 0 ? -1 : silence + (r->silence_s ? 0 : asked_seconds(r->url));
	curl.easy_setopt(u->easy, CURLOPT_CONNECTTIMEOUT, (long)u->connect_s);
	curl.easy_setopt(u->easy, CURLOPT_LOW_SPEED_LIMIT, silence < 0 ? 0l : 1l);
	curl.easy_setopt(u->easy, CURLOPT_LOW_SPEED_TIME, silence < 0 ? 0l : (long)u->silence_s);
}

static void
set_options(struct url_source *u, const struct url_request *r)
{
	CURL *c = u->easy;

	u->url = mem_dup(r->url, strlen(r->url));
	curl.easy_setopt(c, CURLOPT_URL, r->url);
	curl.easy_setopt(c, CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
	curl.easy_setopt(c, CURLOPT_ERRORBUFFER, u->error);
	curl.easy_setopt(c, CURLOPT_NOSIGNAL, 1l);
	curl.easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl.easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0l);
	curl.easy_setopt(c, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	curl.easy_setopt(c, CURLOPT_HEADERFUNCTION, take_header);
	curl.easy_setopt(c, CURLOPT_HEADERDATA, u);
	curl.easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body);
	curl.easy_setopt(c, CURLOPT_WRITEDATA, u);
	set_times(u, r);
	set_body(u, r);
}

struct source *
source_request(const struct url_request *r, struct watch *w, struct err *e)
{
	struct url_source *u;
	curl_off_t length = -1;

	pthread_once(&once, begin_curl);
	if (err_is_set(&unloaded)) {
		err_refuse(e, "%s", unloaded.text);
		return NULL;
	}
	u = mem_zalloc(1, sizeof *u);
	u->base.ops = &url_ops;
	err_init(&u->base.fault);
	u->watch = w;
	u->multi = curl.multi_init();
	u->easy = curl.easy_init();
	if (u->multi && u->easy) {
		set_options(u, r);
		curl.multi_add_handle(u->multi, u->easy);
		fetch(u, &u->base.fault);
	} else {
		err_refuse(&u->base.fault, "libcurl cannot be initialized");
	}
	if (u->base.fault.class == ERR_REFUSED) {
		*e = u->base.fault;
		url_close(&u->base);
		return NULL;
	}
	curl.easy_getinfo(u->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	if (w && length > 0)
		atomic_store(&w->size, (uint64_t)length);
	return &u->base;
}

#else

struct source *
source_request(const struct url_request *r, struct watch *w, struct err *e)
{
	(void)r, (void)w;
	err_refuse(e, "this pnav was built without libcurl, which fetches URLs; curl URL | pnav -");
	return NULL;
}

#endif

/* Returns the part of a URL before the @, `x://WHO@host`; NULL if there is none. */
static const char *
user_of(const char *url, size_t *len)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t scheme = strspn(url, letters);
	const char *host = scheme && !strncmp(url + scheme, "://", 3) ? url + scheme + 3 : NULL;
	const char *sign = host ? memrchr(host, '@', strcspn(host, "/?#")) : NULL;

	if (!sign)
		return NULL;
	*len = (size_t)(sign - host);
	return host;
}

bool
url_has_password(const char *name)
{
	size_t len;
	const char *user = user_of(name, &len);

	return user && memchr(user, ':', len);
}

struct source *
source_url(const char *url, struct watch *w, struct err *e)
{
	struct url_request r = {.url = url, .silence_s = w ? w->silence_s : 0};
	size_t len;

	if (!user_of(url, &len))
		return source_request(&r, w, e);
	err_refuse(e, "no names or passwords in a URL: ~/.netrc is the place for them");
	return NULL;
}
