/* Makes frames and stacks when everything has been read.
 *
 * The name of a frame may be in its own packet, in a later packet of symbols, which refers to it by
 * build id and address, or in the executed file. If the packets lack it, and a file with that build
 * id exists on this machine, its symbols are used. Packets with original names restore obfuscated
 * names of Java: a class and a method of it together name one frame. */
#include "src/decode/perfetto/perfetto_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/decode/common/native.h"
#include "src/input/hash.h"

/* The wire types of Perfetto's schema for the fields that are read here. */
static const struct proto_types address_types = {.numbers = PROTO_BIT(1), .bytes = PROTO_BIT(2)};
static const struct proto_types line_types = {.bytes = PROTO_BITS(1, 2), .numbers = PROTO_BIT(3)};
static const struct proto_types symbols_types = {.bytes = PROTO_BITS(1, 3)};

/* More names than this are not joined. */
#define NAMES_JOINED_MAX 256u

/* ---- symbols ---- */

static uint32_t *
symbol_slot(struct perfetto *d, name_id build_id, uint64_t pc, struct hash128 *hash)
{
	uint64_t key[] = {build_id, pc};

	*hash = hash128(key, sizeof key);
	return text_cache_find(&d->names.symbol_of, *hash);
}

static void
address_read(struct perfetto *d, name_id build_id, struct proto_field data)
{
	struct proto p = proto_inside(&data), q;
	struct proto_field f, g;
	struct pf_symbol symbol = {.first = (uint32_t)d->names.line.n};
	struct hash128 hash;
	uint64_t pc = 0;

	while (pf_next(d, &p, &address_types, &f)) {
		struct pf_line line = {0};
		pc = f.number == 1 ? f.value : pc;
		if (f.number != 2 || f.type != PROTO_BYTES)
			continue;
		for (q = proto_inside(&f); pf_next(d, &q, &line_types, &g);) {
			line.function = g.number == 1 ? pf_text(d, &g) : line.function;
			line.file = g.number == 2 ? pf_text(d, &g) : line.file;
			line.line = g.number == 3 ? (uint32_t)g.value : line.line;
		}
		*vec_push(&d->names.line) = line;
	}
	symbol.n = (uint32_t)d->names.line.n - symbol.first;
	if (!symbol.n)
		return;
	*vec_push(&d->names.symbol) = symbol;
	text_cache_put(&d->names.symbol_of, symbol_slot(d, build_id, pc, &hash), hash,
		       (uint32_t)d->names.symbol.n);
}

/* Build ids are hexadecimal here, and bytes in interned data. */
static name_id
build_id_hex(struct perfetto *d, name_id id)
{
	struct name n = builder_name_get(d->b, id);
	bool hex = n.len >= 8 && n.len % 2 == 0;

	for (size_t i = 0; i < n.len && hex; i++)
		hex = memchr("0123456789abcdefABCDEF", n.at[i], 22) != NULL;
	if (hex || !n.len)
		return id;
	buf_reset(&d->text);
	for (size_t i = 0; i < n.len; i++)
		buf_addf(&d->text, "%02x", (unsigned char)n.at[i]);
	return builder_name(d->b, buf_str(&d->text), d->text.len);
}

void
pf_symbols(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	name_id build_id = NAME_EMPTY;

	while (pf_next(d, &p, &symbols_types, &f))
		if (f.number == 2)
			build_id = build_id_hex(d, pf_text(d, &f));
	for (p = proto_inside(&data); proto_next(&p, &f);)
		if (f.number == 3 && f.type == PROTO_BYTES)
			address_read(d, build_id, f);
}

/* ---- names that were shortened ---- */

/* Returns `CLASS.METHOD`, or only the method if it contains its class. */
static struct hash128
full_name(struct perfetto *d, struct name class, struct name method, bool has_class)
{
	buf_reset(&d->text);
	if (!has_class) {
		buf_add(&d->text, class.at, class.len);
		buf_addc(&d->text, '.');
	}
	buf_add(&d->text, method.at, method.len);
	return hash128(d->text.at, d->text.len);
}

/* Several methods may have got the same obfuscated name: then it means all of them. */
static void
whole_name_put(struct perfetto *d, const name_id class[2], const name_id method[2])
{
	struct name was = builder_name_get(d->b, method[1]);
	struct hash128 hash = full_name(d, builder_name_get(d->b, class[0]),
					builder_name_get(d->b, method[0]), false);
	uint32_t *known = text_cache_find(&d->names.whole_name_of, hash);

	full_name(d, builder_name_get(d->b, class[1]), was,
		  was.len && memchr(was.at, '.', was.len));
	name_id name = builder_name(d->b, buf_str(&d->text), d->text.len);
	if (!*known) {
		text_cache_put(&d->names.whole_name_of, known, hash, name + 1);
		return;
	}
	struct name before = builder_name_get(d->b, *known - 1);
	struct name now = builder_name_get(d->b, name);
	if (*known - 1 == name || before.len > NAMES_JOINED_MAX)
		return;
	buf_reset(&d->text);
	buf_add(&d->text, before.at, before.len);
	buf_adds(&d->text, " | ");
	buf_add(&d->text, now.at, now.len);
	*known = builder_name(d->b, buf_str(&d->text), d->text.len) + 1;
}

/* Reads the obfuscated name and the original one: fields 1 and 2. */
static void
both_names(struct perfetto *d, struct proto p, name_id out[2])
{
	struct proto_field f;

	out[0] = out[1] = NAME_EMPTY;
	while (proto_next(&p, &f))
		if ((f.number == 1 || f.number == 2) && f.type == PROTO_BYTES)
			out[f.number - 1] = pf_text(d, &f);
}

void
pf_deobfuscation(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data), q;
	struct proto_field f, g;
	name_id class[2], method[2];

	while (proto_next(&p, &f)) {
		if (f.number != 3 || f.type != PROTO_BYTES)
			continue;
		both_names(d, proto_inside(&f), class);
		for (q = proto_inside(&f); proto_next(&q, &g);)
			if (g.number == 4 && g.type == PROTO_BYTES) {
				both_names(d, proto_inside(&g), method);
				whole_name_put(d, class, method);
			}
	}
}

static name_id
whole_name(struct perfetto *d, name_id id)
{
	struct name n = builder_name_get(d->b, id);
	uint32_t *known = text_cache_find(&d->names.whole_name_of, hash128(n.at, n.len));

	return *known ? *known - 1 : id;
}

/* ---- binding ---- */

static frame_id
frame_made(struct perfetto *d, name_id name, name_id file, uint32_t line, name_id module,
	   bool kernel)
{
	struct name n = builder_name_get(d->b, name);
	struct function fn = {
		.name = name,
		.file = file,
		.module = module,
		.kind = (uint8_t)(kernel ? KIND_SYSTEM : kind_of_name(n.at, n.len)),
	};

	return builder_frame_of(d->b, fn, line);
}

/* Finds the names that packets of symbols give to an address. */
static unsigned
frames_of_symbol(struct perfetto *d, const struct pf_frame *x, const struct pf_mapping *m,
		 bool kernel, frame_id *out)
{
	struct hash128 hash;
	uint32_t symbol = 0, n;

	if (d->names.symbol.n)
		symbol = *symbol_slot(d, build_id_hex(d, m->build_id), x->pc, &hash);
	if (!symbol)
		return 0;
	const struct pf_symbol *s = &d->names.symbol.at[symbol - 1];
	n = s->n < SYMBOLS_DEPTH ? s->n : SYMBOLS_DEPTH;
	for (uint32_t i = 0; i < n; i++) {
		const struct pf_line *l = &d->names.line.at[s->first + i];
		out[i] = frame_made(d, l->function, l->file, l->line, m->module, kernel);
		if (i + 1 < s->n)
			out[i] = builder_frame_inlined(d->b, out[i]);
	}
	return n;
}

/* Finds the names in the executed file, if it is on this machine. */
static unsigned
frames_of_file(struct perfetto *d, const struct pf_frame *x, struct pf_mapping *m, frame_id *out)
{
	if (!m->tried) {
		name_id id = build_id_hex(d, m->build_id);
		m->tried = true;
		if (!d->names.symbols)
			d->names.symbols = native_symbols(d->in);
		native_file(d->b, m->module, m->module, id);
		m->there = native_module(d->names.symbols, builder_name_get(d->b, m->module),
					 builder_name_get(d->b, id), &m->symbols);
	}
	return m->there ? native_frames_at(d->b, d->names.symbols, m->symbols, m->module,
						   x->pc, out)
			: 0;
}

/* Finds the frames of an interned frame, innermost first. */
static unsigned
perfetto_frames_of(struct perfetto *d, uint32_t index, frame_id *out)
{
	const struct pf_frame *x = &d->names.frame.at[index];
	struct pf_mapping none = {.tried = true};
	struct pf_mapping *m = x->mapping == PF_NONE ? &none : &d->names.mapping.at[x->mapping];
	struct name module = builder_name_get(d->b, m->module);
	bool kernel = x->kernel || (module.len > 7 && !memcmp(module.at, "[kernel", 7));
	name_id name = x->function;
	char hex[24];
	unsigned n = x->mapping == PF_NONE ? 0 : frames_of_symbol(d, x, m, kernel, out);

	if (!n && name == NAME_EMPTY && !kernel)
		n = frames_of_file(d, x, m, out);
	if (n)
		return n;
	if (name == NAME_EMPTY) {
		int len = snprintf(hex, sizeof hex, "0x%" PRIx64, x->pc);
		name = builder_name(d->b, hex, (size_t)len);
	} else {
		name = whole_name(d, name);
	}
	out[0] = frame_made(d, name, x->file, x->line, m->module, kernel);
	return 1;
}

/* Adds a frame; the leaf of a stack has an address. */
static stack_id
perfetto_push(struct perfetto *d, stack_id above, uint32_t index, bool leaf, uint32_t *depth)
{
	frame_id frame[SYMBOLS_DEPTH];

	if (index == PF_NONE) {
		builder_warn(d->b, "frames that are not interned: [unknown]");
		function_id f = builder_function_unknown(d->b);
		return builder_child(d->b, above, builder_frame(d->b, f, line_unknown()));
	}
	unsigned n = perfetto_frames_of(d, index, frame);
	*depth += n;
	if (*depth > STACK_DEPTH_MAX)
		return builder_too_deep(d->b);
	if (leaf)
		frame[0] = builder_frame_at(d->b, frame[0], d->names.frame.at[index].pc);
	while (n--)
		above = builder_child(d->b, above, frame[n]);
	return above;
}

stack_id
pf_stack_bind(struct perfetto *d, uint32_t index)
{
	if (index == PF_NONE)
		return STACK_EMPTY;
	struct pf_stack *s = &d->names.stack.at[index];
	if (!s->bound) {
		stack_id stack = s->n > STACK_DEPTH_MAX ? builder_too_deep(d->b) : STACK_EMPTY;
		uint32_t depth = 0;
		for (uint32_t i = 0; i < s->n && stack != STACK_NONE; i++)
			stack = perfetto_push(d, stack, d->names.stack_frame.at[s->first + i],
					      i + 1 == s->n, &depth);
		s->stack = stack;
		s->bound = true;
	}
	return s->stack;
}
