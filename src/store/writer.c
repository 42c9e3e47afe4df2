/* Samples and stacks are written first, and the row in the table of profiles last, which makes them
 * visible.  Each upload has its own id, so rows of an interrupted one belong to no profile, and
 * stay until their day is dropped.
 *
 * Stacks that the service already has are not sent again.  Each costs eight bytes of the server's
 * list, and saves its names in each profile of each host. */
#include "src/store/writer_inside.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "model/base/mem.h"
#include "src/encode/shown_stacks.h"
#include "src/input/hash.h"
#include "src/store/clickhouse.h"
#include "src/store/events.h"

static void
put_hex(struct buf *out, const unsigned char hash[SCHEMA_HASH])
{
	for (unsigned i = 0; i < SCHEMA_HASH; i++)
		buf_addf(out, "%02X", hash[i]);
}

bool
writer_there(const struct writer_job *job, bool *there, struct err *e)
{
	unsigned char content[SCHEMA_HASH];
	struct buf sql = BUF_INIT;
	uint64_t n = 0;

	content_find(job, content);
	buf_adds(&sql, "SELECT count() FROM ");
	schema_name(&sql, job->url, SCHEMA_PROFILES);
	buf_adds(&sql, " WHERE service = ");
	clickhouse_quote(&sql, job->service, strlen(job->service));
	buf_adds(&sql, " AND hex(content) = '");
	put_hex(&sql, content);
	buf_adds(&sql, "'");
	bool good = clickhouse_number(job->url, buf_str(&sql), 8, NULL, &n, e);
	*there = n > 0;
	buf_release(&sql);
	return good;
}

/* ---- stacks ---- */

struct writer_known {
	VEC(uint64_t) hash;
	struct map map;
};

static bool
is_known(const struct writer_known *k, uint64_t hash)
{
	uint32_t slot = map_first(&k->map, hash), i;

	while (map_probe(&k->map, &slot, hash, &i))
		if (k->hash.at[i] == hash)
			return true;
	return false;
}

/* Asks for the stacks that the service has. */
static bool
ask_known(const struct writing *w, struct writer_known *k, struct err *e)
{
	struct buf sql = BUF_INIT;
	struct rowbin a;

	buf_adds(&sql, "SELECT stack FROM ");
	schema_name(&sql, w->job->url, SCHEMA_STACKS);
	buf_adds(&sql, " WHERE service = ");
	clickhouse_quote(&sql, w->job->service, strlen(w->job->service));
	bool good = rowbin_open(&a, w->job->url, buf_str(&sql), NULL, e);
	buf_release(&sql);
	if (!good)
		return false;
	while (rowbin_next(&a)) {
		uint64_t hash = rowbin_whole(&a, 8);
		if (is_known(k, hash))
			continue;
		map_insert(&k->map, hash, (uint32_t)k->hash.n);
		*vec_push(&k->hash) = hash;
	}
	return rowbin_close(&a, e);
}

static bool
writer_write_stacks(struct writing *w, struct writer_counts *counts, struct err *e)
{
	struct writer_known known = {.map = {0}};
	struct rowout out;

	map_init(&known.map);
	bool good = ask_known(w, &known, e), sends = good;
	if (good) {
		rowout_open(&out, w->job->url, SCHEMA_STACKS,
			    "service, stack, functions, files, modules, lines, kinds, defined, "
			    "clauses, address, builds");
		out.same = true; /* readers take one row of each stack */
		for (size_t i = 0; sends && i < w->paths.used.n; i++) {
			if (is_known(&known, paths_used(&w->paths, i)))
				continue;
			put_words(&out.rows, w->job->service);
			paths_row(&w->paths, i, &out.rows);
			sends = rowout_end(&out);
		}
		good = rowout_close(&out, sends, e);
		counts->new_stacks = out.n;
	}
	counts->stacks = w->paths.used.n;
	vec_release(&known.hash);
	map_release(&known.map);
	return good;
}

/* ---- the profile ---- */

/* Writes the metrics that have rows, as four arrays. */
static void
put_metrics(const struct writing *w, struct buf *out)
{
	const struct profile *p = w->shown.p;
	size_t n = 0;

	for (metric_id m = 0; m < p->n_metrics; m++)
		n += w->most[m] > 0;
	for (unsigned column = 0; column < 4; column++) {
		rowout_length(out, n);
		for (metric_id m = 0; m < p->n_metrics; m++) {
			if (!w->most[m])
				continue;
			if (column == 0)
				put_name(w, out, p->metric[m].name);
			else if (column == 1)
				put_words(out, unit_name((enum unit)p->metric[m].unit));
			else if (column == 2)
				rowout_whole(out, p->metric[m].decimals, 1);
			else
				rowout_whole(out, w->most[m] - 1, 4);
		}
	}
}

static bool
write_profile(struct writing *w, const struct writer_counts *counts, struct err *e)
{
	const struct writer_job *job = w->job;
	const struct profile *p = w->shown.p;
	const struct fold *f = w->shown.fold;
	struct writer_label *label = content_labels(job);
	unsigned char content[SCHEMA_HASH];
	int64_t start = first_moment(w);
	struct rowout out;

	rowout_open(
		&out, job->url, SCHEMA_PROFILES,
		"profile, content, service, host, start, start_ns, duration_ns, format, metric, "
		"file, samples, metrics.name, metrics.unit, metrics.decimals, metrics.labels, "
		"labels.key, labels.value, stored");
	content_find(job, content);
	buf_add(&out.rows, w->profile, SCHEMA_HASH);
	buf_add(&out.rows, content, SCHEMA_HASH);
	put_words(&out.rows, job->service);
	put_words(&out.rows, job->host);
	rowout_whole(&out.rows, (uint64_t)(start / SECOND), 4);
	rowout_whole(&out.rows, (uint64_t)(start % SECOND), 4);
	rowout_whole(&out.rows, (uint64_t)shown_length(&w->shown), 8);
	put_name(w, &out.rows, p->n_groups ? p->group[0].format : NAME_EMPTY);
	put_name(w, &out.rows, p->n_metrics ? p->metric[f->metric].name : NAME_EMPTY);
	put_words(&out.rows, job->file);
	rowout_whole(&out.rows, counts->samples, 8);
	put_metrics(w, &out.rows);
	rowout_length(&out.rows, job->n_labels);
	for (size_t i = 0; i < job->n_labels; i++)
		put_words(&out.rows, label[i].key);
	rowout_length(&out.rows, job->n_labels);
	for (size_t i = 0; i < job->n_labels; i++)
		put_words(&out.rows, label[i].value);
	rowout_whole(&out.rows, (uint64_t)time(NULL), 4);
	rowout_end(&out);
	free(label);
	bool good = rowout_close(&out, true, e);
	w->unsure = out.rows_there == CLICKHOUSE_UNSURE;
	return good;
}

/* True in *there if the row of this upload is in the table of profiles. */
static bool
ask_profile(const struct writing *w, bool *there, struct err *e)
{
	struct buf sql = BUF_INIT;
	uint64_t n = 0;

	buf_adds(&sql, "SELECT count() FROM ");
	schema_name(&sql, w->job->url, SCHEMA_PROFILES);
	buf_adds(&sql, " WHERE service = ");
	clickhouse_quote(&sql, w->job->service, strlen(w->job->service));
	buf_adds(&sql, " AND hex(profile) = '");
	put_hex(&sql, w->profile);
	buf_adds(&sql, "'");
	bool good = clickhouse_number(w->job->url, buf_str(&sql), 8, NULL, &n, e);
	*there = n > 0;
	buf_release(&sql);
	return good;
}

/* Makes the upload visible.  If the connection ends within that insert, a query shows whether the
 * server has the row: a second one would count the profile twice in lists. */
static bool
writer_publish(struct writing *w, const struct writer_counts *counts, struct err *e)
{
	for (unsigned i = 0;; i++) {
		struct err fault;
		bool there = false;
		err_init(&fault);
		if (write_profile(w, counts, e))
			return true;
		if (!w->unsure || !clickhouse_pause(w->job->url, i, NULL) ||
		    !ask_profile(w, &there, &fault))
			return false;
		err_init(e);
		if (there)
			return true;
	}
}

static bool
open_shown(const struct writer_job *job, struct shown *s, struct paths *paths, struct err *e)
{
	struct lens l;
	bool recorded = job->lens->by == BY_FUNCTION && shown_stacks_kept(job->lens);

	lens_copy(&l, job->lens);
	l.invert = false;
	if (l.by == BY_FUNCTION && !recorded)
		l.by = BY_ADDRESS;
	struct encode_job shows = {.profile = job->profile, .lens = &l, .warn = job->warn,
				   .ctx = job->ctx, .events = job->events, .fold = job->fold};
	bool good = shown_open(s, &shows, 0, e);
	lens_release(&l);
	if (good)
		paths_init(paths, s, recorded);
	return good;
}

static bool
fits_clock(const struct writer_job *job, int64_t length, struct err *e)
{
	const int64_t most = (INT64_C(1) << 32) * SECOND;

	if (job->start >= 0 && job->start < most && length < most - job->start)
		return true;
	return err_refuse(
		e,
		"it was recorded before 1970 or after 2105, which the store cannot represent: "
		"--at sets the time");
}

static bool
make_id(struct writing *w, struct err *e)
{
	unsigned char seed[2 * SCHEMA_HASH];

	content_find(w->job, seed);
	if (getentropy(seed + SCHEMA_HASH, SCHEMA_HASH))
		return err_refuse(e, "the system has no random numbers");
	struct hash128 h = hash128(seed, sizeof seed);
	content_put(w->profile, h.high, h.low);
	return true;
}

/* Sends samples and sums under a new id.  If the connection ended within an insert, the server has
 * an unknown part of it; the rows of that id stay invisible, and all are sent again under another
 * one. */
static bool
writer_numbers(struct writing *w, struct writer_counts *counts, struct err *e)
{
	size_t metrics = (size_t)w->job->profile->n_metrics + 1;

	for (unsigned i = 0;; i++) {
		*counts = (struct writer_counts){0};
		memset(w->most, 0, metrics * sizeof *w->most);
		sums_init(&w->sums);
		w->unsure = false;
		bool good = make_id(w, e) && writer_samples(w, counts, e) && writer_sums(w, e);
		sums_release(&w->sums);
		if (good || !w->unsure || !clickhouse_pause(w->job->url, i, NULL))
			return good;
		err_init(e);
		err_init(&w->fault);
	}
}

bool
writer_store(const struct writer_job *job, struct writer_counts *counts, struct err *e)
{
	struct writing w = {.job = job};

	*counts = (struct writer_counts){0};
	err_init(&w.fault);
	if (!open_shown(job, &w.shown, &w.paths, e))
		return false;
	w.most = mem_zalloc((size_t)job->profile->n_metrics + 1, sizeof *w.most);
	bool good = fits_clock(job, shown_length(&w.shown), e) && writer_numbers(&w, counts, e) &&
		    writer_write_stacks(&w, counts, e) && writer_publish(&w, counts, e);
	free(w.most);
	paths_release(&w.paths);
	shown_close(&w.shown);
	return good;
}

/* ---- inputs that cannot be read again ---- */

static bool
hash_row(void *ctx, const struct events_row *row)
{
	struct hash128 *all = ctx;
	uint64_t numbers[] = {all->low, all->high, row->track, row->metric, (uint64_t)row->time,
			      row->stack, (uint64_t)row->value, (uint64_t)row->samples,
			      row->labels};

	*all = hash128(numbers, sizeof numbers);
	return true;
}

bool
writer_rows(struct writer_job *job, struct err *e)
{
	struct shown s;
	struct paths paths;
	struct err fault;

	if (!open_shown(job, &s, &paths, e))
		return false;
	err_init(&fault);
	struct hash128 all = {0};
	struct store_events x = {.shown = &s,
				 .paths = &paths,
				 .row = hash_row,
				 .ctx = &all,
				 .fault = &fault,
				 .grid = SECOND};
	bool good = events_walk(&x);
	if (!good)
		*e = fault;
	content_put(job->source, all.high, all.low);
	paths_release(&paths);
	shown_close(&s);
	return good;
}
