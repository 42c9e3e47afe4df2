/* Instructions and hits are two lists by address, merged function by function.
 *
 * The code of a function is read completely (code_span.h) before the merge.  Reading opens files
 * and loads symbols, which cannot be interrupted, so it runs on a separate thread.
 *
 * A hit outside every known function, or in a module whose code is missing, becomes a row without
 * an instruction.  So no hit is lost, whatever is missing. */
#include "src/command/report/instructions.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/apart.h"
#include "src/command/report/code_span.h"
#include "src/input/input.h"
#include "src/symbol/embedded.h"

/* A module that was looked up. */
struct instructions_place {
	name_id module;
	const struct module_file *file; /* NULL: unknown */
	bool lacking, reported;
	bool unnamed; /* one of its functions is not found by its name */
};

struct instructions {
	const struct profile *p;
	struct disasm *disasm;
	uint32_t attachments;  /* attachments of the profile that were read */
	struct apart apart;    /* while it runs, it owns disasm and span */
	atomic_bool ends;      /* the caller has left */
	struct code_span span; /* the code read last */
	VEC(struct instructions_place) place;
	VEC(struct instruction_hit) row;
	VEC(char *) text; /* texts of rows; consecutive rows share that of one file */
	/* ---- while a function is made ---- */
	struct rows hits;
	VEC(key_id) idle; /* frames of the chosen functions without hits */
	const struct profile *seen;
	const struct fold *fold;
	uint32_t next, end; /* hits of the function that are not placed yet */
	key_id owner;       /* the function of the instructions without hits; KEY_NONE: none */
	const char *file;
};

/* Stops waiting for a server when the user leaves. */
static bool
ends(void *instructions)
{
	struct instructions *x = instructions;

	return atomic_load(&x->ends);
}

struct instructions *
instructions_new(const struct profile *p, const struct format_options *how)
{
	static const struct format_options usual;
	struct instructions *x = mem_zalloc(1, sizeof *x);

	how = how ? how : &usual;
	x->p = p;
	x->disasm = disasm_new(how->symbols.at, how->symbols.n, how->debuginfod);
	if (how->no_demangle)
		disasm_raw(x->disasm);
	disasm_stops(x->disasm, ends, x);
	return x;
}

/* Uses the code embedded in the recordings that have been read so far. */
static void
find_recorded(struct instructions *x)
{
	for (; x->attachments < x->p->n_attachments; x->attachments++) {
		const struct attachment *a = &x->p->attachment[x->attachments];
		if (!strcmp(a->kind, EMBEDDED_KIND))
			disasm_recorded(x->disasm, a->at);
	}
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
	atomic_store(&x->ends, true);
	apart_wait(&x->apart, NULL);
	clear(x);
	code_span_release(&x->span);
	rows_release(&x->hits);
	vec_release(&x->text);
	vec_release(&x->idle);
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

static struct instructions_place *
instructions_place_of(struct instructions *x, name_id module)
{
	for (size_t i = 0; i < x->place.n; i++)
		if (x->place.at[i].module == module)
			return &x->place.at[i];
	*vec_push(&x->place) = (struct instructions_place){
		.module = module,
		.file = profile_module_file(x->p, module),
	};
	return &x->place.at[x->place.n - 1];
}

bool
instructions_say(struct instructions *x, struct buf *out)
{
	for (size_t i = 0; i < x->place.n; i++) {
		struct instructions_place *place = &x->place.at[i];
		if (!place->lacking || place->reported)
			continue;
		place->reported = true;
		size_t before = out->len;
		if (place->file)
			code_span_say(x->disasm, x->p, place->file, out);
		if (out->len > before)
			return true;
		if (place->file && place->unnamed)
			buf_adds(out, "the symbols lack the function: ");
		else if (place->file)
			buf_adds(out, "some code lies outside of all known functions: ");
		else
			buf_adds(out, "the file does not contain its code: ");
		profile_show_name(x->p, place->module, out);
		if (out->len == before)
			buf_adds(out, "(no module)");
		return true;
	}
	return false;
}

void
instructions_report_again(struct instructions *x)
{
	for (size_t i = 0; i < x->place.n; i++)
		x->place.at[i].reported = false;
}

/* ---- hits ---- */

static struct frame
instructions_frame_of(const struct instructions *x, key_id r)
{
	return profile_frame(x->seen, r);
}

static uint64_t
instructions_address_of(const struct instructions *x, key_id r)
{
	return projection_key_address(x->fold->tree, x->seen, r);
}

static name_id
instructions_module_of(const struct instructions *x, key_id r)
{
	return profile_function(x->seen, instructions_frame_of(x, r).function).module;
}

static int
compare_hits(const void *a, const void *b, void *context)
{
	const struct instructions *x = context;
	key_id r = *(const key_id *)a, s = *(const key_id *)b;
	name_id m = instructions_module_of(x, r), n = instructions_module_of(x, s);
	uint64_t at = instructions_address_of(x, r), other = instructions_address_of(x, s);

	if (m != n) {
		int order = strcmp(names_get(&x->seen->names, m).at,
				   names_get(&x->seen->names, n).at);
		return order ? order : m < n ? -1 : 1;
	}
	if (at != other)
		return at < other ? -1 : 1;
	return projection_compare_keys(x->fold->tree, x->seen, r, s, false);
}

static bool
is_asked(const struct instructions *x, key_id r, const struct instructions_of *of)
{
	function_id id = instructions_frame_of(x, r).function;

	if (of->visits || (of->one && id != of->function))
		return false;
	struct function f = profile_function(x->seen, id);
	return !of->pattern || pattern_matches_function(of->pattern, x->seen, &f);
}

static bool
instructions_is_hit(const struct instructions *x, key_id r)
{
	return x->hits.of.self[r] && instructions_address_of(x, r) != ADDRESS_NONE;
}

/* Finds one frame for each chosen function without hits; not used for all functions. */
static void
find_idle(struct instructions *x, const struct instructions_of *of, struct pace *pace)
{
	uint8_t *known = mem_zalloc((size_t)x->seen->frames.n_functions + 1, 1);

	for (uint32_t i = 0; i < x->hits.n && pace_on(pace, 1); i++)
		if (instructions_is_hit(x, x->hits.key[i]))
			known[instructions_frame_of(x, x->hits.key[i]).function] = 1;
	for (uint32_t i = 0; i < x->hits.n && pace_on(pace, 1); i++) {
		key_id r = x->hits.key[i];
		struct frame f = instructions_frame_of(x, r);
		if (known[f.function] || f.inlined || !is_asked(x, r, of))
			continue;
		known[f.function] = 1;
		*vec_push(&x->idle) = r;
	}
	free(known);
}

/* Finds the leaves of the chosen functions, by module and address. */
static void
find_hits(struct instructions *x, const struct instructions_of *of, struct pace *pace)
{
	uint32_t kept = 0;

	x->hits.n = 0;
	x->idle.n = 0;
	fold_rows_paced(x->fold, &x->hits, pace);
	if (!pace_gives_up(pace) && (of->pattern || of->one))
		find_idle(x, of, pace);
	if (pace_gives_up(pace)) {
		x->hits.n = 0;
		return;
	}
	for (uint32_t i = 0; i < x->hits.n && pace_on(pace, 1); i++)
		if (instructions_is_hit(x, x->hits.key[i]) && is_asked(x, x->hits.key[i], of))
			x->hits.key[kept++] = x->hits.key[i];
	x->hits.n = kept;
	if (kept > 1)
		qsort_r(x->hits.key, kept, sizeof *x->hits.key, compare_hits, x);
}

/* ---- rows ---- */

static const char *
instructions_keep(struct instructions *x, const char *text)
{
	if (!text)
		return NULL;
	return *vec_push(&x->text) = mem_dup(text, strlen(text));
}

/* Sets the line of a hit, and the file that belongs to it. */
static void
instructions_set_line(struct instructions *x, struct instruction *is, key_id hit)
{
	struct line line = projection_key_line(x->fold->tree, x->seen, hit);
	function_id id = instructions_frame_of(x, hit).function;
	name_id file = profile_function(x->seen, id).file;

	is->line = line.form == LINE_PLAIN ? line.number : 0;
	if (is->line && file != NAME_EMPTY)
		is->file = names_get(&x->seen->names, file).at;
}

static struct instruction_hit *
instructions_add_row(struct instructions *x, key_id hit)
{
	struct instruction_hit *row = vec_push(&x->row);

	*row = (struct instruction_hit){.key = x->owner};
	if (hit != KEY_NONE) {
		row->key = hit;
		row->self = key_self(&x->hits.of, hit);
		row->is.address = instructions_address_of(x, hit);
		instructions_set_line(x, &row->is, hit);
	}
	return row;
}

/* Adds hits before `address`, which lie on no instruction. */
static void
hits_before(struct instructions *x, uint64_t address)
{
	while (x->next < x->end && instructions_address_of(x, x->hits.key[x->next]) < address)
		instructions_add_row(x, x->hits.key[x->next++]);
}

static void
instructions_take(struct instructions *x, const struct code_at *i)
{
	const char *file = code_span_word(&x->span, i->file);
	const char *text = code_span_word(&x->span, i->text);
	struct instruction is = {.address = i->address,
				 .line = i->line,
				 .jumps = i->jumps,
				 .calls = i->calls,
				 .to = i->to};
	bool hit = false;

	hits_before(x, i->address);
	hit = x->next < x->end && instructions_address_of(x, x->hits.key[x->next]) == i->address;
	if (!hit && x->owner == KEY_NONE)
		return;
	if (!x->file || !file || strcmp(x->file, file) != 0)
		x->file = instructions_keep(x, file);
	is.file = x->file;
	is.to_name = instructions_keep(x, code_span_word(&x->span, i->to_name));
	if (is.to_name) {
		struct buf whole = BUF_INIT;
		buf_addf(&whole, "%s <%s>", text, is.to_name);
		is.text = instructions_keep(x, buf_str(&whole));
		buf_release(&whole);
	} else {
		is.text = instructions_keep(x, text);
	}
	if (!hit)
		instructions_add_row(x, KEY_NONE)->is = is;
	while (x->next < x->end && instructions_address_of(x, x->hits.key[x->next]) == i->address)
		instructions_add_row(x, x->hits.key[x->next++])->is = is;
}

/* Finds the hits from x->next on before `end` in the same module.  Instructions without hits belong
 * to the function that is not inlined. */
static void
instructions_find_end(struct instructions *x, uint64_t end)
{
	name_id module = instructions_module_of(x, x->hits.key[x->next]);

	x->owner = KEY_NONE;
	for (x->end = x->next; x->end < x->hits.n; x->end++) {
		key_id r = x->hits.key[x->end];
		if (instructions_module_of(x, r) != module || instructions_address_of(x, r) >= end)
			break;
		if (x->owner == KEY_NONE && !instructions_frame_of(x, r).inlined)
			x->owner = r;
	}
}

/* Adds the function around the next hit. */
static void
add_function(struct instructions *x, struct pace *pace)
{
	key_id r = x->hits.key[x->next];
	struct instructions_place *place = instructions_place_of(x, instructions_module_of(x, r));
	struct code_span *span = &x->span;

	if (place->file && !code_span_has(span, place->file, instructions_address_of(x, r))) {
		span->read = false; /* until it is complete */
		code_span_ask(span, x->disasm, x->p, place->file, instructions_address_of(x, r));
		if (!apart_call(&x->apart, code_span_read, span, pace))
			return;
	}
	if (!place->file || !span->known) {
		place->lacking = true;
		instructions_add_row(x, x->hits.key[x->next++]);
		return;
	}
	instructions_find_end(x, span->end);
	place->lacking |= !span->read;
	for (size_t i = 0; i < span->all.n && pace_on(pace, 8); i++)
		instructions_take(x, &span->all.at[i]);
	hits_before(x, span->end);
}

/* Adds the code of this frame's function: at an address, or by its name. */
static void
add_idle(struct instructions *x, key_id key, uint64_t address, struct pace *pace)
{
	struct function f =
		profile_function(x->seen, x->seen->frames.frame.function[key]);
	struct instructions_place *place = instructions_place_of(x, f.module);
	struct code_span *span = &x->span;

	place->lacking |= !place->file;
	if (!place->file)
		return;
	span->read = false; /* until it is complete */
	if (address != ADDRESS_NONE)
		code_span_ask(span, x->disasm, x->p, place->file, address);
	else
		code_span_ask_named(span, x->disasm, x->seen, place->file, f.name);
	if (!apart_call(&x->apart, code_span_read, span, pace))
		return;
	place->lacking |= !span->read;
	place->unnamed |= !span->known;
	x->owner = key;
	x->end = x->next;
	for (size_t i = 0; span->read && i < span->all.n && pace_on(pace, 8); i++)
		instructions_take(x, &span->all.at[i]);
}

/* Returns a frame of the function that is not inlined; KEY_NONE if there is none. */
static key_id
frame_for(const struct instructions *x, function_id function)
{
	for (frame_id i = 0; i < x->seen->frames.n; i++)
		if (x->seen->frames.frame.function[i] == function)
			return i;
	return KEY_NONE;
}

bool
instructions_make(struct instructions *x, const struct fold *f, const struct profile *seen,
		  const struct instructions_of *of, struct pace *pace)
{
	if (!apart_wait(&x->apart, pace))
		return false;
	clear(x);
	find_recorded(x);
	for (size_t i = 0; i < x->place.n; i++)
		x->place.at[i].lacking = x->place.at[i].unnamed = false;
	x->fold = f;
	x->seen = seen;
	find_hits(x, of, pace);
	for (x->next = 0; x->next < x->hits.n && !pace_gives_up(pace);)
		add_function(x, pace);
	for (size_t i = 0; i < x->idle.n && !pace_gives_up(pace); i++)
		add_idle(x, x->idle.at[i], ADDRESS_NONE, pace);
	key_id giver = of->visits ? frame_for(x, of->function) : KEY_NONE;
	if (giver != KEY_NONE)
		add_idle(x, giver, of->address, pace);
	return !pace_gives_up(pace);
}
