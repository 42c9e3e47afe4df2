/* Converts chains of addresses to stacks, many at once.
 *
 * Most chains are known, and a hash of their addresses finds them. New ones are frequent as well in
 * long recordings. Each of them waits for memory a dozen times: for the place of its hash, for its
 * addresses, for each frame of the tree of stacks. So samples are gathered, and the memory for each
 * step is prefetched for all of them.
 *
 * A stack usually begins like the previous one: the common part is copied without look-ups.
 *
 * Rejected: comparing the addresses with the previous chain of the same thread; finding their
 * frames is nearly as fast as the comparison (perfdata_frames.c). */
#include "src/decode/perf/perfdata_stacks.h"

#include <string.h>

#include "src/decode/common/native.h"
#include "src/input/hash.h"
#include "src/input/input.h"
#include "src/symbol/embedded.h"

#define UNWIND_DEPTH 1024u
/* The kernel's default limit of a chain. */
#define CHAIN_DEPTH 127u
/* PERF_CONTEXT_*, as numbers from the end of the address space */
#define CONTEXT_FIRST ((uint64_t)-4095)

_Static_assert(PERFDATA_ASKED <= STACKS_WAYS, "all that are asked go down at once");

/* ---- chains ---- */

/* Returns the mode that a marker begins; 0 if the number is not a marker. */
static unsigned
mode_of(uint64_t marker)
{
	switch ((int64_t)marker) {
	case -32:
		return PERFDATA_HYPERVISOR_MODE;
	case -128:
		return PERFDATA_KERNEL_MODE;
	case -512:
		return PERFDATA_USER_MODE;
	case -2176:
		return PERFDATA_GUEST_KERNEL_MODE;
	case -2048:
	case -2560:
		return PERFDATA_GUEST_USER_MODE;
	default:
		return 0;
	}
}

/* Returns the number of addresses. */
static size_t
push_chain(struct perfdata_frames *f, const struct perfdata_tasks *t, uint32_t process,
	   const struct perfdata_sample *s, unsigned mode, bool big_endian)
{
	uint32_t flags = 0;
	size_t n = 0;
	bool scripts = false;
	frame_id script;
	for (size_t i = 0; i < s->n_chain; i++) {
		uint64_t ip = perfdata_word(s->chain, i, big_endian);
		/* a word that was no address may lie in that range, too */
		if (perfdata_is_script(ip) && perfdata_script_at(f, t, process, ip, &script)) {
			perfdata_scripts_push(f, script);
			scripts = true;
			continue;
		}
		if (ip >= CONTEXT_FIRST) {
			mode = mode_of(ip);
			if (scripts)
				perfdata_scripts_end_call(f);
			/* A register that was not a frame pointer led nowhere.  How much of the
			 * chain it spoilt before is unknown, so perf drops all of it. */
			if (!mode) {
				f->chain.n = 0;
				return 0;
			}
			/* The program is at this address, which does not follow a call. */
			flags = 0;
			continue;
		}
		perfdata_push_address(f, t, process, ip, mode, flags);
		flags = PERFDATA_CALLER;
		n++;
	}
	return n;
}

/* ---- unwinding ---- */

/* The addresses of a stack, leaf first. */
struct perfdata_chain {
	uint64_t ip[UNWIND_DEPTH];
	unsigned n;
	enum unwind_end end;
};

static bool
choose_maps(struct perfdata_frames *f, const struct perfdata_tasks *t, uint32_t process,
	    bool narrow)
{
	const struct perfdata_maps *maps = NULL;
	if (process != UINT32_MAX)
		maps = t->process.at[process].maps;
	bool there = false;
	if (!maps || unwinder_knows(f->unwinding.unwinder, maps->code, &there))
		return there;
	f->unwinding.map.n = 0;
	for (size_t i = 0; i < maps->map.n; i++) {
		const struct perfdata_map *m = &maps->map.at[i];
		const struct perfdata_module *module = &f->module.at[m->module];
		if (m->executable && module->origin <= PERFDATA_FROM_VDSO)
			*vec_push(&f->unwinding.map) = (struct unwind_map){
				m->start, m->end, m->offset,
				narrow && module->origin == PERFDATA_FROM_VDSO
					? UNWIND_NO_MODULE
					: module->symbols};
	}
	return unwinder_maps(f->unwinding.unwinder, maps->code, f->unwinding.map.at,
			     f->unwinding.map.n, narrow);
}

/* Returns the frame that replaces unknown callers, so that their callee does not look like the
 * start of the thread. */
static frame_id
truncated_frame(struct perfdata_frames *f)
{
	return native_frame(f->b, NAME_EMPTY, true,
			    &(struct symbols_frame){.name = "[truncated]"});
}

/* Returns a key that identifies a copied stack in the recording: its contents and its process. */
static uint64_t
stack_key(const struct perfdata_asked *q)
{
	const struct perfdata_sample *s = &q->s;
	uint8_t head[8 + 64 * 8] = {0};
	size_t n = 8 * (size_t)__builtin_popcountll(q->a->user_registers);

	memcpy(head, s->user.registers, n);
	for (unsigned i = 0; i < 4; i++)
		head[n + i] = (uint8_t)(s->pid >> 8 * i);
	head[n + 4] = (uint8_t)s->user.abi;
	return hash64_seeded(s->user.stack, (size_t)s->user.stack_len,
			     hash64(head, n + 8));
}

/* Unwinds with the files of the modules; returns false if the process has no file here. */
static bool
unwind(struct perfdata_frames *f, const struct perfdata_tasks *t, const struct perfdata_asked *q,
       const struct unwind_state *state, struct perfdata_chain *c)
{
	unsigned room = f->chain.n < UNWIND_DEPTH ? UNWIND_DEPTH - (unsigned)f->chain.n : 1;

	input_give(f->in);
	bool known = choose_maps(f, t, q->process, state->narrow);
	bool spent = unwinder_spent(f->unwinding.unwinder);
	if (known && state->stack_len)
		c->n = unwinder_run(f->unwinding.unwinder, state, c->ip, room, &c->end);
	input_take(f->in);
	c->end = known ? c->end : UNWIND_RULES;
	if (f->embedding.results && known && !spent)
		embedding_stack(f->embedding.results, stack_key(q), c->ip, c->n, c->end);
	return known;
}

static void
push_unwound(struct perfdata_frames *f, const struct perfdata_tasks *t,
	     const struct perfdata_asked *q, const struct unwind_state *state)
{
	struct perfdata_chain c = {.ip = {state->pc}, .n = 1, .end = UNWIND_COPY};
	unsigned n = 0, end = 0;

	if (f->embedding.symbols && embedded_sizes(f->embedding.symbols).stacks)
		n = embedded_stack(f->embedding.symbols, stack_key(q), c.ip, UNWIND_DEPTH,
				   &end);
	if (n) {
		c.n = n;
		c.end = (enum unwind_end)end;
		if (f->embedding.results)
			embedding_stack(f->embedding.results, stack_key(q), c.ip, n, end);
	}
	bool known = n || unwind(f, t, q, state, &c);
	f->unwinding.no_files += !known;
	for (unsigned i = 0; i < c.n; i++)
		perfdata_push_address(f, t, q->process, c.ip[i], PERFDATA_USER_MODE,
				      PERFDATA_UNWOUND);
	if (c.end == UNWIND_RULES && perfdata_begins(f))
		c.end = UNWIND_WHOLE;
	f->unwinding.ends[c.end] += known;
	if (c.end == UNWIND_COPY || c.end == UNWIND_DEEP)
		*vec_push(&f->chain) = truncated_frame(f);
}

/* ---- the stack ---- */

/* Returns true if the kernel truncated a chain of n addresses: it has the maximum length.  If
 * the event does not state the maximum, a longer chain shows that it is not the usual one. */
static bool
is_cut(struct perfdata_frames *f, const struct perfdata_attr *a, size_t n)
{
	f->chains.longest = n > f->chains.longest ? n : f->chains.longest;
	if (a->max_stack)
		return n >= a->max_stack;
	return n == CHAIN_DEPTH && f->chains.longest == CHAIN_DEPTH;
}

/* Appends the addresses of the sample. A chain without a user part leaves that to the copied stack;
 * if that cannot be used, the sample still has the program counter. If a chain was requested and is
 * empty, perf script shows no frame either. */
static void
push_addresses(struct perfdata_frames *f, const struct perfdata_tasks *t,
	       const struct perfdata_asked *q, bool big_endian)
{
	const struct perfdata_sample *s = &q->s;
	bool whole = s->chain && !perfdata_flag(q->a, PERFDATA_CHAIN_WITHOUT_USER);

	if (s->chain) {
		size_t n = push_chain(f, t, q->process, s, q->mode, big_endian);
		bool cut = whole && (is_cut(f, q->a, n - s->n_own) ||
				     (s->n_own && is_cut(f, q->a, s->n_own)));
		if (cut)
			*vec_push(&f->chain) = truncated_frame(f);
		f->chains.n++;
		f->chains.cut += cut;
	}
	if (!f->chain.n && !whole && q->a->sample_type & PERFDATA_HAS_IP)
		perfdata_push_address(f, t, q->process, s->ip, q->mode, 0);
	if (!f->chain.n)
		*vec_push(&f->chain) = builder_frame(f->b, builder_function_unknown(f->b),
						     line_unknown());
}

/* Returns false, without a change, if the sample has no usable copy of the stack. */
static bool
push_copied(struct perfdata_frames *f, const struct perfdata_tasks *t,
	    const struct perfdata_asked *q, bool big_endian)
{
	struct unwind_state state = {0};
	const struct perfdata_sample *s = &q->s;

	if (!s->user.registers || !s->user.stack ||
	    !perfdata_registers(&f->unwinding.machine, s, q->a->user_registers,
				big_endian, &state))
		return false;
	if (s->chain)
		push_chain(f, t, q->process, s, q->mode, big_endian);
	else if (q->mode != PERFDATA_USER_MODE)
		perfdata_push_address(f, t, q->process, s->ip, q->mode, 0);
	push_unwound(f, t, q, &state);
	return true;
}

void
perfdata_ask(struct perfdata_frames *f, const struct perfdata_tasks *t, struct perfdata_asked *q)
{
	const struct perfdata_sample *s = &q->s;
	const struct perfdata_maps *kernel = t->process.at[f->kernel].maps, *user = NULL;

	if (q->process != UINT32_MAX)
		user = t->process.at[q->process].maps;
	uint64_t head[4] = {
		user ? user->version : 0,
		kernel ? kernel->version : 0,
		q->mode | (s->chain ? 16 : 0),
		s->ip,
	};
	q->identity = s->chain ? hash128_seeded(s->chain, s->n_chain * 8,
						hash64(head, sizeof head))
			       : hash128(head, sizeof head);
	text_cache_prefetch(&f->stack_cache, q->identity);
}

/* Adds the chain of a sample to those that wait for their stacks. */
static void
wait(struct perfdata_frames *f, struct stacks_way *way)
{
	size_t n = f->chain.n, at = f->paths.waiting.n;

	vec_reserve(&f->paths.waiting, at + n);
	for (size_t i = 0; i < n; i++)
		f->paths.waiting.at[at + i] = f->chain.at[n - 1 - i];
	f->paths.waiting.n += n;
	*way = (struct stacks_way){.n = n};
}

/* Starts with the part that the path shares with the previous one. */
static void
perfdata_stacks_begin(struct perfdata_frames *f, struct stacks_way *way)
{
	size_t same = 0;

	while (same < way->n && same < f->paths.last.n &&
	       f->paths.last.at[same] == way->frame[same])
		same++;
	way->from = same ? f->paths.last_stack.at[same - 1] : STACK_EMPTY;
	way->frame += same;
	way->each += same;
	way->n -= same;
}

/* Sets the length of the last path: its first `same` frames were known, and those of `way`
 * follow. */
static void
perfdata_stacks_keep(struct perfdata_frames *f, const struct stacks_way *way, size_t same)
{
	vec_reserve(&f->paths.last, same + way->n);
	vec_reserve(&f->paths.last_stack, same + way->n);
	f->paths.last.n = f->paths.last_stack.n = same + way->n;
	for (size_t i = 0; i < way->n; i++) {
		f->paths.last.at[same + i] = way->frame[i];
		f->paths.last_stack.at[same + i] = way->each[i];
	}
}

/* The stacks of n that wait. */
static void
make_stacks(struct perfdata_frames *f, struct stacks_way *way, size_t n, stack_id *stack)
{
	size_t at = 0, same = 0;

	vec_reserve(&f->paths.waiting_stack, f->paths.waiting.n);
	for (size_t i = 0; i < n; i++) {
		size_t len = way[i].n;
		way[i].frame = f->paths.waiting.at + at;
		way[i].each = f->paths.waiting_stack.at + at;
		perfdata_stacks_begin(f, &way[i]);
		same = len - way[i].n;
		at += len;
	}
	builder_paths_known(f->b, way, n);
	for (size_t i = 0; i < n; i++) {
		struct stacks_way *w = &way[i];
		stack_id from = w->known ? w->each[w->known - 1] : w->from;
		stack[i] = builder_path(f->b, from, w->frame + w->known, w->n - w->known,
					w->each + w->known);
	}
	if (n && stack[n - 1] != STACK_NONE)
		perfdata_stacks_keep(f, &way[n - 1], same);
	f->paths.waiting.n = 0;
}

void
perfdata_answer(struct perfdata_frames *f, const struct perfdata_tasks *t,
		struct perfdata_asked *q, size_t n, bool big_endian)
{
	struct stacks_way way[PERFDATA_ASKED];
	stack_id stack[PERFDATA_ASKED];
	uint32_t whose[PERFDATA_ASKED], new = 0;

	for (uint32_t i = 0; i < n; i++) {
		f->chain.n = 0;
		perfdata_scripts_begin(f);
		q[i].remember = false;
		if (!push_copied(f, t, &q[i], big_endian)) {
			uint32_t known = *text_cache_find(&f->stack_cache, q[i].identity);
			if (known) {
				q[i].stack = known - 1;
				continue;
			}
			q[i].remember = true;
			push_addresses(f, t, &q[i], big_endian);
		}
		perfdata_scripts_weave(f);
		whose[new] = i;
		wait(f, &way[new++]);
	}
	make_stacks(f, way, new, stack);
	for (uint32_t i = 0; i < new; i++) {
		struct perfdata_asked *a = &q[whose[i]];
		a->stack = stack[i];
		if (a->remember && a->stack != STACK_NONE)
			text_cache_put_late(&f->stack_cache, a->identity, a->stack + 1);
	}
}
