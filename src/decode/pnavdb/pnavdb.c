/* Databases that pnav export --format sqlite wrote.
 *
 * pnav-sql(7) describes their tables.  This decoder reads those that hold the profile, in this
 * order, and no results (nodes, report_functions):
 *
 *	info       the unit of the axis, and when the first event was
 *	files      when the run begins and ends, and whether samples are sums of intervals
 *	stated_info, warnings: facts that the recorded file stated, and what was said of it
 *	metrics    samples.metric is a name of these
 *	tracks     value_names has the names of their states and marks
 *	functions, frames, stacks: each refers to the one before, and a stack to its caller
 *	labels     a row is a label of a set
 *	step_series, steps: the events of traces; samples and slices were derived from them
 *	samples    consecutive rows of one track, time, stack and set are one event
 *	points     events of counters, states and marks
 *	sample_series: which rows of samples are one series, and its form
 *	stated     inclusive costs of functions that the recorded file stated itself
 *	stated_calls  statistics of calls that it stated, too
 *	actors, actor_states, actor_edges: what threads did, and what caused it
 *
 * pnavdb_open.c opens the file. */
#include "src/decode/pnavdb/pnavdb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

#define MAGIC "SQLite format 3"

/* Returns true if these bytes of a database create the tables of pnav. */
static bool
pnavdb_has_tables(const uint8_t *at, size_t len)
{
	static const char *const creates[] = {
		"CREATE TABLE metrics(", "CREATE TABLE stacks(", "CREATE TABLE samples(",
		"CREATE TABLE nodes("};

	for (size_t i = 0; i < sizeof creates / sizeof *creates; i++)
		if (!memmem(at, len, creates[i], strlen(creates[i])))
			return false;
	return true;
}

static int
pnavdb_probe(struct head head)
{
	if (head.len < sizeof MAGIC || memcmp(head.at, MAGIC, sizeof MAGIC) != 0)
		return 0;
	/* other databases are refused by decode(), which sees more of the file */
	return pnavdb_has_tables(head.at, head.len) ? 100 : 50;
}

#ifdef HAVE_SQLITE

/* The tables, and the refusal of other databases. */
static const struct pnavdb_wants pnavdb_wants = {
	.has = pnavdb_has_tables,
	.tables = {"samples", "stacks"},
	.refusal = "a database of SQLite, but not one that pnav export --format sqlite wrote; "
		   "sqlite3 FILE shows it",
};

static void
pnavdb_release(struct pnavdb *x)
{
	for (size_t i = 0; i < x->track.n; i++)
		vec_release(&x->track.at[i].series);
	vec_release_all(&x->track, &x->metric, &x->stack, &x->steps);
	idmap_release_all(&x->ids.functions, &x->ids.frames, &x->ids.stacks, &x->ids.sets,
			  &x->ids.tracks, &x->ids.metrics, &x->ids.series, &x->ids.of_samples,
			  &x->ids.actors);
	pnavdb_close(x);
}

static bool
pnavdb_decode(struct input *in, struct builder *b, struct err *e)
{
	struct pnavdb x = {.in = in, .b = b, .e = e};
	bool good;

	input_later(in, 60);
	good = pnavdb_open(&x, &pnavdb_wants) && pnavdb_read_tables(&x) && pnavdb_read_events(&x) &&
	       pnavdb_read_states(&x);
	if (x.skipped)
		builder_warn(b, "rows with values of another type, ignored: %" PRIu64,
			     x.skipped);
	if (good && x.len < x.stated_len)
		good = err_damage(e, x.len, "the database ends early");
	pnavdb_release(&x);
	return good;
}

/* ---- dump ---- */

static bool
pnavdb_dump(struct input *in, struct dump *d, struct err *e)
{
	static const char *const tables[] = {
		"info",   "metrics",         "tracks", "value_names", "functions",
		"frames", "clauses",         "stacks", "labels",      "samples",
		"slices", "points",          "stated", "step_series", "steps",
		"files",  "stated_info",     "stated_calls",
		"warnings",                  "sample_series",
		"actors", "actor_states",    "actor_edges",
		"nodes",  "report_functions"};
	struct pnavdb x = {.in = in, .e = e};
	bool good = pnavdb_open(&x, &pnavdb_wants);

	for (size_t i = 0; good && i < sizeof tables / sizeof *tables; i++)
		good = pnavdb_dump_table(&x, d, tables[i]);
	pnavdb_release(&x);
	return good;
}

#else

static bool
pnavdb_decode(struct input *in UNUSED, struct builder *b UNUSED, struct err *e)
{
	return err_refuse(e, "a database of SQLite, and pnav was built without SQLite");
}

static bool
pnavdb_dump(struct input *in, struct dump *d UNUSED, struct err *e)
{
	return pnavdb_decode(in, NULL, e);
}

#endif

const struct decoder decoder_pnavdb = {
	.name = "pnavdb",
	.title = "databases that pnav export --format sqlite wrote",
	.made_of = MADE_BINARY,
	.probe = pnavdb_probe,
	.decode = pnavdb_decode,
	.dump = pnavdb_dump,
};
