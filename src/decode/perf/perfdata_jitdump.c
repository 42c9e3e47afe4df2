/* Dumps of JIT compilers that a recording names.
 *
 * A compiler that writes a dump maps a page of it, only to put its name into the recording.  So
 * the dump is read when that record comes, before any sample of the code.  A copy beside the
 * recording is preferred; otherwise the path of the record is used if the recording is from
 * this machine.
 *
 * Compilers reuse memory, and the dump has the time (CLOCK_MONOTONIC).  If the recording has
 * the same clock, such code is mapped over the old code at that time.  Its names are in a layer
 * of the dump (symbol/jitdump.h); its module has the name of the other code. */
#include "src/decode/perf/perfdata_frames.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/ordered.h"
#include "src/input/input.h"

static void
perfdata_jitdump_report(struct perfdata_frames *f, const struct perfdata_mapping *m,
			bool there, const struct symbol_jitdump *dump)
{
	struct buf text = BUF_INIT;

	buf_add(&text, m->path, m->path_len);
	if (there)
		buf_addf(&text, ": %" PRIu64 " functions", dump->functions);
	else
		buf_adds(&text, ": not here, or of another machine");
	if (dump->moved)
		buf_addf(&text, ", %" PRIu64 " moved", dump->moved);
	if (dump->n_reuse)
		buf_addf(&text, ", %zu in memory that was used again", dump->n_reuse);
	builder_info_bytes(f->b, "jitdump", buf_str(&text), text.len);
	if (dump->cut)
		builder_warn(f->b, "a JIT compiler's dump ends within a record; code after it "
				   "has no names");
	buf_release(&text);
}

static uint32_t
module_of_layer(struct perfdata_frames *f, const char *map, uint32_t layer)
{
	struct buf path = BUF_INIT;

	symbols_jit_layer(map, layer, &path);
	struct perfdata_module m = {
		.name = builder_name(f->b, map, strlen(map)),
		.origin = PERFDATA_FROM_JIT,
		.symbols = symbols_add(f->symbols,
				       &(struct symbols_module){.kind = SYMBOLS_JIT,
								.path = buf_str(&path),
								.path_len = path.len}),
	};
	buf_release(&path);
	*vec_push(&f->module) = m;
	return (uint32_t)f->module.n - 1;
}

ORDERED_BY(perfdata_compare_times, struct perfdata_reuse, time)

/* Queues reused memory until its time. */
static void
queue(struct perfdata_frames *f, uint32_t pid, const char *map, const struct symbol_jitdump *dump)
{
	uint32_t *module = mem_alloc(dump->layers, sizeof *module);

	for (uint32_t i = 0; i < dump->layers; i++)
		module[i] = module_of_layer(f, map, i);
	for (size_t i = 0; i < dump->n_reuse; i++) {
		const struct symbol_jit_reuse *r = &dump->reuse[i];
		*vec_push(&f->reuses.at) = (struct perfdata_reuse){
			r->time_ns, pid,
			{r->start, r->end, 0, module[r->layer], true}};
	}
	free(module);
	qsort(f->reuses.at.at + f->reuses.done, f->reuses.at.n - f->reuses.done,
	      sizeof *f->reuses.at.at, perfdata_compare_times);
}

void
perfdata_jit_until(struct perfdata_frames *f, struct perfdata_tasks *t, uint64_t time)
{
	for (; f->reuses.done < f->reuses.at.n &&
	       f->reuses.at.at[f->reuses.done].time <= time;
	     f->reuses.done++) {
		const struct perfdata_reuse *r = &f->reuses.at.at[f->reuses.done];
		perfdata_map(t, perfdata_process(t, r->pid), r->map);
	}
}

void
perfdata_jitdump(struct perfdata_frames *f, const struct perfdata_mapping *m, bool monotonic)
{
	struct symbols_jitdump_how how = {.beside = true, .timed = monotonic};
	struct buf path = BUF_INIT, map = BUF_INIT, beside = BUF_INIT;
	struct symbol_jitdump dump = {0};

	if (!m->executable || !symbols_is_jitdump(m->path, m->path_len))
		return;
	for (size_t i = 0; i < f->dumped.n; i++)
		if (f->dumped.at[i] == m->pid)
			return;
	*vec_push(&f->dumped) = m->pid;
	buf_add(&path, m->path, m->path_len);
	buf_addf(&map, "/tmp/perf-%" PRIu32 ".map", m->pid);
	const char *name = strrchr(buf_str(&path), '/');
	bool there = input_path_beside(f->in, name ? name + 1 : buf_str(&path), &beside) &&
		     symbols_keep_jitdump(f->symbols, buf_str(&map), buf_str(&beside), how,
					  &dump);
	how.beside = false;
	there = there ||
		symbols_keep_jitdump(f->symbols, buf_str(&map), buf_str(&path), how, &dump);
	perfdata_jitdump_report(f, m, there, &dump);
	if (dump.n_reuse)
		queue(f, m->pid, buf_str(&map), &dump);
	buf_release_all(&beside, &path, &map);
	free(dump.reuse);
}
