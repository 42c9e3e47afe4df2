/* sqlite_facts.c - facts about the profile: `info` as the report has them, and what src/decode/
 * pnavdb/ needs besides: when the run of each file begins and ends, what the file states itself,
 * and the statistics of calls of files without a timeline. */
#include "src/encode/sqlite_rows.h"

#ifdef HAVE_SQLITE

#include "model/table/facts.h"
#include "src/encode/shown_stacks.h"

/* Writes the facts as the report has them. */
static void
sqlite_write_info(struct sqlite_rows *r, const struct shown *s, const struct fold *plain)
{
	struct facts facts = {0};

	facts_make(&facts, s->p, plain, NULL, NULL, true);
	rows_begin(r, "info", 2);
	for (size_t i = 0; i < facts.all.n; i++) {
		const struct fact *f = &facts.all.at[i];
		if (f->aside)
			continue;
		rows_text(r, f->key);
		if (f->kind != FACT_WORDS)
			rows_whole(r, f->number);
		else
			rows_text(r, f->words); /* NULL: no text */
		rows_next(r);
	}
	rows_end(r);
	facts_release(&facts);
}

/* Writes NULL if it is unknown. */
static void
whole_or_null(struct sqlite_rows *r, bool known, int64_t v)
{
	if (known)
		rows_whole(r, v);
	else
		rows_null(r);
}

/* The columns are id, name, start, end, first, interval, clock, why. */
static void
sqlite_write_files(struct sqlite_rows *r, const struct shown *s)
{
	rows_begin(r, "files", 8);
	for (uint32_t i = 0; i < s->p->n_groups; i++) {
		const struct group *g = &s->p->group[i];
		rows_whole(r, i);
		rows_shown_name(r, s, g->name);
		whole_or_null(r, g->has_time, g->start);
		whole_or_null(r, g->has_time, g->end);
		whole_or_null(r, g->step != 0, g->step_first);
		whole_or_null(r, g->step != 0, g->step);
		whole_or_null(r, g->has_clock, g->clock);
		if (g->why != NAME_EMPTY)
			rows_shown_name(r, s, g->why);
		else
			rows_null(r);
		rows_next(r);
	}
	rows_end(r);
}

/* The columns are file, key, value. */
static void
write_stated_info(struct sqlite_rows *r, const struct shown *s)
{
	const struct profile *p = s->p;

	rows_begin(r, "stated_info", 3);
	for (uint32_t i = 0; i < p->n_info; i++) {
		rows_whole(r, p->info[i].group);
		rows_shown_name(r, s, p->info[i].key);
		rows_shown_name(r, s, p->info[i].value);
		rows_next(r);
	}
	rows_end(r);
}

/* The columns are file, text, count. */
static void
sqlite_write_warnings(struct sqlite_rows *r, const struct shown *s)
{
	rows_begin(r, "warnings", 3);
	for (uint32_t i = 0; i < s->p->n_warnings; i++) {
		const struct warning *w = &s->p->warning[i];
		if (w->group == GROUP_NONE)
			continue;
		rows_whole(r, w->group);
		rows_text(r, w->text);
		rows_whole(r, (int64_t)w->count);
		rows_next(r);
	}
	rows_end(r);
}

/* The columns are track, function, unit, per_call, calls, and the numbers of each time. */
static void
write_stated_calls(struct sqlite_rows *r, const struct shown *s, const struct shown_stacks *stacks)
{
	const struct callrows *c = &s->p->recorded;
	bool kept = s->fold->whole && shown_stacks_kept(&s->lens);

	rows_begin(r, "stated_calls", 5 + CALL_TIMES * CALL_NUMBERS);
	for (uint32_t i = 0; kept && i < c->n; i++) {
		struct callstats_row row = callrows_get(c, i);
		if (row.track >= s->p->n_tracks || !s->shows[row.track] ||
		    !shown_stacks_has_function(stacks, row.function))
			continue;
		rows_whole(r, row.track);
		rows_whole(r, row.function);
		rows_text(r, unit_name((enum unit)c->unit));
		rows_whole(r, c->per_call);
		rows_whole(r, row.calls);
		for (unsigned k = 0; k < CALL_TIMES * CALL_NUMBERS; k++)
			whole_or_null(r, row.has & 1u << k,
				      row.value[k / CALL_NUMBERS][k % CALL_NUMBERS]);
		rows_next(r);
	}
	rows_end(r);
}

void
sqlite_facts(struct sqlite_rows *r, const struct shown *s, const struct shown_stacks *stacks,
	     const struct fold *plain)
{
	sqlite_write_info(r, s, plain);
	sqlite_write_files(r, s);
	write_stated_info(r, s);
	sqlite_write_warnings(r, s);
	write_stated_calls(r, s, stacks);
}

#endif
