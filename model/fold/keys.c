#include "model/fold/keys.h"

#include <inttypes.h>

#include "model/profile/human.h"

bool
key_function(const struct projection *t, const struct profile *p, key_id key, struct function *f)
{
	function_id id = key == KEY_NONE ? UINT32_MAX : projection_key_function(t, p, key);

	if (id != UINT32_MAX && f)
		*f = profile_function(p, id);
	return id != UINT32_MAX;
}

/* Appends ":88", if the granularity has lines and the line is known. */
static bool
keys_add_line(const struct projection *t, const struct profile *p, key_id key, struct buf *out)
{
	struct line line = projection_key_line(t, p, key);

	if (line.form == LINE_UNKNOWN)
		return false;
	buf_addc(out, ':');
	human_line(out, line);
	return true;
}

/* Appends " 0x4012f6", if the granularity has addresses and the address is known. */
static void
add_address(const struct projection *t, const struct profile *p, key_id key, struct buf *out)
{
	uint64_t at = projection_key_address(t, p, key);

	if (at != ADDRESS_NONE)
		buf_addf(out, " 0x%" PRIx64, at);
}

void
key_name(const struct projection *t, const struct profile *p, key_id key, struct buf *out)
{
	size_t before = out->len;

	if (key == KEY_NONE) {
		buf_adds(out, "all");
		return;
	}
	profile_show_name(p, projection_key_name(t, p, key), out);
	if (out->len == before)
		buf_adds(out, granularity_rows[t->by].nameless);
	keys_add_line(t, p, key, out);
	add_address(t, p, key, out);
	if (projection_key_inlined(t, key))
		buf_adds(out, INLINED);
}

void
key_place(const struct projection *t, const struct profile *p, key_id key, struct buf *out)
{
	struct function f;

	if (!key_function(t, p, key, &f) || f.file == NAME_EMPTY)
		return;
	profile_show_name(p, f.file, out);
	if (!keys_add_line(t, p, key, out) && f.line)
		buf_addf(out, ":%u", f.line);
}

void
key_module(const struct projection *t, const struct profile *p, key_id key, struct buf *out)
{
	struct function f;

	if (key_function(t, p, key, &f))
		profile_show_name(p, f.module, out);
}

enum kind
key_kind(const struct projection *t, const struct profile *p, key_id key)
{
	struct function f;

	return key_function(t, p, key, &f) ? (enum kind)f.kind : KIND_USER;
}
