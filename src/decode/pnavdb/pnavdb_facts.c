/* pnavdb_facts.c - what the file states about the profile, its runs and its functions.
 *
 * Times of the other tables count from the first event, `start`, of the recorded file.  A run may
 * begin before it and end after the last one.  Of several files, all begin at the same moment
 * here, and have the clock of the first. */
#include "src/decode/pnavdb/pnavdb.h"

#ifdef HAVE_SQLITE

#include <string.h>

#include "model/base/buf.h"
#include "model/base/escape.h"
#include "model/base/sum.h"
#include "model/build/builder_adopt.h"

static bool
take_info(struct pnavdb *x, sqlite3_stmt *row)
{
	const char *key = (const char *)sqlite3_column_text(row, 0);

	if (!key)
		return true;
	if (!strcmp(key, "start"))
		x->start = sqlite3_column_int64(row, 1);
	else if (!strcmp(key, "axis"))
		builder_axis(x->b, pnavdb_unit(row, 1));
	else if (!strcmp(key, "metrics"))
		x->known.no_metrics = !sqlite3_column_bytes(row, 1);
	else if (!strcmp(key, "title") && sqlite3_column_text(row, 1) &&
		 !pnavdb_offset(x, "stated_info"))
		builder_info_bytes(x->b, key, sqlite3_column_text(row, 1),
				   (size_t)sqlite3_column_bytes(row, 1));
	return true;
}

/* Appends a text without control characters; returns false if the column has none. */
static bool
plain_text(sqlite3_stmt *row, int column, struct buf *out)
{
	const char *at = (const char *)sqlite3_column_text(row, column);

	if (at)
		escape_shown(out, at, (size_t)sqlite3_column_bytes(row, column), false);
	return at;
}

/* The columns are id, start, end, first, interval, clock, why. */
static bool
take_file_row(struct pnavdb *x, sqlite3_stmt *row)
{
	bool timed = sqlite3_column_type(row, 1) == SQLITE_INTEGER;
	int64_t start = sqlite3_column_int64(row, 1);
	struct buf why = BUF_INIT;

	if (timed && !x->known.run)
		x->start = start;
	if (timed) {
		int64_t lasts = difference_clipped(sqlite3_column_int64(row, 2), start);
		builder_run_end(x->b, x->start);
		builder_run_end(x->b, sum_clipped(x->start, lasts));
	}
	if (timed && !x->known.run && sqlite3_column_int64(row, 4) > 0)
		builder_time_steps(x->b, sqlite3_column_int64(row, 3),
				   sqlite3_column_int64(row, 4));
	if (timed && !x->known.run && sqlite3_column_type(row, 5) == SQLITE_INTEGER)
		builder_clock(x->b, sqlite3_column_int64(row, 5));
	x->known.run |= timed;
	if (plain_text(row, 6, &why))
		builder_incomplete(x->b, buf_str(&why));
	buf_release(&why);
	return true;
}

static bool
take_stated_info(struct pnavdb *x, sqlite3_stmt *row)
{
	struct name key = builder_name_get(x->b, pnavdb_name(x, row, 0));

	if (sqlite3_column_text(row, 1))
		builder_info_bytes(x->b, key.at, sqlite3_column_text(row, 1),
				   (size_t)sqlite3_column_bytes(row, 1));
	return true;
}

static bool
take_warning(struct pnavdb *x, sqlite3_stmt *row)
{
	struct buf text = BUF_INIT;

	if (plain_text(row, 0, &text) && sqlite3_column_int64(row, 1) > 0)
		builder_adopt_warning(x->b, buf_str(&text),
				      (uint64_t)sqlite3_column_int64(row, 1), NULL);
	buf_release(&text);
	return true;
}

bool
pnavdb_read_facts(struct pnavdb *x)
{
	return pnavdb_each(x, "info", "SELECT key, value FROM info NOT INDEXED", take_info) &&
	       pnavdb_each(x, "files",
			   "SELECT id, start, \"end\", first, interval, clock, why FROM files"
			   " NOT INDEXED",
			   take_file_row) &&
	       pnavdb_each(x, "stated_info",
			   "SELECT key, value FROM stated_info NOT INDEXED", take_stated_info) &&
	       pnavdb_each(x, "warnings", "SELECT text, count FROM warnings NOT INDEXED",
			   take_warning);
}

/* ---- inclusive costs, statistics of calls ---- */

static bool
take_stated(struct pnavdb *x, sqlite3_stmt *row)
{
	int64_t track, function, total, first = sqlite3_column_int(row, 5);
	uint32_t m = idmap_get(&x->ids.metrics, pnavdb_name(x, row, 1));

	if (!pnavdb_whole(x, row, 0, &track) || !pnavdb_whole(x, row, 2, &function) ||
	    !pnavdb_whole(x, row, 3, &total))
		return true;
	uint32_t t = idmap_get(&x->ids.tracks, (uint64_t)track);
	uint32_t f = idmap_get(&x->ids.functions, (uint64_t)function);
	if (t == IDMAP_NONE || f == IDMAP_NONE || m == IDMAP_NONE) {
		x->skipped++;
		return true;
	}
	if (first)
		builder_stated(x->b, x->track.at[t].id, x->metric.at[m].id,
			       sqlite3_column_int(row, 4));
	builder_stated_total(x->b, f, total);
	return true;
}

/* The columns are those of the table. */
static bool
take_stated_call(struct pnavdb *x, sqlite3_stmt *row)
{
	struct callrows *c = builder_recorded_calls(x->b);
	struct callstats_row out = {.calls = sqlite3_column_int64(row, 4)};
	int64_t track, function;

	if (!pnavdb_whole(x, row, 0, &track) || !pnavdb_whole(x, row, 1, &function))
		return true;
	uint32_t t = idmap_get(&x->ids.tracks, (uint64_t)track);
	uint32_t f = idmap_get(&x->ids.functions, (uint64_t)function);
	if (t == IDMAP_NONE || f == IDMAP_NONE) {
		x->skipped++;
		return true;
	}
	out.track = x->track.at[t].id;
	out.function = f;
	for (int k = 0; k < CALL_TIMES * CALL_NUMBERS; k++)
		if (sqlite3_column_type(row, 5 + k) == SQLITE_INTEGER) {
			out.has |= 1u << k;
			out.value[k / CALL_NUMBERS][k % CALL_NUMBERS] =
				sqlite3_column_int64(row, 5 + k);
		}
	c->unit = (uint8_t)pnavdb_unit(row, 2);
	c->per_call |= sqlite3_column_int(row, 3) != 0;
	callrows_add(c, &out);
	return true;
}

bool
pnavdb_read_stated(struct pnavdb *x)
{
	return pnavdb_each(x, "stated",
			   "SELECT track, metric, function, total, estimated, first"
			   " FROM stated NOT INDEXED",
			   take_stated) &&
	       pnavdb_each(x, "stated_calls", "SELECT * FROM stated_calls NOT INDEXED",
			   take_stated_call);
}

#endif
