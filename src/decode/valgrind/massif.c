/* Massif, valgrind's heap profiler: `massif.out.PID`, text (Valgrind manual, "Massif").
 *
 *	desc: --time-unit=ms
 *	cmd: shop
 *	time_unit: ms
 *	#-----------
 *	snapshot=3
 *	#-----------
 *	time=12
 *	mem_heap_B=1000
 *	mem_heap_extra_B=24
 *	mem_stacks_B=0
 *	heap_tree=peak
 *	n2: 1000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 *	 n1: 900 0x1091: parse (shop.c:12)
 *	  n0: 900 0x10B2: main (shop.c:40)
 *	 n0: 100 in 3 places, all below massif's threshold (1.00%)
 *
 * A snapshot has sizes, and some have a tree: the live bytes by allocating function, with its
 * callers below it.  So a path down the tree, reversed, is a stack.  Its bytes are those of the
 * last node minus those of the node's children.
 *
 * A line that is not of the format is skipped, with the nodes below it if it was a node: their
 * bytes stay with the node above.
 *
 * Trees are kept until they are complete.  The changes from one tree to the next are samples in
 * time; the tree of the peak is written at the end, as sums. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/sum.h"
#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/odd_lines.h"
#include "src/decode/common/words.h"
#include "src/decode/valgrind/valgrind_frame.h"

enum size { SIZE_HEAP, SIZE_EXTRA, SIZE_STACKS, SIZES };
static const char *const size_keys[SIZES] = {"mem_heap_B=", "mem_heap_extra_B=", "mem_stacks_B="};
static const char *const size_names[SIZES] = {"heap", "heap extra", "stacks"};
static const char *const most_keys[SIZES] = {"most heap", "most heap extra", "most stacks"};

/* A node of the current tree. */
struct massif_node {
	frame_id frame;
	uint64_t children; /* still to come */
	int64_t own;       /* its bytes minus those of the children read so far */
};

/* The live bytes of a stack: before the current tree, and in it. */
struct massif_live {
	stack_id stack;
	int64_t before, now;
};

struct massif_part {
	stack_id stack;
	int64_t bytes;
};

/* A snapshot, as far as its lines were read. */
struct massif_snapshot {
	bool inside;    /* it is not whole */
	uint64_t begun; /* where it begins in the file */
	int64_t number, time, size[SIZES];
	bool has_time, has_size[SIZES], is_peak;
};

/* The tree of a snapshot. */
struct massif_tree {
	bool open;
	bool gap;                     /* a line was skipped */
	VEC(struct massif_node) path; /* nodes that are open */
	VEC(struct massif_part) part;
	uint64_t lacking; /* nodes with fewer children than they say */
};

/* The tree that will be `peak`. */
struct massif_peak {
	bool there, is_peak;
	int64_t bytes, number;
	VEC(struct massif_part) part;
};

/* A snapshot in which a size is 0, as are those before it. */
struct massif_zero {
	int64_t time;
	uint64_t begun;
};

/* A counter; it exists from the first size on that is not 0. */
struct massif_counter {
	struct series *points;
	VEC(struct massif_zero) zero; /* before that */
};

/* The live bytes in time, and the series that gets their changes. */
struct massif_changes {
	metric_id metric;
	track_id track;
	struct series *samples; /* NULL before the first tree */
	VEC(struct massif_live) stack;
	struct idmap stack_of;
};

struct massif {
	struct builder *b;
	struct err *e;
	uint64_t offset; /* of the line */
	bool has_unit;
	int64_t scale; /* of times */
	struct massif_counter counter[SIZES];
	struct massif_snapshot now;
	struct massif_tree tree;
	struct massif_peak peak;
	struct massif_changes live;
	uint64_t snapshots, trees;
	int64_t most[SIZES]; /* in the snapshot with the largest heap and stacks */
};

static int
massif_probe(struct head head)
{
	static const char *const keys[] = {"desc:", "cmd:", "time_unit:"};
	const char *next = NULL, *at, *end;

	for (size_t i = 0; i < 3; i++)
		if (!head_line_filled(head, &next, &at, &end) || !begins_with(at, end, keys[i]))
			return 0;
	return 100;
}

static bool
massif_bad_line(struct massif *m, const char *what)
{
	return err_damage(m->e, m->now.inside ? m->now.begun : m->offset, "%s", what);
}

/* ---- a snapshot that is whole ---- */

static void
make_track(struct builder *b, struct massif_changes *c)
{
	if (c->samples)
		return;
	c->track = builder_main(b);
	c->samples = builder_samples(b, c->track, &c->metric, 1);
	builder_derived(c->samples);
}

/* Makes the counter, with the zeros that were held. */
static bool
counter_begin(struct massif *m, struct massif_counter *c, const char *name)
{
	track_id t = builder_track(m->b, name, strlen(name), TRACK_COUNTER);
	bool good = true;

	builder_track_unit(m->b, t, "bytes", 5);
	c->points = builder_points(m->b, t, false);
	for (size_t i = 0; i < c->zero.n && good; i++)
		good = builder_point(m->b, c->points, c->zero.at[i].time, 0, c->zero.at[i].begun,
				     m->e);
	return good;
}

/* Without --stacks=yes all stacks are 0, with --heap=no all heaps: no lane shows them. */
static bool
write_sizes(struct massif *m)
{
	for (unsigned i = 0; i < SIZES; i++) {
		struct massif_counter *c = &m->counter[i];
		if (!m->now.has_size[i])
			continue;
		if (!c->points && !m->now.size[i]) {
			*vec_push(&c->zero) = (struct massif_zero){m->now.time, m->now.begun};
			continue;
		}
		if (!c->points && !counter_begin(m, c, size_names[i]))
			return false;
		if (!builder_point(m->b, c->points, m->now.time, m->now.size[i], m->now.begun,
				   m->e))
			return false;
	}
	return true;
}

static struct massif_live *
live_of(struct massif_changes *c, stack_id stack)
{
	uint32_t i;

	if (idmap_add(&c->stack_of, stack, c->stack.n, &i))
		*vec_push(&c->stack) = (struct massif_live){.stack = stack};
	return &c->stack.at[i];
}

/* Writes the changes since the previous tree as samples. */
static bool
write_changes(struct massif *m, struct massif_changes *c)
{
	bool good = true;

	for (size_t i = 0; i < m->tree.part.n; i++) {
		/* all are of one tree: their sum is below its root's bytes */
		live_of(c, m->tree.part.at[i].stack)->now += m->tree.part.at[i].bytes;
		builder_track_event(m->b, c->track);
	}
	for (size_t i = 0; i < c->stack.n && good; i++) {
		struct massif_live *l = &c->stack.at[i];
		int64_t change = l->now - l->before;
		if (change)
			good = builder_sample(m->b, c->samples, m->now.time, l->stack, &change,
					      m->now.begun, m->e);
		l->before = l->now;
		l->now = 0;
	}
	return good;
}

/* Keeps the current tree if it is the file's peak, or larger than the one kept so far. */
static void
keep_peak(struct massif_peak *peak, const struct massif_snapshot *now,
	  const struct massif_tree *tree)
{
	if (peak->there && (peak->is_peak > now->is_peak ||
			    (peak->is_peak == now->is_peak && peak->bytes >= now->size[SIZE_HEAP])))
		return;
	peak->there = true;
	peak->is_peak = now->is_peak;
	peak->bytes = now->size[SIZE_HEAP];
	peak->number = now->number;
	peak->part.n = 0;
	for (size_t i = 0; i < tree->part.n; i++)
		*vec_push(&peak->part) = tree->part.at[i];
}

static int64_t
sizes_sum(const int64_t *size)
{
	return sum_clipped(sum_clipped(size[SIZE_HEAP], size[SIZE_EXTRA]), size[SIZE_STACKS]);
}

static bool
snapshot_end(struct massif *m)
{
	bool tree = m->tree.open;

	if (sizes_sum(m->now.size) > sizes_sum(m->most))
		memcpy(m->most, m->now.size, sizeof m->most);
	m->now.inside = m->tree.open = false;
	m->snapshots++;
	if (!write_sizes(m))
		return false;
	if (!tree)
		return true;
	m->trees++;
	make_track(m->b, &m->live);
	keep_peak(&m->peak, &m->now, &m->tree);
	return write_changes(m, &m->live);
}

/* ---- trees ---- */

/* Returns the stack of the open nodes, except the first, which is the sum of all. */
static stack_id
stack_of_path(struct builder *b, const struct massif_tree *t)
{
	for (size_t i = 1; i < t->path.n; i++)
		builder_next_frame(b, t->path.at[i].frame);
	if (t->path.n < 2)
		builder_next_frame(b, builder_frame(b, builder_function_unknown(b),
						    line_unknown()));
	return builder_next_leaf_first(b);
}

/* Closes the nodes from `depth` on: their remaining bytes belong to their own stacks. */
static void
close_nodes(struct builder *b, struct massif_tree *t, size_t depth)
{
	while (t->path.n > depth) {
		const struct massif_node *n = &t->path.at[t->path.n - 1];
		if (n->own > 0)
			*vec_push(&t->part) = (struct massif_part){stack_of_path(b, t), n->own};
		t->lacking += n->children > 0;
		t->path.n--;
	}
}

/* Ends the tree, even if some of its nodes lack children. */
static bool
tree_end(struct massif *m)
{
	close_nodes(m->b, &m->tree, 0);
	return snapshot_end(m);
}

static frame_id
frame_of_node(struct builder *b, const char *at, const char *end)
{
	if (!begins_with(at, end, "in ") || !text_find(at, end, "below massif's threshold"))
		return valgrind_frame(b, at, end);
	struct function f = {.name = builder_name(b, "below threshold", 15), .kind = KIND_SYSTEM};
	return builder_frame_of(b, f, 0);
}

/* Parses ` n2: 1000 0x1091: parse (shop.c:12)`; returns false if the line is not a node that
 * fits. */
static bool
node_parse(struct massif *m, const char *at, const char *end, struct massif_node *node)
{
	const char *n = skip_blanks(at, end), *colon, *word;
	struct massif_tree *t = &m->tree;
	size_t depth = (size_t)(n - at);
	int64_t children, bytes;

	if (depth > t->path.n || depth > STACK_DEPTH_MAX || n == end || *n != 'n' ||
	    !(colon = memchr(n, ':', (size_t)(end - n))) ||
	    !number_parse(n + 1, colon, &children) || children < 0)
		return false;
	if (depth && depth < t->path.n)
		close_nodes(m->b, t, depth);
	n = skip_blanks(colon + 1, end);
	word = word_end(n, end);
	if (depth != t->path.n || !number_parse(n, word, &bytes) || bytes < 0 ||
	    (depth && bytes > t->path.at[depth - 1].own))
		return false;
	node->frame = frame_of_node(m->b, skip_blanks(word, end), end);
	node->children = (uint64_t)children;
	node->own = bytes;
	return true;
}

static bool
node_line(struct massif *m, const char *at, const char *end)
{
	struct massif_tree *t = &m->tree;
	struct massif_node node;

	if (at < end && *at == '#') /* the line after the tree */
		return tree_end(m);
	if (!node_parse(m, at, end, &node)) {
		t->gap = true;
		return false;
	}
	if (t->path.n) {
		struct massif_node *above = &t->path.at[t->path.n - 1];
		above->children -= above->children > 0;
		above->own -= node.own;
	}
	*vec_push(&t->path) = node;
	size_t depth = t->path.n;
	while (depth && !t->path.at[depth - 1].children)
		depth--;
	close_nodes(m->b, t, depth);
	return t->path.n || snapshot_end(m);
}

/* ---- lines ---- */

/* `key=NUMBER` */
static bool
massif_number_of(const char *at, const char *end, const char *key, int64_t *out)
{
	int64_t n;

	if (!begins_with(at, end, key) || !number_parse(at + strlen(key), end, &n) || n < 0)
		return false;
	*out = n;
	return true;
}

static bool
tree_begins(struct massif *m, const char *at, const char *end)
{
	if (!m->now.has_time)
		return false;
	if (is_key(at, (size_t)(end - at), "empty"))
		return snapshot_end(m);
	m->now.is_peak = is_key(at, (size_t)(end - at), "peak");
	if (!m->now.is_peak && !is_key(at, (size_t)(end - at), "detailed"))
		return false;
	m->tree.open = true;
	m->tree.gap = false;
	m->tree.part.n = m->tree.path.n = 0;
	return true;
}

static bool
snapshot_line(struct massif *m, const char *at, const char *end)
{
	if (massif_number_of(at, end, "time=", &m->now.time)) {
		if (__builtin_mul_overflow(m->now.time, m->scale, &m->now.time))
			return massif_bad_line(m, "a time beyond 2^63 ns");
		m->now.has_time = true;
		return true;
	}
	for (unsigned i = 0; i < SIZES; i++) {
		if (!massif_number_of(at, end, size_keys[i], &m->now.size[i]))
			continue;
		m->now.has_size[i] = true;
		return true;
	}
	if (begins_with(at, end, "heap_tree="))
		return tree_begins(m, at + 10, end);
	return false;
}

static void
set_unit(struct massif *m, const char *at, const char *end)
{
	static const struct {
		const char *name;
		int64_t scale;
		enum unit axis;
	} units[] = {{"ms", 1000000, UNIT_NS}, {"i", 1, UNIT_OPS}, {"B", 1, UNIT_BYTES},
		     {"", 1, UNIT_ENTRIES}};
	size_t i = 0;

	while (*units[i].name && !is_key(at, (size_t)(end - at), units[i].name))
		i++;
	m->has_unit = true;
	m->scale = units[i].scale;
	builder_axis(m->b, units[i].axis);
	builder_info_bytes(m->b, "time unit", at, (size_t)(end - at));
}

static bool
header_line(struct massif *m, const char *at, const char *end)
{
	if (begins_with(at, end, "desc:"))
		builder_info_bytes(m->b, "desc", skip_blanks(at + 5, end),
				   (size_t)(end - skip_blanks(at + 5, end)));
	else if (begins_with(at, end, "cmd:"))
		builder_info_bytes(m->b, "cmd", skip_blanks(at + 4, end),
				   (size_t)(end - skip_blanks(at + 4, end)));
	else if (begins_with(at, end, "time_unit:"))
		set_unit(m, skip_blanks(at + 10, end), end);
	else
		return false;
	return true;
}

/* Returns false if the line is not of the format, without damage in *m->e. */
static bool
massif_line_read(void *state, const char *at, const char *end)
{
	struct massif *m = state;
	int64_t number;

	if (m->tree.open)
		return node_line(m, at, end);
	if (at == end || *at == '#')
		return true;
	if (massif_number_of(at, end, "snapshot=", &number)) {
		if (!m->has_unit)
			return massif_bad_line(m, "no unit of time");
		/* one that lacks its tree is left out */
		m->now = (struct massif_snapshot){
			.inside = true, .begun = m->offset, .number = number};
		return true;
	}
	return m->now.inside ? snapshot_line(m, at, end) : header_line(m, at, end);
}

/* ---- the decoder ---- */

static bool
write_peak(struct massif *m, metric_id metric)
{
	if (!m->peak.there)
		return true;
	struct series *totals = builder_totals(m->b, m->live.track, &metric, 1);
	for (size_t i = 0; i < m->peak.part.n; i++)
		if (!builder_total(m->b, totals, m->peak.part.at[i].stack,
				   &m->peak.part.at[i].bytes, m->offset, m->e))
			return false;
	builder_info(m->b, "peak", "snapshot %" PRId64 "%s", m->peak.number,
		     m->peak.is_peak ? "" : ", the largest that has a tree");
	return true;
}

/* A node ends in its place in brackets, a snapshot without a tree in `heap_tree=empty`. */
static enum last_line
massif_last_line(const char *at, const char *end)
{
	const char *place = end;

	if (is_key(at, (size_t)(end - at), "heap_tree=empty"))
		return LAST_CLOSED;
	while (place > at && place[-1] != '(')
		place--;
	bool bracket = place - at > 1 && place[-2] == ' ';
	return last_line_closed(at, end, bracket ? ")" : "");
}

static bool
massif_decode(struct input *in, struct builder *b, struct err *e)
{
	struct massif m = {.b = b, .e = e, .scale = 1};

	metric_id peak = builder_metric(b, "peak", UNIT_BYTES, ROLE_VALUE);
	m.live.metric = builder_metric(b, "live", UNIT_BYTES, ROLE_VALUE);
	builder_default_metric(b, peak);
	bool good = text_lines(in, b, e, &m.offset, massif_last_line, massif_line_read, &m);
	if (good && m.tree.open && m.tree.gap)
		good = tree_end(&m);
	if (good && m.now.inside && !input_stopped(in))
		good = massif_bad_line(&m, "an incomplete snapshot");
	good = write_peak(&m, peak) && good;
	builder_warn_count(b, m.tree.lacking, "node has fewer children than it states",
			   "nodes have fewer children than they state");
	builder_info(b, "snapshots", "%" PRIu64 ", with a tree %" PRIu64, m.snapshots, m.trees);
	for (unsigned i = 0; i < SIZES; i++)
		if (m.most[i])
			builder_info(b, most_keys[i], "%" PRId64 " bytes", m.most[i]);
	for (unsigned i = 0; i < SIZES; i++)
		vec_release(&m.counter[i].zero);
	vec_release_all(&m.tree.path, &m.tree.part, &m.peak.part, &m.live.stack);
	idmap_release(&m.live.stack_of);
	return good;
}

const struct decoder decoder_massif = {
	.name = "massif",
	.title = "massif: valgrind's heap profiles over time",
	.made_of = MADE_TEXT,
	.mangled = true,
	.probe = massif_probe,
	.decode = massif_decode,
};
