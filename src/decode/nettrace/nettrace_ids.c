/* Threads, stacks and lists of labels, to which events refer by numbers. The numbers of stacks and
 * lists hold until the next sequence point, those of threads until one that says so. */
#include "src/decode/nettrace/nettrace_inside.h"

/* ---- threads ---- */

static uint32_t
thread_on(struct nettrace *d, uint32_t process, int64_t tid)
{
	uint32_t cast = cast_thread(&d->cast, process, tid), at;

	if (idmap_add(&d->threads.of_cast, cast, d->threads.at.n, &at)) {
		struct nettrace_thread *t = vec_push(&d->threads.at);
		*t = (struct nettrace_thread){.cast = cast, .process = process};
		for (unsigned i = 0; i < NETTRACE_MEASURES; i++)
			t->stream[i] = NETTRACE_NONE;
	}
	return at;
}

uint32_t
nettrace_thread_at(struct nettrace *d, uint64_t number)
{
	if (number == d->threads.last && d->threads.last_at != NETTRACE_NONE)
		return d->threads.last_at;
	uint32_t at = idmap_get(&d->threads.of, number);
	if (at == IDMAP_NONE) {
		at = thread_on(d, d->process, nettrace_id(number));
		idmap_put(&d->threads.of, number, at);
	}
	d->threads.last = number;
	return d->threads.last_at = at;
}

struct nettrace_thread *
nettrace_thread_of(struct nettrace *d, const struct nettrace_event *ev)
{
	uint32_t at = nettrace_thread_at(d, ev->thread);

	return &d->threads.at.at[at];
}

bool
nettrace_thread_take(void *ctx, const struct nettrace_thread_row *row)
{
	struct nettrace *d = ctx;
	uint32_t process =
		row->has_pid ? cast_process(&d->cast, nettrace_id(row->pid)) : d->process;
	uint32_t at = thread_on(d, process, nettrace_id(row->has_tid ? row->tid : row->index));

	if (row->name.len)
		d->cast.track.at[d->threads.at.at[at].cast].name =
			builder_name(d->b, row->name.at, row->name.len);
	idmap_put(&d->threads.of, row->index, at);
	d->threads.last_at = NETTRACE_NONE;
	return true;
}

/* ---- stacks and lists of labels ---- */

uint32_t
nettrace_stack_of(struct nettrace *d, const struct nettrace_event *ev)
{
	uint32_t at = idmap_get(&d->stack_ids.of, (uint32_t)(ev->stack - d->stack_ids.base));

	if (at != IDMAP_NONE)
		return at;
	if (!ev->stack)
		return NETTRACE_NO_STACK;
	d->facts.unknown_stacks++;
	return NETTRACE_UNKNOWN_STACK;
}

labels_id
nettrace_labels_of(struct nettrace *d, const struct nettrace_event *ev)
{
	if (!ev->labels)
		return LABELS_NONE;
	uint32_t at = idmap_get(&d->label_ids.of, (uint32_t)(ev->labels - d->label_ids.base));
	if (at != IDMAP_NONE)
		return at;
	d->facts.unknown_labels++;
	return LABELS_NONE;
}

/* Returns the key under which an id is kept: files count on over sequence points, so ids count from
 * the first one after the last of these. */
static uint64_t
id_key(struct nettrace_ids *ids, uint64_t id)
{
	if (!ids->of.n)
		ids->base = id;
	return (uint32_t)(id - ids->base);
}

bool
nettrace_stack_take(void *ctx, uint64_t offset UNUSED, uint32_t id, const uint8_t *at, uint32_t n)
{
	struct nettrace *d = ctx;

	uint64_t key = id_key(&d->stack_ids, id);
	idmap_put(&d->stack_ids.of, key,
		  nettrace_stack_add(&d->frames, at, n, d->file.pointer));
	return true;
}

static label_id
list_label(struct nettrace *d, const struct nettrace_label *l)
{
	static const char *const keys[] = {[NETTRACE_ACTIVITY] = "activity",
					   [NETTRACE_RELATED] = "related activity",
					   [NETTRACE_TRACE_ID] = "trace",
					   [NETTRACE_SPAN_ID] = "span"};
	unsigned bytes = nettrace_id_bytes(l->kind);

	if (!bytes) {
		name_id key = builder_name(d->b, l->key.at, l->key.len);
		return l->kind == NETTRACE_NUMBER
			       ? builder_label_number(d->b, key, l->number, NAME_EMPTY)
			       : builder_label_text(d->b, key,
						    builder_name(d->b, l->text.at, l->text.len));
	}
	buf_reset(&d->text);
	for (unsigned i = 0; i < bytes; i++)
		buf_addf(&d->text, "%02x", l->bytes[i]);
	return builder_label_text(d->b, builder_namef(d->b, "%s", keys[l->kind]),
				  builder_name(d->b, buf_str(&d->text), d->text.len));
}

bool
nettrace_label_take(void *ctx, const struct nettrace_label *l)
{
	struct nettrace *d = ctx;

	if (l->kind <= NETTRACE_NUMBER && (nettrace_id_bytes(l->kind) || l->key.len))
		*vec_push(&d->list) = list_label(d, l);
	if (l->last) {
		uint64_t key = id_key(&d->label_ids, l->list);
		idmap_put(&d->label_ids.of, key, builder_labels(d->b, d->list.at, d->list.n));
		d->list.n = 0;
	}
	return true;
}
