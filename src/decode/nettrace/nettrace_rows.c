/* The samples of a nettrace, which wait for the end of the file.
 *
 * A row is a byte of flags and numbers of 7 bits a byte, lowest first; what is as in the row before
 * of the thread is not repeated, so most rows take five bytes:
 *
 *	1 another stack   2 other labels   4 another value     then the difference of ticks, signed,
 *	and the stack, labels and value that the flags name */
#include "src/decode/nettrace/nettrace_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/wide.h"

#define ROW_MAX 40u /* bytes */
#define SECOND 1000000000
#define BREATH 65536u /* rows between two calls of input_breathe() */

enum { ROW_STACK = 1, ROW_LABELS = 2, ROW_VALUE = 4 };

void
nettrace_rows_release(struct nettrace_rows *r)
{
	for (size_t i = 0; i < r->stream.n; i++)
		free(r->stream.at[i].at);
	vec_release_all(&r->stream, &r->measure);
	idmap_release_all(&r->measure_of, &r->stream_of);
}

uint32_t
nettrace_measure_named(struct nettrace_rows *r, name_id name)
{
	uint32_t at;

	if (idmap_add(&r->measure_of, name, r->measure.n, &at))
		*vec_push(&r->measure) = name;
	return NETTRACE_MEASURES + at;
}

/* ---- packing ---- */

static uint8_t *
number_put(uint8_t *at, uint64_t v)
{
	for (; v > 127; v >>= 7)
		*at++ = (uint8_t)(v | 128);
	*at++ = (uint8_t)v;
	return at;
}

static uint64_t
zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static uint32_t
stream_of(struct nettrace *d, uint32_t thread, uint32_t measure)
{
	struct nettrace_rows *r = &d->rows;
	uint32_t *known = &d->threads.at.at[thread].stream[measure % NETTRACE_MEASURES], at;

	if (measure < NETTRACE_MEASURES && *known != NETTRACE_NONE)
		return *known;
	if (measure < NETTRACE_MEASURES)
		at = *known = (uint32_t)r->stream.n;
	else if (!idmap_add(&r->stream_of, (uint64_t)thread << 32 | measure, r->stream.n, &at))
		return at;
	*vec_push(&r->stream) = (struct nettrace_stream){
		.thread = thread, .measure = measure, .last = {.labels = LABELS_NONE}};
	return at;
}

void
nettrace_row_put(struct nettrace *d, uint32_t thread, uint32_t measure, struct nettrace_row row)
{
	uint32_t at_stream = stream_of(d, thread, measure);
	struct nettrace_stream *s = &d->rows.stream.at[at_stream];

	vec_room(s->at, s->cap, s->len + ROW_MAX);
	uint8_t *begin = s->at + s->len, *at = begin + 1;
	uint64_t later = zigzag((int64_t)((uint64_t)row.ticks - (uint64_t)s->last.ticks));
	unsigned flags = (row.stack != s->last.stack ? ROW_STACK : 0) |
			 (row.labels != s->last.labels ? ROW_LABELS : 0) |
			 (row.value != s->last.value ? ROW_VALUE : 0);
	*begin = (uint8_t)flags;
	at = number_put(at, later);
	if (flags & ROW_STACK)
		at = number_put(at, row.stack);
	if (flags & ROW_LABELS)
		at = number_put(at, row.labels);
	if (flags & ROW_VALUE)
		at = number_put(at, zigzag(row.value));
	s->len = (size_t)(at - s->at);
	s->labelled |= row.labels != LABELS_NONE;
	s->last = row;
	s->n++;
}

static void
row_get(struct cursor *c, struct nettrace_row *row)
{
	unsigned flags = *c->at++;

	row->ticks = (int64_t)((uint64_t)row->ticks + (uint64_t)cursor_zigzag(c));
	if (flags & ROW_STACK)
		row->stack = (uint32_t)cursor_varint(c);
	if (flags & ROW_LABELS)
		row->labels = (labels_id)cursor_varint(c);
	if (flags & ROW_VALUE)
		row->value = cursor_zigzag(c);
}

/* ---- writing ---- */

/* Converts a difference of ticks to ns. */
static int64_t
span_ns(const struct nettrace *d, int64_t ticks)
{
	int64_t ns;

	if (d->tick_ns && !__builtin_mul_overflow(ticks, d->tick_ns, &ns))
		return ns;
	return wide_ratio(ticks, SECOND, (int64_t)d->trace.frequency);
}

int64_t
nettrace_ns(const struct nettrace *d, int64_t ticks)
{
	int64_t since;

	if (__builtin_sub_overflow(ticks, d->first_ticks, &since))
		return ticks < d->first_ticks ? INT64_MIN : INT64_MAX;
	return span_ns(d, since);
}

struct measures {
	metric_id metric[2];
	unsigned n;
	bool in_ticks;
};

/* Declares the metrics of a measure. */
static struct measures
measure_metrics(struct nettrace *d, uint32_t measure)
{
	static const struct {
		const char *name;
		enum unit unit;
		bool in_ticks;
	} known[NETTRACE_MEASURES] = {
		[NETTRACE_SAMPLES] = {"samples", UNIT_SAMPLES, false},
		[NETTRACE_CPU] = {"cpu", UNIT_COUNT, false},
		[NETTRACE_OFF_CPU] = {"off-cpu", UNIT_NS, true},
		[NETTRACE_LOCK] = {"lock", UNIT_NS, true},
		[NETTRACE_ALLOC] = {"alloc", UNIT_BYTES, false},
		[NETTRACE_EXCEPTIONS] = {"exceptions", UNIT_COUNT, false},
	};
	struct measures m = {.n = 1};

	if (measure >= NETTRACE_MEASURES) {
		struct name n =
			builder_name_get(d->b, d->rows.measure.at[measure - NETTRACE_MEASURES]);
		m.metric[0] = builder_metric(d->b, n.at, UNIT_COUNT, ROLE_VALUE);
		return m;
	}
	m.metric[0] = builder_metric(d->b, known[measure].name, known[measure].unit, ROLE_VALUE);
	m.in_ticks = known[measure].in_ticks;
	if (measure == NETTRACE_ALLOC)
		m.metric[m.n++] = builder_metric(d->b, "allocs", UNIT_COUNT, ROLE_VALUE);
	return m;
}

/* Writes the rows of a stream. */
static bool
stream_write(struct nettrace *d, struct nettrace_stream *s, const struct measures *m,
	     struct err *e)
{
	const struct nettrace_thread *t = &d->threads.at.at[s->thread];
	struct cursor c = cursor_over(s->at, s->len);
	struct nettrace_row row = {.labels = LABELS_NONE};
	struct series *series =
		builder_samples(d->b, cast_made(&d->cast, t->cast), m->metric, m->n);
	bool good = true;

	if (s->labelled)
		builder_labelled(d->b, series);
	for (uint64_t i = 0; i < s->n && good; i++) {
		row_get(&c, &row);
		int64_t values[2] = {m->in_ticks ? span_ns(d, row.value) : row.value, 1};
		stack_id stack = nettrace_stack_at(d, row.stack, t->process, row.ticks);
		if (s->labelled)
			builder_next_labels(d->b, series, row.labels);
		good = builder_sample(d->b, series, nettrace_ns(d, row.ticks), stack, values,
				      d->offset, e);
		if (i % BREATH == BREATH - 1)
			input_breathe(d->file.in);
	}
	free(s->at);
	s->at = NULL;
	return good;
}

bool
nettrace_rows_write(struct nettrace *d, struct err *e)
{
	struct nettrace_rows *r = &d->rows;
	uint32_t measures = NETTRACE_MEASURES + (uint32_t)r->measure.n;
	metric_id first = METRIC_NONE;
	bool good = true;
	struct {
		uint32_t *of; /* measure -> the first stream; then stream -> the next */
		uint32_t *next;
	} list = {mem_alloc(measures, sizeof *list.of), mem_alloc(r->stream.n, sizeof *list.next)};

	memset(list.of, 0xFF, measures * sizeof *list.of);
	for (size_t i = r->stream.n; i-- > 0;) {
		list.next[i] = list.of[r->stream.at[i].measure];
		list.of[r->stream.at[i].measure] = (uint32_t)i;
	}
	for (uint32_t i = 0; i < r->stream.n; i++) /* tracks in the order of their first rows */
		cast_made(&d->cast, d->threads.at.at[r->stream.at[i].thread].cast);
	uint64_t done = 0;
	for (uint32_t k = 0; k < measures && good; k++) {
		if (list.of[k] == NETTRACE_NONE)
			continue;
		struct measures m = measure_metrics(d, k);
		first = first == METRIC_NONE ? m.metric[0] : first;
		for (uint32_t i = list.of[k]; i != NETTRACE_NONE && good; i = list.next[i]) {
			good = stream_write(d, &r->stream.at[i], &m, e);
			input_later_done(d->file.in, ++done, r->stream.n);
			input_breathe(d->file.in);
		}
	}
	if (first != METRIC_NONE)
		builder_default_metric(d->b, first);
	free_all(list.of, list.next);
	return good;
}
