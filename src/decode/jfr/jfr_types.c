/* Metadata is a tree of elements with attributes, whose texts are in one table.  The types come
 * from it: classes with their fields. */
#include "src/decode/jfr/jfr_inside.h"

#include <string.h>

#include "src/decode/common/words.h"
#include "src/input/decimal.h"

#define ELEMENTS_DEEP 8u
#define STRINGS_MAX (1u << 20)

struct tree {
	struct jfr *d;
	struct cursor c;
	VEC(name_id) string;
	struct known {
		name_id class, field, annotation, id, name, pooled, dimension, value, type, yes,
			ns, us, ms, s;
	} is;
	uint32_t type; /* the class that is open; JFR_NONE */
	uint32_t field;
};

void
jfr_types_release(struct jfr *d)
{
	for (size_t i = 0; i < d->chunk.type.n; i++) {
		struct jfr_type *t = &d->chunk.type.at[i];
		idmap_release(&t->pool);
		if (!t->seen)
			continue;
		size_t k = 0;
		while (k < d->count.n && d->count.at[k].name != t->name)
			k++;
		if (k == d->count.n)
			*vec_push(&d->count) = (struct jfr_count){t->name, 0};
		d->count.at[k].n += t->seen;
	}
	d->chunk.type.n = d->chunk.field.n = 0;
	idmap_release(&d->chunk.type_of);
	d->chunk.string_type = JFR_NONE;
	d->chunk.has_metadata = false;
}

static name_id
string_at(struct tree *t, uint32_t i)
{
	if (i < t->string.n)
		return t->string.at[i];
	t->c.bad = true;
	return NAME_EMPTY;
}

/* Parses a text as a number; 0 for other texts. */
static uint64_t
jfr_types_number_of(struct tree *t, name_id text)
{
	struct name n = builder_name_get(t->d->b, text);
	int64_t v;

	return n.len && decimal_scaled(n.at, n.len, 0, &v) ? (uint64_t)v : 0;
}

static uint8_t
kind_of(struct name n)
{
	static const char *const names[] = {
		[JFR_BOOL] = "boolean", [JFR_BYTE] = "byte",   [JFR_CHAR] = "char",
		[JFR_SHORT] = "short",  [JFR_INT] = "int",     [JFR_LONG] = "long",
		[JFR_FLOAT] = "float",  [JFR_DOUBLE] = "double", [JFR_STRING] = "java.lang.String"};

	for (uint8_t i = JFR_BOOL; i <= JFR_STRING; i++)
		if (name_is(n, names[i]))
			return i;
	return JFR_STRUCT;
}

static uint8_t
atom_of(struct name n)
{
#define ATOM_TEXT(name) #name,
	static const char *const atoms[] = {"", JFR_ATOMS(ATOM_TEXT)};
#undef ATOM_TEXT

	for (uint8_t i = 1; i < ATOMS; i++)
		if (name_is(n, atoms[i]))
			return i;
	return ATOM_NONE;
}

struct attributes {
	name_id id, name, type, pooled, dimension, value;
};

static void
class_begin(struct tree *t, const struct attributes *a)
{
	struct jfr *d = t->d;
	struct name name = builder_name_get(d->b, a->name);
	struct jfr_type type = {
		.id = jfr_types_number_of(t, a->id),
		.name = a->name,
		.first = (uint32_t)d->chunk.field.n,
		.kind = kind_of(name),
		.event = (uint8_t)jfr_event_of(name),
	};

	t->type = (uint32_t)d->chunk.type.n;
	if (type.kind == JFR_STRING)
		d->chunk.string_type = t->type;
	idmap_put(&d->chunk.type_of, type.id, t->type);
	*vec_push(&d->chunk.type) = type;
}

static void
field_begin(struct tree *t, const struct attributes *a)
{
	struct jfr *d = t->d;

	t->field = (uint32_t)d->chunk.field.n;
	d->chunk.type.at[t->type].n++;
	*vec_push(&d->chunk.field) = (struct jfr_field){
		.type_id = jfr_types_number_of(t, a->type),
		.type = JFR_NONE,
		.atom = atom_of(builder_name_get(d->b, a->name)),
		.pooled = a->pooled == t->is.yes,
		.array = jfr_types_number_of(t, a->dimension) > 0,
	};
}

/* The unit of a time span is an annotation of its field. */
static void
annotation(struct tree *t, const struct attributes *a)
{
	struct jfr_field *f = &t->d->chunk.field.at[t->field];

	if (a->value == t->is.ns)
		f->unit = 1;
	else if (a->value == t->is.us)
		f->unit = 1000;
	else if (a->value == t->is.ms)
		f->unit = 1000000;
	else if (a->value == t->is.s)
		f->unit = 1000000000;
}

static void
element(struct tree *t, unsigned depth)
{
	struct attributes a = {0};
	name_id name = string_at(t, jfr_int(&t->d->chunk, &t->c));
	uint32_t type = t->type, field = t->field;

	for (uint32_t n = jfr_int(&t->d->chunk, &t->c); n && !t->c.bad; n--) {
		name_id key = string_at(t, jfr_int(&t->d->chunk, &t->c));
		name_id value = string_at(t, jfr_int(&t->d->chunk, &t->c));
		a.id = key == t->is.id ? value : a.id;
		a.name = key == t->is.name ? value : a.name;
		a.type = key == t->is.class ? value : a.type;
		a.pooled = key == t->is.pooled ? value : a.pooled;
		a.dimension = key == t->is.dimension ? value : a.dimension;
		a.value = key == t->is.value ? value : a.value;
	}
	if (t->c.bad || depth > ELEMENTS_DEEP) {
		t->c.bad = true;
		return;
	}
	if (name == t->is.class)
		class_begin(t, &a);
	else if (name == t->is.field && t->type != JFR_NONE)
		field_begin(t, &a);
	else if (name == t->is.annotation && t->field != JFR_NONE)
		annotation(t, &a);
	for (uint32_t n = jfr_int(&t->d->chunk, &t->c); n && !t->c.bad; n--)
		element(t, depth + 1);
	t->type = type;
	t->field = field;
}

static name_id
word(struct jfr *d, const char *text)
{
	return builder_name(d->b, text, strlen(text));
}

bool
jfr_metadata(struct jfr *d, struct cursor c)
{
	struct tree t = {.d = d, .c = c, .type = JFR_NONE, .field = JFR_NONE};

	t.is = (struct known){
		.class = word(d, "class"),
		.field = word(d, "field"),
		.annotation = word(d, "annotation"),
		.id = word(d, "id"),
		.name = word(d, "name"),
		.pooled = word(d, "constantPool"),
		.dimension = word(d, "dimension"),
		.value = word(d, "value"),
		.yes = word(d, "true"),
		.ns = word(d, "NANOSECONDS"),
		.us = word(d, "MICROSECONDS"),
		.ms = word(d, "MILLISECONDS"),
		.s = word(d, "SECONDS"),
	};
	jfr_types_release(d);
	jfr_long(&d->chunk, &t.c); /* start, duration, id */
	jfr_long(&d->chunk, &t.c);
	jfr_long(&d->chunk, &t.c);
	uint32_t n = jfr_int(&d->chunk, &t.c);
	for (; n && !t.c.bad && t.string.n < STRINGS_MAX; n--)
		*vec_push(&t.string) = jfr_string(d, &t.c);
	if (!t.c.bad)
		element(&t, 0);
	for (size_t i = 0; i < d->chunk.field.n; i++) {
		uint32_t type =
			idmap_get(&d->chunk.type_of, d->chunk.field.at[i].type_id);
		d->chunk.field.at[i].type = type == IDMAP_NONE ? JFR_NONE : type;
	}
	jfr_count_numbers(&d->chunk);
	vec_release(&t.string);
	d->chunk.has_metadata = !t.c.bad;
	return d->chunk.has_metadata;
}
