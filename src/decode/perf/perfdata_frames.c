/* Resolves addresses to frames.
 *
 * A chain of addresses is meaningful only together with the maps at that time. Programs run in
 * loops, and chains repeat: a whole chain is looked up by the hash of its addresses and the version
 * of the maps (perfdata_tasks.h). Only new chains are resolved (perfdata_stacks.c), each address by
 * the following look-ups: among recent addresses with the version of the maps; then by module and
 * offset, which many chains and, for libraries, many processes share; last in the symbols.
 *
 * A chain is leaf first. Markers (PERF_CONTEXT_*) in it state in which mode the addresses after
 * them ran. All addresses except the first are return addresses, one instruction after the call.
 * The function is looked up at that address, as in perf. The line is that of the byte before, which
 * belongs to the call, if that byte is in the same function. If the address is unknown, because the
 * call never returns and ends the function, the byte before also determines the function.
 *
 * Code without symbols is named by its address: the offset in the file, which is the same for all
 * processes, or the run-time address if there is no file.
 *
 * Inlined calls become frames, also in chains of frame pointers and without callers.  So the line
 * of a sample is that of its instruction, as in perf's srcline, beside its own function.  In chains
 * the function that is not inlined has the symbol's name, as in perf.
 *
 * Instead of a chain of user addresses, a sample may have registers and a copy of the stack. It is
 * unwound (src/symbol/unwind.h); if that fails, the chain ends with the program counter.
 *
 * Rejected: keeping addresses and naming them at the end (nothing to display while a file loads,
 * and a million frames instead of a few thousand). */
#include "src/decode/perf/perfdata_frames.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "src/decode/common/native.h"
#include "src/decode/common/words.h"
#include "src/input/hash.h"
#include "src/input/input.h"
#include "src/symbol/embedded.h"

/* Numbers that are no pids. */
#define KERNEL_PID 0xFFFFFFFFu
#define GUEST_KERNEL_PID 0xFFFFFFFEu

void
perfdata_frames_init(struct perfdata_frames *f, struct input *in, struct builder *b,
		     struct perfdata_tasks *t)
{
	*f = (struct perfdata_frames){.in = in, .b = b};
	f->symbols = native_symbols(in);
	symbols_aside(f->symbols, NULL, NULL, NULL); /* the input is given away here */
	f->embedding.results = input_options(in)->embedding;
	if (f->embedding.results)
		symbols_embed(f->symbols, f->embedding.results);
	f->unwinding.unwinder = unwinder_new(f->symbols);
	f->kernel = perfdata_process(t, KERNEL_PID);
	f->guest_kernel = perfdata_process(t, GUEST_KERNEL_PID);
}

void
perfdata_frames_release(struct perfdata_frames *f)
{
	unwinder_free(f->unwinding.unwinder);
	symbols_free(f->symbols);
	if (!f->embedding.attached)
		embedded_free(f->embedding.symbols);
	text_cache_release(&f->module_cache);
	text_cache_release(&f->frame_cache);
	vec_release_all(&f->module, &f->build_id, &f->pool, &f->unwinding.begins,
			&f->dumped, &f->reuses.at, &f->sought, &f->chain, &f->unwinding.map,
			&f->scripts.frame, &f->scripts.end, &f->scripts.loop, &f->scripts.woven,
			&f->root_first);
	free(f->known);
}

/* ---- modules ---- */

/* Memory without a file belongs to a JIT compiler if it is executable. */
static bool
is_anonymous(const char *at, size_t len)
{
	return is_key(at, len, "//anon") || begins_with(at, at + len, "/dev/zero") ||
	       begins_with(at, at + len, "/anon_hugepage") ||
	       begins_with(at, at + len, "[stack") ||
	       begins_with(at, at + len, "/SYSV") || is_key(at, len, "[heap]") ||
	       begins_with(at, at + len, "[anon:");
}

static const struct perfdata_build_id *
build_id_of(const struct perfdata_frames *f, name_id path, bool kernel)
{
	for (size_t i = f->build_id.n; i-- > 0;)
		if (f->build_id.at[i].path == path && f->build_id.at[i].kernel == kernel)
			return &f->build_id.at[i];
	return NULL;
}

/* Returns the source of symbols for a mapping, and the module's name in *name. */
static struct perfdata_module
classify(const struct perfdata_mapping *m, struct buf *name)
{
	struct perfdata_module out = {.origin = PERFDATA_FROM_NOWHERE};
	if (m->mode == PERFDATA_KERNEL_MODE) {
		out.origin = PERFDATA_FROM_KERNEL;
		out.system = true;
		/* "[kernel.kallsyms]_text": with the symbol that identifies its address */
		const char *end = memchr(m->path, ']', m->path_len);
		bool kernel =
			end && begins_with(m->path, m->path + m->path_len, "[kernel");
		buf_add(name, m->path,
			kernel ? (size_t)(end - m->path) + 1 : m->path_len);
		return out;
	}
	if (m->mode == PERFDATA_GUEST_KERNEL_MODE) {
		out.system = true;
		buf_adds(name, "[guest.kernel.kallsyms]");
		return out;
	}
	if (m->executable && is_anonymous(m->path, m->path_len)) {
		out.origin = PERFDATA_FROM_JIT;
		buf_addf(name, "/tmp/perf-%" PRIu32 ".map", m->pid);
		return out;
	}
	struct name language, function, file, path = {.at = m->path, .len = (uint32_t)m->path_len};
	if (perfdata_script_path(path, &language, &function, &file))
		out.origin = PERFDATA_FROM_SCRIPT;
	else if (begins_with(m->path, m->path + m->path_len, "[vdso"))
		out.origin = PERFDATA_FROM_VDSO;
	else if (begins_with(m->path, m->path + m->path_len, "/") &&
		 !is_anonymous(m->path, m->path_len))
		out.origin = PERFDATA_FROM_FILE;
	buf_add(name, m->path, m->path_len);
	return out;
}

static void
add_symbols(struct perfdata_frames *f, const struct perfdata_mapping *m,
	    struct perfdata_module *module)
{
	static const enum symbols_kind kinds[] = {
		[PERFDATA_FROM_FILE] = SYMBOLS_FILE,
		[PERFDATA_FROM_VDSO] = SYMBOLS_VDSO,
		[PERFDATA_FROM_KERNEL] = SYMBOLS_KERNEL,
		[PERFDATA_FROM_JIT] = SYMBOLS_JIT,
	};
	struct name name = builder_name_get(f->b, module->name);
	struct symbols_module s = {
		.kind = kinds[module->origin],
		.path = name.at,
		.path_len = name.len,
		.build_id = m->build_id,
		.build_id_len = m->build_id_len,
	};
	/* Only the kernel's list of symbols names functions of kernel modules. */
	name_id path = module->name;
	if (module->origin == PERFDATA_FROM_KERNEL && !name_begins(name, "[kernel."))
		path = builder_name(f->b, "[kernel.kallsyms]", 17);
	const struct perfdata_build_id *known = build_id_of(f, path, module->system);
	if (known && (!s.build_id_len || path != module->name)) {
		s.build_id = known->id;
		s.build_id_len = known->len;
	}
	static const char reference[] = "_text";
	size_t n = sizeof reference - 1;
	if (module->origin == PERFDATA_FROM_KERNEL && m->path_len > n &&
	    !memcmp(m->path + m->path_len - n, reference, n) &&
	    m->path[m->path_len - n - 1] == ']')
		s.kernel_text = m->offset;
	module->symbols = symbols_add(f->symbols, &s);
	if (module->origin == PERFDATA_FROM_FILE)
		builder_module_file(f->b, module->name, module->name, s.build_id,
				    s.build_id_len);
}

uint32_t
perfdata_module(struct perfdata_frames *f, const struct perfdata_mapping *m)
{
	struct buf key = BUF_INIT;
	struct perfdata_module new = classify(m, &key);
	new.name = builder_name(f->b, buf_str(&key), key.len);
	new.ruby = perfdata_is_ruby(key.at, key.len);
	buf_addc(&key, 0);
	buf_addc(&key, (char)(new.origin + (new.system ? 16 : 0)));
	buf_add(&key, m->build_id ? (const void *)m->build_id : "", m->build_id_len);
	struct hash128 hash = hash128(key.at, key.len);
	buf_release(&key);
	uint32_t *known = text_cache_find(&f->module_cache, hash);
	if (*known)
		return *known - 1;
	if (new.origin < PERFDATA_FROM_RECORD)
		add_symbols(f, m, &new);
	*vec_push(&f->module) = new;
	uint32_t index = (uint32_t)f->module.n - 1;
	text_cache_put(&f->module_cache, known, hash, index + 1);
	return index;
}

uint32_t
perfdata_module_named(struct perfdata_frames *f, const char *name, size_t len)
{
	*vec_push(&f->module) = (struct perfdata_module){
		.name = builder_name(f->b, name, len),
		.origin = PERFDATA_FROM_RECORD,
		.system = true,
	};
	return (uint32_t)f->module.n - 1;
}

/* ---- one address ---- */

/* A resolved address: its module, and the address for its symbols. */
struct perfdata_place {
	uint32_t module; /* UINT32_MAX: not mapped */
	uint32_t flags;
	uint64_t at;
};
#define PLACE_CALLER PERFDATA_CALLER
#define PLACE_UNWOUND PERFDATA_UNWOUND
#define PLACE_SYSTEM 4u
#define PLACE_LEAF PERFDATA_LEAF
#define PLACE_FLAGS 4u /* how many there are */

/* Returns the address in the module's own file, as its symbols count; without a file, the
 * offset in it. */
static uint64_t
address_of(struct perfdata_frames *f, const struct perfdata_module *m, struct perfdata_place p)
{
	uint64_t address = p.at;

	if (m->origin <= PERFDATA_FROM_VDSO &&
	    !symbols_address(f->symbols, m->symbols, p.at, &address))
		return p.at;
	return address;
}

static unsigned
symbols_of(struct perfdata_frames *f, const struct perfdata_module *m, struct perfdata_place p,
	   struct symbols_frame *out)
{
	struct symbols_frame whole, call;
	bool known = symbols_at(f->symbols, m->symbols, p.at, false, &whole, 1);

	if (p.flags & PLACE_CALLER &&
	    symbols_at(f->symbols, m->symbols, p.at - 1, false, &call, 1) &&
	    (!known || !strcmp(call.name, whole.name))) {
		whole = call;
		p.at--;
	} else if (!known) {
		return 0;
	}
	unsigned n = symbols_at(f->symbols, m->symbols, p.at, true, out, SYMBOLS_DEPTH);
	if (!(p.flags & PLACE_UNWOUND) && !out[n - 1].inlined)
		out[n - 1].name = whole.name;
	return n;
}

/* Opening a file and reading its DWARF may take many frames of a browser.  Meanwhile the
 * browser may use the profile, which this code does not touch.  If everything is cached, the
 * decoder keeps the profile: handing it over would cost more than the look-up. */
static unsigned
ask_symbols(struct perfdata_frames *f, const struct perfdata_module *m, struct perfdata_place p,
	    struct symbols_frame *out)
{
	if (m->origin >= PERFDATA_FROM_RECORD)
		return 0;
	if (symbols_at_once(f->symbols, m->symbols, p.at) &&
	    symbols_at_once(f->symbols, m->symbols, p.at - 1))
		return symbols_of(f, m, p, out);
	input_give(f->in);
	unsigned n = symbols_of(f, m, p, out);
	input_take(f->in);
	return n;
}

/* "/tmp/perf-PID.map" is the name of a JIT's memory. Without such a file the module gets the name
 * that perf uses. */
static name_id
module_without_map(struct perfdata_frames *f, const struct perfdata_module *m)
{
	struct name path = builder_name_get(f->b, m->name);

	return builder_namef(f->b, "[JIT] tid %lu",
			     strtoul(path.at + sizeof "/tmp/perf-" - 1, NULL, 10));
}

/* Adds the frame of a line of an interpreter's function. */
static uint32_t
make_script_frame(struct perfdata_frames *f, struct perfdata_place p)
{
	struct name path = builder_name_get(f->b, f->module.at[p.module].name), in, function,
		    file;
	uint32_t start = (uint32_t)f->pool.n, line = (uint32_t)p.at;

	if (!perfdata_script_path(path, &in, &function, &file))
		in = function = file = path;
	/* interning may move the texts */
	char *name = mem_dup(function.at, function.len), *source = mem_dup(file.at, file.len);
	char *language = mem_dup(in.at, in.len);
	struct symbols_frame s = {
		.name = name, .file = source, .line = line, .definition = (uint32_t)(p.at >> 32)};
	*vec_push(&f->pool) = 1;
	uint32_t id = native_frame(f->b, builder_name(f->b, language, in.len), false, &s);
	*vec_push(&f->pool) = id;
	free_all(name, source);
	free(language);
	return start;
}

#define HEX_BYTES (2 + 16 + 1)

/* Writes the name of an address without a symbol to the end of `out`; returns its beginning. A file
 * may have a million of them, and snprintf() takes a fifth of the time of such a frame. */
static const char *
address_name(uint64_t at, char out[HEX_BYTES])
{
	char *to = out + HEX_BYTES;

	*--to = '\0';
	do
		*--to = "0123456789abcdef"[at & 15];
	while (at >>= 4);
	*--to = 'x';
	*--to = '0';
	return to;
}

/* Adds the frames at a place to the pool; returns the index of the run. */
static uint32_t
perfdata_make_frames(struct perfdata_frames *f, struct perfdata_place p)
{
	static const char unknown[] = "[unknown]";
	struct symbols_frame found[SYMBOLS_DEPTH];
	struct perfdata_module m = {.origin = PERFDATA_FROM_NOWHERE};
	uint32_t start = (uint32_t)f->pool.n;
	char hex[HEX_BYTES];
	if (p.module != UINT32_MAX && f->module.at[p.module].origin == PERFDATA_FROM_SCRIPT)
		return make_script_frame(f, p);
	if (p.module != UINT32_MAX)
		m = f->module.at[p.module];
	else
		m.name = builder_name(f->b, unknown, sizeof unknown - 1);
	unsigned n = ask_symbols(f, &m, p, found);
	if (!n) {
		found[0] = (struct symbols_frame){.name = address_name(p.at, hex)};
		if (m.origin == PERFDATA_FROM_RECORD)
			found[0].name = builder_name_get(f->b, m.name).at;
		if (m.origin == PERFDATA_FROM_JIT && !symbols_there(f->symbols, m.symbols))
			m.name = module_without_map(f, &m);
		n = 1;
	}
	*vec_push(&f->pool) = n;
	for (unsigned i = 0; i < n; i++) {
		uint32_t id =
			native_frame(f->b, m.name, p.flags & PLACE_SYSTEM || m.system, &found[i]);
		if (!i && p.flags & PLACE_LEAF)
			id = builder_frame_at(f->b, id, address_of(f, &m, p));
		*vec_push(&f->pool) = id;
		perfdata_note_begin(f, id, found[i].name);
		perfdata_note_loop(f, id, m.ruby, found[i].name);
	}
	return start;
}

/* Nearly all places have one frame.  Their run is its id itself, so that it is found without the
 * pool; other runs are indexes in the pool, with this bit. */
#define RUN_IN_POOL 0x80000000u

/* Returns the frames of a run, and their number. */
static const frame_id *
run_frames(const struct perfdata_frames *f, const uint32_t *run, uint32_t *n)
{
	*n = 1;
	if (!(*run & RUN_IN_POOL))
		return run;
	const uint32_t *at = &f->pool.at[*run & ~RUN_IN_POOL];
	*n = *at;
	return at + 1;
}

/* Returns the run of frames that begins at this index of the pool, its last one. */
static uint32_t
run_from_pool(struct perfdata_frames *f, uint32_t start)
{
	frame_id first = f->pool.at[start + 1];

	if (f->pool.at[start] != 1 || first & RUN_IN_POOL)
		return start | RUN_IN_POOL;
	f->pool.n = start;
	return first;
}

/* Returns the run of frames at a place with this hash. */
static uint32_t
frames_hashed(struct perfdata_frames *f, struct perfdata_place p, struct hash128 hash)
{
	uint32_t value = run_from_pool(f, perfdata_make_frames(f, p)) + 1;

	text_cache_put_late(&f->frame_cache, hash, value);
	return value - 1;
}

static struct perfdata_place
perfdata_frames_place_of(const struct perfdata_frames *f, const struct perfdata_tasks *t,
			 uint32_t process, uint64_t ip, uint32_t flags)
{
	const struct perfdata_map *map =
		process != UINT32_MAX ? perfdata_find(t, process, ip) : NULL;
	struct perfdata_place p = {.module = UINT32_MAX, .flags = flags, .at = ip};

	if (map) {
		p.module = map->module;
		if (f->module.at[map->module].origin <= PERFDATA_FROM_VDSO)
			p.at = ip - map->start + map->offset;
		else if (f->module.at[map->module].origin == PERFDATA_FROM_SCRIPT)
			p.at = (ip - map->start) | map->offset << 32;
	}
	return p;
}

/* Returns the process whose maps apply to addresses of this mode; UINT32_MAX: none. */
static uint32_t
whose(const struct perfdata_frames *f, uint32_t process, unsigned mode)
{
	switch (mode) {
	case PERFDATA_KERNEL_MODE:
		return f->kernel;
	case PERFDATA_GUEST_KERNEL_MODE:
		return f->guest_kernel;
	case PERFDATA_USER_MODE:
		return process;
	default:
		return UINT32_MAX;
	}
}

struct perfdata_space
perfdata_space_of(const struct perfdata_frames *f, const struct perfdata_tasks *t,
		  uint32_t process, unsigned mode)
{
	struct perfdata_space s = {.process = whose(f, process, mode)};
	const struct perfdata_maps *maps =
		s.process != UINT32_MAX ? t->process.at[s.process].maps : NULL;

	s.key = (maps ? maps->version : 0) << PLACE_FLAGS;
	if (mode != PERFDATA_USER_MODE && mode != PERFDATA_GUEST_USER_MODE)
		s.key |= PLACE_SYSTEM;
	return s;
}

static struct perfdata_place
sought_place(const struct perfdata_frames *f, const struct perfdata_tasks *t,
	     struct perfdata_space space, const struct perfdata_sought *a)
{
	return perfdata_frames_place_of(f, t, space.process, a->ip,
					a->key & ((1u << PLACE_FLAGS) - 1));
}

void
perfdata_seek(struct perfdata_frames *f, const struct perfdata_tasks *t,
	      struct perfdata_space space, uint64_t ip, uint32_t flags,
	      struct perfdata_sought *out)
{
	uint64_t key = space.key | flags;
	uint64_t hash = (ip ^ key << 32) * UINT64_C(0x9E3779B97F4A7C15);

	if (!f->known)
		f->known = mem_zalloc((size_t)1 << PERFDATA_KNOWN_BITS, sizeof *f->known);
	out->ip = ip;
	out->key = key;
	out->known = (uint32_t)(hash >> (64 - PERFDATA_KNOWN_BITS));
	const struct perfdata_known *known = &f->known[out->known];
	out->found = known->there && known->ip == ip && known->key == key;
	out->run = known->frames;
	if (out->found)
		return;
	struct perfdata_place p = sought_place(f, t, space, out);
	out->hash = hash128(&p, sizeof p);
	text_cache_soon(&f->frame_cache, out->hash);
}

void
perfdata_push(struct perfdata_frames *f, const struct perfdata_tasks *t,
	      struct perfdata_space space, const struct perfdata_sought *a)
{
	uint32_t run = a->run, n;

	if (!a->found) {
		uint32_t value = *text_cache_find(&f->frame_cache, a->hash);
		run = value ? value - 1
			    : frames_hashed(f, sought_place(f, t, space, a), a->hash);
		f->known[a->known] = (struct perfdata_known){a->ip, a->key, run, true};
	}
	const frame_id *frame = run_frames(f, &run, &n);
	vec_reserve(&f->chain, f->chain.n + n);
	for (uint32_t i = 0; i < n; i++)
		f->chain.at[f->chain.n++] = frame[i];
}

void
perfdata_push_address(struct perfdata_frames *f, const struct perfdata_tasks *t,
		      uint32_t process, uint64_t ip, unsigned mode, uint32_t flags)
{
	struct perfdata_space space = perfdata_space_of(f, t, process, mode);
	struct perfdata_sought a;

	perfdata_seek(f, t, space, ip, f->chain.n ? flags : flags | PERFDATA_LEAF, &a);
	perfdata_push(f, t, space, &a);
}

bool
perfdata_script_at(struct perfdata_frames *f, const struct perfdata_tasks *t, uint32_t process,
		   uint64_t ip, frame_id *out)
{
	struct perfdata_place p = perfdata_frames_place_of(f, t, process, ip, 0);
	uint32_t n;

	if (p.module == UINT32_MAX)
		return false;
	struct hash128 hash = hash128(&p, sizeof p);
	uint32_t value = *text_cache_find(&f->frame_cache, hash);
	uint32_t run = value ? value - 1 : frames_hashed(f, p, hash);
	const frame_id *frame = run_frames(f, &run, &n);
	*out = frame[n - 1];
	return true;
}
