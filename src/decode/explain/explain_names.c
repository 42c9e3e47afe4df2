/* Names of nodes: JSON's members become what the text form says before `  (cost=`, so that both
 * forms of a plan have the same functions (PostgreSQL's explain.c, ExplainNode()). */
#include "src/decode/explain/explain.h"

#include <string.h>

#include "src/decode/common/words.h"

static bool
is_name(struct explain *x, name_id id, const char *text)
{
	return name_is(builder_name_get(x->b, id), text);
}

static void
add(struct explain *x, name_id id)
{
	struct name n = builder_name_get(x->b, id);

	buf_add(&x->text, n.at, n.len);
}

/* Adds an identifier, in quotes if it needs them. */
static void
add_identifier(struct explain *x, name_id id)
{
	struct name n = builder_name_get(x->b, id);
	bool plain = n.len && ((*n.at >= 'a' && *n.at <= 'z') || *n.at == '_');

	for (size_t i = 0; plain && i < n.len; i++) {
		char c = n.at[i];
		plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
	}
	if (!plain)
		buf_addc(&x->text, '"');
	for (size_t i = 0; i < n.len; i++) {
		if (n.at[i] == '"')
			buf_addc(&x->text, '"');
		buf_addc(&x->text, n.at[i]);
	}
	if (!plain)
		buf_addc(&x->text, '"');
}

static void
add_aggregate(struct explain *x, const struct explain_words *w)
{
	if (is_name(x, w->partial, "Partial") || is_name(x, w->partial, "Finalize")) {
		add(x, w->partial);
		buf_addc(&x->text, ' ');
	}
	buf_adds(&x->text, is_name(x, w->strategy, "Sorted")   ? "GroupAggregate"
			   : is_name(x, w->strategy, "Hashed") ? "HashAggregate"
			   : is_name(x, w->strategy, "Mixed")  ? "MixedAggregate"
							       : "Aggregate");
}

static void
add_join(struct explain *x, const struct explain_words *w)
{
	struct name type = builder_name_get(x->b, w->type);
	bool inner = w->join == NAME_EMPTY || is_name(x, w->join, "Inner");

	if (inner) {
		add(x, w->type);
		return;
	}
	if (name_ends(type, " Join")) {
		buf_add(&x->text, type.at, type.len - 4);
		add(x, w->join);
		buf_adds(&x->text, " Join");
	} else {
		add(x, w->type);
		buf_addc(&x->text, ' ');
		add(x, w->join);
		buf_adds(&x->text, " Join");
	}
}

static void
add_base(struct explain *x, const struct explain_words *w)
{
	if (is_name(x, w->type, "Aggregate")) {
		add_aggregate(x, w);
	} else if (is_name(x, w->type, "SetOp")) {
		buf_adds(&x->text, is_name(x, w->strategy, "Hashed") ? "HashSetOp " : "SetOp ");
		add(x, w->command);
	} else if (is_name(x, w->type, "ModifyTable")) {
		add(x, w->operation);
	} else if (is_name(x, w->type, "Foreign Scan") && w->operation != NAME_EMPTY &&
		   !is_name(x, w->operation, "Select")) {
		buf_adds(&x->text, "Foreign ");
		add(x, w->operation);
	} else if (is_name(x, w->type, "Custom Scan") && w->provider != NAME_EMPTY) {
		buf_adds(&x->text, "Custom Scan (");
		add(x, w->provider);
		buf_addc(&x->text, ')');
	} else {
		add_join(x, w);
	}
}

static void
add_object(struct explain *x, const struct explain_words *w)
{
	name_id object = w->relation        != NAME_EMPTY ? w->relation
			 : w->function       != NAME_EMPTY ? w->function
			 : w->table_function != NAME_EMPTY ? w->table_function
			 : w->cte            != NAME_EMPTY ? w->cte
							   : w->tuplestore;

	if (object == NAME_EMPTY && w->alias == NAME_EMPTY)
		return;
	buf_adds(&x->text, " on ");
	if (object == NAME_EMPTY) {
		add_identifier(x, w->alias);
		return;
	}
	if (w->schema != NAME_EMPTY) {
		add_identifier(x, w->schema);
		buf_addc(&x->text, '.');
	}
	add_identifier(x, object);
	if (w->alias != NAME_EMPTY && w->alias != object) {
		buf_addc(&x->text, ' ');
		add_identifier(x, w->alias);
	}
}

void
explain_name(struct explain *x, struct explain_node *n)
{
	const struct explain_words *w = &n->words;

	buf_reset(&x->text);
	buf_adds(&x->text, w->parallel ? "Parallel " : "");
	buf_adds(&x->text, w->async ? "Async " : "");
	add_base(x, w);
	if (is_name(x, w->direction, "Backward"))
		buf_adds(&x->text, " Backward");
	if (w->index != NAME_EMPTY) {
		buf_adds(&x->text, is_name(x, w->type, "Bitmap Index Scan") ? " on " : " using ");
		add_identifier(x, w->index);
	}
	add_object(x, w);
	n->name = builder_name(x->b, buf_str(&x->text), x->text.len);
	n->module = w->relation;
	n->cte = is_name(x, w->type, "CTE Scan") ? w->cte : NAME_EMPTY;
}

/* Returns the identifier at `at`, without its quotes; *stop is behind it. */
static name_id
identifier(struct explain *x, const char *at, const char *end, const char **stop)
{
	buf_reset(&x->text);
	if (at < end && *at == '"') {
		for (at++; at < end && (*at != '"' || (at + 1 < end && at[1] == '"')); at++) {
			at += *at == '"';
			buf_addc(&x->text, *at);
		}
		*stop = at < end ? at + 1 : end;
	} else {
		while (at < end && *at != ' ' && *at != '.')
			buf_addc(&x->text, *at++);
		*stop = at;
	}
	return builder_name(x->b, buf_str(&x->text), x->text.len);
}

void
explain_name_parts(struct explain *x, struct explain_node *n)
{
	static const char *const no_relation[] = {
		"Bitmap Index Scan on ", "Function Scan on ", "Subquery Scan on ",
		"Values Scan on ",       "WorkTable Scan on ", "Named Tuplestore Scan on ",
	};
	struct name name = builder_name_get(x->b, n->name);
	const char *end = name.at + name.len, *on = text_find(name.at, end, " on "), *stop;

	if (!on)
		return;
	for (size_t i = 0; i < sizeof no_relation / sizeof *no_relation; i++)
		if (text_find(name.at, end, no_relation[i]))
			return;
	bool cte = text_find(name.at, end, "CTE Scan on ") != NULL;
	/* the interned bytes stay where they are */
	name_id object = identifier(x, on + 4, end, &stop);
	if (stop < end && *stop == '.')
		object = identifier(x, stop + 1, end, &stop);
	if (cte)
		n->cte = object;
	else
		n->module = object;
}
