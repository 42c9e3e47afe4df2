/* perfdata_unwound.c - notes about stacks after reading: where symbols of modules were searched,
 * how many copied stacks reach their beginning, and why others do not. */
#include "src/decode/perf/perfdata_frames.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/buf.h"

#define MODULES_LISTED 64u /* a system runs hundreds of files */
#define FEW_ALONE 20u /* one stack without callers in this many is not worth a warning */
#define FEW_CUT 50u /* one incomplete stack in this many is not worth a warning */

/* Functions without callers: of programs, and of goroutines and threads of Go. */
static const char *const firsts[] = {"_start", "runtime.goexit", "runtime.mstart", "runtime.mcall",
				     "runtime.rt0_go"};

void
perfdata_note_begin(struct perfdata_frames *f, frame_id frame, const char *name)
{
	for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
		if (!strcmp(name, firsts[i]))
			*vec_push(&f->unwinding.begins) = frame;
}

/* In some programs the call frame information of _start does not mark the beginning, and programs
 * of Go may have none. */
bool
perfdata_begins(const struct perfdata_frames *f)
{
	for (size_t i = 0; f->chain.n && i < f->unwinding.begins.n; i++)
		if (f->unwinding.begins.at[i] == f->chain.at[f->chain.n - 1])
			return true;
	return false;
}

static void
add_reason(struct buf *out, uint64_t n, const char *why)
{
	if (n)
		buf_addf(out, "%s %" PRIu64 " %s", out->len ? "," : ":", n, why);
}

static void
say_chains(const struct perfdata_frames *f)
{
	if (f->chains.cut)
		builder_info(f->b, "chains",
			     "%" PRIu64 " of %" PRIu64
			     " different ones end at the limit of the %s: their root is "
			     "[truncated]",
			     f->chains.cut, f->chains.n, f->chains.calls ? "processor" : "kernel");
	if (f->chains.cut <= f->chains.n / FEW_CUT)
		return;
	if (f->chains.calls)
		builder_warn(f->b,
			     "%" PRIu64 " of %" PRIu64
			     " different stacks are longer than the processor keeps, their root is "
			     "[truncated]: record with --call-graph dwarf",
			     f->chains.cut, f->chains.n);
	else
		builder_warn(
			f->b,
			"%" PRIu64 " of %" PRIu64
			" different stacks were truncated by the kernel at %zu frames, their root "
			"is [truncated]: see /proc/sys/kernel/perf_event_max_stack",
			f->chains.cut, f->chains.n, f->chains.longest);
}

/* Such stacks look like those of threads that begin with the running function. */
static void
say_callers(const struct perfdata_frames *f)
{
	uint64_t all = f->chains.in_user, alone = f->chains.alone;

	if (alone < FEW_CUT || alone < all / FEW_ALONE)
		return;
	builder_info(f->b, "without callers", "%.1f %% of the samples in programs",
		     100 * (double)alone / (double)all);
	builder_warn(f->b,
		     "%" PRIu64 " of %" PRIu64
		     " samples in programs have no callers, because the programs have no frame "
		     "pointers: record with --call-graph dwarf",
		     alone, all);
}

/* Stacks that do not reach the beginning of their thread have false roots.  There are always a
 * few: those sampled in the loader, or during exec. */
void
perfdata_say_unwound(const struct perfdata_frames *f)
{
	const uint64_t *n = f->unwinding.ends;
	uint64_t cut =
		n[UNWIND_DEEP] + n[UNWIND_COPY] + n[UNWIND_RULES] + f->unwinding.no_files;
	uint64_t all = cut + n[UNWIND_WHOLE];
	struct buf why = BUF_INIT;
	say_chains(f);
	say_callers(f);
	if (!all)
		return;
	add_reason(&why, f->unwinding.no_files, "of programs whose files are not here");
	add_reason(&why, n[UNWIND_COPY], "longer than their copy");
	add_reason(&why, n[UNWIND_DEEP], "too deep");
	add_reason(&why, n[UNWIND_RULES], "where no call frame information is known");
	builder_info(f->b, "unwound", "%" PRIu64 " of %" PRIu64 " stacks%s",
		     n[UNWIND_WHOLE], all, buf_str(&why));
	if (cut > all / FEW_CUT)
		builder_warn(f->b,
			     "%" PRIu64 " of %" PRIu64
			     " stacks could not be unwound to their beginning%s",
			     cut, all, buf_str(&why));
	buf_release(&why);
}

void
perfdata_say_symbols(const struct perfdata_frames *f)
{
	struct buf why = BUF_INIT;
	unsigned listed = 0;

	if (symbols_crowded(f->symbols))
		builder_warn(f->b, "too many files were open: there are modules without names, and "
				   "stacks that end in them; raise the limit (ulimit -n)");
	for (size_t i = 0; i < f->module.n && listed < MODULES_LISTED; i++) {
		const struct perfdata_module *m = &f->module.at[i];
		struct name name = builder_name_get(f->b, m->name);
		if (m->origin >= PERFDATA_FROM_RECORD)
			continue;
		buf_reset(&why);
		symbols_say(f->symbols, m->symbols, &why);
		if (!why.len)
			continue;
		builder_info(f->b, "symbols of", "%.*s: %s", (int)name.len, name.at,
			     buf_str(&why));
		listed++;
	}
	buf_release(&why);
}
