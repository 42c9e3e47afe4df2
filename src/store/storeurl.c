/* Addresses of stores.  Each parameter is a table row with its target.  Unknown parameters are
 * refused, because ignoring a misspelt filter would show the wrong hosts. */
#include "src/store/storeurl.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <strings.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/mem.h"

#define SCHEME "clickhouse://"
#define PREFIX_MAX 64u
#define ROWS_MAX UINT64_C(1000000000)
#define RETRIES_USUAL 3u
#define RETRIES_MAX 100u

enum kind { KIND_TEXT, KIND_MOMENT, KIND_COUNT, KIND_TRACKS, KIND_LABEL, KIND_PREFIX, KIND_SECURE,
	    KIND_LOG, KIND_RETRIES };
/* The kind of address that has a parameter. */
enum storeurl_of { OF_BOTH, OF_STORE, OF_LOG };

static const struct parameter {
	const char *name;
	enum kind kind;
	size_t at;
	enum storeurl_of of;
} parameters[] = {
	{"service", KIND_TEXT, offsetof(struct store_url, service), OF_STORE},
	{"host", KIND_TEXT, offsetof(struct store_url, host), OF_BOTH},
	{"metric", KIND_TEXT, offsetof(struct store_url, metric), OF_BOTH},
	{"from", KIND_MOMENT, offsetof(struct store_url, from), OF_BOTH},
	{"to", KIND_MOMENT, offsetof(struct store_url, to), OF_BOTH},
	{"rows", KIND_COUNT, offsetof(struct store_url, rows), OF_BOTH},
	{"track", KIND_TRACKS, offsetof(struct store_url, tracks), OF_BOTH},
	{"by", KIND_TRACKS, offsetof(struct store_url, tracks), OF_BOTH},
	{"label", KIND_LABEL, 0, OF_STORE},
	{"tables", KIND_PREFIX, offsetof(struct store_url, tables), OF_STORE},
	{"secure", KIND_SECURE, 0, OF_BOTH},
	{"retries", KIND_RETRIES, 0, OF_BOTH},
	{"trace_log", KIND_LOG, 0, OF_LOG},
	{"type", KIND_TEXT, offsetof(struct store_url, type), OF_LOG},
	{"query", KIND_TEXT, offsetof(struct store_url, query), OF_LOG},
	{"cluster", KIND_TEXT, offsetof(struct store_url, cluster), OF_LOG},
};
#define PARAMETERS (sizeof parameters / sizeof *parameters)

struct storeurl_reading {
	struct store_url *out;
	const char *host; /* with its port */
	size_t host_len;
	bool secure, tracks;
	unsigned seen; /* one bit for each parameter */
};

bool
store_url_is(const char *name)
{
	return !strncasecmp(name, SCHEME, strlen(SCHEME));
}

static int
nibble(char c)
{
	return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
				     : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes %XX; NULL with usage if it is malformed or has a NUL. */
static char *
decoded(const char *at, size_t len, struct err *e)
{
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < len; i++) {
		char c = at[i];
		if (c == '%') {
			int high = i + 2 < len ? nibble(at[i + 1]) : -1;
			int low = high >= 0 ? nibble(at[i + 2]) : -1;
			if (low < 0 || !(high | low)) {
				err_usage(e, "'%.*s' in the address is not %%XX",
					  (int)(len - i < 3 ? len - i : 3), at + i);
				buf_release(&out);
				return NULL;
			}
			c = (char)(high << 4 | low);
			i += 2;
		}
		buf_addc(&out, c);
	}
	return out.at ? out.at : mem_dup("", 0);
}

static bool
set_count(uint64_t *out, const char *text, struct err *e)
{
	static const char units[] = "kMG";
	char *end;
	unsigned long long n = is_digit(*text) ? strtoull(text, &end, 10) : 0;
	const char *unit = n && *end ? strchr(units, *end) : NULL;

	for (const char *u = units; n && n <= ROWS_MAX && unit && u <= unit; u++)
		n *= 1000;
	if (!n || n > ROWS_MAX || (*end && (!unit || end[1])))
		return err_usage(e, "rows=%s is not a number of rows: 500k, 2M", text);
	*out = n;
	return true;
}

static bool
set_tracks(struct store_url *p, const char *text, struct err *e)
{
	static const char *const words[] = {[STORE_BY_HOST] = "host",
					    [STORE_BY_THREAD] = "thread",
					    [STORE_BY_NOTHING] = "none"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i] && !strcmp(words[i], text)) {
			p->tracks = (enum store_tracks)i;
			return true;
		}
	if (strncmp(text, "label:", 6) || !text[6])
		return err_usage(e, "track=%s (or by=) is not host, thread, label:KEY or none",
				 text);
	p->tracks = STORE_BY_LABEL;
	p->label = mem_dup(text + 6, strlen(text + 6));
	return true;
}

/* "version:2", "!version:2", "version:~^2\.", "version" */
static bool
set_label(struct store_url *p, const char *text, struct err *e)
{
	bool not = *text == '!';
	const char *key = text + not, *colon = strchr(key, ':');
	size_t len = colon ? (size_t)(colon - key) : strlen(key);

	if (!len)
		return err_usage(e, "label=%s is not KEY:VALUE, KEY:~RE or KEY, perhaps after !",
				 text);
	*vec_push(&p->where) = (struct store_label){
		.key = mem_dup(key, len),
		.value = colon ? mem_dup(colon + 1, strlen(colon + 1)) : NULL,
		.is_not = not,
	};
	return true;
}

static bool
set_retries(struct store_url *p, const char *text, struct err *e)
{
	char *end;
	unsigned long n = is_digit(*text) ? strtoul(text, &end, 10) : RETRIES_MAX + 1;

	if (n > RETRIES_MAX || *end)
		return err_usage(e, "retries=%s is not a number up to %u", text, RETRIES_MAX);
	p->retries = (unsigned)n;
	return true;
}

static bool
set_prefix(struct store_url *p, const char *text, struct err *e)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t n = strspn(text, good);

	if (text[n] || n > PREFIX_MAX || is_digit(*text))
		return err_usage(e, "tables=%s: names of tables consist of letters, digits and _",
				 text);
	free(p->tables);
	p->tables = mem_dup(text, n);
	return true;
}

/* "", "TABLE", "DB.TABLE" */
static bool
set_log(struct store_url *p, const char *text, struct err *e)
{
	const char *dot = strchr(text, '.');
	const char *table = dot ? dot + 1 : text;
	const char *database = dot ? text : p->database;
	size_t len = dot ? (size_t)(dot - text) : strlen(database);

	if (!*text) {
		database = "system";
		table = "trace_log";
		len = strlen(database);
	}
	if (!len || !*table)
		return err_usage(e, "trace_log=%s is not DATABASE.TABLE", text);
	p->log_database = mem_dup(database, len);
	p->log_table = mem_dup(table, strlen(table));
	return true;
}

static bool
set_parameter(struct storeurl_reading *r, const struct parameter *row, const char *text,
	      struct err *e)
{
	struct store_url *p = r->out;
	void *at = (char *)p + row->at;

	p->asks |= row->kind != KIND_PREFIX && row->kind != KIND_SECURE &&
		   row->kind != KIND_RETRIES;
	switch (row->kind) {
	case KIND_TEXT:
		*(char **)at = mem_dup(text, strlen(text));
		return true;
	case KIND_MOMENT:
		return wallclock_read(at, row->name, text, e);
	case KIND_COUNT:
		return set_count(at, text, e);
	case KIND_TRACKS:
		return set_tracks(p, text, e);
	case KIND_LABEL:
		return set_label(p, text, e);
	case KIND_PREFIX:
		return set_prefix(p, text, e);
	case KIND_LOG:
		return set_log(p, text, e);
	case KIND_RETRIES:
		return set_retries(p, text, e);
	case KIND_SECURE:
		r->secure = !strcmp(text, "yes");
		return r->secure || !strcmp(text, "no") ||
		       err_usage(e, "secure=%s is neither yes nor no", text);
	}
	return false;
}

/* "service=shop" */
static bool
read_parameter(struct storeurl_reading *r, const char *at, size_t len, struct err *e)
{
	const char *equals = memchr(at, '=', len);
	size_t name = equals ? (size_t)(equals - at) : len, i = 0;
	struct buf known = BUF_INIT;

	while (i < PARAMETERS && (strlen(parameters[i].name) != name ||
				  memcmp(parameters[i].name, at, name)))
		i++;
	if (i < PARAMETERS && (equals || parameters[i].kind == KIND_LOG)) {
		bool repeats = parameters[i].kind == KIND_LABEL;
		bool again = r->seen & 1u << i ||
			     (parameters[i].kind == KIND_TRACKS && r->tracks);
		r->tracks |= parameters[i].kind == KIND_TRACKS;
		if (again && !repeats)
			return err_usage(e, "'%s' twice in the address", parameters[i].name);
		r->seen |= 1u << i;
		char *text = equals ? decoded(equals + 1, len - name - 1, e) : mem_dup("", 0);
		bool good = text && set_parameter(r, &parameters[i], text, e);
		free(text);
		return good;
	}
	for (i = 0; i < PARAMETERS; i++)
		buf_addf(&known, "%s%s", i ? ", " : "", parameters[i].name);
	err_usage(e, "no '%.*s' in an address of a store: there is %s=", (int)name, at,
		  buf_str(&known));
	buf_release(&known);
	return false;
}

/* True for a name, or a number in [], perhaps with a port. */
static bool
is_host(const char *at, size_t len)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
	size_t n = 0;

	if (len && *at == '[') {
		while (n < len && at[n] != ']')
			n++;
		if (n++ == len || n == 2 || strspn(at + 1, "0123456789abcdefABCDEF:.") != n - 2)
			return false;
	} else {
		while (n < len && strchr(good, at[n]))
			n++;
	}
	size_t digits = n;
	while (n < len && n > 0 && (n == digits ? at[n] == ':' : is_digit(at[n])))
		n++;
	return n && n == len && digits && n - digits != 1 && n - digits < 7;
}

static bool
has_port(const char *at, size_t len)
{
	return len && is_digit(at[len - 1]) && memrchr(at, ':', len) &&
	       (*at != '[' || memrchr(at, ':', len) > memchr(at, ']', len));
}

/* [USER@]HOST[:PORT] */
static bool
read_authority(struct storeurl_reading *r, const char *at, size_t len, struct err *e)
{
	const char *sign = memrchr(at, '@', len);
	size_t user = sign ? (size_t)(sign - at) : 0;

	if (sign && memchr(at, ':', user))
		return err_usage(e, "no passwords in an address: put them into ~/.netrc");
	if (sign && !(r->out->user = decoded(at, user, e)))
		return false;
	r->host = sign ? sign + 1 : at;
	r->host_len = len - (size_t)(r->host - at);
	return is_host(r->host, r->host_len) ||
	       err_usage(e, "'%.*s' is not HOST[:PORT]", (int)r->host_len, r->host);
}

static bool
read_address(struct storeurl_reading *r, const char *url, struct err *e)
{
	const char *at = url + strlen(SCHEME);
	size_t authority = strcspn(at, "/?#");
	const char *path = at + authority + (at[authority] == '/');
	size_t len = strcspn(path, "?#");

	if (!read_authority(r, at, authority, e))
		return false;
	if (at[authority] != '/' || !len || memchr(path, '/', len))
		return err_usage(e, "which database? " SCHEME "HOST/DATABASE");
	if (path[len] == '#' || strchr(path + len, '#'))
		return err_usage(e, "no '#' in an address of a store: it is %%23 in a value");
	if (!(r->out->database = decoded(path, len, e)))
		return false;
	for (const char *p = path + len; *p; p += strcspn(p, "&")) {
		p++; /* the ? or & */
		if (*p && *p != '&' && !read_parameter(r, p, strcspn(p, "&"), e))
			return false;
	}
	return true;
}

/* Refuses parameters of a store in an address of a trace log, and the other way round. */
static bool
storeurl_fits(const struct storeurl_reading *r, struct err *e)
{
	bool log = r->out->log_table;

	for (size_t i = 0; i < PARAMETERS; i++)
		if (r->seen & 1u << i && parameters[i].of == (log ? OF_STORE : OF_LOG))
			return err_usage(e, log ? "%s= selects in a store, not in a trace log"
						: "%s= needs trace_log", parameters[i].name);
	return true;
}

bool
store_url_read(struct store_url *p, const char *url, struct err *e)
{
	struct storeurl_reading r = {.out = p};
	struct buf origin = BUF_INIT;

	*p = (struct store_url){
		.tables = mem_dup(STORE_TABLES_USUAL, sizeof STORE_TABLES_USUAL - 1),
		.retries = RETRIES_USUAL};
	if (!read_address(&r, url, e) || !storeurl_fits(&r, e)) {
		store_url_release(p);
		return false;
	}
	buf_adds(&origin, r.secure ? "https://" : "http://");
	buf_add(&origin, r.host, r.host_len);
	if (!has_port(r.host, r.host_len))
		buf_adds(&origin, r.secure ? ":8443" : ":8123");
	p->origin = origin.at;
	if (p->log_table && !r.tracks)
		p->tracks = STORE_BY_THREAD;
	return true;
}

static void
add_moment(struct buf *out, const char *name, int64_t ns)
{
	int64_t below = ns % 1000000000;

	below += below < 0 ? 1000000000 : 0;
	time_t seconds = (time_t)((ns - below) / 1000000000);
	struct tm t;
	char text[32];
	if (!below && gmtime_r(&seconds, &t) &&
	    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &t)) {
		buf_addf(out, "%s=%s", name, text);
		return;
	}
	buf_addf(out, "%s=@%lld.%09lld", name, (long long)((ns - below) / 1000000000),
		 (long long)below);
}

static void
add_encoded(struct buf *out, const char *text)
{
	for (; *text; text++)
		if (strchr("%&#+ ", *text) || (unsigned char)*text < ' ')
			buf_addf(out, "%%%02X", (unsigned char)*text);
		else
			buf_addc(out, *text);
}

static bool
is_parameter(const char *at, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len > n && !memcmp(at, name, n) && at[n] == '=';
}

void
store_url_narrow(const char *url, int64_t from, int64_t to, const char *hosts, struct buf *out)
{
	size_t address = strcspn(url, "?");

	buf_add(out, url, address);
	buf_addc(out, '?');
	for (const char *p = url + address; *p; p += strcspn(p, "&")) {
		p++;
		size_t len = strcspn(p, "&");
		if (!len || is_parameter(p, len, "from") || is_parameter(p, len, "to") ||
		    (hosts && is_parameter(p, len, "host")))
			continue;
		buf_add(out, p, len);
		buf_addc(out, '&');
	}
	add_moment(out, "from", from);
	buf_addc(out, '&');
	add_moment(out, "to", to);
	if (!hosts)
		return;
	buf_adds(out, "&host=~");
	add_encoded(out, hosts);
}

void
store_url_title(const char *url, struct buf *out)
{
	static const char *const names[] = {"from", "to", "service", "label", "host"};
	size_t begin = out->len;

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		for (const char *p = url + strcspn(url, "?"); *p; p += strcspn(p, "&")) {
			p++;
			size_t len = strcspn(p, "&"), name = strlen(names[i]) + 1;
			if (!is_parameter(p, len, names[i]))
				continue;
			if (out->len > begin || i == 1)
				buf_adds(out, i == 1 ? ".." : " ");
			buf_add(out, p + name, len - name);
		}
}

void
store_url_choose(const char *url, const char *service, const char *key, const char *value,
		 struct buf *out)
{
	buf_addf(out, "%s%cservice=", url, strchr(url, '?') ? '&' : '?');
	add_encoded(out, service);
	if (!key)
		return;
	buf_adds(out, "&label=");
	add_encoded(out, key);
	buf_addc(out, ':');
	add_encoded(out, value);
}

void
store_url_release(struct store_url *p)
{
	free(p->origin);
	free(p->database);
	free(p->user);
	free(p->tables);
	free(p->service);
	free(p->host);
	free(p->metric);
	free(p->label);
	free(p->log_database);
	free(p->log_table);
	free(p->type);
	free(p->query);
	free(p->cluster);
	for (size_t i = 0; i < p->where.n; i++) {
		free(p->where.at[i].key);
		free(p->where.at[i].value);
	}
	vec_release(&p->where);
	*p = (struct store_url){0};
}
