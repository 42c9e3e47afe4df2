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

#include "model/base/chars.h"
#include "src/decode/common/json_dump.h"
#include "src/decode/common/json_say.h"
#include "src/decode/firefox/firefox_inside.h"

/* ---- the probe ---- */

/* Libraries may precede everything else, and old files have everything below `profile`. */
static int
firefox_probe(struct head head)
{
	static const char *const members[] = {
		"meta/preprocessedProfileVersion",
		"meta/version meta/interval meta/startTime threads",
		"meta/version meta/interval meta/product threads",
		"meta/version meta/interval libs",
		"meta/version meta/interval pages",
		"libs/breakpadId",
		"profile/meta profile/threads",
	};

	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (head_members(head, members[i]))
			return 95;
	return 0;
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
	vec_release(&t->string);
	vec_release(&t->used);
	vec_release(&t->made);
	vec_release(&t->leaf);
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
	symbols_free(f->symbols);
	buf_release(&f->text);
	vec_release(&f->profile);
	vec_release(&f->thread);
	vec_release(&f->counter);
	vec_release(&f->lib);
	vec_release(&f->marks.field);
	vec_release(&f->marks.data);
	vec_release(&f->marks.string_field);
	cast_release(&f->cast);
	idmap_release(&f->marks.string_field_of);
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
	if (p->start != FF_NULL)
		builder_info(f->b, "time", "%" PRId64 " ns since 1970", p->start);
	if (p->interval > 0)
		builder_info(f->b, "interval", "%" PRId64 " ns", p->interval);
	if (f->counts.unmatched)
		builder_info(f->b, "unmatched frees", "%" PRIu64, f->counts.unmatched);
	if (f->counts.deeper)
		builder_info(f->b, "fields not shown", "%" PRIu64, f->counts.deeper);
	if (f->counts.unknown)
		builder_warn(f->b,
			     "%" PRIu64 " indexes are out of range: [unknown]",
			     f->counts.unknown);
	if (f->counts.lost)
		builder_warn(f->b,
			     "%" PRIu64 " samples refer to truncated tables, left out",
			     f->counts.lost);
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
	bool good = ff_read(&f, in);

	f.cut = f.r.j.failed;
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

const struct decoder decoder_firefox = {
	.name = "firefox",
	.title = "Firefox Profiler: processed profiles (samply, simpleperf) and raw Gecko ones",
	.manual = "firefox",
	.made_of = MADE_JSON,
	.mangled = true,
	.probe = firefox_probe,
	.decode = firefox_decode,
	.dump = json_dump,
};
