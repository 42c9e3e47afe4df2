/* From addresses to frames, when the file has been read.
 *
 *	address ─► method (or symbol) ─► NAMESPACE.NAME, module
 *	        └► mapping ─► src/symbol by build id, else 0x... and the module
 *
 * Code may be compiled again at addresses where other code was. So a range holds from the time at
 * which the file names it, and the first one also before; a stack of addresses keeps the interval
 * of time for which its frames are known. Return addresses are looked up one byte lower: they may
 * be the first of the next method. */
#include "src/decode/nettrace/nettrace_inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/ordered.h"
#include "src/decode/common/native.h"
#include "src/decode/common/words.h"
#include "src/input/hash.h"

/* The number of ranges around an address that are compared, however many a file overlaps. */
#define OVERLAPS_MAX 256u

/* A frame that an address became; it is valid at ticks [from, to). */
struct nettrace_frame {
	uint64_t address;
	int64_t from, to;
	uint32_t process;
	frame_id frame;
	bool leaf, known, nameless;
};

void
nettrace_frames_init(struct nettrace_frames *f)
{
	/* no stack, and one that the file lacks */
	for (unsigned i = 0; i < 2; i++)
		*vec_push(&f->stack) = (struct nettrace_stack){.stack = STACK_NONE};
}

void
nettrace_frames_release(struct nettrace_frames *f)
{
	vec_release_all(&f->methods.range, &f->mapped.range, &f->mapping, &f->address, &f->stack);
	idmap_release_all(&f->module_of, &f->mapping_of, &f->build_of);
	text_cache_release(&f->stack_of);
	free_all(f->methods.reach, f->mapped.reach, f->kept);
	if (f->symbols)
		symbols_free(f->symbols);
}

uint32_t
nettrace_stack_add(struct nettrace_frames *f, const uint8_t *at, uint32_t n, unsigned pointer)
{
	struct hash128 hash = hash128(at, (size_t)n * pointer);
	uint32_t *known = text_cache_find(&f->stack_of, hash);

	if (*known)
		return *known - 1;
	if (!n || f->stack.n >= NETTRACE_NONE - 1)
		return NETTRACE_NO_STACK;
	text_cache_put(&f->stack_of, known, hash, (uint32_t)f->stack.n + 1);
	*vec_push(&f->stack) = (struct nettrace_stack){
		.at = f->address.n, .n = n, .stack = STACK_NONE};
	vec_reserve(&f->address, f->address.n + n);
	for (uint32_t i = 0; i < n; i++, at += pointer)
		f->address.at[f->address.n++] =
			pointer == 8 ? bytes_u64(at, false) : bytes_u32(at, false);
	return (uint32_t)f->stack.n - 1;
}

/* ---- ranges ---- */

ORDERED_BY_THREE(range_order, struct nettrace_range, process, start, ticks)

static void
ranges_ready(struct nettrace_ranges *r)
{
	vec_sort(&r->range, range_order);
	r->reach = mem_alloc(r->range.n, sizeof *r->reach);
	for (size_t i = 0; i < r->range.n; i++) {
		const struct nettrace_range *x = &r->range.at[i];
		r->reach[i] = x->end;
		if (i && x[-1].process == x->process && r->reach[i - 1] > x->end)
			r->reach[i] = r->reach[i - 1];
	}
}

void
nettrace_frames_ready(struct nettrace_frames *f)
{
	ranges_ready(&f->methods);
	ranges_ready(&f->mapped);
}

/* Returns the range of an address at a time: the last one named until then, else the first. NULL:
 * there is none. Narrows [*from, *to) to where the answer is the same. */
static const struct nettrace_range *
range_at(const struct nettrace_ranges *r, uint32_t process, uint64_t address, int64_t ticks,
	 int64_t *from, int64_t *to)
{
	const struct nettrace_range *best = NULL, *first = NULL;
	int64_t low = INT64_MIN, high = INT64_MAX;
	size_t n = bisect(i, r->range.n,
			  r->range.at[i].process < process ||
				  (r->range.at[i].process == process &&
				   r->range.at[i].start <= address));
	size_t end = n > OVERLAPS_MAX ? n - OVERLAPS_MAX : 0, i;

	for (i = n; i-- > end && r->range.at[i].process == process && r->reach[i] > address;) {
		const struct nettrace_range *x = &r->range.at[i];
		if (x->end <= address)
			continue;
		if (x->ticks <= ticks && (!best || x->ticks > best->ticks))
			best = x;
		if (!first || x->ticks < first->ticks)
			first = x;
	}
	if (!first)
		return NULL;
	bool before = !best;
	best = before ? first : best;
	for (i = n; i-- > end && r->range.at[i].process == process && r->reach[i] > address;) {
		const struct nettrace_range *x = &r->range.at[i];
		if (x->end <= address || (x->name == best->name && x->module == best->module))
			continue;
		low = best->ticks; /* others had it before */
		if (x->ticks > ticks && x->ticks < high)
			high = x->ticks;
	}
	if (!before && best != first && low > *from)
		*from = low;
	if (high < *to)
		*to = high;
	return best;
}

/* ---- frames ---- */

static frame_id
method_frame(struct nettrace *d, const struct nettrace_range *m)
{
	struct name n = builder_name_get(d->b, m->name);
	uint32_t mapping = idmap_get(&d->frames.mapping_of, m->module);
	uint32_t module = idmap_get(&d->frames.module_of, m->module);
	bool system = name_begins(n, "System.") || name_begins(n, "Microsoft.");
	struct function fn = {
		.name = m->name,
		.kind = (uint8_t)(system ? KIND_SYSTEM : kind_of_name(n.at, n.len)),
	};

	if (d->file.version >= 6 && mapping != IDMAP_NONE)
		fn.module = d->frames.mapping.at[mapping].module;
	else if (module != IDMAP_NONE)
		fn.module = module;
	return builder_frame(d->b, builder_function(d->b, fn), line_unknown());
}

/* A frame without a name. */
static frame_id
address_frame(struct nettrace *d, name_id module, uint64_t address)
{
	struct function fn = {.name = builder_namef(d->b, "0x%" PRIx64, address),
			      .module = module,
			      .kind = KIND_SYSTEM};

	return builder_frame(d->b, builder_function(d->b, fn), line_unknown());
}

/* Looks for the file of a mapping on this machine, once. */
static void
mapping_ask(struct nettrace *d, struct nettrace_mapping *m)
{
	struct nettrace_frames *f = &d->frames;
	uint32_t build = idmap_get(&f->build_of, m->metadata);

	m->asked = true;
	if (build == IDMAP_NONE)
		return;
	if (!f->symbols)
		f->symbols = native_symbols(d->file.in);
	m->there = native_module(f->symbols, builder_name_get(d->b, m->path),
				 builder_name_get(d->b, build), &m->symbols);
	native_file(d->b, m->module, m->path, build);
}

/* Collects the frames of an address without a method; returns the innermost one. */
static frame_id
mapped_frame(struct nettrace *d, const struct nettrace_range *x, uint64_t address, bool leaf,
	     unsigned *n)
{
	uint32_t at = x ? idmap_get(&d->frames.mapping_of, x->module) : IDMAP_NONE;
	struct symbols_frame found[SYMBOLS_DEPTH];
	frame_id first = 0;

	*n = 0;
	if (at == IDMAP_NONE)
		return address_frame(d, NAME_EMPTY, address);
	struct nettrace_mapping *m = &d->frames.mapping.at[at];
	uint64_t offset = address - m->start + m->offset;
	if (!m->asked)
		mapping_ask(d, m);
	if (m->there)
		*n = symbols_at(d->frames.symbols, m->symbols, offset - !leaf, true, found,
				SYMBOLS_DEPTH);
	for (unsigned i = 0; i < *n; i++) {
		frame_id one = native_frame(d->b, m->module, false, &found[i]);
		first = i ? first : one;
		builder_next_frame(d->b, one);
	}
	return *n ? first : address_frame(d, m->module, offset);
}

/* Collects the frame of an address, and narrows [*from, *to) to where it is the same. Returns true
 * if it has no method. */
static bool
frame_collect(struct nettrace *d, uint64_t address, bool leaf, uint32_t process, int64_t ticks,
	      struct nettrace_stack *s)
{
	struct nettrace_frames *f = &d->frames;
	uint64_t hash = (address ^ (uint64_t)process << 40) * UINT64_C(0x9E3779B97F4A7C15);
	struct nettrace_frame *k = &f->kept[hash >> 32 & (NETTRACE_FRAMES_KEPT - 1)];
	unsigned several = 0;

	if (!k->known || k->address != address || k->process != process || k->leaf != leaf ||
	    ticks < k->from || ticks >= k->to) {
		*k = (struct nettrace_frame){.address = address, .process = process,
					     .from = INT64_MIN, .to = INT64_MAX, .leaf = leaf};
		const struct nettrace_range *m =
			range_at(&f->methods, process, address - !leaf, ticks, &k->from, &k->to);
		k->nameless = !m;
		k->frame = m ? method_frame(d, m)
			     : mapped_frame(d,
					    range_at(&f->mapped, process, address - !leaf, ticks,
						     &k->from, &k->to),
					    address, leaf, &several);
		k->known = several < 2; /* otherwise each look-up collects all of them again */
		k->nameless &= !several;
	}
	s->from = k->from > s->from ? k->from : s->from;
	s->to = k->to < s->to ? k->to : s->to;
	if (!several)
		builder_next_frame(d->b, k->frame);
	return k->nameless;
}

/* Makes the builder's stack of a row whose stack is not known at this time. */
static void
stack_resolve(struct nettrace *d, struct nettrace_stack *s, uint32_t process, int64_t ticks)
{
	if (!d->frames.kept)
		d->frames.kept = mem_zalloc(NETTRACE_FRAMES_KEPT, sizeof *d->frames.kept);
	s->process = process;
	s->from = INT64_MIN;
	s->to = INT64_MAX;
	s->nameless = 0;
	for (uint32_t i = 0; i < s->n; i++)
		s->nameless += frame_collect(d, d->frames.address.at[s->at + i], i == 0, process,
					     ticks, s);
	s->stack = builder_next_leaf_first(d->b);
}

stack_id
nettrace_stack_at(struct nettrace *d, uint32_t stack, uint32_t process, int64_t ticks)
{
	struct nettrace_stack *s = &d->frames.stack.at[stack];

	if (stack == NETTRACE_NO_STACK)
		return builder_stack_missing(d->b, 1);
	if (stack == NETTRACE_UNKNOWN_STACK) {
		frame_id unknown =
			builder_frame(d->b, builder_function_unknown(d->b), line_unknown());
		return builder_stack(d->b, &unknown, 1);
	}
	if (s->process != process || s->stack == STACK_NONE || ticks < s->from || ticks >= s->to)
		stack_resolve(d, s, process, ticks);
	d->frames.frames += s->n;
	d->frames.nameless += s->nameless;
	return s->stack;
}
