#include "src/input/rows_json.h"

#include "src/input/decimal.h"
#include "src/input/rows_json_seen.h"
#include "src/input/rows_json_inside.h"

/* One loop reads the members of every object. The next member is either one that followed in an
 * earlier object (rows_json_seen.h), or the tokenizer reads it and its row is looked up. Then its
 * value is stored as the row states. So a format has one description, and no separate path for
 * objects that look alike.
 *
 * Objects nest in the C stack, at most JSON_DEPTH_MAX deep.
 *
 * Rejected: learning and comparing the shape of a whole object at once, since it leaves nested
 * objects and optional members to the tokenizer. */

void
rows_json_init(struct rows_json *r, struct input *in, struct err *e)
{
	*r = (struct rows_json){.e = e, .record = JSON_NO_RECORD};
	json_init(&r->j, in);
}

void
rows_json_release(struct rows_json *r)
{
	for (size_t i = 0; i < r->seen.n; i++)
		free(r->seen.at[i]);
	vec_release(&r->seen);
	buf_release_all(&r->key, &r->text);
}

/* Sets r->e to the fault of the text, if there is one. Returns false if r->e is set. */
static bool
is_good(struct rows_json *r)
{
	if (r->j.failed && !err_is_set(r->e))
		json_damage(&r->j, r->record != JSON_NO_RECORD ? r->record : r->j.where, r->e);
	return !err_is_set(r->e);
}

/* Returns the recorded shapes of a table. A frequently used table moves to the front. */
static struct json_seen *
seen_of(struct rows_json *r, const struct json_row *rows)
{
	struct json_seen **at = r->seen.at, *found;

	for (size_t i = 0; i < r->seen.n; i++)
		if (at[i]->rows == rows) {
			found = at[i];
			if (i) {
				at[i] = at[i - 1];
				at[i - 1] = found;
			}
			return found;
		}
	found = seen_new(rows);
	*vec_push(&r->seen) = found;
	return found;
}

/* ---- values ---- */

bool
json_value_scaled(const struct json_value *v, int scale, bool loose, int64_t *out)
{
	if (v->plain && plain_scaled(v, scale, out))
		return true;
	return (v->t.kind == JSON_NUMBER ||
		(loose && v->t.kind == JSON_STRING && !v->t.escaped)) &&
	       decimal_scaled(v->t.at, v->t.len, scale, out);
}

uint32_t
json_row_name(struct rows_json *r, const struct json_token *t)
{
	if (t->kind != JSON_STRING && t->kind != JSON_NUMBER)
		return 0;
	if (!t->escaped)
		return r->name(r->b, t->at, t->len);
	buf_reset(&r->text);
	json_text(&r->j, t, &r->text);
	return r->name(r->b, buf_str(&r->text), r->text.len);
}

/* ---- members ---- */

/* Reads a member that did not follow here in an earlier object: its node, its row, its value.
 * Returns false at the end of the object, and at a fault. */
static bool
member_next(struct rows_json *r, struct json_seen *s, struct seen_node **node,
	    unsigned *row, struct json_value *v)
{
	struct json *j = &r->j;
	uint64_t from = json_offset(j);
	struct json_token key;

	if (!json_next(j, &key) || key.kind != JSON_KEY)
		return false;
	*row = seen_row(s, &key);
	if (*row == s->any && *row != SEEN_NO_ROW) {
		buf_reset(&r->key);
		json_text(j, &key, &r->key);
		*node = &s->lost;
	} else {
		*node = seen_learn(s, *node, j, from, *row);
	}
	v->plain = false;
	return json_next(j, &v->t);
}

static bool
lacks(struct rows_json *r, const struct json_seen *s, uint64_t had, uint64_t offset)
{
	unsigned i = (unsigned)__builtin_ctzll(s->must & ~had);

	return err_damage(r->e, r->record != JSON_NO_RECORD ? r->record : offset, "%s",
			  s->rows[i].must);
}

static bool container_read(struct rows_json *r, const struct json_row *row, void *object,
			   const struct json_token *t, bool *had);

static inline bool
value_take(struct rows_json *r, const struct json_row *row, struct seen_node *x, void *object,
	   const struct json_value *v, bool *had)
{
	return v->t.kind == JSON_OBJECT || v->t.kind == JSON_ARRAY
		       ? container_read(r, row, object, &v->t, had)
		       : scalar_take(r, row, x, object, v, had);
}

static inline void
note(const struct json_row *row, uint64_t bit, void *object, uint64_t *had)
{
	*had |= bit;
	if (row->has)
		((char *)object)[row->has - 1] = true;
}

/* Stores a plain value of a frequent kind; false if it is another. */
static inline bool
plain_take(struct rows_json *r, const struct json_row *row, struct seen_node *x,
	   void *object, const struct json_value *v)
{
	void *to = row->at ? (char *)object + row->at : object; /* which may be NULL */

	if (row->kind == JSON_ROW_NUMBER)
		return v->plain && plain_scaled(v, scale_of(r, row), to);
	if (v->plain)
		return false;
	if (row->kind == JSON_ROW_NAME)
		*(uint32_t *)to = name_of(r, x, &v->t);
	else if (row->kind == JSON_ROW_WORD)
		*(uint8_t *)to = plain_word(&v->t, row->by.words);
	return row->kind == JSON_ROW_NAME || row->kind == JSON_ROW_WORD;
}

/* Stores the number at `at`, after the text of member x, if it is short. Returns its end, or
 * NULL. */
static inline const uint8_t *
short_take(const struct rows_json *r, const struct seen_node *x, const uint8_t *at,
	   void *object)
{
	int scale = x->scale == ROW_SCALE ? r->scale : x->scale;
	int64_t number;

	if (scale < 0 || scale > JSON_SHORT_SCALE_MAX)
		return NULL;
	at = json_short_number(at, scale, &number);
	if (!at || (*at != ',' && *at != '}' && *at > ' '))
		return NULL;
	*(int64_t *)place_of(x->row, object) = number;
	return at;
}

/* Reads members as long as they followed in earlier objects, from `node` on. Returns the node of
 * the last; NULL at a fault. */
static inline struct seen_node *
members_met(struct rows_json *r, struct seen_node *node, void *object, uint64_t *had)
{
	struct json *j = &r->j;
	const uint8_t *at = j->at;
	struct json_value v;
	struct seen_node *x;
	bool is_there;

	for (; j->end - at >= SEEN_BYTES && (x = seen_next(node, at)); node = x) {
		const struct json_row *row = x->row;
		uint64_t bit = x->bit; /* x may be forgotten while an object within is read */
		const uint8_t *value = at + x->len, *stop = short_take(r, x, value, object);
		bool taken = stop || ((stop = seen_value(j, x, value, &v)) &&
				      plain_take(r, row, x, object, &v));
		if (taken) {
			note(row, bit, object, had);
			at = stop;
			continue;
		}
		j->at = stop ? stop : value - x->quoted;
		j->wants = stop ? WANTS_COMMA_OR_END : WANTS_VALUE;
		if (!stop) {
			v.plain = false;
			if (!json_next(j, &v.t))
				return NULL;
		}
		bool good;
		if (stop && (row->kind == JSON_ROW_VALUE || row->kind == JSON_ROW_SHORT)) {
			is_there = row->kind == JSON_ROW_VALUE;
			good = row->by.take(r, place_of(row, object), &v);
		} else {
			good = value_take(r, row, x, object, &v, &is_there);
		}
		if (is_there)
			note(row, bit, object, had);
		if (!good)
			return NULL;
		at = j->at;
	}
	if (at != j->at) {
		j->at = at;
		j->wants = WANTS_COMMA_OR_END;
	}
	return node;
}

/* Returns true, and steps over the brace, if the object ends here. */
static inline bool
ends_here(struct json *j)
{
	const uint8_t *at = j->at;

	if (at < j->end && *at == ',')
		return false;
	if (at < j->end && *at <= ' ')
		at = json_over_blanks(at, j->end);
	if (at == j->end || *at != '}')
		return false;
	j->at = at + 1;
	json_close(j);
	return true;
}

/* Reads the members of an object, which began at `offset`, after its brace. */
static inline bool
members_read(struct rows_json *r, struct json_seen *s, void *object, uint64_t offset)
{
	static const struct json_row none = {.kind = JSON_ROW_SKIPPED};
	struct seen_node *node = &s->begin;
	uint64_t had = 0;
	struct json_value v;
	unsigned n_row;
	bool is_there;

	for (;;) {
		if (!(node = members_met(r, node, object, &had)))
			return false;
		if (ends_here(&r->j))
			break;
		if (!member_next(r, s, &node, &n_row, &v)) {
			if (r->j.failed)
				return false;
			break;
		}
		bool has_row = n_row != SEEN_NO_ROW;
		const struct json_row *row = has_row ? &s->rows[n_row] : &none;
		bool good = value_take(r, row, node, object, &v, &is_there);
		if (is_there)
			note(row, UINT64_C(1) << n_row, object, &had);
		if (!good)
			return false;
	}
	s->met++;
	return !(s->must & ~had) || lacks(r, s, had, offset);
}

/* ---- objects, lists, columns ---- */

static inline bool
element_read(struct rows_json *r, const struct json_list *list, struct json_seen *s, void *parent,
	     uint64_t offset)
{
	_Alignas(max_align_t) char own[ROWS_ELEMENT_MAX];
	uint64_t outer = r->record;
	void *element = own;

	r->record = list->record ? offset : outer;
	r->offset = offset;
	for (size_t i = 0; i < list->size; i += sizeof(uint64_t))
		memset(own + i, 0, sizeof(uint64_t));
	if (list->begin)
		element = list->begin(r, parent, own);
	bool good = members_read(r, s, element, offset);
	r->offset = offset;
	if (good || (list->torn && !is_good(r)))
		good = (!list->end || list->end(r, parent, element)) && good;
	else
		is_good(r);
	r->record = outer;
	return good;
}

/* Reads the brace of the next element after an object of the same list. Returns false, and reads
 * nothing, if it is not there. */
static inline bool
object_next(struct json *j, uint64_t *offset)
{
	const uint8_t *at = j->at;

	if (at == j->end || *at != ',' || j->slabs)
		return false;
	at = json_over_blanks(at + 1, j->end);
	if (at == j->end || *at != '{')
		return false;
	*offset = j->offset - (uint64_t)(j->end - at);
	j->at = at + 1;
	j->depth++; /* this level belonged to an object before */
	j->wants = WANTS_KEY_OR_END;
	return true;
}

static bool
list_read(struct rows_json *r, const struct json_list *list, void *parent)
{
	struct json_seen *s = seen_of(r, list->rows);
	struct json_token t;

	assert(list->size <= ROWS_ELEMENT_MAX);
	while (json_next(&r->j, &t) && t.kind != JSON_ARRAY_END) {
		if (t.kind == JSON_OBJECT) {
			do
				if (!element_read(r, list, s, parent, t.offset))
					return false;
			while (object_next(&r->j, &t.offset));
		} else if (list->what) {
			return err_damage(r->e, t.offset, "%s that is not an object", list->what);
		} else if (list->other ? !list->other(r, parent, &t) : !json_skip(&r->j, &t)) {
			return false;
		}
	}
	return !r->j.failed;
}

static void
numbers_add(void *vec, bool loose, const int64_t *v, size_t n)
{
	VEC(int64_t) *to = vec;

	vec_reserve(to, to->n + n);
	for (size_t i = 0; i < n; i++)
		to->at[to->n + i] = loose || v[i] != JSON_NO_NUMBER ? v[i] : 0;
	to->n += n;
}

static bool
rows_column_read(struct rows_json *r, const struct json_row *row, void *object)
{
	struct json_token t;
	int64_t v[ROWS_COLUMN_MAX];

	while (json_next(&r->j, &t) && t.kind != JSON_ARRAY_END) {
		size_t n = 1;
		if (t.kind != JSON_NUMBER || !decimal_scaled(t.at, t.len, row->scale, v))
			v[0] = JSON_NO_NUMBER;
		r->offset = t.offset;
		r->odd = t.kind;
		if (!json_skip(&r->j, &t))
			return false;
		if (v[0] != JSON_NO_NUMBER || row->loose)
			n += json_column(&r->j, (unsigned)row->scale, row->loose, v + 1,
					 ROWS_COLUMN_MAX - 1);
		if (row->kind == JSON_ROW_NUMBERS)
			numbers_add(place_of(row, object), row->loose, v, n);
		else if (!row->by.numbers(r, object, v, n))
			return false;
	}
	return !r->j.failed;
}

static bool
values_read(struct rows_json *r, const struct json_row *row, void *object)
{
	struct json_value v = {.plain = false};

	while (json_next(&r->j, &v.t) && v.t.kind != JSON_ARRAY_END) {
		r->offset = v.t.offset;
		if (!row->by.take(r, place_of(row, object), &v) || !json_skip(&r->j, &v.t))
			return false;
	}
	return !r->j.failed;
}

/* Reads an object or array after its bracket. */
static bool
container_read(struct rows_json *r, const struct json_row *row, void *object,
	       const struct json_token *t, bool *had)
{
	bool is_object = t->kind == JSON_OBJECT;

	*had = row->kind >= JSON_ROW_OBJECT;
	if (row->kind == JSON_ROW_OBJECT && is_object)
		return members_read(r, seen_of(r, row->by.rows), place_of(row, object), t->offset);
	if (row->kind == JSON_ROW_ELEMENT && is_object)
		return element_read(r, row->by.list, seen_of(r, row->by.list->rows), object,
				    t->offset);
	if (row->kind == JSON_ROW_LIST && !is_object)
		return list_read(r, row->by.list, object);
	if ((row->kind == JSON_ROW_COLUMN || row->kind == JSON_ROW_NUMBERS) && !is_object)
		return rows_column_read(r, row, object);
	if (row->kind == JSON_ROW_EACH && !is_object)
		return values_read(r, row, object);
	if (row->kind == JSON_ROW_INSIDE)
		return inside_read(r, row, place_of(row, object), t);
	*had = false;
	return json_skip(&r->j, t);
}

/* ---- the interface ---- */

static bool
ended(struct rows_json *r, bool good)
{
	return good || is_good(r);
}

bool
rows_json_list(struct rows_json *r, const struct json_list *list, void *parent)
{
	return ended(r, list_read(r, list, parent));
}

bool
rows_json_value(struct rows_json *r, const struct json_row *row, void *object,
		const struct json_token *t)
{
	struct seen_node none = {.changes = SEEN_CHANGES};
	struct json_value v = {.t = *t};
	bool had;

	return ended(r, value_take(r, row, &none, object, &v, &had));
}

bool
rows_json_again(struct rows_json *r, struct json_kept *kept, const struct json_row *row,
		void *object)
{
	struct json_token t;

	if (!kept->text.len)
		return true;
	struct json outer = json_enter(&r->j, kept);
	bool good = json_next(&r->j, &t) && rows_json_value(r, row, object, &t);
	json_return(&r->j, &outer, kept);
	return ended(r, good);
}

bool
rows_json_text(struct rows_json *r, const struct json_token *t, const struct json_row *row,
	       void *object)
{
	struct json_kept kept = {.text = BUF_INIT};
	uint64_t outer = r->record;

	r->record = t->offset;
	bool good = !json_keep_text(&r->j, t, &kept) || rows_json_again(r, &kept, row, object);
	r->record = outer;
	buf_release(&kept.text);
	return good;
}

bool
rows_json_document(struct rows_json *r, const struct json_row *rows, void *object,
		   const char *refusal)
{
	struct json_token t;

	if (!json_next(&r->j, &t) || t.kind != JSON_OBJECT)
		return is_good(r) && err_refuse(r->e, "%s: it is not an object", refusal);
	return ended(r, members_read(r, seen_of(r, rows), object, t.offset));
}
