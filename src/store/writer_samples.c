/* Rows of samples and of their sums.  The common beginning of the rows of a metric or track is
 * built once.  A portion contains one metric after the other: if it is sorted like the table, the
 * server needs a third less time. */
#include "src/store/writer_inside.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "src/store/events.h"

static const struct buf *
metric_columns(struct writing *w, metric_id m)
{
	const struct metric *metric = &w->shown.p->metric[m];
	struct buf *out = &w->metric[m];

	if (!out->len) {
		put_words(out, w->job->service);
		put_name(w, out, metric->name);
		put_words(out, unit_name((enum unit)metric->unit));
		rowout_whole(out, metric->decimals, 1);
		put_words(out, w->job->host);
		buf_add(out, w->profile, SCHEMA_HASH);
	}
	return out;
}

static const struct buf *
track_columns(struct writing *w, track_id track)
{
	const struct track *t = &w->shown.p->track[track];

	if (w->track_of != track) {
		buf_reset(&w->track);
		put_name(w, &w->track,
			 t->under == PROCESS_NONE
				 ? NAME_EMPTY
				 : w->shown.p->process[t->under].name);
		put_name(w, &w->track, t->name);
		w->track_of = track;
	}
	return &w->track;
}

static void
note_labels(struct writing *w, metric_id m, labels_id set)
{
	uint32_t n = 0;

	if (w->labelled)
		labels_get(&w->shown.p->labels, set, &n);
	if (w->most[m] < n + 1)
		w->most[m] = n + 1;
}

/* Writes five arrays of one length. */
static const struct buf *
label_columns(struct writing *w, labels_id set)
{
	const struct profile *p = w->shown.p;
	struct buf *out = &w->labels[set], value = BUF_INIT;
	uint32_t n;
	const label_id *id = labels_get(&p->labels, set, &n);

	if (out->len)
		return out;
	rowout_length(out, n);
	for (uint32_t i = 0; i < n; i++)
		put_name(w, out, p->labels.label[id[i]].key);
	rowout_length(out, n);
	for (uint32_t i = 0; i < n; i++) {
		buf_reset(&value);
		label_write_value(&value, &p->names, &p->labels.label[id[i]]);
		rowout_text(out, value.at, value.len);
	}
	rowout_length(out, n);
	for (uint32_t i = 0; i < n; i++)
		rowout_whole(out, p->labels.label[id[i]].is_number, 1);
	rowout_length(out, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct label *l = &p->labels.label[id[i]];
		rowout_whole(out, l->is_number ? (uint64_t)l->number : 0, 8);
	}
	rowout_length(out, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct label *l = &p->labels.label[id[i]];
		put_name(w, out, l->is_number ? l->unit : NAME_EMPTY);
	}
	buf_release(&value);
	return out;
}

static bool
send_rows(struct writing *w)
{
	for (uint32_t i = 0; i < w->shown.p->n_metrics; i++) {
		struct buf *rows = &w->rows[w->order[i]];
		if (rows->len)
			buf_add(&w->out.rows, rows->at, rows->len);
		buf_reset(rows);
	}
	w->out.n += w->n_waiting;
	w->waiting = w->n_waiting = 0;
	return rowout_send(&w->out);
}

static bool
sample_row(void *ctx, const struct events_row *row)
{
	struct writing *w = ctx;
	struct buf *out = &w->rows[row->metric];
	size_t was = out->len;
	const struct buf *columns = metric_columns(w, row->metric);
	int64_t at = sum_clipped(w->job->start, row->time);

	at = at < 0 ? 0 : at;
	buf_add(out, columns->at, columns->len);
	columns = track_columns(w, row->track);
	sums_add(&w->sums, row, at);
	note_labels(w, row->metric, row->labels);
	buf_add(out, columns->at, columns->len);
	rowout_whole(out, (uint64_t)(at / SECOND), 4);
	rowout_whole(out, (uint64_t)(at % SECOND), 4);
	rowout_whole(out, row->stack, 8);
	rowout_whole(out, (uint64_t)row->value, 8);
	rowout_whole(out, (uint64_t)row->samples, 8);
	if (w->labelled) {
		columns = label_columns(w, row->labels);
		buf_add(out, columns->at, columns->len);
	}
	w->waiting += out->len - was;
	w->n_waiting++;
	return w->waiting < ROWOUT_PORTION || send_rows(w);
}

/* Sorts metrics by the bytes of their names. */
static metric_id *
metrics_in_order(const struct profile *p)
{
	metric_id *order = mem_alloc((size_t)p->n_metrics + 1, sizeof *order);

	for (metric_id m = 0; m < p->n_metrics; m++) {
		const char *name = names_get(&p->names, p->metric[m].name).at;
		uint32_t i = m;
		for (; i && strcmp(names_get(&p->names, p->metric[order[i - 1]].name).at, name) > 0;
		     i--)
			order[i] = order[i - 1];
		order[i] = m;
	}
	return order;
}

bool
writer_samples(struct writing *w, struct writer_counts *counts, struct err *e)
{
	const struct profile *p = w->shown.p;
	struct store_events x = {.shown = &w->shown,
				 .paths = &w->paths,
				 .start = w->job->start,
				 .row = sample_row,
				 .ctx = w,
				 .fault = &w->fault};

	x.grid = events_grid(shown_length(&w->shown));
	w->metric = mem_zalloc((size_t)p->n_metrics + 1, sizeof *w->metric);
	w->rows = mem_zalloc((size_t)p->n_metrics + 1, sizeof *w->rows);
	w->order = metrics_in_order(p);
	w->labels = mem_zalloc((size_t)p->labels.n_sets + 1, sizeof *w->labels);
	w->labelled = p->labels.n_sets > 1;
	w->track_of = TRACK_NONE;
	rowout_open(&w->out, w->job->url, SCHEMA_SAMPLES,
		    w->labelled ? "service, metric, unit, decimals, host, profile, process, track, "
				  "time, time_ns, stack, value, samples, labels.key, labels.value, "
				  "labels.is_number, labels.number, labels.unit"
				: "service, metric, unit, decimals, host, profile, process, track, "
				  "time, time_ns, stack, value, samples");
	bool good = events_walk(&x) && send_rows(w);
	if (err_is_set(&w->fault))
		*e = w->fault;
	good = rowout_close(&w->out, good, e) && good;
	w->unsure |= w->out.rows_there == CLICKHOUSE_UNSURE;
	counts->samples = w->out.n;
	for (uint32_t m = 0; m < p->n_metrics; m++) {
		buf_release(&w->metric[m]);
		buf_release(&w->rows[m]);
	}
	for (uint32_t i = 0; i < p->labels.n_sets; i++)
		buf_release(&w->labels[i]);
	buf_release(&w->track);
	free(w->metric);
	free(w->rows);
	free(w->order);
	free(w->labels);
	return good;
}

/* ---- sums ---- */

static bool
sum_row(const struct writing *w, struct rowout *to, metric_id metric, const struct sum *sum,
	int64_t value, uint64_t events)
{
	struct buf *out = &to->rows;

	put_words(out, w->job->service);
	put_name(w, out, w->shown.p->metric[metric].name);
	put_words(out, w->job->host);
	buf_add(out, w->profile, SCHEMA_HASH);
	rowout_whole(out, (uint64_t)(first_moment(w) / SECOND), 4);
	rowout_whole(out, sum->stack, 8);
	rowout_whole(out, (uint64_t)value, 8);
	rowout_whole(out, events, 8);
	rowout_whole(out, (uint64_t)sum->first, 8);
	rowout_whole(out, (uint64_t)sum->last, 8);
	return rowout_end(to);
}

bool
writer_sums(struct writing *w, struct err *e)
{
	metric_id counted = events_counted(w->shown.p);
	struct rowout out;
	bool sends = true;

	rowout_open(&out, w->job->url, SCHEMA_SUMS,
		    "service, metric, host, profile, start, stack, value, events, first, last");
	for (size_t i = 0; sends && i < w->sums.at.n; i++) {
		const struct sum *sum = &w->sums.at.at[i];
		sends = sum_row(w, &out, sum->metric, sum, sum->value, sum->events);
		if (!sum->counted || sum->metric == counted)
			continue;
		sends = sends && sum_row(w, &out, counted, sum, sum->samples, sum->counted);
		w->most[counted] = w->most[counted] > w->most[sum->metric] ? w->most[counted]
									   : w->most[sum->metric];
	}
	bool good = rowout_close(&out, sends, e);
	w->unsure |= out.rows_there == CLICKHOUSE_UNSURE;
	return good;
}
