/* firefox: the files that Firefox Profiler saves and opens (firefox-devtools/profiler:
 * types/profile.ts, types/gecko-profile.ts, CHANGELOG-formats.md): processed profiles, which
 * samply and the converters of perf and simpleperf also write, and raw profiles of the browser.
 *
 * A file is one JSON object.  From version to version its tables moved between the threads and
 * a common place, and their columns changed.  The decoder reads the tables that a file has, so
 * nothing depends on the version number. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "src/decode/common/json_dump.h"
#include "src/decode/common/json_read.h"
#include "src/decode/firefox/firefox_inside.h"

#define VERSION_KNOWN 75

/* ---- the probe ---- */

/* Libraries may precede everything else, and old files have everything below `profile`. */
static int
firefox_probe(struct head head)
{
	return slabs_probe(head.at, head.len) ? 100 : 0;
}

/* ---- decoding ---- */

static void
tables_release(struct ff_tables *t)
{
	ff_table_release(&t->stack);
	ff_table_release(&t->frame);
	ff_table_release(&t->func);
	ff_table_release(&t->resource);
	ff_table_release(&t->source);
	ff_table_release(&t->place);
	vec_release_all(&t->string, &t->used, &t->made, &t->leaf);
}

static void
firefox_release(struct firefox *f)
{
	for (size_t i = 0; i < f->thread.n; i++) {
		struct ff_thread *t = &f->thread.at[i];
		tables_release(&t->tables);
		ff_samples_release(&t->samples);
		ff_samples_release(&t->js);
		ff_samples_release(&t->native);
		ff_table_release(&t->marks);
	}
	for (size_t i = 0; i < f->counter.n; i++)
		ff_table_release(&f->counter.at[i].table);
	for (size_t i = 0; i < f->profile.n; i++)
		vec_release(&f->profile.at[i].category);
	tables_release(&f->shared);
	rows_json_release(&f->r);
	slabs_release(&f->container.slabs);
	symbols_free(f->symbols);
	vec_release_all(&f->profile, &f->thread, &f->counter, &f->lib, &f->marks.field,
			&f->marks.data, &f->marks.string_field, &f->large);
	buf_release(&f->text);
	flows_release(&f->marks.flows);
	cast_release(&f->cast);
	idmap_release_all(&f->marks.string_field_of, &f->named.process,
			  &f->named.number);
}

static void
firefox_report(struct firefox *f)
{
	const struct ff_profile *p = &f->profile.at[0];
	struct name product = builder_name_get(f->b, p->product);

	if (product.len)
		builder_info_bytes(f->b, "product", product.at, product.len);
	if (p->is_processed)
		builder_info(f->b, "version", "%" PRId64 ", processed", p->processed);
	else
		builder_info(f->b, "version", "%" PRId64 ", raw", p->version);
	if (p->start != FF_NULL) {
		builder_info(f->b, "time", "%" PRId64 " ns since 1970", p->start);
		builder_clock(f->b, p->start);
	}
	if (p->interval > 0)
		builder_info(f->b, "interval", "%" PRId64 " ns", p->interval);
	if (f->container.used)
		builder_info(f->b, "container", "JSLB 1, %zu slabs (%" PRIu64 " bytes of columns)",
			     f->container.slabs.slab.n, slabs_column_bytes(&f->container.slabs));
	if (f->shared.place.column[PLACE_LINE].n)
		builder_info(f->b, "source maps", "%" PRIu64 " of %" PRIu64 " frames",
			     f->counts.mapped, f->counts.frames);
	builder_info_count(f->b, "unmatched frees", f->counts.unmatched, "");
	builder_info_count(f->b, "fields not shown", f->counts.deeper, "");
	builder_warn_count(f->b, f->counts.unknown, "index is out of range: [unknown]",
			   "indexes are out of range: [unknown]");
	if (p->is_processed && p->processed > VERSION_KNOWN)
		builder_warn(f->b, "version %" PRId64 " is newer than this pnav knows",
			     p->processed);
	if (f->container.slabs.torn)
		builder_warn(f->b, "slabs whose length is no multiple of their numbers, cut");
	builder_warn_count(f->b, f->container.slabs.no_numbers,
			   "number that is none (NaN), taken for null",
			   "numbers that are none (NaN), taken for null");
	builder_warn_count(f->b, f->counts.limited, "number exceeds 2^63, limited to it",
			   "numbers exceed 2^63, limited to it");
	builder_warn_count(f->b, f->counts.lost,
			   "sample refers to a truncated table, left out",
			   "samples refer to truncated tables, left out");
	json_say(&f->r.j, f->b);
}

/* Returns true for profiles from before there were version numbers. */
static bool
is_old(const struct firefox *f)
{
	for (size_t i = 0; i < f->thread.n; i++)
		if (ff_samples_n(&f->thread.at[i].samples))
			return false;
	return f->counts.refused != 0;
}

static bool
firefox_decode(struct input *in, struct builder *b, struct err *e)
{
	struct firefox f = {.b = b, .e = e, .in = in,
			    .cast = {.in = in, .b = b, .lone = true, .labelled = true}};

	f.container.used = input_need(in, 8) && slabs_probe(input_at(in), input_have(in));
	bool good = ff_read(&f, in);
	f.cut = f.r.j.failed || (f.container.used && f.container.slabs.missing != SLABS_NONE);
	if (good && is_old(&f)) {
		good = err_refuse(e, "a profile from before Firefox Profiler had versions; open it "
				     "there and save it again");
	} else if (f.profile.n) {
		good = ff_write(&f) && good;
		firefox_report(&f);
	}
	firefox_release(&f);
	return good;
}

/* Dumps the table of a container, and then its document. */
static bool
firefox_dump(struct input *in, struct dump *out, struct err *e)
{
	struct slabs s;
	struct json j;

	if (!input_need(in, 8) || !slabs_probe(input_at(in), input_have(in)))
		return json_dump(in, out, e);
	bool good = slabs_open(&s, in, e);
	for (uint32_t i = 0; good && i < s.slab.n; i++)
		good = dump_record(out, slabs_row(i), "slab %" PRIu32 " %s at %" PRIu32
				   ", %" PRIu32 " bytes%s", i, slabs_type(&s, i),
				   s.slab.at[i].start, s.slab.at[i].len,
				   i == s.root ? ", the root" : "");
	if (good) {
		json_init_slabs(&j, &s);
		good = json_dump_tokens(&j, out, e);
	}
	slabs_release(&s);
	return good;
}

const struct decoder decoder_firefox = {
	.name = "firefox",
	.title = "Firefox Profiler: processed profiles (samply, simpleperf) and raw Gecko ones",
	.made_of = MADE_JSON | MADE_BINARY,
	.mangled = true,
	.members = "meta/preprocessedProfileVersion|"
		   "meta/version meta/interval meta/startTime threads|"
		   "meta/version meta/interval meta/product threads|"
		   "meta/version meta/interval libs|meta/version meta/interval pages|"
		   "libs/breakpadId|profile/meta profile/threads",
	.sure = 95,
	.probe = firefox_probe,
	.decode = firefox_decode,
	.dump = firefox_dump,
};
