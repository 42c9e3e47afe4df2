/* Stacks are never changed: their hashes are those of their content, and writers skip hashes that
 * the store has.  So functions that are found later lie in a table of their own, by build id and
 * address, and readers put them into the stacks. */
#include "src/store/unnamed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/base/mem.h"
#include "src/store/clickhouse.h"
#include "src/store/rowout.h"
#include "src/store/schema.h"

static void
unnamed_ask(const struct store_url *url, struct buf *sql)
{
	buf_adds(sql, "SELECT b, m, f, c FROM (SELECT DISTINCT b, m, f, c FROM (SELECT builds, "
		      "modules, functions, arrayMap(i -> toUInt8(i < length(functions)), "
		      "arrayEnumerate(functions)) AS calls FROM ");
	schema_name(sql, url, SCHEMA_STACKS);
	buf_adds(sql, " WHERE length(builds) != 0");
	if (url->service) {
		buf_adds(sql, " AND service = ");
		clickhouse_quote(sql, url->service, strlen(url->service));
	}
	buf_adds(sql, ") ARRAY JOIN builds AS b, modules AS m, functions AS f, calls AS c "
		      "WHERE b != '')\nWHERE (b, f, c) GLOBAL NOT IN (SELECT build, address, call "
		      "FROM ");
	schema_name(sql, url, SCHEMA_SYMBOLS);
	buf_adds(sql, ")\nORDER BY b, m, f, c");
}

bool
unnamed_read(struct unnamed *u, const struct store_url *url, struct err *e)
{
	struct buf sql = BUF_INIT, build = BUF_INIT, module = BUF_INIT, address = BUF_INIT;
	struct rowbin a;

	*u = (struct unnamed){VEC_INIT};
	unnamed_ask(url, &sql);
	bool good = rowbin_open(&a, url, buf_str(&sql), NULL, e);
	while (good && rowbin_next(&a)) {
		rowbin_text(&a, &build);
		rowbin_text(&a, &module);
		rowbin_text(&a, &address);
		bool call = rowbin_whole(&a, 1);
		if (err_is_set(&a.fault))
			break;
		*vec_push(&u->row) = (struct unnamed_row){
			.build = mem_dup(buf_str(&build), build.len),
			.module = mem_dup(buf_str(&module), module.len),
			.at = strtoull(buf_str(&address), NULL, 16),
			.call = call,
		};
	}
	good = good && rowbin_close(&a, e);
	buf_release_all(&sql, &build, &module, &address);
	return good;
}

bool
unnamed_send(const struct unnamed *u, const struct store_url *url, struct err *e)
{
	struct rowout out;
	bool sends = true;

	rowout_open(&out, url, SCHEMA_SYMBOLS,
		    "build, address, call, function, file, line, defined, stored");
	out.same = true;
	for (size_t i = 0; sends && i < u->row.n; i++) {
		const struct unnamed_row *row = &u->row.at[i];
		struct buf address = BUF_INIT;
		if (!row->function)
			continue;
		const char *file = row->file ? row->file : "";
		buf_addf(&address, "0x%" PRIx64, row->at);
		rowout_text(&out.rows, row->build, strlen(row->build));
		rowout_text(&out.rows, buf_str(&address), address.len);
		rowout_whole(&out.rows, row->call, 1);
		rowout_text(&out.rows, row->function, strlen(row->function));
		rowout_text(&out.rows, file, strlen(file));
		rowout_whole(&out.rows, row->line, 4);
		rowout_whole(&out.rows, row->defined, 4);
		rowout_whole(&out.rows, (uint64_t)time(NULL), 4);
		sends = rowout_end(&out);
		buf_release(&address);
	}
	return rowout_close(&out, sends, e);
}

void
unnamed_release(struct unnamed *u)
{
	for (size_t i = 0; i < u->row.n; i++)
		free_all(u->row.at[i].build, u->row.at[i].module);
	vec_release(&u->row);
}
