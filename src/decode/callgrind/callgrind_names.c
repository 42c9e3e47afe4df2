#include "src/decode/callgrind/callgrind_names.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

void
callgrind_names_release(struct callgrind_names *n)
{
	for (unsigned i = 0; i < SPACES; i++)
		idmap_release(&n->of[i]);
	vec_release_all(&n->name, &n->owed);
}

/* `???` is an unknown file. */
static name_id
plain_name(struct callgrind_names *n, enum callgrind_space space, const char *at, size_t len)
{
	if (space != SPACE_FUNCTION && len == 3 && !memcmp(at, "???", 3))
		return NAME_EMPTY;
	if (space == SPACE_OBJECT)
		for (size_t i = len; i-- > 0;)
			if (at[i] == '/') {
				at += i + 1;
				len -= i + 1;
				break;
			}
	return builder_name(n->b, at, len);
}

/* Returns the name of a number, or an owed name if it is not defined yet. */
static name_id
callgrind_name_of(struct callgrind_names *n, enum callgrind_space space, uint64_t id)
{
	uint32_t i;

	if (idmap_add(&n->of[space], id, n->name.n, &i)) {
		*vec_push(&n->name) = CALLGRIND_OWED + (name_id)n->owed.n;
		*vec_push(&n->owed) = (struct callgrind_owed){space, i};
	}
	return n->name.at[i];
}

name_id
callgrind_name(struct callgrind_names *n, enum callgrind_space space, const char *at,
	       const char *end)
{
	const char *close = at < end && *at == '(' ? memchr(at, ')', (size_t)(end - at)) : NULL;
	int64_t id;

	if (!close || !number_parse(at + 1, close, &id) || id < 0)
		return plain_name(n, space, at, (size_t)(end - at));
	at = skip_blanks(close + 1, end);
	if (at == end)
		return callgrind_name_of(n, space, (uint64_t)id);
	name_id name = plain_name(n, space, at, (size_t)(end - at));
	uint32_t i = idmap_get(&n->of[space], (uint64_t)id);
	if (i != IDMAP_NONE && callgrind_name_owed(n->name.at[i])) {
		n->name.at[i] = name; /* paid */
		return name;
	}
	*vec_push(&n->name) = name;
	idmap_put(&n->of[space], (uint64_t)id, (uint32_t)n->name.n - 1);
	return name;
}

name_id
callgrind_names_bound(const struct callgrind_names *n, name_id name)
{
	if (!callgrind_name_owed(name))
		return name;
	const struct callgrind_owed *o = &n->owed.at[name - CALLGRIND_OWED];
	name = n->name.at[o->at];
	if (!callgrind_name_owed(name))
		return name;
	return o->space == SPACE_FUNCTION ? builder_name(n->b, "[unknown]", 9) : NAME_EMPTY;
}

void
callgrind_names_report(const struct callgrind_names *n)
{
	unsigned never = 0;

	for (size_t i = 0; i < n->owed.n; i++)
		never += callgrind_name_owed(n->name.at[n->owed.at[i].at]);
	if (n->owed.n)
		builder_warn(n->b,
			     "numbers used before a line gives them a name: %u; that no line gives "
			     "one: %u, [unknown]",
			     (unsigned)n->owed.n, never);
}
