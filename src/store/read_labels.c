/* Labels of the detail: those of samples, and those that their profiles were stored with. */
#include "src/store/read_inside.h"

#define LABELS_MAX 4096u /* of an event */

static size_t
skip_arrays(struct rowbin *a, size_t n)
{
	size_t other = rowbin_count(a);

	if (other != n)
		rowbin_is_wrong(a, "has labels whose columns do not fit");
	return err_is_set(&a->fault) ? 0 : n;
}

/* Reads the labels of a row's samples. */
static void
read_row_labels(struct reader *r, struct rowbin *a)
{
	struct reader_labels *l = &r->labels;
	size_t n = rowbin_count(a);

	if (n > LABELS_MAX) {
		rowbin_is_wrong(a, "has more labels than an event can have");
		n = 0;
	}
	for (size_t i = 0; i < n; i++)
		*vec_push(&l->row) = (struct read_label_row){.key = reader_name(r, a)};
	n = skip_arrays(a, n);
	for (size_t i = 0; i < n; i++)
		l->row.at[i].value = reader_name(r, a);
	n = skip_arrays(a, n);
	for (size_t i = 0; i < n; i++)
		l->row.at[i].is_number = rowbin_whole(a, 1);
	n = skip_arrays(a, n);
	for (size_t i = 0; i < n; i++)
		l->row.at[i].number = rowbin_signed(a);
	n = skip_arrays(a, n);
	for (size_t i = 0; i < n; i++)
		l->row.at[i].unit = reader_name(r, a);
}

/* Adds the labels that the row's profile was stored with, except keys that its samples have. */
static void
read_own_labels(struct reader *r, uint64_t hash)
{
	struct reader_labels *l = &r->labels;
	size_t n = l->row.n;
	uint32_t slot, i;

	if (!l->own_by_hash.slot)
		return;
	slot = map_first(&l->own_by_hash, hash);
	while (map_probe(&l->own_by_hash, &slot, hash, &i)) {
		const struct reader_own *own = &l->own.at[i];
		if (own->hash != hash)
			continue;
		for (uint32_t k = own->first; k < own->first + own->n; k++) {
			size_t same = 0;
			while (same < n && l->row.at[same].key != l->own_row.at[k].key)
				same++;
			if (same == n)
				*vec_push(&l->row) = l->own_row.at[k];
		}
		return;
	}
}

labels_id
reader_labels(struct reader *r, struct rowbin *a)
{
	struct reader_labels *l = &r->labels;

	l->row.n = l->id.n = 0;
	if (r->q.labels)
		read_row_labels(r, a);
	if (r->q.owned)
		read_own_labels(r, rowbin_whole(a, 8));
	for (size_t i = 0; i < l->row.n; i++) {
		const struct read_label_row *row = &l->row.at[i];
		*vec_push(&l->id) =
			row->is_number
				? builder_label_number(r->b, row->key, row->number, row->unit)
				: builder_label_text(r->b, row->key, row->value);
	}
	return l->id.n ? builder_labels(r->b, l->id.at, l->id.n) : LABELS_NONE;
}

bool
reader_owned(struct reader *r, struct err *e)
{
	struct reader_labels *l = &r->labels;
	struct rowbin a;

	if (!r->q.owned)
		return true;
	buf_reset(&r->sql);
	question_owned(&r->q, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	map_init(&l->own_by_hash);
	while (rowbin_next(&a)) {
		struct reader_own own = {rowbin_whole(&a, 8), (uint32_t)l->own_row.n, 0};
		size_t n = rowbin_count(&a);
		for (size_t i = 0; i < n && !err_is_set(&a.fault); i++)
			*vec_push(&l->own_row) = (struct read_label_row){.key = reader_name(r, &a)};
		n = skip_arrays(&a, n);
		for (size_t i = 0; i < n; i++)
			l->own_row.at[own.first + i].value = reader_name(r, &a);
		own.n = (uint32_t)n;
		map_insert(&l->own_by_hash, own.hash, (uint32_t)l->own.n);
		*vec_push(&l->own) = own;
	}
	return rowbin_close(&a, e);
}

void
reader_labels_release(struct reader_labels *l)
{
	vec_release(&l->row);
	vec_release(&l->id);
	vec_release(&l->own);
	vec_release(&l->own_row);
	map_release(&l->own_by_hash);
}
