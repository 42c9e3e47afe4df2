/* pack_events.c - the tracks of a packed profile, with the columns of their series. */
#include "src/encode/pack_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/profile/column_form.h"
#include "model/profile/pack_form.h"
#include "model/profile/prefix_make.h"
#include "model/profile/series_prefix.h"

#define PREFIX_SHARE 24u /* bytes of events for each byte of their checkpoints */
#define PREFIX_MOST (PACK_SECTION_MAX - PACK_SECTION_FULL) /* bytes of a checkpoint */
#define PREFIX_FEW 8u    /* events of a stack that are read faster than checkpoints are taken */

/* Writes numbers of `width` bytes, the lowest byte first. */
static void
write_numbers(struct pack_out *x, const void *at, size_t n, unsigned width)
{
	const uint8_t *p = at;

	if (__BYTE_ORDER__ != __ORDER_BIG_ENDIAN__ || width == 1 || width == 3) {
		buf_add(&x->at, at, n * width);
		return;
	}
	for (size_t i = 0; i < n * width; i += width)
		for (unsigned k = width; k-- > 0;)
			buf_addc(&x->at, (char)p[i + k]);
}

static void
write_column(struct pack_out *x, const struct column *c, uint32_t n)
{
	uint32_t groups = (n + COLUMN_GROUP - 1) / COLUMN_GROUP;

	pack_byte(x, c->width);
	pack_byte(x, c->bits);
	pack_byte(x, (c->bases ? PACK_BASES : 0) | (c->zeros ? PACK_ZEROS : 0));
	pack_byte(x, c->shift);
	pack_number(x, c->step);
	pack_signed(x, c->base);
	if (c->bases)
		write_numbers(x, c->bases, groups, sizeof *c->bases);
	if (c->width)
		write_numbers(x, c->at, n, c->width);
	else if (c->bits) /* lies in memory as in the file */
		buf_add(&x->at, c->at, ((size_t)n * c->bits + 7) / 8);
}

/* Writes numbers as a column, as small as possible; returns false if they are not sums that a
 * reader takes. */
static bool
write_numbers_packed(struct pack_out *x, const int64_t *v, uint32_t n)
{
	struct column c = prefix_column(v, n);
	bool fits = prefix_column_fits(&c, n);

	write_column(x, &c, n);
	column_release(&c);
	return fits;
}

/* Returns the number of values that a chunk stores. */
static uint32_t
stored_values(const struct chunk *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; c->own && i < (c->n + 63) / 64; i++)
		n += (uint32_t)__builtin_popcountll(c->own[i]);
	return c->own ? n : c->n;
}

static void
write_chunk(struct pack_out *x, const struct series *s, const struct chunk *c)
{
	pack_number(x, c->n);
	pack_byte(x, c->own != NULL);
	if (c->own)
		write_numbers(x, c->own, (c->n + 63) / 64, sizeof *c->own);
	write_column(x, &c->time, c->n);
	if (s->kind != SERIES_POINTS)
		write_column(x, &c->stack, c->n);
	if (s->labelled)
		write_column(x, &c->labels, c->n);
	for (unsigned v = 0; v < s->n_columns; v++)
		write_column(x, &c->value[v], stored_values(c));
}

/* Writes the sums of a series of totals, for stacks that have any. */
static void
write_sums(struct pack_out *x, const struct series *s)
{
	stack_id before = 0;

	for (uint32_t i = 0; i < s->n_pages * TOTALS_PAGE; i++) {
		const struct totals *page = &s->page[(size_t)(i / TOTALS_PAGE) * s->n_metrics];
		bool any = false;
		for (unsigned m = 0; m < s->n_metrics; m++)
			any |= totals_get(&page[m], i % TOTALS_PAGE) != 0;
		if (!any)
			continue;
		stack_id stack = series_page_stack(s, 0) + i;
		pack_number(x, stack - before);
		before = stack;
		for (unsigned m = 0; m < s->n_metrics; m++)
			pack_signed(x, totals_get(&page[m], i % TOTALS_PAGE));
		if (x->at.len < PACK_SECTION_FULL)
			continue;
		pack_section(x, "sums");
		before = 0; /* each section counts from 0 */
	}
	if (x->at.len)
		pack_section(x, "sums");
}

/* ---- sums ---- */

/* Writes the sums of the blocks of a series; not if they are too large. */
static void
write_blocks(struct pack_out *x, const struct series *s)
{
	uint32_t n = s->n_blocks;
	int64_t *v = mem_alloc(n, sizeof *v);
	bool fits = true;

	pack_number(x, n);
	for (uint32_t i = 0; i < n; i++)
		v[i] = s->block[i].dominant;
	write_numbers_packed(x, v, n);
	for (unsigned m = 0; m < s->n_metrics; m++) {
		const int64_t *sum = s->block_sum + m;
		for (uint32_t i = 0; i + 1 < n; i++, sum += s->n_metrics)
			v[i] = sum[s->n_metrics] - sum[0];
		fits &= write_numbers_packed(x, v, n - 1);
	}
	free(v);
	if (fits && x->at.len < PACK_SECTION_MAX)
		pack_section(x, "bloc");
	else
		buf_reset(&x->at);
}

static void
write_checkpoint(struct pack_out *x, const struct series *s, uint32_t i)
{
	const struct checkpoint *c = &s->checkpoint[i];
	uint32_t had = i ? s->checkpoint[i - 1].n : 0;
	stack_id before = STACK_EMPTY;

	pack_number(x, c->events);
	pack_number(x, c->n - had);
	for (uint32_t k = had; k < c->n; k++) {
		pack_signed(x, (int64_t)s->seen[k] - before);
		before = s->seen[k];
	}
	for (unsigned m = 0; m < s->n_metrics; m++)
		write_column(x, &c->sum[m], c->n);
}

/* Returns about how many bytes the events take. */
static uint64_t
bytes_of(const struct series *s)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < s->n_chunks; i++) {
		const struct chunk *c = &s->chunk[i];
		bytes += column_bytes(&c->time, c->n) + column_bytes(&c->stack, c->n) +
			 column_bytes(&c->labels, c->n);
		for (unsigned v = 0; v < s->n_columns; v++)
			bytes += column_bytes(&c->value[v], c->n);
	}
	return bytes;
}

/* Writes the sums that a reader would otherwise compute from the events. */
static void
write_prefix(struct pack_out *x, const struct series *s)
{
	if (s->kind > SERIES_SAMPLES || s->n < PREFIX_EVENTS || !s->sorted)
		return;
	write_blocks(x, s);
	struct series *to = series_prefix_of(s, bytes_of(s) / PREFIX_SHARE, PREFIX_MOST);
	for (uint32_t i = 0; i < to->n_checkpoints; i++) {
		write_checkpoint(x, to, i);
		pack_section_if_full(x, "chec");
	}
	if (x->at.len || (!to->n_checkpoints &&
			  series_prefix_stacks(s, x->p->stacks.n) > s->n / PREFIX_FEW))
		pack_section(x, "chec"); /* an empty one: none are worth their memory */
	series_prefix_free(to);
}

static void
write_series(struct pack_out *x, const struct series *s)
{
	pack_byte(x, s->kind);
	pack_byte(x, (s->floating ? PACK_FLOATING : 0) | (s->valued ? PACK_VALUED : 0) |
			     (s->turns ? PACK_TURNS : 0) | (s->labelled ? PACK_LABELLED : 0) |
			     (s->derived ? PACK_DERIVED : 0));
	pack_signed(x, s->interval);
	pack_signed(x, s->kind == SERIES_STEPS ? s->end_time : 0);
	pack_byte(x, s->n_columns);
	pack_byte(x, s->n_metrics);
	for (unsigned m = 0; m < s->n_metrics; m++) {
		pack_number(x, (uint32_t)(s->metric[m] + 1)); /* METRIC_NONE becomes 0 */
		pack_byte(x, s->role[m]);
		pack_byte(x, s->column[m]);
		pack_byte(x, s->part[m]);
	}
	pack_section(x, "seri");
	if (s->kind == SERIES_TOTALS && !s->labelled) {
		write_sums(x, s);
		return;
	}
	write_prefix(x, s);
	for (uint32_t i = 0; i < s->n_chunks; i++) {
		write_chunk(x, s, &s->chunk[i]);
		pack_section_if_full(x, "chun");
	}
	if (x->at.len)
		pack_section(x, "chun");
}

void
pack_tracks(struct pack_out *x)
{
	const struct profile *p = x->p;

	for (track_id i = 0; i < p->n_tracks; i++) {
		const struct track *t = &p->track[i];
		pack_number(x, t->group);
		pack_number(x, t->name);
		pack_byte(x, t->kind);
		pack_byte(x, t->unit);
		pack_number(x, t->value_unit);
		pack_number(x, (uint32_t)(t->under + 1)); /* PROCESS_NONE becomes 0 */
		pack_byte(x, t->has_time);
		pack_signed(x, t->start);
		pack_signed(x, t->end);
		pack_number(x, t->events);
		pack_number(x, t->n_value_names);
		for (uint32_t k = 0; k < t->n_value_names; k++) {
			pack_signed(x, t->value_name[k].value);
			pack_number(x, t->value_name[k].name);
		}
		if (t->recorded_ns)
			pack_signed(x, t->recorded_ns);
		pack_section(x, "trac");
		for (uint32_t k = 0; k < t->n_series; k++)
			write_series(x, t->series[k]);
	}
}
