#include "src/decode/common/json_read.h"

void
json_rows_begin(struct rows_json *r, struct input *in, struct builder *b, struct err *e,
		void *context)
{
	rows_json_init(r, in, e);
	r->name = builder_name;
	r->fact = builder_info_bytes;
	r->b = b;
	r->context = context;
}

void
json_say(struct json *j, struct builder *b)
{
	struct json_token t;

	if (!j->failed && !j->depth && !j->source)
		json_next(j, &t);
	if (j->more)
		builder_warn(b, "more than one document: the first is read");
	if (j->controls + j->no_numbers + j->halves)
		builder_warn(b, "JSON: raw control characters, invalid numbers, or incomplete "
				"characters");
}

void
json_rows_end(struct rows_json *r)
{
	json_say(&r->j, r->b);
	rows_json_release(r);
}

bool
json_decode(struct input *in, struct builder *b, struct err *e, const struct json_row *rows,
	    void *state, const char *refusal)
{
	struct rows_json r;

	json_rows_begin(&r, in, b, e, state);
	bool good = rows_json_document(&r, rows, state, refusal);
	json_rows_end(&r);
	return good;
}

bool
json_name_push(struct rows_json *r, void *names, const struct json_value *v)
{
	VEC(name_id) *to = names;

	*vec_push(to) = json_row_name(r, &v->t);
	return true;
}
