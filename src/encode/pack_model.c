/* pack_model.c - the tables of a packed profile: what is not an event. */
#include "src/encode/pack_inside.h"

#include <string.h>

#include "model/profile/pack_form.h"

/* ---- before the tracks ---- */

static void
write_names(struct pack_out *x)
{
	for (name_id i = 0; i < x->p->names.n; i++) {
		struct name name = names_get(&x->p->names, i);
		pack_bytes(x, name.at, name.len);
		pack_section_if_full(x, "name");
	}
	pack_section(x, "name");
}

static void
write_files(struct pack_out *x)
{
	for (uint32_t i = 0; i < x->p->n_groups; i++) {
		const struct group *g = &x->p->group[i];
		pack_number(x, g->name);
		pack_number(x, g->format);
		pack_number(x, g->why);
		pack_byte(x, g->axis);
		pack_byte(x, g->has_time);
		pack_signed(x, g->start);
		pack_signed(x, g->end);
		pack_signed(x, g->step_first);
		pack_signed(x, g->step);
		if (g->has_clock)
			pack_signed(x, g->clock);
		pack_section(x, "file");
	}
}

static void
write_functions(struct pack_out *x)
{
	for (function_id i = 0; i < x->p->frames.n_functions; i++) {
		struct function f = profile_function(x->p, i);
		pack_number(x, f.name);
		pack_number(x, f.file);
		pack_number(x, f.module);
		pack_number(x, f.line);
		pack_byte(x, f.kind | (f.last ? PACK_FUNCTION_LAST : 0));
		pack_section_if_full(x, "func");
	}
	pack_section(x, "func");
}

/* Returns true if the function of frame f begins at the address of f. */
static bool
begins(const struct profile *p, frame_id f)
{
	function_id function = p->frames.frame.function[f];

	return direct_get(&p->frames.begin, function) == f + 1;
}

static void
pack_write_frames(struct pack_out *x)
{
	for (frame_id i = 0; i < x->p->frames.n; i++) {
		struct frame f = profile_frame(x->p, i);
		uint64_t address = frames_address(&x->p->frames, i);
		pack_number(x, f.function);
		pack_byte(x, f.line.form | (f.inlined ? PACK_FRAME_INLINED : 0) |
				     (address != ADDRESS_NONE ? PACK_FRAME_ADDRESS : 0) |
				     (begins(x->p, i) ? PACK_FRAME_BEGINS : 0));
		if (f.line.form != LINE_UNKNOWN)
			pack_number(x, f.line.number);
		if (f.line.form == LINE_CLAUSE)
			pack_byte(x, f.line.clause);
		if (address != ADDRESS_NONE)
			pack_number(x, address);
		pack_section_if_full(x, "fram");
	}
	pack_section(x, "fram");
}

static void
pack_write_stacks(struct pack_out *x)
{
	const struct stacks *s = &x->p->stacks;

	for (stack_id i = 1; i < s->n; i++) {
		pack_number(x, i - 1 - s->parent[i]);
		pack_number(x, s->frame[i]);
		pack_section_if_full(x, "stac");
	}
	pack_section(x, "stac");
}

static void
write_labels(struct pack_out *x)
{
	const struct labels *t = &x->p->labels;

	if (t->n_sets == 1)
		return;
	for (label_id i = 0; i < t->n_labels; i++) {
		const struct label *l = &t->label[i];
		pack_byte(x, l->is_number);
		pack_number(x, l->key);
		if (l->is_number)
			pack_signed(x, l->number);
		pack_number(x, l->is_number ? l->unit : l->text);
		pack_section_if_full(x, "labl");
	}
	pack_section(x, "labl");
	for (labels_id i = 1; i < t->n_sets; i++) {
		uint32_t n;
		const label_id *of = labels_get(t, i, &n);
		pack_number(x, n);
		for (uint32_t k = 0; k < n; k++)
			pack_number(x, of[k]);
		pack_section_if_full(x, "sets");
	}
	pack_section(x, "sets");
}

static void
write_metrics(struct pack_out *x)
{
	const struct profile *p = x->p;

	/* METRIC_NONE becomes 0 */
	pack_number(x, (uint32_t)(x->metric + 1));
	pack_number(x, (uint32_t)(p->calls_metric + 1));
	pack_number(x, (uint32_t)(p->events_metric + 1));
	pack_number(x, (uint32_t)(p->lines_metric + 1));
	pack_byte(x, (p->events_shown ? PACK_EVENTS_SHOWN : 0) |
			     (p->comparison == COMPARE_TRACKS ? PACK_COMPARES_TRACKS : 0) |
			     (p->has_call_edges ? PACK_CALL_EDGES : 0) |
			     (p->charset == CHARSET_CP437 ? PACK_CP437 : 0));
	pack_number(x, p->comparison == COMPARE_FILES ? p->n_base : 0);
	pack_number(x, (uint64_t)p->points);
	/* computed metrics come last, and are computed again */
	for (metric_id m = 0; m < p->n_metrics && !p->metric[m].computed; m++) {
		pack_number(x, p->metric[m].name);
		pack_byte(x, p->metric[m].unit);
		pack_byte(x, p->metric[m].role);
		pack_byte(x, p->metric[m].decimals);
		pack_byte(x, p->metric[m].unused);
	}
	pack_section(x, "metr");
}

static void
write_modules(struct pack_out *x)
{
	const struct profile *p = x->p;

	for (uint32_t i = 0; i < p->n_module_files; i++) {
		pack_number(x, p->module_file[i].module);
		pack_number(x, p->module_file[i].path);
		pack_number(x, p->module_file[i].build_id);
	}
	if (p->n_module_files)
		pack_section(x, "modu");
	for (uint32_t i = 0; i < p->n_module_ranges; i++) {
		pack_number(x, p->module_range[i].module);
		pack_number(x, p->module_range[i].start);
		pack_number(x, p->module_range[i].limit);
		pack_number(x, p->module_range[i].offset);
	}
	if (p->n_module_ranges)
		pack_section(x, "rang");
	for (uint32_t i = 0; i < p->n_processes; i++)
		pack_number(x, p->process[i].name);
	if (p->n_processes)
		pack_section(x, "proc");
	bool any = false;
	for (uint32_t i = 0; i < p->n_processes; i++) {
		if (p->process[i].outside)
			pack_number(x, i);
		any |= p->process[i].outside;
	}
	if (any)
		pack_section(x, "outs");
}

void
pack_tables(struct pack_out *x)
{
	write_names(x);
	write_files(x);
	write_functions(x);
	pack_write_frames(x);
	pack_write_stacks(x);
	write_labels(x);
	write_metrics(x);
	write_modules(x);
}

/* ---- behind them ---- */

static void
write_actors(struct pack_out *x)
{
	const struct profile *p = x->p;

	if (!p->n_actors)
		return;
	pack_number(x, p->n_actors);
	for (actor_id i = 0; i < p->n_actors; i++) {
		const struct actor *a = &p->actor[i];
		pack_number(x, a->group);
		pack_number(x, a->name);
		pack_number(x, (uint32_t)(a->track + 1)); /* TRACK_NONE becomes 0 */
		pack_number(x, (uint32_t)(a->under + 1));
	}
	pack_section(x, "acto");
}

/* Sections of states continue the table of actors, with no further actor. */
static void
write_states(struct pack_out *x)
{
	const struct profile *p = x->p;
	uint32_t n;

	for (actor_id i = 0; i < p->n_actors; i++)
		for (uint32_t from = 0; from < p->actor[i].n; from += n) {
			const struct actor *a = &p->actor[i];
			int64_t before = 0;
			n = a->n - from < CHUNK_MAX ? a->n - from : CHUNK_MAX;
			if (!x->at.len)
				pack_number(x, 0);
			pack_number(x, i);
			pack_number(x, n);
			for (uint32_t k = from; k < from + n; k++) {
				int64_t time = actor_time(a, k);
				pack_signed(x, (int64_t)((uint64_t)time - (uint64_t)before));
				pack_byte(x, actor_state(a, k));
				pack_number(x, actor_word(a, k) >> ACTOR_STATE_BITS);
				before = time;
			}
			pack_section_if_full(x, "acto");
		}
	if (x->at.len)
		pack_section(x, "acto");
	for (uint32_t i = 0; i < p->n_edges; i++) {
		const struct edge *edge = &p->edge[i];
		pack_byte(x, edge_kind(edge));
		pack_number(x, edge_from(edge));
		pack_number(x, edge->to);
		pack_signed(x, edge->from_time);
		pack_signed(x, edge->to_time);
		pack_section_if_full(x, "edge");
	}
	if (x->at.len)
		pack_section(x, "edge");
}

static void
write_calls(struct pack_out *x)
{
	const struct callrows *c = &x->p->recorded;

	if (!c->n && !c->per_call && !c->unit)
		return;
	pack_byte(x, c->per_call);
	pack_byte(x, c->unit);
	for (uint32_t i = 0; i < c->n; i++) {
		struct callstats_row row = callrows_get(c, i);
		pack_number(x, (uint32_t)(row.track + 1));
		pack_number(x, row.function);
		pack_number(x, row.has);
		pack_signed(x, row.calls);
		for (unsigned k = 0; k < CALL_TIMES * CALL_NUMBERS; k++)
			pack_signed(x, row.value[k / CALL_NUMBERS][k % CALL_NUMBERS]);
	}
	pack_section(x, "call");
}

static void
write_stated(struct pack_out *x)
{
	const struct stated *g = &x->p->stated;

	for (uint32_t i = 0; i < g->n_blocks; i++) {
		const struct stated_block *block = &g->block[i];
		pack_number(x, block->track);
		pack_number(x, block->metric);
		pack_byte(x, block->estimated);
		pack_number(x, block->n);
		for (uint32_t k = block->first; k < block->first + block->n; k++) {
			pack_number(x, g->row[k].function);
			pack_signed(x, g->row[k].total);
		}
		pack_section_if_full(x, "stat");
	}
	if (x->at.len)
		pack_section(x, "stat");
}

static void
pack_write_info(struct pack_out *x)
{
	const struct profile *p = x->p;

	for (uint32_t i = 0; i < p->n_info; i++) {
		pack_number(x, p->info[i].group);
		pack_number(x, p->info[i].key);
		pack_number(x, p->info[i].value);
	}
	if (p->n_info)
		pack_section(x, "info");
	for (uint32_t i = 0; i < p->n_warnings; i++) {
		const struct warning *w = &p->warning[i];
		pack_number(x, (uint32_t)(w->group + 1)); /* GROUP_NONE becomes 0 */
		pack_number(x, w->count);
		pack_bytes(x, w->text, strlen(w->text));
		pack_bytes(x, w->file ? w->file : "", w->file ? strlen(w->file) : 0);
	}
	if (p->n_warnings)
		pack_section(x, "warn");
}

static void
write_why(struct pack_out *x)
{
	const struct profile *p = x->p;
	const struct err *e = &p->damage;

	if (!p->why)
		return;
	pack_number(x, p->damage_group);
	pack_byte(x, err_is_set(e));
	pack_byte(x, e->class == ERR_DAMAGED);
	pack_byte(x, e->has_offset);
	pack_number(x, e->offset);
	pack_bytes(x, e->text, strlen(e->text));
	pack_bytes(x, p->why, strlen(p->why));
	pack_section(x, "why ");
}

void
pack_facts(struct pack_out *x)
{
	const struct profile *p = x->p;

	write_actors(x);
	write_states(x);
	write_calls(x);
	write_stated(x);
	pack_write_info(x);
	write_why(x);
	for (uint32_t i = 0; i < p->n_attachments; i++) {
		const struct attachment *a = &p->attachment[i];
		size_t len = 0;
		const void *at = a->bytes ? a->bytes(a->at, &len) : NULL;
		if (!at)
			continue;
		pack_bytes(x, a->kind, strlen(a->kind));
		pack_bytes(x, at, len);
		pack_section(x, "atta");
	}
}
