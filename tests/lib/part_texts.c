#include "tests/lib/part_texts.h"

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

/* ---- perf script ---- */

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
