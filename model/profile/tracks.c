#include "model/profile/tracks.h"

#include <stddef.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/wide.h"

/* Reading the columns: everything here searches, nothing walks a whole series, unless
 * the series is not in order yet (while it loads). */

const char *
track_kind_name(enum track_kind kind)
{
	switch (kind) {
	case TRACK_THREAD:
		return "thread";
	case TRACK_CORE:
		return "core";
	case TRACK_TASK:
		return "task";
	case TRACK_MODULE:
		return "module";
	case TRACK_COUNTER:
		return "counter";
	case TRACK_STATE:
		return "state";
	case TRACK_MARKS:
		return "marks";
	}
	return "";
}

name_id
track_value_name(const struct track *t, int64_t value)
{
	size_t at = bisect(i, t->n_value_names, t->value_name[i].value < value);

	return at < t->n_value_names && t->value_name[at].value == value ? t->value_name[at].name
									  : NAME_EMPTY;
}

const struct chunk *
series_chunk(const struct series *s, uint64_t i)
{
	uint32_t low = 0, high = s->n_chunks;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (s->chunk[middle].first <= i)
			low = middle;
		else
			high = middle;
	}
	return &s->chunk[low];
}

uint64_t
series_find(const struct series *s, int64_t t)
{
	/* the answer is in the last chunk that begins before t, or at its end */
	size_t begun = bisect(i, s->n_chunks, column_get(&s->chunk[i].time, 0) < t);

	if (!begun)
		return 0;
	const struct chunk *c = &s->chunk[begun - 1];
	return c->first + bisect(i, c->n, column_get(&c->time, (uint32_t)i) < t);
}

/* Two stacks of up to 28 bits lie in one word; n is even. */
static inline void
stacks_of_bits(const struct column *c, uint32_t from, uint32_t n, uint32_t *out, bool turned)
{
	uint64_t bit = (uint64_t)from * c->bits, mask = (UINT64_C(1) << c->bits) - 1;
	uint32_t base = (uint32_t)c->base;

	for (uint32_t i = 0; i < n; i += 2, bit += 2u * c->bits) {
		uint64_t word = column_word((const uint8_t *)c->at + bit / 8) >> bit % 8;
		uint32_t a = base + (uint32_t)(word & mask) * c->step;
		uint32_t b = base + (uint32_t)(word >> c->bits & mask) * c->step;
		out[i] = turned ? a >> STEP_FLAG_BITS | a << (32 - STEP_FLAG_BITS) : a;
		out[i + 1] = turned ? b >> STEP_FLAG_BITS | b << (32 - STEP_FLAG_BITS) : b;
	}
}

#define STACKS_OF(value)                                                                   \
	do {                                                                               \
		for (uint32_t i = 0; i < n; i++) {                                         \
			uint32_t v = base + (value);                                       \
			out[i] = turned ? v >> STEP_FLAG_BITS | v << (32 - STEP_FLAG_BITS) \
					: v;                                               \
		}                                                                          \
	} while (0)

/* One loop per width, without branches. */
static inline void
stacks_of(const struct chunk *c, uint32_t from, uint32_t n, uint32_t *out, bool turned)
{
	const void *at = c->stack.at;
	uint32_t base = (uint32_t)c->stack.base;

	switch (c->stack.width) {
	case 0:
		if (!c->stack.bits)
			STACKS_OF(0);
		else if (c->stack.bits <= 28 && n % 2 == 0)
			stacks_of_bits(&c->stack, from, n, out, turned);
		else if (c->stack.step == 1)
			STACKS_OF((uint32_t)column_offset(&c->stack, from + i));
		else
			STACKS_OF((uint32_t)column_offset(&c->stack, from + i) * c->stack.step);
		break;
	case 1:
		STACKS_OF(((const uint8_t *)at)[from + i]);
		break;
	case 2:
		STACKS_OF(((const uint16_t *)at)[from + i]);
		break;
	case 3: /* only the last may have no byte after it */
		n--;
		STACKS_OF(column_get_3_of_4(at, from + i));
		out += n;
		from += n;
		n = 1;
		STACKS_OF(column_get_3(at, from + i));
		break;
	case 4:
		STACKS_OF(((const uint32_t *)at)[from + i]);
		break;
	}
}

void
chunk_stacks(const struct chunk *c, uint32_t from, uint32_t n, uint32_t *out)
{
	if (!n)
		return;
	if (c->turned)
		stacks_of(c, from, n, out, true);
	else
		stacks_of(c, from, n, out, false);
}

int64_t
chunk_value_before(const struct chunk *c, uint32_t i)
{
	uint32_t stack = chunk_stack(c, i) & STEP_STACK;

	for (uint32_t k = i; stack != STACK_EMPTY && k-- > 0;) {
		uint32_t step = chunk_stack(c, k);
		if (step & STEP_CALL && (step & STEP_STACK) == stack)
			return chunk_value(c, k); /* a value of its own */
	}
	return 0;
}

/* Events are read in pieces; a whole one has a constant length for the compiler. */
#define PIECE 1024u

void
series_checkpoint_add(const struct series *s, uint32_t checkpoint, unsigned m,
		      uint32_t from, uint32_t n, int64_t sign, int64_t *out)
{
	for (;;) {
		const struct checkpoint *c = &s->checkpoint[checkpoint];
		if (from < c->n)
			column_add(&c->sum[m], from, n < c->n - from ? n : c->n - from,
				   sign, out);
		if (c->key == checkpoint)
			return;
		checkpoint = c->key;
	}
}

/* Returns when event i begins; for i == n, when the series ends. */
static int64_t
tracks_time_of(const struct series *s, uint64_t i)
{
	if (i >= s->n)
		return s->end_time;
	const struct chunk *c = series_chunk(s, i);
	return column_get(&c->time, (uint32_t)(i - c->first));
}

bool
series_event(const struct series *s, uint64_t i, struct event *out)
{
	if (i >= s->n || s->kind == SERIES_TOTALS)
		return false;
	const struct chunk *c = series_chunk(s, i);
	uint32_t at = (uint32_t)(i - c->first);
	out->time = column_get(&c->time, at);
	out->end = at + 1 < c->n ? column_get(&c->time, at + 1) : tracks_time_of(s, i + 1);
	out->stack = chunk_stack(c, at);
	out->value = s->valued                  ? chunk_value(c, at)
		     : s->first != UINT8_MAX    ? series_number(s, c, at, s->first)
		     : s->kind == SERIES_POINTS ? column_get(&c->value[0], at)
						: 1;
	out->labels = s->labelled ? (labels_id)column_get(&c->labels, at) : LABELS_NONE;
	out->place = s->kind == SERIES_POINTS ? column_get(&c->value[1], at) : 0;
	return true;
}

static inline void
take_part(enum value_part part, uint32_t n, int64_t *out)
{
	switch (part) { /* one loop each, without branches */
	case PART_ALL:
		return;
	case PART_GAIN:
		for (uint32_t i = 0; i < n; i++)
			out[i] = value_part(PART_GAIN, out[i]);
		return;
	case PART_BIT_0:
		for (uint32_t i = 0; i < n; i++)
			out[i] = value_part(PART_BIT_0, out[i]);
		return;
	case PART_BIT_1:
		for (uint32_t i = 0; i < n; i++)
			out[i] = value_part(PART_BIT_1, out[i]);
		return;
	case PART_SIGN_0:
		for (uint32_t i = 0; i < n; i++)
			out[i] = value_part(PART_SIGN_0, out[i]);
		return;
	}
}

static void
values_part(enum value_part part, uint32_t n, int64_t *out)
{
	if (n == PIECE)
		take_part(part, PIECE, out);
	else
		take_part(part, n, out);
}

/* Replaces n times by the readings of the clock; returns that for `next`, the time behind them. */
static int64_t
read_clock(const struct wall_clock *clock, uint32_t n, int64_t next, int64_t *time)
{
	uint32_t near = clock->n / 2;

	for (uint32_t i = 0; i < n; i++)
		time[i] = wall_clock_at(clock, time[i], &near);
	return wall_clock_at(clock, next, &near);
}

/* Sets out[i] to the number that the role of metric m uses, if it uses one. */
static void
chunk_numbers(const struct series *s, const struct chunk *c, uint32_t from, uint32_t n,
	      unsigned m, int64_t next, int64_t *out)
{
	if (s->column[m] != UINT8_MAX) {
		column_values(&c->value[s->column[m]], from, n, out);
		values_part((enum value_part)s->part[m], n, out);
	} else if (role_lasts((enum metric_role)s->role[m])) {
		column_values(&c->time, from, n, out);
		if (from + n < c->n)
			next = column_get(&c->time, from + n);
		if (s->role[m] == ROLE_WALL)
			next = read_clock(s->clock, n, next, out);
		for (uint32_t i = 0; i + 1 < n; i++)
			out[i] = out[i + 1] - out[i];
		if (n)
			out[n - 1] = next - out[n - 1];
	} else {
		memset(out, 0, n * sizeof *out);
	}
}

void
chunk_adds(const struct series *s, const struct chunk *c, uint32_t from, uint32_t n,
	   unsigned m, int64_t next, int64_t *out)
{
	chunk_numbers(s, c, from, n, m, next, out);
	switch ((enum metric_role)s->role[m]) { /* one loop per role, without branches */
#define ADD_ALL(role)                                                                      \
	case ROLE_##role:                                                                  \
		for (uint32_t i = 0; i < n; i++)                                           \
			out[i] = role_adds(ROLE_##role, out[i], out[i],                    \
					   role_has_flags(ROLE_##role)                     \
						   ? chunk_stack(c, from + i)              \
						   : 0);                                   \
		return;
		METRIC_ROLES(ADD_ALL)
#undef ADD_ALL
	}
}

/* Returns what event `at` of chunk c adds to metric m; the next event begins at `next`. No time
 * passes while nothing runs. */
static int64_t
event_adds(const struct series *s, const struct chunk *c, uint32_t at, unsigned m,
	   int64_t next)
{
	uint32_t stack = chunk_stack(c, at);
	enum metric_role role = (enum metric_role)s->role[m];
	int64_t lasts = 0;

	if (role_lasts(role)) {
		if ((stack & STEP_STACK) == STACK_EMPTY)
			return 0;
		lasts = series_lasts(s, m, column_get(&c->time, at), next);
	}
	return role_adds(role, s->column[m] != UINT8_MAX ? series_number(s, c, at, m) : 0, lasts,
			 stack);
}

int64_t
series_whole(const struct series *s, unsigned metric)
{
	if (s->kind != SERIES_STEPS || !role_lasts((enum metric_role)s->role[metric]) || !s->n)
		return s->sum[metric];
	const struct chunk *last = &s->chunk[s->n_chunks - 1];
	return s->sum[metric] + event_adds(s, last, last->n - 1, metric, s->end_time);
}

/* The sum of all events before event i. */
struct sum_so_far {
	uint64_t i;
	int64_t sum;
};

/* Returns the sum of metric m over everything before moment t; continues from the last result if
 * that was in the same block. */
static int64_t
sum_before(const struct series *s, unsigned m, int64_t t, struct sum_so_far *at)
{
	uint64_t end = series_find(s, t), i;
	int64_t sum;

	if (!end)
		return 0;
	i = (end - 1) / BLOCK_EVENTS * BLOCK_EVENTS;
	sum = s->block_sum[i / BLOCK_EVENTS * s->n_metrics + m];
	if (at->i > i && at->i < end) {
		i = at->i;
		sum = at->sum;
	}
	while (i < end) {
		const struct chunk *c = series_chunk(s, i);
		for (uint32_t k = (uint32_t)(i - c->first); k < c->n && i < end; k++, i++) {
			int64_t next = k + 1 < c->n ? column_get(&c->time, k + 1)
						    : tracks_time_of(s, i + 1);
			if (next > t)
				next = t; /* of the last step, the part before t */
			if (i + 1 == end)
				*at = (struct sum_so_far){i, sum};
			sum += event_adds(s, c, k, m, next);
		}
	}
	return sum;
}

/* Computes the bins event by event. */
static void
bins_each(const struct series *s, unsigned m, int64_t from, int64_t to, unsigned n,
	      int64_t *out)
{
	for (uint32_t k = 0; k < s->n_chunks; k++) {
		const struct chunk *c = &s->chunk[k];
		for (uint32_t at = 0; at < c->n; at++) {
			int64_t t = column_get(&c->time, at);
			if (t >= from && t < to)
				out[wide_column(from, to, n, t)] +=
					event_adds(s, c, at, m, t);
		}
	}
}

/* Returns true for samples that are at most as many as the n columns: reading each sample is
 * cheaper than a search per column. */
static bool
series_is_sparse(const struct series *s, unsigned metric, unsigned n)
{
	return s->kind == SERIES_SAMPLES && s->n <= n &&
	       !role_lasts((enum metric_role)s->role[metric]);
}

void
series_bins(const struct series *s, unsigned metric, int64_t from, int64_t to, unsigned n,
	    int64_t *out)
{
	struct sum_so_far at = {0, 0};
	int64_t before;

	memset(out, 0, n * sizeof *out);
	if (s->kind == SERIES_TOTALS || s->kind == SERIES_POINTS || !s->n || to <= from ||
	    !n || metric >= s->n_metrics)
		return;
	/* reading each of few samples is cheaper than a search per column */
	if (!s->sorted || series_is_sparse(s, metric, n)) {
		bins_each(s, metric, from, to, n, out);
		return;
	}
	before = sum_before(s, metric, from, &at);
	for (unsigned i = 0; i < n; i++) {
		int64_t edge = wide_part_up(from, to, n, i + 1);
		int64_t sum = sum_before(s, metric, edge, &at);
		out[i] = sum - before;
		before = sum;
	}
}

int64_t
chunk_end(const struct series *s, const struct chunk *c)
{
	return c < &s->chunk[s->n_chunks - 1] ? column_get(&c[1].time, 0) : s->end_time;
}

int64_t
series_checkpoint_near(const struct series *s, uint64_t i)
{
	int64_t high = (int64_t)bisect(k, s->n_checkpoints, s->checkpoint[k].events <= i);
	int64_t low = high - 1;

	uint64_t before = low < 0 ? 0 : s->checkpoint[low].events;
	if (high < s->n_checkpoints && s->checkpoint[high].events - i < i - before)
		return high;
	return low;
}
