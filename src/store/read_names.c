/* Functions that were found after their stacks were stored (unnamed.h).  A stack keeps the build id
 * of the module and the address, which is its function's name; so its hash stays, and the name is
 * replaced when it is read. */
#include "src/store/read_inside.h"

#include <stdlib.h>
#include <string.h>

#include "src/input/hash.h"
#include "src/store/schema.h"

/* The key of a symbol, without undefined bytes. */
struct symbol_key {
	name_id build, address;
	uint32_t call;
};

struct symbol_row {
	struct symbol_key key;
	name_id function, file;
	uint32_t line, defined;
};

struct symbol_rows {
	VEC(struct symbol_row) at;
	struct map by_hash;
};

static uint64_t
symbol_hash(const struct symbol_key *key)
{
	return hash64(key, sizeof *key);
}

/* Returns NULL if there is none. */
static const struct symbol_row *
symbol_find(const struct symbol_rows *all, struct symbol_key key)
{
	uint64_t hash = symbol_hash(&key);
	uint32_t slot, i;

	if (!all->by_hash.slot)
		return NULL;
	slot = map_first(&all->by_hash, hash);
	while (map_probe(&all->by_hash, &slot, hash, &i)) {
		const struct symbol_key *other = &all->at.at[i].key;
		if (other->build == key.build && other->address == key.address &&
		    other->call == key.call)
			return &all->at.at[i];
	}
	return NULL;
}

/* Writes the query for the symbols of the builds of these frames; false if they have none. */
static bool
names_ask(struct reader *r, const struct frame_rows *f)
{
	struct map seen = {0};
	VEC(name_id) build = VEC_INIT;

	map_init(&seen);
	for (size_t i = 0; i < f->at.n; i++) {
		name_id id = f->at.at[i].build;
		uint64_t hash = hash64(&id, sizeof id);
		uint32_t slot = map_first(&seen, hash), k;
		bool known = id == NAME_EMPTY;
		while (!known && map_probe(&seen, &slot, hash, &k))
			known = build.at[k] == id;
		if (known)
			continue;
		map_insert(&seen, hash, (uint32_t)build.n);
		*vec_push(&build) = id;
	}
	buf_reset(&r->sql);
	buf_adds(&r->sql, "SELECT build, address, call, function, file, line, defined\nFROM ");
	schema_name(&r->sql, &r->url, SCHEMA_SYMBOLS);
	for (size_t i = 0; i < build.n; i++) {
		struct name id = builder_name_get(r->b, build.at[i]);
		buf_adds(&r->sql, i ? ", " : "\nWHERE build IN (");
		clickhouse_quote(&r->sql, id.at, id.len);
	}
	buf_addc(&r->sql, ')');
	bool any = build.n > 0;
	vec_release(&build);
	map_release(&seen);
	return any;
}

static bool
names_read(struct reader *r, struct symbol_rows *all, struct err *e)
{
	struct rowbin a;

	if (!reader_ask(r, &a, e))
		return false;
	while (rowbin_next(&a)) {
		struct symbol_row row = {.key = {.build = reader_name(r, &a)}};
		row.key.address = reader_name(r, &a);
		row.key.call = (uint32_t)rowbin_whole(&a, 1);
		row.function = reader_name(r, &a);
		row.file = reader_name(r, &a);
		row.line = (uint32_t)rowbin_whole(&a, 4);
		row.defined = (uint32_t)rowbin_whole(&a, 4);
		if (err_is_set(&a.fault))
			break;
		map_insert(&all->by_hash, symbol_hash(&row.key), (uint32_t)all->at.n);
		*vec_push(&all->at) = row;
		reader_breathe(r);
	}
	return rowbin_close(&a, e);
}

/* Looks for the function of a row on this machine. */
static void
names_find_here(struct reader *r, struct frame_row *row)
{
	struct name name = builder_name_get(r->b, row->name);
	struct name module = builder_name_get(r->b, row->module);
	struct name build = builder_name_get(r->b, row->build);
	struct store_name found;

	if (!r->names || reader_stopped(r))
		return;
	if (!r->names->find(r->names->ctx,
			    &(struct store_unnamed){module.at, build.at,
						    strtoull(name.at, NULL, 16), row->call},
			    &found))
		return;
	row->name = builder_name(r->b, found.function, strlen(found.function));
	row->file = builder_name(r->b, found.file, strlen(found.file));
	row->line = found.line;
	row->defined = found.defined;
}

bool
reader_names(struct reader *r, struct frame_rows *f, struct err *e)
{
	struct symbol_rows all = {.at = VEC_INIT};

	if (!names_ask(r, f))
		return true;
	bool good = names_read(r, &all, e);
	for (size_t i = 0; good && i < f->at.n; i++) {
		struct frame_row *row = &f->at.at[i];
		const struct symbol_row *s = NULL;
		struct symbol_key key = {row->build, row->name, row->call};
		if (row->build != NAME_EMPTY)
			s = symbol_find(&all, key);
		if (!s && row->build != NAME_EMPTY)
			names_find_here(r, row);
		if (!s)
			continue;
		row->name = s->function;
		row->file = s->file;
		row->line = s->line;
		row->defined = s->defined;
	}
	vec_release(&all.at);
	map_release(&all.by_hash);
	return good;
}
