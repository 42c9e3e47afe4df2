/* sqlite_schema.h - the tables of an exported database: those of pnav-sql(7), and the fold as
 * `nodes`. Queries do not need value_names, clauses, stated, stated_*, files, step_series, steps,
 * sample_series, warnings, actors and actor_*: they are for src/decode/pnavdb/, which reads
 * the database. For sqlite.c. */
#ifndef PNAV_SRC_ENCODE_SQLITE_SCHEMA_H
#define PNAV_SRC_ENCODE_SQLITE_SCHEMA_H

static const char schema[] =
	"PRAGMA page_size = 16384; PRAGMA cache_size = -65536; PRAGMA locking_mode = EXCLUSIVE;"
	"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA user_version = 3;"
	"BEGIN;"
	"CREATE TABLE info(key TEXT, value ANY) STRICT;"
	"CREATE TABLE metrics(id INTEGER PRIMARY KEY, name TEXT, unit TEXT, role TEXT,"
	" is_default INTEGER) STRICT;"
	"CREATE TABLE tracks(id INTEGER PRIMARY KEY, parent TEXT, name TEXT, kind TEXT, unit TEXT,"
	" file TEXT, process TEXT, start INTEGER, \"end\" INTEGER, events INTEGER) STRICT;"
	"CREATE TABLE functions(id INTEGER PRIMARY KEY, name TEXT, file TEXT, module TEXT,"
	" line INTEGER, kind TEXT) STRICT;"
	"CREATE TABLE frames(id INTEGER PRIMARY KEY, function INTEGER, line INTEGER,"
	" address INTEGER, inlined INTEGER) STRICT;"
	"CREATE TABLE stacks(id INTEGER PRIMARY KEY, parent INTEGER, frame INTEGER,"
	" function INTEGER, depth INTEGER) STRICT;"
	"CREATE TABLE samples(track INTEGER, time INTEGER, stack INTEGER, metric TEXT,"
	" value ANY, labels INTEGER) STRICT;"
	"CREATE TABLE slices(id INTEGER, parent INTEGER, track INTEGER, start INTEGER,"
	" \"end\" INTEGER, duration INTEGER, self INTEGER, stack INTEGER, function INTEGER,"
	" depth INTEGER, value INTEGER, labels INTEGER) STRICT;"
	"CREATE TABLE points(track INTEGER, time INTEGER, value ANY, labels INTEGER) STRICT;"
	"CREATE TABLE labels(\"set\" INTEGER, key TEXT, value TEXT, number ANY, unit TEXT)"
	" STRICT;"
	"CREATE TABLE value_names(track INTEGER, value INTEGER, name TEXT) STRICT;"
	"CREATE TABLE clauses(frame INTEGER PRIMARY KEY, clause INTEGER) STRICT;"
	"CREATE TABLE stated(track INTEGER, metric TEXT, function INTEGER, total INTEGER,"
	" estimated INTEGER, first INTEGER) STRICT;"
	"CREATE TABLE files(id INTEGER PRIMARY KEY, name TEXT, start INTEGER, \"end\" INTEGER,"
	" first INTEGER, interval INTEGER, clock INTEGER, why TEXT) STRICT;"
	"CREATE TABLE stated_info(file INTEGER, key TEXT, value TEXT) STRICT;"
	"CREATE TABLE warnings(file INTEGER, text TEXT, count INTEGER) STRICT;"
	"CREATE TABLE stated_calls(track INTEGER, function INTEGER, unit TEXT, per_call INTEGER,"
	" calls INTEGER,"
	" net INTEGER, net_min INTEGER, net_avg INTEGER, net_max INTEGER, gross INTEGER,"
	" gross_min INTEGER, gross_avg INTEGER, gross_max INTEGER, call INTEGER,"
	" call_min INTEGER, call_avg INTEGER, call_max INTEGER, period INTEGER,"
	" period_min INTEGER, period_avg INTEGER, period_max INTEGER, outside INTEGER,"
	" outside_min INTEGER, outside_avg INTEGER, outside_max INTEGER) STRICT;"
	"CREATE TABLE sample_series(id INTEGER PRIMARY KEY, track INTEGER, first INTEGER,"
	" last INTEGER, interval INTEGER, derived INTEGER) STRICT;"
	"CREATE TABLE step_series(id INTEGER PRIMARY KEY, track INTEGER, metric TEXT,"
	" calls INTEGER, lines INTEGER, valued INTEGER) STRICT;"
	"CREATE TABLE steps(series INTEGER, time INTEGER, stack INTEGER, flags INTEGER,"
	" value INTEGER, labels INTEGER) STRICT;"
	"CREATE TABLE actors(id INTEGER PRIMARY KEY, name TEXT, track INTEGER, process TEXT)"
	" STRICT;"
	"CREATE TABLE actor_states(actor INTEGER, start INTEGER, \"end\" INTEGER, state TEXT,"
	" woken INTEGER, by INTEGER) STRICT;"
	"CREATE TABLE actor_edges(kind TEXT, from_actor INTEGER, from_time INTEGER,"
	" to_actor INTEGER, to_time INTEGER) STRICT;"
	"CREATE VIEW states AS SELECT name AS track, start, \"end\", \"end\" - start AS duration,"
	" state FROM actor_states, actors WHERE id = actor;"
	"CREATE VIEW edges(kind, from_track, from_time, to_track, to_time) AS"
	" SELECT 'wake', f.name, start, t.name, start FROM actor_states JOIN actors t"
	" ON t.id = actor LEFT JOIN actors f ON f.id = by WHERE woken UNION ALL"
	" SELECT kind, f.name, from_time, t.name, to_time FROM actor_edges, actors f, actors t"
	" WHERE f.id = from_actor AND t.id = to_actor;"
	"CREATE TABLE nodes(id INTEGER, parent INTEGER, function TEXT, file TEXT, module TEXT,"
	" line INTEGER, defined INTEGER, kind TEXT, depth INTEGER, track INTEGER, metric TEXT,"
	" self INTEGER, total INTEGER, calls INTEGER, outermost INTEGER) STRICT;"
	"CREATE TABLE report_functions(function TEXT, file TEXT, line ANY, module TEXT,"
	" kind TEXT, calls INTEGER, self ANY, total ANY) STRICT;";

/* Pages that are sorted at once: they fit the processor's cache. SQLite sorts lists, and takes
 * twice as long for a list that is scattered over its own, larger cache. */
#define SORTED_PAGES 8

static const char indices[] =
	"PRAGMA cache_size = -1024;"
	"CREATE INDEX samples_time ON samples(time); CREATE INDEX samples_stack ON samples(stack);"
	"CREATE INDEX slices_start ON slices(start);"
	"CREATE INDEX slices_id ON slices(id); CREATE INDEX slices_parent ON slices(parent);"
	"CREATE INDEX labels_set ON labels(\"set\");"
	"CREATE INDEX slices_function ON slices(function);"
	"CREATE INDEX stacks_function ON stacks(function);"
	"CREATE INDEX nodes_function ON nodes(function); CREATE INDEX points_time ON points(time);"
	"COMMIT;";

#endif
