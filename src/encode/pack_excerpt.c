/* pack_excerpt.c - what a lens shows, as a profile of its own that is then packed.
 *
 * Events keep their times, and stacks are those that the lens shows. Facts of the files stay.
 * The code and the statistics of calls that a file embeds are left out, and `info` says so. */
#include "src/encode/pack_inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/derive/excerpt.h"
#include "model/lens/words.h"
#include "src/encode/sha256.h"
#include "src/encode/shown_stacks.h"
#include "src/encode/shown_times.h"

struct cutting {
	struct shown shown;
	struct shown_stacks stacks;
	struct excerpt *x;
	stack_id *made;  /* [stack of `stacks`] its stack in the excerpt; STACK_NONE: not yet */
	VEC(stack_id) way;
	int64_t base;    /* of the times of the track's file */
	bool reshaped;   /* the lens changes stacks */
	bool leaf_shown; /* the leaf of the step before is its own frame in the excerpt */
	int64_t end;     /* of the last step */
	const struct series *series;
	int64_t value[SERIES_METRICS_MAX];
};

/* ---- names ---- */

static bool
tells_nothing(struct name name)
{
	static const char *const known[] = {"[unknown]", "[no stack]", "[truncated]", "(idle)",
					    "(other)", "(garbage collector)", "(program)"};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i]) == name.len && !memcmp(known[i], name.at, name.len))
			return true;
	return !name.len;
}

/* Writes `x` and twelve digits of a hash of the secret and the name. */
static void
hide_name(void *ctx, struct name name, struct buf *out)
{
	const char *secret = ctx;
	struct buf both = BUF_INIT;
	uint8_t hash[SHA256_BYTES];

	if (tells_nothing(name)) {
		buf_add(out, name.at, name.len);
		return;
	}
	buf_adds(&both, secret);
	buf_addc(&both, '\0');
	buf_add(&both, name.at, name.len);
	sha256(buf_str(&both), both.len, hash);
	buf_addc(out, 'x');
	for (unsigned i = 0; i < 6; i++)
		buf_addf(out, "%02x", hash[i]);
	buf_release(&both);
}

/* Returns true for a group of tracepoints that the kernel itself has. */
static bool
is_kernels(const char *system, size_t len)
{
	static const char *const known[] = {
		"alarmtimer", "block", "bpf_trace", "bridge", "btrfs", "cfg80211", "cgroup", "clk",
		"compaction", "context_tracking", "cpuhp", "csd", "devlink", "dma_fence", "drm",
		"exceptions", "ext4", "f2fs", "fib", "fib6", "filelock", "filemap", "ftrace",
		"fuse", "gpu_scheduler", "huge_memory", "hwmon", "i2c", "i915", "initcall",
		"io_uring", "iomap", "iommu", "ipi", "irq", "irq_vectors", "jbd2", "kmem", "kvm",
		"kvmmmu", "kyber", "libata", "lock", "mac80211", "mce", "mdio", "migrate", "mmap",
		"mmap_lock", "mmc", "module", "msr", "napi", "neigh", "net", "netlink", "nfs",
		"nfs4", "nfsd", "nmi", "nvme", "oom", "osnoise", "page_isolation", "page_pool",
		"pagemap", "percpu", "power", "preemptirq", "printk", "qdisc", "random", "ras",
		"raw_syscalls", "rcu", "regmap", "regulator", "rpm", "rseq", "sched", "scsi",
		"signal", "skb", "sock", "sunrpc", "swiotlb", "syscalls", "task", "tcp", "thermal",
		"timer", "tlb", "udp", "vmscan", "vsyscall", "wbt", "workqueue", "writeback", "xdp",
		"xfs", "xhci-hcd",
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i]) == len && !memcmp(known[i], system, len))
			return true;
	return false;
}

/* Returns true for SYSTEM:EVENT, also with modifiers behind it, if the user made the system.
 * EVENT:MODIFIERS is none; letters of words, such as b and e, are no modifiers here. */
static bool
is_probe(struct name name)
{
	static const char modifiers[] = "ukhGHpPSDI";
	const char *colon = memchr(name.at, ':', name.len);
	size_t system = colon ? (size_t)(colon - name.at) : 0;

	if (!system || memchr(name.at, ' ', name.len) || system + 1 == name.len)
		return false;
	for (size_t i = system + 1; i < name.len; i++)
		if (!memchr(modifiers, name.at[i], sizeof modifiers - 1))
			return !is_kernels(name.at, system);
	return false;
}

/* The same for a metric: the names of events and types are the field's, but a probe has the path of
 * a program, a function or a name of the user's, and so has `name=` of an event in slashes. */
static void
hide_metric(void *ctx, struct name name, struct buf *out)
{
	const char *slash = memchr(name.at, '/', name.len);

	if (is_probe(name) || (slash && (memchr(name.at, ':', name.len) || strstr(slash, "name="))))
		hide_name(ctx, name, out);
	else
		buf_add(out, name.at, name.len);
}

/* ---- stacks ---- */

static struct excerpt_frame
frame_of(const struct cutting *c, stack_id s)
{
	frame_id id = shown_stacks_frame(&c->stacks, s);
	struct shown_stacks_frame f = shown_stacks_frame_of(&c->stacks, id);
	struct shown_stacks_function g = shown_stacks_function_of(&c->stacks, f.function);
	struct excerpt_frame out = {
		.function = {.name = g.name, .file = g.file, .module = g.module, .line = g.line},
		.line = f.line, .inlined = f.inlined, .address = f.address,
	};

	for (unsigned k = 0; k < KINDS && g.kind; k++)
		if (!strcmp(kind_name((enum kind)k), g.kind))
			out.function.kind = (uint8_t)k;
	if (!c->stacks.whole)
		out.function.last = profile_function(c->shown.p, f.function).last;
	return out;
}

/* Returns the excerpt's stack for one that the lens shows. */
static stack_id
cut_stack(struct cutting *c, stack_id s)
{
	c->way.n = 0;
	for (; s != STACK_EMPTY && c->made[s] == STACK_NONE;
	     s = shown_stacks_parent(&c->stacks, s))
		*vec_push(&c->way) = s;
	stack_id at = s == STACK_EMPTY ? STACK_EMPTY : c->made[s];
	while (c->way.n) {
		stack_id next = c->way.at[--c->way.n];
		struct excerpt_frame f = frame_of(c, next);
		at = c->made[next] = excerpt_stack(c->x, at, &f);
	}
	return at;
}

/* The same for a recorded stack; STACK_EMPTY if the lens does not show it. */
static stack_id
cut_recorded(struct cutting *c, stack_id stack)
{
	const struct projection *tree = c->stacks.tree;
	node_id node = stack < tree->n_stacks ? tree->node_of[stack] : NODE_NONE;

	if (stack == STACK_EMPTY || node == NODE_NONE || node == NODE_ROOT)
		return STACK_EMPTY;
	return cut_stack(c, shown_stacks_at(&c->stacks, node, stack));
}

/* ---- events ---- */

static void
cut_step(void *ctx, const struct shown_sample *e)
{
	struct cutting *c = ctx;
	stack_id stack = e->node == NODE_ROOT ? STACK_EMPTY : cut_recorded(c, e->stack);
	const struct projection *tree = c->stacks.tree;
	bool leaf = stack != STACK_EMPTY && tree->call_of[e->stack] == tree->node_of[e->stack];
	uint32_t flags = e->flags;

	if (c->reshaped) {
		flags &= e->calls ? ~0u : ~STEP_CALL;
		flags &= c->leaf_shown ? ~0u : ~STEP_RETURN;
		flags &= leaf ? ~0u : ~STEP_LINE;
	}
	c->leaf_shown = leaf;
	excerpt_step(c->x, c->base + e->time, stack, flags, e->beside, e->labels);
	c->end = c->base + e->time + e->lasts;
}

/* Returns the values of an event. Calls belong to the frame that they entered, and count only if
 * the lens shows it. */
static const int64_t *
cut_values(struct cutting *c, stack_id stack, const int64_t *value)
{
	const struct projection *tree = c->stacks.tree;
	metric_id calls = c->shown.p->calls_metric;

	if (!c->reshaped || calls == METRIC_NONE || tree->call_of[stack] == tree->node_of[stack])
		return value;
	for (unsigned m = 0; m < c->series->n_metrics; m++)
		c->value[m] = c->series->metric[m] == calls ? 0 : value[m];
	return c->value;
}

static void
cut_sample(void *ctx, const struct shown_sample *e)
{
	struct cutting *c = ctx;

	excerpt_sample(c->x, c->base + e->time, cut_recorded(c, e->stack),
		       cut_values(c, e->stack, e->value), e->labels);
}

static void
cut_total(void *ctx, const struct shown_sample *e)
{
	struct cutting *c = ctx;

	excerpt_total(c->x, cut_recorded(c, e->stack), cut_values(c, e->stack, e->value),
		      e->labels);
}

static void
cut_sum(void *ctx, stack_id stack, node_id node, const int64_t *value)
{
	struct cutting *c = ctx;

	(void)node;
	excerpt_sums(c->x, cut_recorded(c, stack), cut_values(c, stack, value));
}

static void
cut_point(void *ctx, const struct shown_point *e)
{
	struct cutting *c = ctx;

	excerpt_point(c->x, c->base + e->time, e->value, e->labels);
}

static void
cut_series(struct cutting *c, const struct series *s)
{
	excerpt_series(c->x, s);
	c->series = s;
	c->end = INT64_MIN;
	c->leaf_shown = true;
	switch ((enum series_kind)s->kind) {
	case SERIES_STEPS:
		shown_samples(&c->shown, s, cut_step, c);
		if (c->end != INT64_MIN)
			excerpt_end(c->x, c->end);
		return;
	case SERIES_SAMPLES:
		shown_samples(&c->shown, s, cut_sample, c);
		return;
	case SERIES_TOTALS:
		if (s->labelled)
			shown_labelled_sums(&c->shown, s, cut_total, c);
		else
			shown_sums(&c->shown, s, cut_sum, c);
		return;
	case SERIES_POINTS:
		shown_points(&c->shown, s, cut_point, c);
		return;
	}
}

/* ---- states and edges ---- */

/* The end of the range on the clock of the file. */
static int64_t
cut_range_end(const struct cutting *c)
{
	return c->shown.fold->whole ? INT64_MAX : sum_clipped(c->base, c->shown.fold->to);
}

/* Returns true if the actor waits when the range ends, and a wake-up after it ends the wait. */
static bool
waits_beyond(const struct actor *a, int64_t to)
{
	uint32_t n = actor_find(a, to - 1);
	actor_id by;

	return n && n < a->n && actor_state(a, n - 1) >= ACTOR_WAITING && actor_woken(a, n, &by);
}

static void
cut_actors(struct cutting *c, uint32_t file, const struct lens *l)
{
	const struct profile *p = c->shown.p;
	uint8_t *keep = lens_actors(l, p);
	int64_t from = c->shown.fold->whole ? INT64_MIN
					    : sum_clipped(c->base, c->shown.fold->from);
	int64_t to = cut_range_end(c);
	bool beyond = false;

	for (actor_id a = 0; a < p->n_actors; a++)
		if (keep[a] && p->actor[a].group == file) {
			excerpt_states(c->x, a, from, to);
			beyond |= to < INT64_MAX && waits_beyond(&p->actor[a], to);
		}
	if (beyond)
		encode_warn(c->shown.job,
			    "waits last beyond the range: who ended them is left out");
	for (uint32_t i = 0; i < p->n_edges; i++) {
		const struct edge *e = &p->edge[i];
		if (keep[e->to] && p->actor[e->to].group == file && e->to_time >= from &&
		    e->to_time < to)
			excerpt_edge(c->x, e, from);
	}
	free(keep);
}

/* Adds a fact about what the file embeds and the excerpt lacks. */
static void
say_left_out(struct cutting *c)
{
	const struct profile *p = c->shown.p;
	bool calls = p->recorded.n;

	if (p->n_attachments || calls)
		excerpt_info(c->x, "left out",
			     !calls		? "embedded machine code"
			     : p->n_attachments ? "embedded machine code, recorded sums of calls"
						: "recorded sums of calls");
}

/* ---- all of it ---- */

static void
cut_file(struct cutting *c, uint32_t file, const struct lens *l, const struct buf *lens)
{
	const struct profile *p = c->shown.p;

	excerpt_file(c->x, file);
	excerpt_default(c->x, c->shown.fold->metric);
	if (lens->len)
		excerpt_info(c->x, "excerpt", lens->at + 1); /* without its first blank */
	say_left_out(c);
	c->base = c->shown.base[file];
	for (track_id t = 0; t < p->n_tracks; t++) {
		if (p->track[t].group != file || !c->shown.fold->chosen[t])
			continue;
		excerpt_track(c->x, t);
		if (c->shown.fold->stated)
			excerpt_stated(c->x, t);
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			cut_series(c, p->track[t].series[i]);
	}
	cut_actors(c, file, l);
}

static void
cut_files(struct cutting *c, const struct lens *l, bool named)
{
	const struct profile *p = c->shown.p;
	struct buf lens = BUF_INIT;

	if (named) /* its patterns are names */
		lens_write_options(l, &lens);
	c->made = mem_alloc((size_t)p->stacks.n + 1, sizeof *c->made);
	for (stack_id s = 0; s < p->stacks.n; s++)
		c->made[s] = STACK_NONE;
	c->reshaped = !shown_stacks_kept(l);
	for (uint32_t i = 0; i < p->n_groups; i++)
		cut_file(c, i, l, &lens);
	buf_release(&lens);
	free(c->made);
	vec_release(&c->way);
}

struct profile *
pack_excerpt(const struct encode_job *job, const char *secret, struct err *e)
{
	struct cutting c = {0};
	struct encode_job upright = *job;
	struct excerpt_rename rename = {hide_name, hide_metric,
					 (char *)(uintptr_t)secret};
	struct profile *out = NULL;
	struct lens l;

	lens_copy(&l, job->lens);
	upright.lens = &l;
	if (l.invert)
		upright.fold = NULL;
	l.invert = false;
	if (shown_open(&c.shown, &upright, SHOWN_LINES | SHOWN_ADDRESSES | SHOWN_DIFF, e)) {
		if (shown_stacks_open(&c.stacks, &c.shown)) {
			c.x = excerpt_new(c.shown.p, secret ? &rename : NULL);
			cut_files(&c, &l, !secret);
			bool lost = excerpt_lost(c.x);
			out = excerpt_finish(c.x);
			if (lost)
				encode_warn(job, "numbers that exceed 2^63 in sum are left out");
			shown_stacks_release(&c.stacks);
		}
		shown_close(&c.shown);
	}
	lens_release(&l);
	return out;
}
