#include "src/decode/bsprof/bsprof_inside.h"

#include <inttypes.h>
#include <string.h>

/* Converts measurements to rows of series.
 *
 * Nearly every measurement has a known place and an existing series.  Such measurements are
 * handled several at a time (bsprof_batch.h): first all places are looked up, with prefetched
 * memory, then the rows of each kind are appended, so that no step has to detect the kind of
 * the next entry.  Each kind has its own series, so the order within a series stays.  Any other
 * entry ends the group and is handled alone, in the order of the file. */

#define WAITING_MAX (4u << 20)

/* ---- metrics and series ---- */

/* The first entry with a metric declares it; a file without CPU entries shows `live` first. */
static void
bsprof_measure_declare(struct bsprof *d, enum measure_kind kind)
{
	struct builder *b = d->b;
	metric_id *m = d->series.metric[kind];

	if (kind == MEASURE_CPU) {
		m[0] = builder_metric(b, "time", UNIT_NS, ROLE_VALUE);
		m[1] = builder_metric(b, "cpu", UNIT_OPS, ROLE_VALUE);
		d->series.n_metrics[kind] = 2;
		builder_default_metric(b, m[0]);
	} else if (kind == MEASURE_MEMORY) {
		m[0] = builder_metric(b, "alloc", UNIT_BYTES, ROLE_VALUE);
		m[1] = builder_metric(b, "allocs", UNIT_OPS, ROLE_VALUE);
		m[2] = builder_metric(b, "frees", UNIT_OPS, ROLE_VALUE);
		m[3] = builder_metric(b, "live", UNIT_BYTES, ROLE_VALUE);
		d->series.n_metrics[kind] = 4;
		if (!d->has[MEASURE_CPU])
			builder_default_metric(b, m[3]);
	}
	/* the format counts calls, so the column exists even if this file has none */
	metric_id calls = builder_metric(b, "calls", UNIT_CALLS, ROLE_VALUE);
	builder_calls_metric(b, calls);
	if (kind == MEASURE_CALLS) {
		m[0] = calls;
		d->series.n_metrics[kind] = 1;
	} else if (!d->has[MEASURE_CALLS]) {
		builder_metric_unused(b, calls);
	}
	d->has[kind] = true;
}

/* ---- measurements ---- */

/* Writes a measurement whose place is known. */
static bool
measure_write(struct bsprof *d, const struct measure *m, const struct bsprof_place *place,
	      struct err *err)
{
	struct bsprof_row row = {
		.offset = m->offset,
		.ordinal = m->ordinal,
		.stack = place->stack,
		.aside = m->released,
		.value = {m->value[0], m->value[1]},
	};

	if (m->kind == MEASURE_MEMORY) {
		int64_t size = m->value[0];
		bool alloc = m->op == BSPROF_ALLOC;
		bool frees = m->op == BSPROF_FREE || m->op == BSPROF_FREE_REALLOC;
		row.value[0] = alloc ? size : m->released ? -size : 0;
		row.value[1] = alloc ? MEMORY_ALLOCATES : frees && !m->released ? MEMORY_FREES : 0;
	}
	return bsprof_series_put(&d->series, place->module, place->track,
				 (enum measure_kind)m->kind, &row, err);
}

static bool
measure_put(struct bsprof *d, const struct measure *m, struct err *err)
{
	struct bsprof_place place;

	if (bsprof_paths_find(d->paths, m->path, m->line, &place))
		return measure_write(d, m, &place, err);
	if (d->waiting.n == WAITING_MAX)
		return err_damage(err, m->offset,
				  "more than %u entries wait for path element "
				  "%u and others, which are not defined",
				  WAITING_MAX, d->waiting.at[0].path);
	*vec_push(&d->waiting) = *m;
	return true;
}

/* Retries the waiting entries, in the order of the file. */
bool
bsprof_waiting_retry(struct bsprof *d, struct err *err)
{
	size_t kept = 0, i = 0;
	bool good = true;

	bsprof_paths_retry(d->paths);
	d->defined = 0;
	for (; i < d->waiting.n && good; i++) {
		struct measure *m = &d->waiting.at[i];
		struct bsprof_place place;
		if (bsprof_paths_find(d->paths, m->path, m->line, &place))
			good = measure_write(d, m, &place, err);
		else
			d->waiting.at[kept++] = *m;
	}
	d->waiting.n = kept;
	return good;
}

/* Counts a definition: it pays for an eighth of the cost of the next attempt. */
bool
bsprof_waiting_defined(struct bsprof *d, struct err *err)
{
	if (!d->waiting.n)
		return true;
	d->defined++;
	if (d->defined * 8 < d->waiting.n + bsprof_paths_work(d->paths))
		return true;
	return bsprof_waiting_retry(d, err);
}

/* ---- entries ---- */

static bool
too_large(const struct bsprof_entry *e, struct err *err)
{
	return err_damage(err, e->offset, "with this entry a sum exceeds 2^63");
}

/* Adds to a sum over all modules, which views show; false on overflow. */
static bool
adds_up(int64_t *sum, uint64_t value)
{
	if (value > (uint64_t)(INT64_MAX - *sum))
		return false;
	*sum += (int64_t)value;
	return true;
}

static bool
cpu_entry(struct bsprof *d, const struct bsprof_entry *e, struct measure *m, struct err *err)
{
	int64_t time;

	if (e->value[1] > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)e->value[1], d->time_scale, &time) ||
	    !adds_up(&d->sum[0], (uint64_t)time) || !adds_up(&d->sum[1], e->value[0]))
		return too_large(e, err);
	m->value[0] = time;
	m->value[1] = (int64_t)e->value[0];
	return measure_put(d, m, err);
}

static bool
alloc_entry(struct bsprof *d, const struct bsprof_entry *e, struct measure *m, struct err *err)
{
	struct live_block block = {
		.address = e->value[0], .size = e->value[1], .path = e->id, .line = e->line};

	if (!adds_up(&d->sum[2], e->value[1]))
		return too_large(e, err);
	m->value[0] = (int64_t)e->value[1];
	bool good = measure_put(d, m, err);
	block.stack = bsprof_cache_find(d->known, e->id, e->line, &block.module);
	d->unplaced |= block.stack == STACK_NONE;
	live_blocks_alloc(&d->live, &block);
	return good;
}

static bool
memory_entry(struct bsprof *d, const struct bsprof_entry *e, struct measure *m, struct err *err)
{
	struct live_block block;

	m->op = e->op;
	if (e->op == BSPROF_ALLOC)
		return alloc_entry(d, e, m, err);
	if (!measure_put(d, m, err))
		return false;
	if (e->op == BSPROF_OP_UNASSIGNED) {
		d->unassigned++;
		builder_warn(d->b,
			     "at byte %" PRIu64
			     ": a memory operation of the type 3, which "
			     "is not assigned; it counts as an entry and no more",
			     e->offset);
		return true;
	}
	if (!live_blocks_free(&d->live, e->value[0], &block)) {
		d->unmatched++;
		return true;
	}
	m->released = true;
	m->path = block.path;
	m->line = block.line;
	m->value[0] = (int64_t)block.size;
	return measure_put(d, m, err);
}

bool
bsprof_measure(struct bsprof *d, const struct bsprof_entry *e, struct err *err)
{
	static const uint8_t kinds[BSPROF_TYPES] = {
		[BSPROF_CPU] = MEASURE_CPU,
		[BSPROF_MEMORY] = MEASURE_MEMORY,
		[BSPROF_CALLS] = MEASURE_CALLS,
	};
	struct measure m = {
		.offset = e->offset,
		.ordinal = d->entries++,
		.path = e->id,
		.line = e->line,
		.kind = kinds[e->type],
	};

	if (!d->has[m.kind])
		bsprof_measure_declare(d, (enum measure_kind)m.kind);
	if (m.kind == MEASURE_CPU)
		return cpu_entry(d, e, &m, err);
	if (m.kind == MEASURE_MEMORY)
		return memory_entry(d, e, &m, err);
	if (!adds_up(&d->sum[3], e->value[0]))
		return too_large(e, err);
	m.value[0] = (int64_t)e->value[0];
	return measure_put(d, &m, err);
}

/* ---- some at once ---- */

#define AT_ONCE (BSPROF_BATCH / 2) /* a measurement has two varints at least */
#define SMALL_TIME (UINT64_C(1) << 40)
#define SINGLY 64u /* after a batch with an unusual entry, this many entries are decoded singly */

/* Entries of a batch that are handled together: those of each kind, and their places. */
struct placed {
	uint32_t end; /* the varint after the last entry */
	uint32_t n;
	bool all; /* all whole entries of the batch are included */
	uint32_t n_of[MEASURE_KINDS];
	struct placed_row {
		struct bsprof_series *series;
		stack_id stack;
		uint8_t i, at; /* the index of the entry, and the varint of its tag */
	} of[MEASURE_KINDS][AT_ONCE];
	uint64_t address[AT_ONCE]; /* of those of memory */
};

/* Looks up the places of entries from varint `from` on, up to one whose place is unknown or
 * that has no series yet. */
static void
place_all(const struct bsprof *d, struct placed *p, uint32_t from)
{
	static const uint8_t kinds[8] = {[BSPROF_MEMORY] = MEASURE_MEMORY,
					 [BSPROF_CPU] = MEASURE_CPU,
					 [BSPROF_CALLS] = MEASURE_CALLS};
	static const uint8_t shifts[8] = {
		[BSPROF_MEMORY] = 5, [BSPROF_CPU] = 3, [BSPROF_CALLS] = 3};
	const struct bsprof_batch *b = &d->batch;
	const uint32_t line = b->lines ? UINT32_MAX : 0;
	const uint32_t lines[8] = {[BSPROF_MEMORY] = line, [BSPROF_CPU] = line};
	const struct bsprof_cache known = *d->known;
	uint32_t k = from, i = 0, module = 0, n[MEASURE_KINDS] = {0};

	for (unsigned fields; (fields = bsprof_batch_fields(b, k)) && k + fields <= b->n;
	     k += fields) {
		uint32_t tag = b->number[k], type = tag & 7, id = tag >> shifts[type];
		uint32_t at_line = b->number[k + 1] & lines[type];
		enum measure_kind kind = (enum measure_kind)kinds[type];
		struct placed_row *row = &p->of[kind][n[kind]];
		row->stack = bsprof_cache_find(&known, id, at_line, &module);
		row->series = bsprof_series_of(&d->series, module, kind);
		if ((tag | at_line) >= BSPROF_WIDE || row->stack == STACK_NONE || !row->series)
			break;
		row->i = (uint8_t)i++;
		row->at = (uint8_t)k;
		n[kind]++;
	}
	memcpy(p->n_of, n, sizeof n);
	p->all = k == b->n || k + bsprof_batch_fields(b, k) > b->n;
	p->end = k;
	p->n = i;
}

/* Returns the address of a memory entry at p; false if it has more than eight bytes. */
static inline bool
address_at(const uint8_t *p, uint64_t *out)
{
	uint64_t x = bytes_u64(p, false), end = ~x & UINT64_C(0x8080808080808080);

	x &= (end ^ (end - 1)) & UINT64_C(0x7F7F7F7F7F7F7F7F);
	x -= (x & UINT64_C(0x7F007F007F007F00)) >> 1;
	x -= ((x & UINT64_C(0x3FFF00003FFF0000)) >> 2) * 3;
	*out = x - ((x & UINT64_C(0x0FFFFFFF00000000)) >> 4) * 15;
	return end != 0;
}

/* Returns true if all numbers of the measurements are small, so that none needs a separate test;
 * the reader is at the varint `from`. */
static bool
are_small(const struct bsprof *d, struct placed *p, const struct bsprof_reader *r, uint32_t from)
{
	const struct bsprof_batch *b = &d->batch;
	const uint8_t *first = r->c.at - b->at[from];
	uint32_t lines = b->lines, most = 0;
	uint64_t time = 0, sums = 0;
	bool good = true;

	for (uint32_t i = 0; i < p->n_of[MEASURE_CPU]; i++) {
		const uint32_t *number = &b->number[p->of[MEASURE_CPU][i].at + lines];
		most |= number[1] | number[2];
		time |= number[2];
	}
	for (uint32_t i = 0; i < p->n_of[MEASURE_MEMORY]; i++) {
		uint32_t at = p->of[MEASURE_MEMORY][i].at;
		good &= address_at(first + b->at[at + 1 + lines], &p->address[i]);
		if (bsprof_batch_fields(b, at) == 3 + lines)
			most |= b->number[at + 2 + lines];
	}
	for (uint32_t i = 0; i < p->n_of[MEASURE_CALLS]; i++)
		most |= b->number[p->of[MEASURE_CALLS][i].at + 1];
	for (unsigned i = 0; i < 4; i++)
		sums |= (uint64_t)d->sum[i];
	return good && most < BSPROF_WIDE && time < SMALL_TIME / (uint64_t)d->time_scale &&
	       sums >> 62 == 0;
}

/* Appends the row of a measurement. */
static inline bool
put_row(struct bsprof *d, const struct placed_row *x, const int64_t *value, struct err *err)
{
	return builder_sample(d->b, x->series->series, d->entries + x->i, x->stack, value,
			      d->batch.offset + d->batch.at[x->at], err);
}

static bool
put_cpu(struct bsprof *d, const struct placed *p, struct err *err)
{
	const struct bsprof_batch *b = &d->batch;
	uint32_t lines = b->lines;

	for (uint32_t i = 0; i < p->n_of[MEASURE_CPU]; i++) {
		const struct placed_row *row = &p->of[MEASURE_CPU][i];
		const uint32_t *number = &b->number[row->at + lines];
		int64_t value[] = {number[2] * d->time_scale, number[1]};
		d->sum[0] += value[0];
		d->sum[1] += value[1];
		if (!put_row(d, row, value, err))
			return false;
	}
	return true;
}

static bool
put_calls(struct bsprof *d, const struct placed *p, struct err *err)
{
	const struct bsprof_batch *b = &d->batch;

	for (uint32_t i = 0; i < p->n_of[MEASURE_CALLS]; i++) {
		const struct placed_row *row = &p->of[MEASURE_CALLS][i];
		int64_t value = b->number[row->at + 1];
		d->sum[3] += value;
		if (!put_row(d, row, &value, err))
			return false;
	}
	return true;
}

/* Subtracts a freed block from the stack that allocated it. */
static bool
put_released(struct bsprof *d, const struct live_block *block, int64_t ordinal,
	     uint64_t offset, struct err *err)
{
	const struct bsprof_series *s = bsprof_series_of(&d->series, block->module, MEASURE_MEMORY);
	struct bsprof_row row = {
		.offset = offset,
		.ordinal = ordinal,
		.stack = block->stack,
		.aside = true,
		.value = {-(int64_t)block->size, 0},
	};

	if (s)
		return builder_sample_aside(d->b, s->series, ordinal, block->stack, row.value,
					    offset, err);

	return bsprof_series_put(&d->series, block->module,
				 bsprof_paths_track(d->paths, block->module), MEASURE_MEMORY, &row,
				 err);
}

static bool
put_memory(struct bsprof *d, const struct placed *p, struct err *err)
{
	const struct bsprof_batch *b = &d->batch;
	uint32_t lines = b->lines;

	for (uint32_t i = 0; i < p->n_of[MEASURE_MEMORY]; i++) {
		const struct placed_row *row = &p->of[MEASURE_MEMORY][i];
		const uint32_t *number = &b->number[row->at];
		bool alloc = bsprof_batch_fields(b, row->at) == 3 + lines;
		uint64_t size = alloc ? number[2 + lines] : 0;
		struct live_block block = {.address = p->address[i],
					   .size = size,
					   .stack = row->stack,
					   .path = number[0] >> 5,
					   .line = lines ? number[1] : 0,
					   .module = row->series->module};
		d->sum[2] += (int64_t)size;
		int64_t value[] = {(int64_t)size, alloc ? MEMORY_ALLOCATES : MEMORY_FREES};
		if (!put_row(d, row, value, err))
			return false;
		if (alloc)
			live_blocks_alloc(&d->live, &block);
		else if (!live_blocks_free(&d->live, block.address, &block))
			d->unmatched++;
		else if (!put_released(d, &block, d->entries + row->i,
				       b->offset + b->at[row->at], err))
			return false;
	}
	return true;
}

bool
bsprof_measure_all(struct bsprof *d, struct bsprof_reader *r, struct err *err)
{
	struct bsprof_batch *b = &d->batch;
	struct placed p;

	do {
		if (d->singly || d->unplaced || d->series.apart) {
			d->singly -= d->singly > 0;
			return true;
		}
		uint32_t from = bsprof_batch_find(b, bsprof_offset(r));
		if (from == b->n) {
			if (!bsprof_batch_read(b, r))
				return true;
			from = 0;
		}
		place_all(d, &p, from);
		if (!are_small(d, &p, r, from)) {
			d->singly = SINGLY;
			return true;
		}
		if (!put_cpu(d, &p, err) || !put_memory(d, &p, err) || !put_calls(d, &p, err))
			return false;
		d->entries += p.n;
		r->c.at += b->at[p.end] - b->at[from];
		if (p.all)
			b->n = 0; /* an entry that begins in it ends in the next batch */
	} while (p.n && p.all);
	return true;
}
