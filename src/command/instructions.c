/* Instructions and hits are two lists by address: they are merged function by function.
 *
 * A hit that lies in no function which is known, or in a module whose code is not here, is a
 * row of its own, without an instruction: no hit is lost, whatever is missing. */
#include "src/command/instructions.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "src/symbol/disasm.h"

/* A module that was looked at. */
struct place {
	name_id module;
	bool asked;      /* its file is known */
	uint32_t code;   /* of the disassembler */
	bool lacking, told;
};

struct instructions {
	const struct profile *p;
	struct disasm *disasm;
	VEC(struct place) place;
	VEC(struct instruction_hit) row;
	VEC(char *) text; /* what rows have; the same file is not kept twice in a row */
	/* ---- while a function is made ---- */
	struct rows hits;
	const struct profile *seen;
	const struct fold *fold;
	uint32_t next, end; /* hits of the function that were not placed yet */
	key_id owner;       /* whose the instructions without hits are; KEY_NONE: nobody's */
	const char *file;
};

struct instructions *
instructions_new(const struct profile *p)
{
	struct instructions *x = mem_zalloc(1, sizeof *x);

	x->p = p;
	x->disasm = disasm_new();
	return x;
}

static void
clear(struct instructions *x)
{
	for (size_t i = 0; i < x->text.n; i++)
		free(x->text.at[i]);
	x->text.n = x->row.n = 0;
	x->file = NULL;
}

void
instructions_free(struct instructions *x)
{
	if (!x)
		return;
	clear(x);
	rows_release(&x->hits);
	vec_release(&x->text);
	vec_release(&x->row);
	vec_release(&x->place);
	disasm_free(x->disasm);
	free(x);
}

size_t
instructions_count(const struct instructions *x)
{
	return x->row.n;
}

const struct instruction_hit *
instructions_at(const struct instructions *x, size_t i)
{
	return &x->row.at[i];
}

/* ---- modules ---- */

static size_t
bytes_of(struct name hex, uint8_t out[64])
{
	size_t n = hex.len / 2 < 64 ? hex.len / 2 : 64;

	for (size_t i = 0; i < n; i++) {
		char digits[3] = {hex.at[2 * i], hex.at[2 * i + 1], 0};
		out[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return n;
}

static struct place *
place_of(struct instructions *x, name_id module)
{
	const struct module_file *file = profile_module_file(x->p, module);
	struct place new = {.module = module};

	for (size_t i = 0; i < x->place.n; i++)
		if (x->place.at[i].module == module)
			return &x->place.at[i];
	if (file) {
		struct name path = names_get(&x->p->names, file->path);
		uint8_t id[64];
		size_t len = bytes_of(names_get(&x->p->names, file->build_id), id);
		new.asked = true;
		new.code = disasm_module(x->disasm, path.at, path.len, id, len);
	}
	*vec_push(&x->place) = new;
	return &x->place.at[x->place.n - 1];
}

bool
instructions_say(struct instructions *x, struct buf *out)
{
	for (size_t i = 0; i < x->place.n; i++) {
		struct place *place = &x->place.at[i];
		if (!place->lacking || place->told)
			continue;
		place->told = true;
		size_t before = out->len;
		if (place->asked)
			disasm_say(x->disasm, place->code, out);
		if (out->len > before)
			return true;
		if (place->asked)
			buf_adds(out, "some code lies in no function that its symbols know: ");
		else
			buf_adds(out, "the file does not say where its code is: ");
		profile_show_name(x->p, place->module, out);
		if (out->len == before)
			buf_adds(out, "(no module)");
		return true;
	}
	return false;
}

/* ---- hits ---- */

static const struct frame *
frame_of(const struct instructions *x, const struct row *r)
{
	return profile_frame(x->seen, r->key);
}

static uint64_t
address_of(const struct instructions *x, const struct row *r)
{
	return projection_key_address(x->fold->tree, x->seen, r->key);
}

static name_id
module_of(const struct instructions *x, const struct row *r)
{
	return profile_function(x->seen, frame_of(x, r)->function)->module;
}

static int
compare_hits(const void *a, const void *b, void *context)
{
	const struct instructions *x = context;
	const struct row *r = a, *s = b;
	name_id m = module_of(x, r), n = module_of(x, s);
	uint64_t at = address_of(x, r), other = address_of(x, s);

	if (m != n) {
		int order = strcmp(names_get(&x->seen->names, m).at,
				   names_get(&x->seen->names, n).at);
		return order ? order : m < n ? -1 : 1;
	}
	if (at != other)
		return at < other ? -1 : 1;
	return fold_compare_keys(x->fold->tree, x->seen, r->key, s->key, false);
}

/* Leaves of the functions that are asked for, by module and address. */
static void
find_hits(struct instructions *x, struct pattern *function)
{
	uint32_t kept = 0;

	x->hits.n = 0;
	fold_rows(x->fold, x->seen, &x->hits);
	for (uint32_t i = 0; i < x->hits.n; i++) {
		const struct row *r = &x->hits.at[i];
		const struct function *fn =
			profile_function(x->seen, frame_of(x, r)->function);
		if (r->self && address_of(x, r) != ADDRESS_NONE &&
		    (!function || pattern_matches_function(function, x->seen, fn)))
			x->hits.at[kept++] = *r;
	}
	x->hits.n = kept;
	if (kept > 1)
		qsort_r(x->hits.at, kept, sizeof *x->hits.at, compare_hits, x);
}

/* ---- rows ---- */

static const char *
keep(struct instructions *x, const char *text)
{
	if (!text)
		return NULL;
	return *vec_push(&x->text) = mem_dup(text, strlen(text));
}

static struct instruction_hit *
add_row(struct instructions *x, const struct row *hit)
{
	struct instruction_hit *row = vec_push(&x->row);

	*row = (struct instruction_hit){.key = x->owner};
	if (hit) {
		row->key = hit->key;
		row->self = hit->self;
		row->is.address = address_of(x, hit);
		struct line line = projection_key_line(x->fold->tree, x->seen, hit->key);
		row->is.line = line.form == LINE_PLAIN ? line.number : 0;
	}
	return row;
}

/* Hits before `address`, which are on no instruction. */
static void
hits_before(struct instructions *x, uint64_t address)
{
	while (x->next < x->end && address_of(x, &x->hits.at[x->next]) < address)
		add_row(x, &x->hits.at[x->next++]);
}

static void
take(void *ctx, const struct disasm_instruction *i)
{
	struct instructions *x = ctx;
	struct instruction is = {.address = i->address,
				 .line = i->line,
				 .jumps = i->jumps,
				 .calls = i->calls,
				 .to = i->to};
	bool hit = false;

	hits_before(x, i->address);
	hit = x->next < x->end && address_of(x, &x->hits.at[x->next]) == i->address;
	if (!hit && x->owner == KEY_NONE)
		return;
	if (!x->file || !i->file || strcmp(x->file, i->file) != 0)
		x->file = keep(x, i->file);
	is.file = x->file;
	if (i->to_name) {
		struct buf text = BUF_INIT;
		buf_addf(&text, "%s <%s>", i->text, i->to_name);
		is.text = keep(x, buf_str(&text));
		buf_release(&text);
	} else {
		is.text = keep(x, i->text);
	}
	if (!hit)
		add_row(x, NULL)->is = is;
	while (x->next < x->end && address_of(x, &x->hits.at[x->next]) == i->address)
		add_row(x, &x->hits.at[x->next++])->is = is;
}

/* The hits from x->next on that lie before `end` in the same module; the function that is no
 * inlined one owns what was not hit. */
static void
find_end(struct instructions *x, uint64_t end)
{
	name_id module = module_of(x, &x->hits.at[x->next]);

	x->owner = KEY_NONE;
	for (x->end = x->next; x->end < x->hits.n; x->end++) {
		const struct row *r = &x->hits.at[x->end];
		if (module_of(x, r) != module || address_of(x, r) >= end)
			break;
		if (x->owner == KEY_NONE && !frame_of(x, r)->inlined)
			x->owner = r->key;
	}
}

void
instructions_make(struct instructions *x, const struct fold *f, const struct profile *seen,
		  struct pattern *function)
{
	clear(x);
	x->fold = f;
	x->seen = seen;
	find_hits(x, function);
	for (x->next = 0; x->next < x->hits.n;) {
		const struct row *r = &x->hits.at[x->next];
		struct place *place = place_of(x, module_of(x, r));
		uint64_t start, end;
		if (!place->asked ||
		    !disasm_span(x->disasm, place->code, address_of(x, r), &start, &end)) {
			place->lacking = true;
			add_row(x, &x->hits.at[x->next++]);
			continue;
		}
		find_end(x, end);
		place->lacking |= !disasm_run(x->disasm, place->code, start, end, take, x);
		hits_before(x, end);
	}
}
