/* explain: plans that PostgreSQL executed, 9.6 to 18: EXPLAIN (ANALYZE) in JSON and in text, as
 * psql prints them and as auto_explain writes them into the log; MySQL's EXPLAIN ANALYZE.
 *
 * A plan is a tree of nodes with inclusive times: a profile, whose functions are the nodes. */
#include "src/decode/explain/explain.h"

#include <string.h>

#include "src/decode/common/words.h"
#include "src/decode/decoder.h"

enum { SURE_TEXT = 90 };

static int
explain_probe(struct head head)
{
	const char *next = NULL, *at, *end;

	while (head_line(head, &next, &at, &end)) {
		at = skip_blanks(at, end);
		at = skip_blanks(at + (at < end && *at == '|'), end); /* a table of MySQL */
		at += begins_with(at, end, "EXPLAIN: ") ? 9 : 0;
		const char *duration = text_find(at, end, "duration: ");
		if (duration && text_find(duration, end, " ms  plan:"))
			return SURE_TEXT;
		if (explain_brackets(at, end) || text_find(at, end, "\"Node Type\": "))
			return SURE_TEXT;
	}
	return 0;
}

static bool
explain_decode(struct input *in, struct builder *b, struct err *e)
{
	struct explain x = {.in = in, .b = b, .e = e, .at = EXPLAIN_NONE};

	input_first(in);
	input_need(in, 2);
	const char *at = (const char *)input_at(in);
	bool good = explain_is_json(at, at + input_have(in)) ? explain_json(&x, in)
							     : explain_text(&x, in);

	if (x.plan.node.n)
		explain_plan_end(&x); /* the file ends within it */
	if (good && !x.done.n)
		good = err_refuse(e, x.not_executed ? "this plan was not executed: EXPLAIN "
						      "(ANALYZE, BUFFERS, FORMAT JSON)"
						    : "it contains no plan of PostgreSQL or MySQL");
	else
		good = explain_write(&x) && good;
	explain_release(&x);
	return good;
}

const struct decoder decoder_explain = {
	.name = "explain",
	.title = "plans of PostgreSQL (JSON, text, psql, auto_explain's log) and MySQL (text)",
	.made_of = MADE_TEXT | MADE_JSON,
	.members = "/Plan|Plan/*",
	.sure = 95,
	.probe = explain_probe,
	.decode = explain_decode,
};
