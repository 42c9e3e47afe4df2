/* Keys of a tree: their names and lines, where they occur, and their order. */
#include "model/fold/project.h"

#include <string.h>
#include <wchar.h>

name_id
projection_key_name(const struct projection *t, const struct profile *p, key_id key)
{
	function_id f = projection_key_function(t, p, key);

	return f == UINT32_MAX ? key : p->frames.function.name[f];
}

function_id
projection_key_function(const struct projection *t, const struct profile *p, key_id key)
{
	if (granularity_rows[t->by].keys_are_names)
		return UINT32_MAX;
	return projection_has_frames(t) ? p->frames.frame.function[key] : key;
}

/* The libc compares sixteen at a time, if the machine can. */
_Static_assert(sizeof(wchar_t) == sizeof(key_id), "wmemchr() looks for keys");

node_id
projection_find(const struct projection *t, node_id from, node_id end, key_id key)
{
	const wchar_t *at = (const wchar_t *)(const void *)t->key;
	const wchar_t *found = from < end ? wmemchr(at + from, (wchar_t)key, end - from) : NULL;

	return found ? (node_id)(found - at) : end;
}

struct line
projection_key_line(const struct projection *t, const struct profile *p, key_id key)
{
	return projection_has_frames(t) ? profile_frame(p, key).line : line_unknown();
}

uint64_t
projection_key_address(const struct projection *t, const struct profile *p, key_id key)
{
	return t->by == BY_ADDRESS ? frames_address(&p->frames, key) : ADDRESS_NONE;
}

/* ---- order ---- */

static int
compare_names(const struct profile *p, name_id a, name_id b)
{
	if (a == b)
		return 0;
	struct name x = names_get(&p->names, a), y = names_get(&p->names, b);
	int order = memcmp(x.at, y.at, x.len < y.len ? x.len : y.len);
	return order ? order : x.len < y.len ? -1 : 1;
}

static int
keys_compare_lines(struct line a, struct line b)
{
	if (a.form == LINE_UNKNOWN || b.form == LINE_UNKNOWN)
		return (a.form != LINE_UNKNOWN) - (b.form != LINE_UNKNOWN);
	if (a.number != b.number)
		return a.number < b.number ? -1 : 1;
	return a.clause < b.clause ? -1 : a.clause > b.clause;
}

int
projection_compare_keys(const struct projection *t, const struct profile *p, key_id a, key_id b,
		  bool by_file)
{
	function_id fa = projection_key_function(t, p, a),
		    fb = projection_key_function(t, p, b);
	name_id na = projection_key_name(t, p, a), nb = projection_key_name(t, p, b);
	int order;

	if (a == b)
		return 0;
	if (fa == UINT32_MAX || fb == UINT32_MAX)
		return compare_names(p, na, nb);
	struct function x = profile_function(p, fa), y = profile_function(p, fb);
	if (x.last != y.last)
		return x.last ? 1 : -1;
	if (!by_file && (order = compare_names(p, na, nb)))
		return order;
	if ((order = compare_names(p, x.file, y.file)))
		return order;
	if ((order = keys_compare_lines(projection_key_line(t, p, a),
					projection_key_line(t, p, b))))
		return order;
	if (by_file && (order = compare_names(p, na, nb)))
		return order;
	if (x.line != y.line)
		return x.line < y.line ? -1 : 1;
	if ((order = compare_names(p, x.module, y.module)))
		return order;
	uint64_t at = projection_key_address(t, p, a), other = projection_key_address(t, p, b);
	if (at != other)
		return at < other ? -1 : 1;
	return a < b ? -1 : 1;
}
