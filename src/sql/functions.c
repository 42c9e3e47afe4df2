/* functions.c - functions for queries: stack_path(), human(), REGEXP, label(). */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/vec.h"
#include "model/lens/match.h"
#include "model/profile/human.h"

/* ---- stack_path(stack[, separator]) ---- */

/* Writes the names from the root on, up to the maximum length of a text. */
static bool
functions_write_path(struct sql *s, stack_id stack, const char *between, size_t most)
{
	const struct shown_stacks *x = &s->stacks;
	VEC(stack_id) path = VEC_INIT;

	buf_reset(&s->scratch);
	for (; stack != STACK_EMPTY && pace_on(&s->pace, 1); stack = shown_stacks_parent(x, stack))
		*vec_push(&path) = stack;
	for (size_t i = path.n; i-- > 0 && s->scratch.len <= most && pace_on(&s->pace, 16);) {
		function_id f = shown_stacks_function(x, path.at[i]);
		profile_write_name(x->p, shown_stacks_function_of(x, f).name, &s->scratch);
		if (i)
			buf_adds(&s->scratch, between);
	}
	vec_release(&path);
	return s->scratch.len <= most;
}

static void
stack_path(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct sql *s = sqlite3_user_data(out);
	const unsigned char *between = argc > 1 ? sqlite3_value_text(argv[1]) : NULL;
	size_t most = (size_t)sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, -1);
	sqlite3_int64 stack = sqlite3_value_int64(argv[0]);

	if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || stack <= 0 || stack >= UINT32_MAX ||
	    shown_stacks_leaf(&s->stacks, (stack_id)stack) == STACK_EMPTY)
		return;
	bool fits = functions_write_path(s, (stack_id)stack, between ? (const char *)between : ";",
					 most);
	if (pace_gives_up(&s->pace))
		sqlite3_result_error_code(out, SQLITE_INTERRUPT);
	else if (fits)
		sqlite3_result_text64(out, buf_str(&s->scratch), s->scratch.len,
				      SQLITE_TRANSIENT, SQLITE_UTF8);
	else
		sqlite3_result_error_toobig(out);
}

/* ---- human(value, unit) ---- */

static void
human(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	const unsigned char *text = sqlite3_value_text(argv[1]);
	const char *unit = text ? (const char *)text : "";
	struct buf b = BUF_INIT;
	int64_t v = sqlite3_value_int64(argv[0]);
	enum unit u = 0;

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	/* a larger number has no fraction that could be rounded */
	if (fabs(sqlite3_value_double(argv[0])) < 0x1p52)
		v = llround(sqlite3_value_double(argv[0]));
	while (u <= UNIT_COUNT && strcmp(unit, unit_name(u)) != 0)
		u++;
	if (u <= UNIT_COUNT) {
		struct metric m = {.unit = (uint8_t)u};
		human_value(&b, v, &m);
	} else {
		human_count(&b, v);
		buf_addf(&b, "%s%s", *unit ? " " : "", unit);
	}
	sqlite3_result_text64(out, buf_str(&b), b.len, SQLITE_TRANSIENT, SQLITE_UTF8);
	buf_release(&b);
}

/* ---- text REGEXP pattern: regexp(pattern, text) ---- */

static void
drop_pattern(void *p)
{
	pattern_unref(p);
}

/* A match cannot be interrupted, but ends soon on texts up to this length. */
#define REGEXP_MAX (1 << 20)

static void
regexp(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct pattern *p = sqlite3_get_auxdata(out, 0);
	const unsigned char *text = sqlite3_value_text(argv[1]);
	const unsigned char *words = p ? NULL : sqlite3_value_text(argv[0]);
	bool made = !p;
	struct err e;

	(void)argc;
	if (!text || sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	if (sqlite3_value_bytes(argv[1]) > REGEXP_MAX) {
		sqlite3_result_error(out, "REGEXP: the text is longer than 1 MB", -1);
		return;
	}
	err_init(&e);
	if (made)
		p = pattern_new_plain((const char *)words,
				      (size_t)sqlite3_value_bytes(argv[0]), &e);
	if (!p) {
		sqlite3_result_error(out, e.text, -1);
		return;
	}
	sqlite3_result_int(out, pattern_matches_bytes(p, (const char *)text,
						      (size_t)sqlite3_value_bytes(argv[1])));
	if (made)
		sqlite3_set_auxdata(out, 0, p, drop_pattern);
}

/* ---- label(labels, key) ---- */

/* Returns true if the name is this text in the form for programs. */
static bool
functions_is_name(struct sql *s, name_id name, const char *text, size_t len)
{
	buf_reset(&s->scratch);
	profile_write_name(s->shown.p, name, &s->scratch);
	return s->scratch.len == len && !memcmp(buf_str(&s->scratch), text, len);
}

/* Returns true for a decimal that SQLite prints as the file has it: 2.5, but not 3.10. */
static bool
is_decimal(const struct names *names, const struct label *l, double *out)
{
	struct name text = names_get(names, l->text);
	char again[64];

	if (!memchr(text.at, '.', text.len) || !label_number(names, l, out))
		return false;
	int n = snprintf(again, sizeof again, "%.15g", *out);
	if (!strchr(again, '.'))
		n = snprintf(again, sizeof again, "%.15g.0", *out);
	return (size_t)n == text.len && !memcmp(again, text.at, text.len);
}

/* Remembers the key's name, so that it is compared once a statement. */
static void
label(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct sql *s = sqlite3_user_data(out);
	const struct labels *l = &s->shown.p->labels;
	name_id *key = sqlite3_get_auxdata(out, 1);
	const char *text = key ? NULL : (const char *)sqlite3_value_text(argv[1]);
	size_t len = text ? (size_t)sqlite3_value_bytes(argv[1]) : 0;
	sqlite3_int64 set = sqlite3_value_int64(argv[0]);
	double decimal;
	uint32_t n;

	(void)argc;
	if ((!key && !text) || sqlite3_value_type(argv[0]) != SQLITE_INTEGER || set <= 0 ||
	    set >= l->n_sets)
		return;
	const label_id *of = labels_get(l, (labels_id)set, &n);
	for (uint32_t i = 0; i < n; i++) {
		const struct label *one = &l->label[of[i]];
		if (key ? one->key != *key : !functions_is_name(s, one->key, text, len))
			continue;
		if (one->is_number)
			sqlite3_result_int64(out, one->number);
		else if (is_decimal(&s->shown.p->names, one, &decimal))
			sqlite3_result_double(out, decimal);
		else
			sql_result_name(s, out, one->text);
		if (!key && (key = sqlite3_malloc(sizeof *key))) {
			*key = one->key;
			sqlite3_set_auxdata(out, 1, key, sqlite3_free);
		}
		return;
	}
}

/* ---- */

int
sql_functions_register(struct sql *s)
{
	int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC;
	int status = SQLITE_OK;

	for (int n = 1; n <= 2 && !status; n++)
		status = sqlite3_create_function_v2(s->db, "stack_path", n, flags, s, stack_path,
						    NULL, NULL, NULL);
	if (!status)
		status = sqlite3_create_function_v2(s->db, "human", 2, flags, s, human, NULL,
						    NULL, NULL);
	if (!status)
		status = sqlite3_create_function_v2(s->db, "regexp", 2, flags, s, regexp, NULL,
						    NULL, NULL);
	if (!status)
		status = sqlite3_create_function_v2(s->db, "label", 2, flags, s, label, NULL,
						    NULL, NULL);
	return status ? status : sql_statistics_register(s);
}

#endif
