/* plan.c - passes constraints from SQLite's plan to a cursor.
 *
 * SQLite asks which parts of a WHERE clause a table can evaluate itself (xBestIndex), and passes
 * the values when the query runs (xFilter).  A text between the two holds the promised operators,
 * "track= time>= time<", a word a value; EXPLAIN QUERY PLAN shows it.
 *
 * The table fulfils its promises exactly, so SQLite need not check again: a text that is a number
 * becomes one, as beside every column of integers; values of other types follow SQLite's order,
 * NULL < numbers < text < blobs, and a fraction is a bound between two integers. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include <math.h>
#include <string.h>

static const struct {
	unsigned char op;
	unsigned which;
	const char *word;
} ops[] = {
	{SQLITE_INDEX_CONSTRAINT_EQ, PLAN_EQUAL, "="},
	{SQLITE_INDEX_CONSTRAINT_GE, PLAN_LOW, ">="},
	{SQLITE_INDEX_CONSTRAINT_GT, PLAN_LOW, ">"},
	{SQLITE_INDEX_CONSTRAINT_LE, PLAN_HIGH, "<="},
	{SQLITE_INDEX_CONSTRAINT_LT, PLAN_HIGH, "<"},
};
#define N_OPS (sizeof ops / sizeof *ops)

/* Returns the operator in `ops` for this key's constraint; N_OPS: none.  Words are compared
 * bytewise, so COLLATE NOCASE is left to SQLite. */
static size_t
op_of(sqlite3_index_info *info, int constraint, const struct sql_key *key)
{
	const struct sqlite3_index_constraint *c = &info->aConstraint[constraint];
	size_t i = 0;

	if (!c->usable || c->iColumn != key->column ||
	    (key->words && sqlite3_stricmp(sqlite3_vtab_collation(info, constraint), "BINARY")))
		return N_OPS;
	while (i < N_OPS && ops[i].op != c->op)
		i++;
	return i < N_OPS && (key->range || ops[i].which == PLAN_EQUAL) ? i : N_OPS;
}

int
plan_make(sqlite3_index_info *info, const struct sql_key *key, unsigned n, unsigned *which)
{
	sqlite3_str *plan = sqlite3_str_new(NULL);
	int taken = 0;

	for (unsigned k = 0; k < n; k++) {
		which[k] = 0;
		for (int i = 0; i < info->nConstraint; i++) {
			size_t op = op_of(info, i, &key[k]);
			if (op == N_OPS || which[k] & ops[op].which)
				continue;
			which[k] |= ops[op].which;
			info->aConstraintUsage[i].argvIndex = ++taken;
			/* cursors compare words without their type: NULL, a blob */
			info->aConstraintUsage[i].omit = !key[k].words;
			sqlite3_str_appendf(plan, "%s%s%s", taken > 1 ? " " : "", key[k].name,
					    ops[op].word);
		}
	}
	info->idxNum = taken;
	info->idxStr = sqlite3_str_finish(plan);
	info->needToFreeIdxStr = 1;
	return info->idxStr || !taken ? SQLITE_OK : SQLITE_NOMEM;
}

void
plan_cost(sqlite3_index_info *info, double read, double rows)
{
	info->estimatedCost = read + 1;
	info->estimatedRows = rows < 1 ? 1 : rows < 0x1p62 ? (sqlite3_int64)rows : INT64_MAX;
}

static void
nothing(struct sql_bound *b)
{
	b->low = 1;
	b->high = 0;
}

static void
raise_low(struct sql_bound *b, int64_t v)
{
	b->low = v > b->low ? v : b->low;
}

static void
lower_high(struct sql_bound *b, int64_t v)
{
	b->high = v < b->high ? v : b->high;
}

/* low <= x, or low < x */
static void
from_value(struct sql_bound *b, int64_t v, bool with)
{
	if (!with && v == INT64_MAX)
		nothing(b);
	else
		raise_low(b, with ? v : v + 1);
}

static void
to_value(struct sql_bound *b, int64_t v, bool with)
{
	if (!with && v == INT64_MIN)
		nothing(b);
	else
		lower_high(b, with ? v : v - 1);
}

#define TWO_63 9223372036854775808.0

/* Narrows by a bound that is not an integer: to the nearest integer inside. */
static void
narrow_real(struct sql_bound *b, double v, const char *op)
{
	bool low = *op == '>', with = op[1] == '=' || *op == '=';

	if (v != v) {
		nothing(b);
	} else if (*op == '=') {
		if (v != floor(v) || v < -TWO_63 || v >= TWO_63) {
			nothing(b);
		} else {
			raise_low(b, (int64_t)v);
			lower_high(b, (int64_t)v);
		}
	} else if (low) {
		if (v >= TWO_63)
			nothing(b);
		else if (v >= -TWO_63)
			from_value(b, (int64_t)ceil(v), with || v != floor(v));
	} else {
		if (v < -TWO_63)
			nothing(b);
		else if (v < TWO_63)
			to_value(b, (int64_t)floor(v), with || v != floor(v));
	}
}

static void
plan_narrow(struct sql_bound *b, const char *op, sqlite3_value *value)
{
	b->asked = true;
	switch (sqlite3_value_numeric_type(value)) {
	case SQLITE_INTEGER:
		if (*op != '<')
			from_value(b, sqlite3_value_int64(value), op[0] == '=' || op[1] == '=');
		if (*op != '>')
			to_value(b, sqlite3_value_int64(value), op[0] == '=' || op[1] == '=');
		return;
	case SQLITE_FLOAT:
		narrow_real(b, sqlite3_value_double(value), op);
		return;
	case SQLITE_NULL:
		nothing(b);
		return;
	default: /* every number sorts before text and blobs */
		if (*op != '<')
			nothing(b);
		return;
	}
}

void
plan_read(const char *plan, int argc, sqlite3_value **argv, const struct sql_key *key,
	  unsigned n, struct sql_bound *out)
{
	for (unsigned k = 0; k < n; k++)
		out[k] = (struct sql_bound){.low = INT64_MIN, .high = INT64_MAX};
	for (int i = 0; plan && i < argc; i++) {
		size_t len = strcspn(plan, "<>=");
		for (unsigned k = 0; k < n; k++) {
			if (strlen(key[k].name) != len || memcmp(key[k].name, plan, len))
				continue;
			if (key[k].words)
				out[k].equals = argv[i];
			else
				plan_narrow(&out[k], plan + len, argv[i]);
		}
		plan += strcspn(plan, " ");
		plan += *plan == ' ';
	}
}

#endif
