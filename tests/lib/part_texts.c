#include "tests/lib/part_texts.h"

#include <inttypes.h>

#include "model/profile/profile.h"

/* ---- folded stacks ---- */

static void
folded_number(struct buf *text, struct chance *c, const struct folded_shape *x)
{
	buf_addf(text, " %s%u", x->negative && chance_one_in(c, x->negative) ? "-" : "",
		 chance_below(c, 1000));
	if (x->fractions && chance_one_in(c, x->fractions))
		buf_addf(text, ".%u", chance_below(c, 100));
}

static void
folded_line(struct buf *text, struct chance *c, const struct folded_shape *x)
{
	static const char *const odd[] = {"no number here", "", " ", "a;b 1 x", ";;; 3", "12",
					  "main;work 9 8 7", "\xff\xfe;b\x01 3", "a;b 12."};

	if (x->odd && chance_one_in(c, x->odd)) {
		buf_adds(text, odd[chance_below(c, 9)]);
		return;
	}
	if (x->comments && chance_one_in(c, x->comments)) {
		buf_adds(text, "# comment: 42");
		return;
	}
	buf_adds(text, "main");
	for (unsigned depth = chance_below(c, 9), all = depth; depth; depth--) {
		unsigned f = chance_below(c, all < 3 ? 3000 : 40);
		buf_addf(text, x->mangled ? ";_Z5%05uv" : ";f%u", f);
	}
	folded_number(text, c, x);
	if (x->two)
		folded_number(text, c, x);
}

void
folded_lines(struct buf *text, struct chance *c, unsigned n, const struct folded_shape *x)
{
	for (unsigned i = 0; i < n; i++) {
		folded_line(text, c, x);
		buf_adds(text, x->crlf ? "\r\n" : "\n");
	}
}

void
folded_sums(struct buf *text, struct chance *c, bool alone)
{
	for (unsigned i = 0; i < 1500; i++) {
		uint64_t n = chance_below(c, 52000) * (alone ? 1 : UINT64_C(1000000000000));
		n |= alone && i % 190 == 100 ? UINT64_C(1) << 57 : 0;
		buf_addf(text, "main;f%u %" PRIu64 "\n", chance_below(c, 40), n);
	}
}

/* ---- perf script ---- */

void
perf_sums(struct buf *text, struct chance *c)
{
	for (unsigned i = 0; i < 600; i++) {
		uint64_t n = 1 + chance_below(c, 5000) + (i % 97 > 90 ? UINT64_C(1) << 57 : 0);
		buf_addf(text, "comm 7 [000] %u.000000: %" PRIu64 " cycles:u: \n\t%16x f (m)\n\n",
			 50 + i, n, 4096);
	}
}

static void
perf_frame(struct buf *text, struct chance *c, unsigned flags, const char *end)
{
	static const char *const module[] = {"/usr/bin/prog", "[kernel.kallsyms]", "inlined",
					     "/lib/libc.so.6"};
	unsigned f = chance_below(c, 60);

	buf_addf(text, "\t%16x f%u+0x%x (%s)%s", 4096 + f * 64, f, chance_below(c, 3),
		 module[f % 4], end);
	if (flags & SOURCES && chance_one_in(c, 4))
		buf_addf(text, "  file%u.c:%u%s", f % 7, 10 + chance_below(c, 5), end);
}

static void
perf_sample(struct buf *text, struct chance *c, unsigned flags, unsigned i, const char *end)
{
	unsigned tid = 100 + chance_below(c, chance_one_in(c, 5) ? 400 : 4);
	unsigned event = flags & EVENTS ? chance_below(c, i / 150 + 1) : 0;

	buf_addf(text, "comm %u ", tid % 6);
	if (flags & PIDS)
		buf_addf(text, "%u/", 90 + tid % 3);
	buf_addf(text, "%u", tid);
	if (!(flags & NO_CPU))
		buf_addf(text, " [%03u]", chance_below(c, 4));
	if (!(flags & NO_TIME) || !chance_one_in(c, 40))
		buf_addf(text, " %u.%06u: ", 50 + i, chance_below(c, 1000000));
	if (flags & SCHED && i > 400 && chance_one_in(c, 5))
		buf_addf(text, "sched:sched_switch: prev_comm=comm prev_pid=%u prev_prio=120 "
				"prev_state=S ==> next_comm=comm next_pid=%u next_prio=120%s",
			 tid, 100 + chance_below(c, 4), end);
	else
		buf_addf(text, "%u cycles%u:u: %s", 1 + chance_below(c, 9999), event, end);
	for (unsigned depth = flags & BARE && chance_one_in(c, 9) ? 0 : 1 + chance_below(c, 7);
	     depth; depth--)
		perf_frame(text, c, flags, end);
	buf_adds(text, end);
}

void
perf_samples(struct buf *text, struct chance *c, unsigned n, unsigned flags)
{
	const char *end = flags & CRLF ? "\r\n" : "\n";

	if (flags & HEADER)
		buf_addf(text, "# hostname : here%s# event : name = cycles1:u, , id = { 1 }, "
				"{ sample_period, sample_freq } = 4000, freq = 1, x%s#%s",
			 end, end, end);
	for (unsigned i = 0; i < n; i++) {
		if (flags & ODD && chance_one_in(c, 60))
			buf_addf(text, "Warning: lost %u chunks!%s", i, end);
		if (flags & HEADER && i == n / 2)
			buf_addf(text, "# event : name = cycles0:u, , id = { 1 }, "
					"{ sample_period, sample_freq } = 100, freq = 1, x%s", end);
		perf_sample(text, c, flags, i, end);
	}
}

/* ---- what a profile is ---- */

static void
write_tables(const struct profile *p, struct buf *out)
{
	for (uint32_t i = 0; i < p->names.n; i++) {
		struct name name = names_get(&p->names, i);
		buf_addf(out, "name %u %.*s\n", i, (int)name.len, name.at);
	}
	for (uint32_t i = 0; i < p->frames.n_functions; i++) {
		struct function f = profile_function(p, i);
		buf_addf(out, "function %u %u %u %u %u %u\n", i, f.name, f.file, f.module,
			 f.line, f.kind);
	}
	for (uint32_t i = 0; i < p->frames.n; i++) {
		struct frame f = profile_frame(p, i);
		buf_addf(out, "frame %u %u %u %d\n", i, f.function, f.line.number, f.inlined);
	}
	for (uint32_t i = 0; i < p->stacks.n; i++)
		buf_addf(out, "stack %u %u %u\n", i, p->stacks.parent[i], p->stacks.frame[i]);
	for (uint32_t i = 0; i < p->n_metrics; i++)
		buf_addf(out, "metric %u %u %u %u %u\n", i, p->metric[i].name, p->metric[i].unit,
			 p->metric[i].role, p->metric[i].decimals);
	for (uint32_t i = 0; i < p->n_processes; i++)
		buf_addf(out, "process %u %u\n", i, p->process[i].name);
}

static void
write_series(const struct series *s, struct buf *out)
{
	struct event e;

	buf_addf(out, "series %u %" PRIu64 " %" PRId64 " %d\n", s->kind, s->n, s->interval,
		 s->sorted);
	for (unsigned m = 0; m < s->n_metrics; m++)
		buf_addf(out, " metric %u %u %" PRId64 "\n", s->metric[m], s->role[m], s->sum[m]);
	for (uint64_t i = 0; s->kind != SERIES_TOTALS && series_event(s, i, &e); i++)
		buf_addf(out, "  %" PRId64 " %u %" PRId64 "\n", e.time, e.stack, e.value);
	for (uint32_t i = 0; i < s->n_pages; i++)
		for (unsigned m = 0; m < s->n_metrics; m++)
			for (uint32_t k = 0; k < TOTALS_PAGE; k++) {
				int64_t v = totals_get(&s->page[i * s->n_metrics + m], k);
				if (v)
					buf_addf(out, "  %u %u %" PRId64 "\n",
						 series_page_stack(s, i) + k, m, v);
			}
}

static void
write_tracks(const struct profile *p, struct buf *out)
{
	for (uint32_t i = 0; i < p->n_tracks; i++) {
		const struct track *t = &p->track[i];
		buf_addf(out, "track %u %u %u %u %d %" PRId64 " %" PRId64 " %" PRIu64 "\n", i,
			 t->name, t->kind, t->under, t->has_time, t->start, t->end, t->events);
		for (uint32_t k = 0; k < t->n_series; k++)
			write_series(t->series[k], out);
	}
	for (uint32_t i = 0; i < p->n_actors; i++)
		buf_addf(out, "actor %u %u\n", i, p->actor[i].name);
	for (uint32_t i = 0; i < p->n_info; i++)
		buf_addf(out, "info %u %u\n", p->info[i].key, p->info[i].value);
	for (uint32_t i = 0; i < p->n_warnings; i++)
		buf_addf(out, "warning %" PRIu64 " %s\n", p->warning[i].count,
			 p->warning[i].text);
	buf_addf(out, "default %u, %" PRIu64 " events, weighs %d\n", p->default_metric, p->events,
		 p->weight != NULL);
	for (metric_id m = 0; p->weight && m < p->n_metrics; m++)
		buf_addf(out, "weight %" PRId64 "\n", p->weight[m]);
}

void
profile_written(const struct profile *p, struct buf *out)
{
	write_tables(p, out);
	write_tracks(p, out);
}
