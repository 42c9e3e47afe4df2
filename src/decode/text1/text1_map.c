#include "src/decode/text1/text1.h"

#include <string.h>

/* Mapping rows describe areas. Missing attributes are found as in pnav-formats(7): a line without
 * HANDLE.PARENT belongs to the function mapped last before it, or to the one named NAME.PARENT;
 * states without HANDLE.PARENT belong to the variable that exports their handle as HANDLE.STATE,
 * else to that with the same low 28 bits.
 *
 * The model has no place for the names of states, nor for sections that the document does not
 * define. They become rows of `info`, at most INFOS_MAX, so that a file with nothing else costs no
 * more than that. */

static bool
handle_of(struct text_slice s, uint32_t *out)
{
	uint64_t v;

	if (!text1_hex(s, &v) || v > UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

static name_id
text1_name_of(struct text1 *t, struct text_slice s)
{
	return builder_name(t->b, s.at, s.len);
}

static void
map_function(struct text1 *t, uint32_t area, const struct text1_format *f,
	     const struct text_slice *row)
{
	struct text1_area *a = &t->areas.at[area];
	struct text_slice file = text1_slice_of(f, row, MACRO_FILE);

	if (a->made)
		builder_warn(t->b,
			     "functions are mapped after they ran: the names that they "
			     "had then stay");
	if (f->of[MACRO_NAME] >= 0) {
		a->name = text1_name_of(t, text1_slice_of(f, row, MACRO_NAME));
		a->mapped = true;
		idmap_put(&t->named, a->name, area);
	}
	if (file.len)
		a->file = text1_name_of(t, file);
	t->mapped_last = area;
}

static uint32_t
parent_of_line(struct text1 *t, const struct text1_format *f, const struct text_slice *row)
{
	struct text_slice name = text1_slice_of(f, row, MACRO_NAME_PARENT);
	uint32_t handle, found;

	if (handle_of(text1_slice_of(f, row, MACRO_HANDLE_PARENT), &handle) &&
	    handle >> 28 == AREA_FUNCTION)
		return text1_area(t, handle);
	if (name.len) {
		name_id id = text1_name_of(t, name);
		if (t->mapped_last != AREA_NONE && t->areas.at[t->mapped_last].name == id)
			return t->mapped_last;
		found = idmap_get(&t->named, id);
		if (found != IDMAP_NONE)
			return found;
	}
	return t->mapped_last;
}

static void
text1_map_line(struct text1 *t, uint32_t area, const struct text1_format *f,
	       const struct text_slice *row)
{
	struct text_slice file = text1_slice_of(f, row, MACRO_FILE);
	uint32_t parent = parent_of_line(t, f, row);
	struct text1_area *a = &t->areas.at[area];
	int64_t number;

	a->mapped = true;
	a->parent = parent;
	if (text1_decimal(text1_slice_of(f, row, MACRO_VALUE), &number) && number > 0 &&
	    number <= UINT32_MAX)
		a->line = (uint32_t)number;
	if (parent == AREA_NONE)
		return;
	struct text1_area *function = &t->areas.at[parent];
	if (a->line && (!function->line || a->line < function->line))
		function->line = a->line;
	if (file.len && function->file == NAME_EMPTY)
		function->file = text1_name_of(t, file);
}

static void
map_variable(struct text1 *t, uint32_t area, const struct text1_format *f,
	     const struct text_slice *row)
{
	struct text1_area *a = &t->areas.at[area];
	struct text_slice type = text1_slice_of(f, row, MACRO_VALUE_TYPE);
	uint32_t states;

	if (f->of[MACRO_NAME] >= 0) {
		a->name = text1_name_of(t, text1_slice_of(f, row, MACRO_NAME));
		a->mapped = true;
	}
	a->unit = text1_name_of(t, text1_slice_of(f, row, MACRO_VALUE_UNIT));
	a->floating = type.len == 3 && !memcmp(type.at, "F64", 3);
	if (handle_of(text1_slice_of(f, row, MACRO_HANDLE_STATE), &states))
		idmap_put(&t->states, states, area);
}

/* Names a state of a variable, which may have its track already. */
static void
name_state(struct text1 *t, uint32_t owner, struct text_slice value, name_id name)
{
	struct text1_area *a = &t->areas.at[owner];
	int64_t number;
	uint32_t k;

	if (!text1_decimal(value, &number))
		return;
	if (a->track != TRACK_NONE) {
		builder_track_value(t->b, a->track, number, name);
		return;
	}
	*vec_push(&t->state_names) = (struct state_name){number, name, 0};
	k = (uint32_t)t->state_names.n;
	if (a->state_last)
		t->state_names.at[a->state_last - 1].next = k;
	else
		a->state_first = k;
	a->state_last = k;
}

static void
map_state(struct text1 *t, uint32_t handle, const struct text1_format *f,
	  const struct text_slice *row)
{
	struct text_slice name = text1_slice_of(f, row, MACRO_NAME);
	struct text_slice value = text1_slice_of(f, row, MACRO_VALUE);
	uint32_t owner = idmap_get(&t->states, handle), parent;

	if (owner == IDMAP_NONE) {
		if (!handle_of(text1_slice_of(f, row, MACRO_HANDLE_PARENT), &parent) ||
		    parent >> 28 != (handle >> 28) - 1)
			parent = handle - 0x10000000u;
		owner = text1_area(t, parent);
		idmap_put(&t->states, handle, owner);
	}
	t->areas.at[owner].has_states = true;
	if (!name.len || !value.len)
		return;
	name_state(t, owner, value, text1_name_of(t, name));
	struct buf text = BUF_INIT;
	struct name variable = builder_name_get(t->b, t->areas.at[owner].name);
	buf_add(&text, variable.at, variable.len);
	buf_addc(&text, ' ');
	buf_add(&text, value.at, value.len);
	buf_adds(&text, " is ");
	buf_add(&text, name.at, name.len);
	text1_map_keep(t, "state", buf_str(&text), text.len);
	buf_release(&text);
}

/* Keeps where winIDEA shows an area, as a row of `info`. */
static void
keep_path(struct text1 *t, uint32_t area, const struct text1_format *f,
	  const struct text_slice *row)
{
	struct text_slice path = text1_slice_of(f, row, MACRO_PATH);
	struct name name = builder_name_get(t->b, t->areas.at[area].name);

	if (path.len && t->infos < INFOS_MAX) {
		t->infos++;
		builder_info(t->b, "path", "%.*s: %.*s", (int)name.len, name.at, (int)path.len,
			     path.at);
	}
}

bool
text1_map_handle(struct text1 *t, const struct text1_format *f,
		 const struct text_slice *row, uint64_t offset, struct err *e)
{
	uint32_t handle, area;

	if (!handle_of(text1_slice_of(f, row, MACRO_HANDLE), &handle))
		return err_damage(e, offset, "a mapping row without a handle");
	area = text1_area(t, handle);
	if (area == AREA_NONE)
		return err_damage(e, offset, "no kind of area has the handle %08X",
				  (unsigned)handle);
	switch ((enum area_kind)(handle >> 28)) {
	case AREA_FUNCTION:
		map_function(t, area, f, row);
		keep_path(t, area, f, row);
		break;
	case AREA_LINE:
		text1_map_line(t, area, f, row);
		break;
	case AREA_VARIABLE:
	case AREA_AUX:
		map_variable(t, area, f, row);
		keep_path(t, area, f, row);
		break;
	case AREA_VARIABLE_STATE:
	case AREA_AUX_STATE:
		map_state(t, handle, f, row);
		break;
	}
	return true;
}

bool
text1_map_context(struct text1 *t, const struct text1_format *f,
		  const struct text_slice *row, uint64_t offset, struct err *e)
{
	uint64_t handle;
	name_id name;

	if (!text1_hex(text1_slice_of(f, row, MACRO_HANDLE), &handle))
		return err_damage(e, offset, "a context without a handle");
	name = text1_name_of(t, text1_slice_of(f, row, MACRO_NAME));
	*vec_push(&t->known.name) = name;
	idmap_put(&t->known.by_handle, handle, (uint32_t)t->known.name.n - 1);
	idmap_put(&t->known.by_name, name, (uint32_t)t->known.name.n - 1);
	return true;
}

void
text1_map_info(struct text1 *t, const struct text1_format *f, const struct text_slice *row)
{
	int64_t ns;

	for (unsigned i = 0; i < f->n; i++) {
		if (f->field[i].macro == MACRO_TOTAL_TIME && text1_decimal(row[i], &ns)) {
			builder_info(t->b, "total time", "%lld ns", (long long)ns);
			continue;
		}
		char key[64];
		struct text_slice name = f->field[i].name;
		snprintf(key, sizeof key, "%.*s", (int)name.len, name.at);
		text1_map_keep(t, key, row[i].at, row[i].len);
	}
}

void
text1_map_keep(struct text1 *t, const char *key, const char *at, size_t len)
{
	if (t->infos++ < INFOS_MAX)
		builder_info_bytes(t->b, key, at, len);
	else
		builder_warn(t->b, "more than %u rows of text: the others are left out", INFOS_MAX);
}

/* ---- contexts of timeline rows ---- */

/* Keys of text1_context() that are not a name_id. */
#define KEY_MAIN (UINT64_C(1) << 40)

uint32_t
text1_map_find_context(struct text1 *t, struct text_slice s)
{
	uint32_t i;
	uint64_t handle;

	if (t->known.last < CONTEXTS_MAX && t->known.text.len == s.len &&
	    !memcmp(buf_str(&t->known.text), s.at, s.len))
		return t->known.last;
	if (!s.len) {
		i = text1_context(t, KEY_MAIN, "main", 4, TRACK_THREAD);
	} else {
		name_id raw = text1_name_of(t, s), name = raw;
		i = idmap_get(&t->known.context_of, raw);
		if (i == IDMAP_NONE) {
			uint32_t k = IDMAP_NONE;
			if (idmap_get(&t->known.by_name, raw) == IDMAP_NONE &&
			    text1_hex(s, &handle))
				k = idmap_get(&t->known.by_handle, handle);
			if (k != IDMAP_NONE)
				name = t->known.name.at[k];
			struct name n = builder_name_get(t->b, name);
			i = text1_context(t, name, n.at, n.len, TRACK_TASK);
			if (i < CONTEXTS_MAX && name != raw)
				idmap_put(&t->known.context_of, raw, i);
		}
	}
	t->known.last = i;
	buf_reset(&t->known.text);
	buf_add(&t->known.text, s.at, s.len);
	return i;
}

bool
text1_map_knows_context(struct text1 *t, struct text_slice s)
{
	name_id raw = text1_name_of(t, s);
	uint64_t handle;

	if (idmap_get(&t->known.context_of, raw) != IDMAP_NONE ||
	    idmap_get(&t->known.by_name, raw) != IDMAP_NONE)
		return true;
	return text1_hex(s, &handle) && idmap_get(&t->known.by_handle, handle) != IDMAP_NONE;
}
