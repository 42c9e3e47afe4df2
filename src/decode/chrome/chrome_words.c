/* Names, ids, times, labels and functions of events. */
#include "src/decode/chrome/chrome_inside.h"

#include <string.h>

#include "src/input/decimal.h"
#include "src/input/hash.h"

int64_t
chrome_id(struct chrome *d, const struct json_token *t)
{
	int64_t id;

	if (t->kind != JSON_NUMBER && t->kind != JSON_STRING)
		return 0;
	if (!t->escaped && decimal_scaled(t->at, t->len, 0, &id) && cast_id_text(id) == NAME_EMPTY)
		return id;
	/* a number that does not fit, such as a hash, is a text */
	name_id text = chrome_name(d, t);
	return text != NAME_EMPTY ? cast_id_of(text) : 0;
}

bool
chrome_id_take(struct rows_json *r, void *id, const struct json_value *v)
{
	*(int64_t *)id = chrome_id(r->context, &v->t);
	return true;
}

name_id
chrome_name(struct chrome *d, const struct json_token *t)
{
	if (!t->escaped)
		return builder_name(d->b, t->at, t->len);
	buf_reset(&d->scratch);
	json_text(&d->r.j, t, &d->scratch);
	return builder_name(d->b, buf_str(&d->scratch), d->scratch.len);
}

bool
chrome_unit_take(struct rows_json *r UNUSED, void *unit, const struct json_value *v)
{
	unsigned u = 0;

	while (u < UNIT_COUNT && !json_is(&v->t, unit_name((enum unit)u)))
		u++;
	*(uint8_t *)unit = (uint8_t)u;
	return true;
}

const char *
chrome_arg_text(const struct chrome *d, const struct chrome_arg *a)
{
	return buf_str(&d->text) + a->at;
}

/* ---- the function of an event ---- */

static label_id
arg_label(struct chrome *d, const struct chrome_arg *a)
{
	if (a->kind == VALUE_WHOLE)
		return builder_label_number(d->b, a->key, a->whole, NAME_EMPTY);
	return builder_label_text(d->b, a->key,
				  builder_name(d->b, chrome_arg_text(d, a), a->len));
}

/* Returns the kind of function that pnav wrote as the category of a slice; CHROME_KIND_BY_NAME if
 * another program wrote it. */
static int
own_kind(struct chrome *d)
{
	for (unsigned k = 0; k < KINDS; k++)
		if (d->e.cat == d->is.kind[k])
			return chrome_is_own(d, chrome_thread(d), false) ? (int)k
									 : CHROME_KIND_BY_NAME;
	return CHROME_KIND_BY_NAME;
}

labels_id
chrome_labels(struct chrome *d)
{
	const struct chrome_event *e = &d->e;
	label_id id[CHROME_ARGS_MAX + 1];
	name_id cat = own_kind(d) == CHROME_KIND_BY_NAME ? e->cat : NAME_EMPTY;
	size_t n = 0;

	d->counts.deeper += e->args.n_deeper;
	if (!e->args.n && cat == d->bare.cat)
		return d->bare.labels;
	if (cat != NAME_EMPTY)
		id[n++] = builder_label_text(d->b, d->is.cat, cat);
	for (unsigned i = 0; i < e->args.n; i++)
		if (e->args.at[i].len || e->args.at[i].kind == VALUE_WHOLE)
			id[n++] = arg_label(d, &e->args.at[i]);
	labels_id labels = builder_labels(d->b, id, n);
	if (!e->args.n)
		d->bare = (struct chrome_bare){cat, labels};
	return labels;
}

static uint32_t
function_new(struct chrome *d, struct chrome_function f)
{
	f.frame = CHROME_NO_FRAME;
	*vec_push(&d->functions.function) = f;
	return (uint32_t)d->functions.function.n - 1;
}

static uint32_t
function_plain(struct chrome *d, name_id name)
{
	struct chrome_functions *f = &d->functions;

	if (name >= f->n_plain) {
		size_t n = vec_grown(f->n_plain, (size_t)name + 1);
		f->plain = mem_realloc(f->plain, n, sizeof *f->plain);
		memset(f->plain + f->n_plain, 0, (n - f->n_plain) * sizeof *f->plain);
		f->n_plain = n;
	}
	if (!f->plain[name])
		f->plain[name] =
			function_new(d, (struct chrome_function){.name = name,
								 .kind = CHROME_KIND_BY_NAME}) +
			1;
	return f->plain[name] - 1;
}

uint32_t
chrome_function(struct chrome *d, name_id name, name_id file, uint32_t line, int kind)
{
	uint32_t key[] = {name, file, line, (uint32_t)kind};
	struct hash128 hash = hash128(key, sizeof key);

	if (file == NAME_EMPTY && !line && kind == CHROME_KIND_BY_NAME)
		return function_plain(d, name);
	uint32_t *found = text_cache_find(&d->functions.placed, hash);
	if (*found)
		return *found - 1;
	uint32_t f = function_new(d, (struct chrome_function){name, file, line, (int8_t)kind, 0});
	text_cache_put(&d->functions.placed, found, hash, f + 1);
	return f;
}

static uint32_t
chrome_line_of(int64_t line)
{
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

/* `NAME: DETAIL`, as Clang and swc name the file or function that they compile. */
static name_id
name_with_detail(struct chrome *d)
{
	const struct chrome_event *e = &d->e;

	for (unsigned i = 0; i < e->args.n; i++) {
		const struct chrome_arg *a = &e->args.at[i];
		if (a->key != d->is.detail || a->kind != VALUE_TEXT || !a->len)
			continue;
		struct name name = builder_name_get(d->b, e->name);
		buf_reset(&d->scratch);
		buf_add(&d->scratch, name.at, name.len);
		buf_adds(&d->scratch, ": ");
		buf_add(&d->scratch, chrome_arg_text(d, a), a->len);
		return builder_name(d->b, buf_str(&d->scratch), d->scratch.len);
	}
	return e->name;
}

static uint32_t
event_function(struct chrome *d)
{
	const struct chrome_event *e = &d->e;
	name_id name = e->args.n ? name_with_detail(d) : e->name;

	if (name == NAME_EMPTY)
		name = builder_name(d->b, "(unnamed)", 9);
	const struct chrome_place *own = &e->args.own, *data = &e->args.data;
	if (own->has_file && own->has_line && own->has_column && own->has_name)
		return chrome_function(d, name, own->file, chrome_line_of(own->line), KIND_USER);
	if (data->has_file && data->has_line && data->has_name)
		return chrome_function(d, name, data->file, chrome_line_of(data->line + 1),
				       KIND_USER);
	int kind = own_kind(d);
	return kind == CHROME_KIND_BY_NAME ? function_plain(d, name)
					   : chrome_function(d, name, NAME_EMPTY, 0, kind);
}

struct chrome_said
chrome_said(struct chrome *d)
{
	labels_id labels = chrome_labels(d);

	return (struct chrome_said){.function = event_function(d), .labels = labels};
}

/* ---- frames, after reading ---- */

/* Splits `func (file:line)`, the form in which viztracer names functions. */
static void
split_place(struct chrome *d, struct chrome_function *f)
{
	struct name n = builder_name_get(d->b, f->name);
	size_t end = n.len, colon;
	int64_t line;

	if (!end || n.at[end - 1] != ')')
		return;
	for (colon = end - 1; colon && n.at[colon] != ':' && n.at[colon] != '('; colon--)
		continue;
	if (n.at[colon] != ':' ||
	    !decimal_scaled(n.at + colon + 1, end - colon - 2, 0, &line))
		return;
	for (size_t open = 0; open + 2 < colon; open++)
		if (n.at[open] == ' ' && n.at[open + 1] == '(') {
			buf_reset(&d->scratch);
			buf_add(&d->scratch, n.at, colon);
			const char *at = buf_str(&d->scratch);
			f->name = builder_name(d->b, at, open);
			f->file = builder_name(d->b, at + open + 2, colon - open - 2);
			f->line = chrome_line_of(line);
			return;
		}
}

frame_id
chrome_frame(void *chrome, uint32_t function)
{
	struct chrome *d = chrome;
	struct chrome_function *f = &d->functions.function.at[function];

	if (f->frame != CHROME_NO_FRAME)
		return f->frame;
	if (d->viztracer)
		split_place(d, f);
	struct name name = builder_name_get(d->b, f->name);
	enum kind kind = f->kind != CHROME_KIND_BY_NAME ? (enum kind)f->kind
			 : d->viztracer		  ? KIND_USER
						  : kind_of_name(name.at, name.len);
	function_id id = builder_function(d->b, (struct function){
							.name = f->name,
							.file = f->file,
							.line = f->line,
							.kind = (uint8_t)kind,
						});
	f->frame = builder_frame(d->b, id, line_unknown());
	return f->frame;
}
