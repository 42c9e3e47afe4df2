/* held.c - see held.h.
 *
 * The queries are sent for each service, since periods (periods.h) belong to a service: with them
 * they need not read the row of each profile.  The server knows bytes for whole
 * tables alone, and shows them only to users who may read system.parts: a service gets the share of
 * its samples, and nothing if there is no number. */
#include "src/store/held.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/store/clickhouse.h"
#include "src/store/periods.h"
#include "src/store/question.h"
#include "src/store/ttl.h"
#include "src/store/version.h"

#define SECOND INT64_C(1000000000)

struct held_names {
	VEC(char *) at;
};

/* Appends the names of an array, separated by commas, and ... if there are more. */
static void
add_names(struct rowbin *a, uint64_t all, struct buf *out)
{
	struct buf text = BUF_INIT;
	size_t n = rowbin_count(a);

	for (size_t i = 0; i < n && !err_is_set(&a->fault); i++) {
		rowbin_text(a, &text);
		buf_addf(out, "%s%s", i ? ", " : "", buf_str(&text));
	}
	if (n < all)
		buf_adds(out, ", ...");
	buf_release(&text);
}

static bool
read_services(struct store_held *h, const struct question *q, struct err *e)
{
	struct buf sql = BUF_INIT;
	struct rowbin a;

	question_held(q, &sql);
	bool good = rowbin_open(&a, q->url, buf_str(&sql), NULL, e);
	buf_release(&sql);
	if (!good)
		return false;
	while (rowbin_next(&a)) {
		struct held_service *s = vec_push(&h->service);
		*s = (struct held_service){0};
		rowbin_text(&a, &s->name);
		s->profiles = rowbin_whole(&a, 8);
		s->samples = rowbin_whole(&a, 8);
		s->from = rowbin_signed(&a);
		s->to = rowbin_signed(&a);
		s->stored = (int64_t)rowbin_whole(&a, 4) * SECOND;
		s->n_hosts = rowbin_whole(&a, 8);
		add_names(&a, s->n_hosts, &s->hosts);
	}
	return rowbin_close(&a, e);
}

/* Adds the row's label; of a key with too many values it marks the last one that is listed. */
static void
add_label(struct held_service *s, struct held_label *l, uint64_t *of_key)
{
	struct held_label *last = s && s->labels.n ? &s->labels.at[s->labels.n - 1] : NULL;
	bool same = last && !strcmp(buf_str(&last->key), buf_str(&l->key));

	*of_key = same ? *of_key + 1 : 1;
	if (s && *of_key <= QUESTION_NAMES) {
		*vec_push(&s->labels) = *l;
		return;
	}
	if (same)
		last->cut = true;
	buf_release(&l->key);
	buf_release(&l->value);
}

static bool
read_labels(struct store_held *h, const struct question *q, struct err *e)
{
	struct buf sql = BUF_INIT, service = BUF_INIT;
	struct rowbin a;
	uint64_t of_key = 0;
	size_t at = 0;

	question_held_labels(q, &sql);
	bool good = rowbin_open(&a, q->url, buf_str(&sql), NULL, e);
	buf_release(&sql);
	if (!good)
		return false;
	while (rowbin_next(&a)) {
		struct held_label l = {.cut = false};
		rowbin_text(&a, &service);
		rowbin_text(&a, &l.key);
		rowbin_text(&a, &l.value);
		l.profiles = rowbin_whole(&a, 8);
		l.samples = rowbin_whole(&a, 8);
		l.from = rowbin_signed(&a);
		l.to = rowbin_signed(&a);
		l.hosts = rowbin_whole(&a, 8);
		while (at < h->service.n &&
		       strcmp(buf_str(&h->service.at[at].name), buf_str(&service)) < 0)
			at++;
		bool is = at < h->service.n && !strcmp(buf_str(&h->service.at[at].name),
						       buf_str(&service));
		add_label(is ? &h->service.at[at] : NULL, &l, &of_key);
	}
	buf_release(&service);
	return rowbin_close(&a, e);
}

void
held_labels_text(const struct held_service *s, struct buf *out)
{
	const char *key = NULL;

	for (size_t i = 0; i < s->labels.n; i++) {
		const struct held_label *l = &s->labels.at[i];
		if (key && !strcmp(key, buf_str(&l->key)))
			buf_adds(out, ", ");
		else
			buf_addf(out, "%s%s=", key ? "; " : "", buf_str(&l->key));
		buf_adds(out, buf_str(&l->value));
		buf_adds(out, l->cut ? ", ..." : "");
		key = buf_str(&l->key);
	}
}

/* Leaves the sizes 0 if the user may not know them. */
static void
read_bytes(struct store_held *h, const struct question *q)
{
	struct buf sql = BUF_INIT;
	double samples = 0;
	struct err e;

	err_init(&e);
	question_held_bytes(q, &sql);
	if (!clickhouse_number(q->url, buf_str(&sql), 8, NULL, &h->bytes, &e))
		h->bytes = 0;
	buf_release(&sql);
	for (size_t i = 0; i < h->service.n; i++)
		samples += (double)h->service.at[i].samples;
	for (size_t i = 0; samples > 0 && i < h->service.n; i++)
		h->service.at[i].bytes = (uint64_t)((double)h->bytes / samples *
						    (double)h->service.at[i].samples);
}

/* Reads the names of the services with selected hosts. */
static bool
read_names(struct held_names *names, const struct question *q, struct err *e)
{
	struct buf sql = BUF_INIT, text = BUF_INIT;
	struct rowbin a;

	question_held_services(q, &sql);
	bool good = rowbin_open(&a, q->url, buf_str(&sql), NULL, e);
	buf_release(&sql);
	if (!good)
		return false;
	while (rowbin_next(&a)) {
		rowbin_text(&a, &text);
		*vec_push(&names->at) = mem_dup(buf_str(&text), text.len);
	}
	buf_release(&text);
	return rowbin_close(&a, e);
}

static bool
read_service(struct store_held *h, const struct store_url *url, char *name, int64_t now,
	     struct err *e)
{
	struct store_url one = *url;
	struct periods periods;
	struct question q;

	one.service = name;
	question_init(&q, &one, now);
	bool good = periods_select(&periods, &q, NULL, e) && read_services(h, &q, e) &&
		    read_labels(h, &q, e);
	periods_release(&periods);
	return good;
}

bool
held_read(struct store_held *h, const struct store_url *url, int64_t now, struct err *e)
{
	struct held_names names = {VEC_INIT};
	struct question q;
	bool any;

	*h = (struct store_held){.bytes = 0};
	question_init(&q, url, now);
	if (!version_check(url, NULL, &any, e))
		return false;
	if (!any)
		return true;
	bool good = read_names(&names, &q, e);
	for (size_t i = 0; i < names.at.n; i++) {
		good = good && read_service(h, url, names.at.at[i], now, e);
		free(names.at.at[i]);
	}
	vec_release(&names.at);
	if (!good)
		return false;
	read_bytes(h, &q);
	struct err unknown; /* to users who may not read system.tables */
	err_init(&unknown);
	ttl_read(url, NULL, &h->ttl, &unknown);
	return true;
}

void
held_release(struct store_held *h)
{
	for (size_t i = 0; i < h->service.n; i++) {
		struct held_service *x = &h->service.at[i];
		buf_release(&x->name);
		buf_release(&x->hosts);
		for (size_t k = 0; k < x->labels.n; k++) {
			buf_release(&x->labels.at[k].key);
			buf_release(&x->labels.at[k].value);
		}
		vec_release(&x->labels);
	}
	vec_release(&h->service);
	buf_release(&h->ttl);
}
