#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "src/encode/gzip.h"
#include "src/encode/losses.h"
#include "src/encode/protobuf.h"
#include "src/encode/shown_times.h"

/* google/pprof's profile.proto: one gzipped message, with a sample for each node and label set that
 * has values of its own, track after track.  Fields may come in any order, so samples are written
 * as they are found, and the tables after them. */

enum { /* fields of Profile */
	SAMPLE_TYPE = 1,
	SAMPLE,
	MAPPING,
	LOCATION,
	FUNCTION,
	STRING_TABLE,
	DURATION_NANOS = 10,
	COMMENT = 13,
	DEFAULT_SAMPLE_TYPE,
};

#define FLUSH (64u * 1024)
#define PAGE 4096u

/* A part of a module's file in memory. */
struct mapping {
	name_id module;
	uint32_t before; /* of the same module, 0: none */
	bool recorded;   /* its range is that of the profile; else it grows with its addresses */
	uint64_t start, limit, offset;
};

struct pprof {
	struct shown shown;
	struct names strings;
	uint64_t *string_of; /* [name] its string + 1, 0: not used yet */
	uint32_t *mapping_of; /* [name] the last one of a module, 0: none yet */
	VEC(struct mapping) mapping;
	struct module_range *range; /* the profile's, sorted */
	uint32_t *function_of; /* [key] 0: none yet */
	uint32_t *location_of; /* [key] */
	VEC(key_id) location;
	uint32_t n_functions;
	track_id track;    /* the current one; TRACK_NONE: all */
	struct buf label;
	struct buf out, message, inner;
	FILE *stream;
};

static uint64_t
text_string(struct pprof *x, const char *text)
{
	return names_put(&x->strings, text, strlen(text));
}

static uint64_t
name_string(struct pprof *x, name_id id)
{
	struct buf text = BUF_INIT;

	if (!x->string_of[id]) {
		shown_name(&x->shown, id, &text);
		x->string_of[id] = 1 + (uint64_t)names_put(&x->strings, buf_str(&text), text.len);
		buf_release(&text);
	}
	return x->string_of[id] - 1;
}

static void
flush(struct pprof *x, size_t limit)
{
	if (x->out.len < limit)
		return;
	fwrite(x->out.at, 1, x->out.len, x->stream);
	buf_reset(&x->out);
}

static uint32_t
location_of(struct pprof *x, key_id key)
{
	if (!x->location_of[key]) {
		*vec_push(&x->location) = key;
		x->location_of[key] = (uint32_t)x->location.n;
	}
	return x->location_of[key];
}

/* ---- samples ---- */

static const char *
unit_text(enum unit unit)
{
	return unit == UNIT_NS ? "nanoseconds" : unit == UNIT_BYTES ? "bytes" : "count";
}

static void
write_types(struct pprof *x)
{
	const struct shown *s = &x->shown;

	for (size_t i = 0; i < s->metric.n; i++) {
		buf_reset(&x->message);
		protobuf_number(&x->message, 1,
				name_string(x, s->p->metric[s->metric.at[i]].name));
		protobuf_number(&x->message, 2, text_string(x, unit_text(shown_unit(s, i))));
		protobuf_message(&x->out, SAMPLE_TYPE, &x->message);
		if (i == s->main && s->metric.n > 1)
			protobuf_number(&x->out, DEFAULT_SAMPLE_TYPE,
					name_string(x, s->p->metric[s->metric.at[i]].name));
	}
}

/* Label { 1 key, 2 str, 3 num, 4 num_unit }: all but num are indexes of strings. A value of 0 is
 * written, too: readers take a key alone for no label. */
static void
add_label(struct pprof *x, uint64_t key, unsigned field, uint64_t value, uint64_t unit)
{
	buf_reset(&x->label);
	protobuf_number(&x->label, 1, key);
	protobuf_present(&x->label, field, value);
	protobuf_number(&x->label, 4, unit);
	protobuf_message(&x->message, 3, &x->label);
}

static bool
pprof_is_one_of(struct name key, const char *const *keys)
{
	for (; *keys; keys++)
		if (key.len == strlen(*keys) && !memcmp(key.at, *keys, key.len))
			return true;
	return false;
}

/* Readers, including pnav, distinguish threads by such a label: by a name, or by an id that the
 * track is called by, `thread 7`. */
static bool
names_thread(const struct pprof *x, const struct label *l)
{
	static const char *const names[] = {"thread", "thread_name", "thread name", NULL};
	static const char *const ids[] = {"thread_id", "thread id", "tid", "goroutine", NULL};
	const struct profile *p = x->shown.p;
	struct name key = names_get(&p->names, l->key), track;
	struct buf id = BUF_INIT;

	if (pprof_is_one_of(key, names) || !pprof_is_one_of(key, ids) || x->track == TRACK_NONE)
		return pprof_is_one_of(key, names);
	buf_adds(&id, key.at[0] == 'g' ? "goroutine " : "thread ");
	label_write_value(&id, &p->names, l);
	track = names_get(&p->names, p->track[x->track].name);
	bool same = track.len == id.len && !memcmp(track.at, buf_str(&id), id.len);
	buf_release(&id);
	return same;
}

/* True if readers put a sample without such a label on this track. */
static bool
is_main(const struct pprof *x)
{
	const struct profile *p = x->shown.p;
	struct name name = names_get(&p->names, p->track[x->track].name);

	return name.len == 4 && !memcmp(name.at, "main", 4);
}

/* Adds the labels of a sample, and one for the track if none of them names it. */
static void
add_labels(struct pprof *x, labels_id set)
{
	const struct profile *p = x->shown.p;
	uint32_t n;
	const label_id *id = labels_get(&p->labels, set, &n);
	bool named = x->track == TRACK_NONE || is_main(x);

	for (uint32_t i = 0; i < n; i++) {
		const struct label *l = &p->labels.label[id[i]];
		named |= names_thread(x, l);
		if (l->is_number)
			add_label(x, name_string(x, l->key), 3, (uint64_t)l->number,
				  l->unit == NAME_EMPTY ? 0 : name_string(x, l->unit));
		else
			add_label(x, name_string(x, l->key), 2, name_string(x, l->text), 0);
	}
	if (!named)
		add_label(x, text_string(x, "thread"), 2,
			  name_string(x, p->track[x->track].name), 0);
}

static void
write_sample(void *ctx, node_id node, labels_id labels, const int64_t *value)
{
	struct pprof *x = ctx;
	const struct shown *s = &x->shown;

	buf_reset(&x->message);
	buf_reset(&x->inner);
	for (node_id v = node; v != NODE_ROOT; v = s->tree->parent[v])
		protobuf_varint(&x->inner, location_of(x, s->tree->key[v]));
	protobuf_message(&x->message, 1, &x->inner);
	buf_reset(&x->inner);
	for (size_t i = 0; i < s->metric.n; i++)
		protobuf_varint(&x->inner, (uint64_t)value[i]);
	protobuf_message(&x->message, 2, &x->inner);
	add_labels(x, labels);
	protobuf_message(&x->out, SAMPLE, &x->message);
	flush(x, FLUSH);
}

static bool
is_labelled(const struct shown *s, track_id track)
{
	const struct track *t = &s->p->track[track];
	bool labelled = false;

	for (uint32_t i = 0; i < t->n_series; i++)
		labelled |= t->series[i]->labelled && t->series[i]->kind != SERIES_POINTS;
	return labelled;
}

/* Writes one track, or all together: a comparison is between tracks. */
static bool
pprof_write_track(struct pprof *x, track_id track, struct err *e)
{
	struct shown *s = &x->shown;

	x->track = track;
	if (!shown_load(s, track, e))
		return false;
	if (track != TRACK_NONE && is_labelled(s, track)) {
		shown_by_labels(s, track, write_sample, x);
		return true;
	}
	for (uint32_t i = 0; i < shown_nodes(s); i++)
		if (shown_has_self(s, shown_node(s, i)))
			write_sample(x, shown_node(s, i), LABELS_NONE,
				     shown_self(s, shown_node(s, i)));
	return true;
}

static bool
pprof_write_samples(struct pprof *x, struct err *e)
{
	const struct shown *s = &x->shown;
	bool good = true;

	if (s->fold->compares)
		return pprof_write_track(x, TRACK_NONE, e);
	for (size_t i = 0; good && i < s->track.n; i++)
		good = pprof_write_track(x, s->track.at[i], e);
	return good;
}

/* ---- tables ---- */

ORDERED_BY_TWO(compare_ranges, struct module_range, module, start)

/* The range that the profile has of an address of a module. */
static struct mapping
range_of(const struct pprof *x, name_id module, uint64_t address)
{
	struct module_range wanted = {.module = module, .start = address};
	size_t begun = bisect(i, x->shown.p->n_module_ranges,
			      compare_ranges(&x->range[i], &wanted) <= 0);
	const struct module_range *r = begun ? &x->range[begun - 1] : &wanted;

	if (address == ADDRESS_NONE || r->module != module || address >= r->limit)
		return (struct mapping){.module = module};
	return (struct mapping){module, 0, true, r->start, r->limit, r->offset};
}

/* Addresses that are in no range of the profile are those of the file, by which it is mapped as
 * it lies on disk: whole pages from the first to the last of them. */
static void
mapping_grow(struct mapping *m, uint64_t address)
{
	uint64_t page = address / PAGE * PAGE;

	if (m->recorded || address >= UINT64_MAX - PAGE)
		return;
	if (!m->limit || page < m->start)
		m->start = m->offset = page;
	if (page + PAGE > m->limit)
		m->limit = page + PAGE;
}

static uint32_t
mapping_of(struct pprof *x, name_id module, uint64_t address)
{
	if (module == NAME_EMPTY)
		return 0;
	struct mapping range = range_of(x, module, address);
	uint32_t i = x->mapping_of[module];
	while (i && address != ADDRESS_NONE &&
	       (x->mapping.at[i - 1].recorded != range.recorded ||
		(range.recorded && x->mapping.at[i - 1].start != range.start)))
		i = x->mapping.at[i - 1].before;
	if (!i) {
		range.before = x->mapping_of[module];
		*vec_push(&x->mapping) = range;
		i = x->mapping_of[module] = (uint32_t)x->mapping.n;
	}
	if (address != ADDRESS_NONE)
		mapping_grow(&x->mapping.at[i - 1], address);
	return i;
}

/* Returns the function of a key: one for all of its lines. */
static uint32_t
pprof_function_of(struct pprof *x, key_id key, const struct shown_frame *f)
{
	function_id id = projection_key_function(x->shown.tree, x->shown.p, key);
	uint32_t *at = &x->function_of[id == UINT32_MAX ? key : id];

	if (*at)
		return *at;
	*at = ++x->n_functions;
	buf_reset(&x->inner);
	protobuf_number(&x->inner, 1, *at);
	protobuf_number(&x->inner, 2, name_string(x, f->name));
	protobuf_number(&x->inner, 3, name_string(x, f->name));
	protobuf_number(&x->inner, 4, name_string(x, f->file));
	protobuf_number(&x->inner, 5, f->defined);
	protobuf_message(&x->out, FUNCTION, &x->inner);
	return *at;
}

static void
write_locations(struct pprof *x)
{
	for (size_t i = 0; i < x->location.n; i++) {
		struct shown_frame f = shown_frame(&x->shown, x->location.at[i]);
		uint32_t function = pprof_function_of(x, x->location.at[i], &f);
		buf_reset(&x->message);
		buf_reset(&x->inner);
		protobuf_number(&x->inner, 1, function);
		protobuf_number(&x->inner, 2, f.line);
		protobuf_number(&x->message, 1, i + 1);
		uint64_t address = projection_key_address(x->shown.tree, x->shown.p,
							  x->location.at[i]);
		protobuf_number(&x->message, 2, mapping_of(x, f.module, address));
		if (address != ADDRESS_NONE)
			protobuf_number(&x->message, 3, address);
		protobuf_message(&x->message, 4, &x->inner);
		protobuf_message(&x->out, LOCATION, &x->message);
		flush(x, FLUSH);
	}
}

/* Readers take the first mapping as the program, so `[kernel.kallsyms]` and the like come last. */
static bool
is_aside(const struct pprof *x, name_id module)
{
	struct name text = names_get(&x->shown.p->names, module);

	return text.len && text.at[0] == '[';
}

/* Mapping { 2 memory_start, 3 memory_limit, 4 file_offset, 5 filename, 6 build_id } */
static void
write_module(struct pprof *x, size_t i)
{
	const struct mapping *m = &x->mapping.at[i];
	const struct module_file *file = profile_module_file(x->shown.p, m->module);
	name_id path = file && file->path != NAME_EMPTY ? file->path : m->module;

	protobuf_number(&x->message, 2, m->start);
	protobuf_number(&x->message, 3, m->limit);
	protobuf_number(&x->message, 4, m->offset);
	protobuf_number(&x->message, 5, name_string(x, path));
	if (file && file->build_id != NAME_EMPTY)
		protobuf_number(&x->message, 6, name_string(x, file->build_id));
}

static void
write_mappings(struct pprof *x)
{
	for (size_t k = 0; k < 2 * x->mapping.n; k++) {
		size_t i = k % x->mapping.n;
		if (is_aside(x, x->mapping.at[i].module) != (k >= x->mapping.n))
			continue;
		buf_reset(&x->message);
		protobuf_number(&x->message, 1, i + 1);
		write_module(x, i);
		for (unsigned has = 7; has <= 9; has++) /* functions, file names, lines */
			protobuf_number(&x->message, has, 1);
		protobuf_message(&x->out, MAPPING, &x->message);
	}
}

static void
write_strings(struct pprof *x)
{
	for (name_id i = 0; i < x->strings.n; i++) {
		struct name text = names_get(&x->strings, i);
		protobuf_bytes(&x->out, STRING_TABLE, text.at, text.len);
		flush(x, FLUSH);
	}
}

static bool
pprof_write_all(struct pprof *x, struct err *e)
{
	const struct shown *s = &x->shown;
	uint32_t functions = s->p->frames.n_functions;

	x->string_of = mem_zalloc((size_t)s->p->names.n + 1, sizeof *x->string_of);
	x->mapping_of = mem_zalloc((size_t)s->p->names.n + 1, sizeof *x->mapping_of);
	x->location_of = mem_zalloc((size_t)s->tree->n_keys + 1, sizeof *x->location_of);
	x->function_of = mem_zalloc((size_t)(s->tree->n_keys > functions ? s->tree->n_keys
									 : functions) + 1,
				    sizeof *x->function_of);
	x->range = mem_copy(s->p->module_range, s->p->n_module_ranges, sizeof *x->range);
	if (s->p->n_module_ranges)
		qsort(x->range, s->p->n_module_ranges, sizeof *x->range, compare_ranges);
	write_types(x);
	if (!pprof_write_samples(x, e))
		return false;
	write_locations(x);
	write_mappings(x);
	if (s->has_time && shown_length(s) > 0)
		protobuf_number(&x->out, DURATION_NANOS, (uint64_t)shown_length(s));
	if (s->job->command)
		protobuf_number(&x->out, COMMENT, text_string(x, s->job->command));
	write_strings(x);
	flush(x, 1);
	losses_warn(s, LOSES_TIME | LOSES_KINDS | LOSES_CALLS | LOSES_POINTS | LOSES_FLOWS |
			       LOSES_SYSTEM_ELSE);
	return true;
}

static bool
pprof_write(const struct encode_job *job, struct err *e)
{
	struct pprof x = {.stream = NULL};
	unsigned flags = SHOWN_LINES | SHOWN_ADDRESSES | SHOWN_WHOLE;

	names_init(&x.strings);
	if (encode_option(job, "diff"))
		flags |= SHOWN_DIFF;
	bool good = shown_open(&x.shown, job, flags, e); /* a refused export writes nothing */
	if (good && !(x.stream = gzip_open(job->out)))
		good = err_refuse(e, "no memory to compress with");
	good = good && pprof_write_all(&x, e);
	/* an error of writing shows in the stream below */
	if (x.stream)
		gzip_close(x.stream);
	shown_close(&x.shown);
	names_release(&x.strings);
	free(x.string_of);
	free(x.mapping_of);
	free(x.location_of);
	free(x.function_of);
	free(x.range);
	vec_release(&x.mapping);
	vec_release(&x.location);
	buf_release(&x.out);
	buf_release(&x.message);
	buf_release(&x.inner);
	buf_release(&x.label);
	return good;
}

static const struct option_row pprof_options[] = {
	{"diff", .help = "pprof: the differences of a comparison"},
	{0},
};

const struct encoder encoder_pprof = {
	.name = "pprof",
	.endings = ".pb .pprof",
	.title = "gzipped protocol buffer of go tool pprof and many others",
	.options = pprof_options,
	.compressed = true,
	.binary = true,
	.write = pprof_write,
};
