/* Converts chains of addresses, and copies of stacks, to frames.
 *
 * Most chains are known: stack_queue.h finds them by a hash of their addresses. Copies of stacks
 * are all different.
 *
 * Rejected: comparing the addresses with the previous chain of the same thread; finding their
 * frames is nearly as fast as the comparison (perfdata_frames.c). */
#include "src/decode/perf/perfdata_stacks.h"

#include <string.h>

#include "src/decode/common/native.h"
#include "src/input/input.h"
#include "src/symbol/embedded.h"

#define UNWIND_DEPTH 1024u
/* The kernel's default limit of a chain. */
#define CHAIN_DEPTH 127u
/* Processors keep at most this many calls. */
#define CALLS_DEPTH 32u
/* PERF_CONTEXT_*, as numbers from the end of the address space */
#define CONTEXT_FIRST ((uint64_t)-4095)

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

/* Returns word i of a chain and of the calls behind it. */
static uint64_t
chain_word(const struct perfdata_sample *s, uint64_t i, bool big_endian)
{
	return i < s->n_chain ? perfdata_word(s->chain, i, big_endian)
			      : perfdata_word(s->calls.at, (i - s->n_chain) * PERFDATA_CALL_WORDS,
					      big_endian);
}

/* Returns the flags of the addresses after word i, if that is no marker. */
static uint32_t
flags_behind(const struct perfdata_sample *s, uint64_t i)
{
	return i + 1 < s->n_chain ? PERFDATA_CALLER : 0;
}

/* Seeks all addresses of a chain, so that their cache misses overlap. */
static void
seek_chain(struct perfdata_frames *f, const struct perfdata_tasks *t, uint32_t process,
	   const struct perfdata_sample *s, unsigned mode, bool big_endian)
{
	struct perfdata_space space = perfdata_space_of(f, t, process, mode);
	uint32_t flags = PERFDATA_LEAF;

	vec_reserve(&f->sought, s->n_chain + s->calls.n);
	for (size_t i = 0; i < s->n_chain + s->calls.n; i++) {
		uint64_t ip = chain_word(s, i, big_endian);
		if (ip >= CONTEXT_FIRST) {
			space = perfdata_space_of(f, t, process, mode_of(ip));
			flags &= PERFDATA_LEAF;
		} else {
			perfdata_seek(f, t, space, ip, flags, &f->sought.at[i]);
			flags = flags_behind(s, i);
		}
	}
}

/* Returns the number of addresses. */
static size_t
push_chain(struct perfdata_frames *f, const struct perfdata_tasks *t, uint32_t process,
	   const struct perfdata_sample *s, unsigned mode, bool big_endian)
{
	struct perfdata_space space = perfdata_space_of(f, t, process, mode);
	uint32_t flags = 0;
	size_t n = 0;
	bool scripts = false;
	frame_id script;

	seek_chain(f, t, process, s, mode, big_endian);
	for (size_t i = 0; i < s->n_chain + s->calls.n; i++) {
		uint64_t ip = chain_word(s, i, big_endian);
		/* a word that was no address may lie in that range, too */
		if (perfdata_is_script(ip) && perfdata_script_at(f, t, process, ip, &script)) {
			perfdata_scripts_push(f, script);
			scripts = true;
			continue;
		}
		if (ip >= CONTEXT_FIRST) {
			mode = mode_of(ip);
			space = perfdata_space_of(f, t, process, mode);
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
		struct perfdata_sought *a = &f->sought.at[i];
		flags |= f->chain.n ? 0 : PERFDATA_LEAF;
		if (a->key != (space.key | flags)) /* frames of scripts lie between */
			perfdata_seek(f, t, space, ip, flags, a);
		perfdata_push(f, t, space, a);
		flags = flags_behind(s, i);
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
		bool cut = s->calls.n ? s->calls.n >= CALLS_DEPTH
				      : whole && (is_cut(f, q->a, n - s->n_own) ||
						  (s->n_own && is_cut(f, q->a, s->n_own)));
		if (cut)
			*vec_push(&f->chain) = truncated_frame(f);
		f->chains.n++;
		f->chains.cut += cut;
		f->chains.calls |= s->calls.n > 0;
	}
	if (!f->chain.n && !whole && s->ip && q->a->sample_type & PERFDATA_HAS_IP)
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

	if (!perfdata_registers(&f->unwinding.machine, s, q->a->user_registers, big_endian,
				&state))
		return false;
	if (s->chain)
		push_chain(f, t, q->process, s, q->mode, big_endian);
	else if (q->mode != PERFDATA_USER_MODE)
		perfdata_push_address(f, t, q->process, s->ip, q->mode, 0);
	push_unwound(f, t, q, &state);
	return true;
}

/* Returns true if the sample has a copy of its stack. */
static bool
has_copy(const struct perfdata_asked *q)
{
	return q->s.user.registers && q->s.user.stack;
}

bool
perfdata_ask(struct stack_queue *queue, const struct perfdata_frames *f,
	     const struct perfdata_tasks *t, const struct perfdata_asked *q)
{
	const struct perfdata_sample *s = &q->s;
	const struct perfdata_maps *kernel = t->process.at[f->kernel].maps, *user = NULL;

	if (has_copy(q))
		return stack_queue_add(queue, NULL, 0, 0);
	if (q->process != UINT32_MAX)
		user = t->process.at[q->process].maps;
	uint64_t head[4] = {
		user ? user->version : 0,
		kernel ? kernel->version : 0,
		q->mode | (s->chain ? 16 : 0),
		s->ip,
	};
	uint64_t seed = hash64(head, sizeof head);
	if (s->calls.n)
		return stack_queue_add(queue, s->calls.at, s->calls.n * PERFDATA_CALL_WORDS * 8,
				       hash64_seeded(s->chain, s->n_chain * 8, seed));
	return s->chain ? stack_queue_add(queue, s->chain, s->n_chain * 8, seed)
			: stack_queue_add(queue, head, sizeof head, 0);
}

void
perfdata_path(struct stack_queue *queue, struct perfdata_frames *f,
	      const struct perfdata_tasks *t, const struct perfdata_asked *q, bool big_endian)
{
	f->chain.n = f->root_first.n = 0;
	perfdata_scripts_begin(f);
	if (!has_copy(q) || !push_copied(f, t, q, big_endian))
		push_addresses(f, t, q, big_endian);
	perfdata_scripts_weave(f);
	vec_reserve(&f->root_first, f->chain.n);
	for (size_t i = f->chain.n; i-- > 0;)
		f->root_first.at[f->root_first.n++] = f->chain.at[i];
	stack_queue_path(queue, 0, f->root_first.at, f->root_first.n);
}
