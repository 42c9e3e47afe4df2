/* The frames of an answer, and which of their functions are the same.
 *
 * One answer holds what several hosts, builds and folders have sent.  The same function then
 * comes as /opt/1.2/bin/app with /build/1.2/src/run.c and as /opt/1.3/bin/app with
 * /build/1.3/src/run.c. Files that are merged unify such functions (alike.h), and so must an
 * answer.
 *
 * A row of the table does not say which recording it is from.  But modules of one base name and
 * different paths are different builds.  The first path of each base name counts as the first
 * file, the second path as the second file, and so on; within a file, full paths distinguish
 * modules of one name. Paths are sorted, because servers return rows in any order.  Only when
 * all rows are there can the longest common tail of source paths be found.
 *
 * The limit: builds whose modules have one path, or no folder, are one build here, and their
 * functions are the same only if their source paths are.  Two source files of one name in one
 * build look exactly like them. */
#include "src/store/read_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "src/input/hash.h"
#include "src/store/schema.h"

void
frame_rows_release(struct frame_rows *f)
{
	vec_release(&f->at);
	map_release(&f->by_hash);
}

uint32_t
frame_rows_add(struct frame_rows *f, const struct frame_row *row)
{
	uint64_t hash = hash64(row, sizeof *row);
	uint32_t slot, i;

	if (f->at.n) {
		slot = map_first(&f->by_hash, hash);
		while (map_probe(&f->by_hash, &slot, hash, &i))
			if (!memcmp(&f->at.at[i], row, sizeof *row))
				return i;
	}
	map_insert(&f->by_hash, hash, (uint32_t)f->at.n);
	*vec_push(&f->at) = *row;
	return (uint32_t)f->at.n - 1;
}

static frame_id
frame_rows_frame(struct builder *b, const struct frame_row *f)
{
	unsigned kind = f->kind & SCHEMA_KIND;
	struct line line = line_unknown();
	bool whole = f->kind & SCHEMA_WHOLE;
	struct function function = {
		/* the name of a file or module as a whole */
		.name = !whole ? f->name : f->file != NAME_EMPTY ? f->file : f->module,
		.file = f->file,
		.module = f->module,
		.line = f->defined,
		.kind = (uint8_t)(kind < KINDS ? kind : KIND_USER),
		.last = f->kind & SCHEMA_UNNAMED,
	};

	if (f->line || f->kind & SCHEMA_CLAUSED)
		line = (struct line){
			.number = f->line,
			.clause = f->clause,
			.form = f->kind & SCHEMA_CLAUSED ? LINE_CLAUSE : LINE_PLAIN,
		};
	frame_id frame = builder_frame(b, builder_function(b, function), line);
	return f->kind & SCHEMA_INLINED ? builder_frame_inlined(b, frame) : frame;
}

/* A frame, and the build that its module is of those with one base name. */
struct build_frame {
	name_id base, module;
	uint32_t build, frame;
};

static int
frame_rows_by_text(struct builder *b, name_id x, name_id y)
{
	struct name a = builder_name_get(b, x), c = builder_name_get(b, y);
	size_t len = a.len < c.len ? a.len : c.len;
	int differs = len ? memcmp(a.at, c.at, len) : 0;

	return differs ? differs : (a.len > c.len) - (a.len < c.len);
}

static int
frame_rows_by_module(const void *x, const void *y, void *ctx)
{
	const struct build_frame *a = x, *b = y;

	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	return a->module == b->module ? 0 : frame_rows_by_text(ctx, a->module, b->module);
}

ORDERED_BY_TWO(frame_rows_by_build, struct build_frame, build, frame)

/* Returns all frames, sorted by build; the caller frees them. */
static struct build_frame *
frame_rows_sorted(const struct frame_rows *f, struct builder *b)
{
	size_t n = f->at.n;
	struct build_frame *all = mem_alloc(n + 1, sizeof *all);

	for (uint32_t i = 0; i < n; i++) {
		name_id module = f->at.at[i].module;
		all[i] = (struct build_frame){builder_module_base(b, module), module, 0, i};
	}
	if (n > 1)
		qsort_r(all, n, sizeof *all, frame_rows_by_module, b);
	for (size_t i = 1; i < n; i++)
		if (all[i].base == all[i - 1].base)
			all[i].build = all[i - 1].build + (all[i].module != all[i - 1].module);
	if (n > 1)
		qsort(all, n, sizeof *all, frame_rows_by_build);
	return all;
}

frame_id *
frame_rows_make(const struct frame_rows *f, struct builder *b)
{
	struct build_frame *all = frame_rows_sorted(f, b);
	frame_id *made = mem_alloc(f->at.n + 1, sizeof *made);

	for (size_t i = 0; i < f->at.n; i++) {
		if (i && all[i].build != all[i - 1].build)
			builder_next_builds(b);
		made[all[i].frame] = frame_rows_frame(b, &f->at.at[all[i].frame]);
	}
	free(all);
	return made;
}
