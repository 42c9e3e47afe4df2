/* alike.c - see alike.h.
 *
 * Candidates are chained by name, the one attribute that is always known.  Each agrees with the
 * function to some degree, and the best one wins:
 *
 *	               module     file
 *	3  equal       libz.so.1  src/inflate.c
 *	2  similar     libz.so.2  build/src/inflate.c   and the longer the common tail, the better
 *	1  unknown
 *	0  different   libm.so    src/deflate.c         no candidate
 *
 * Among equals the nearest definition line wins. So two functions of one name in one file
 * (overloads whose profiler drops the arguments) find their own counterparts while their order
 * stays.
 *
 * Rejected: matching by address (another build has others), by name alone (static functions of
 * one name in two files are two functions), and the best assignment of all functions at once
 * (the functions of a file come one by one, with their samples). */
#include "model/compare/alike.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

enum agreement { DIFFERENT, UNKNOWN, SIMILAR, EQUAL };

#define NO_CLAIM UINT32_MAX
#define TAIL_MAX 15u

static uint64_t
alike_hash_of(name_id name)
{
	uint64_t h = (name + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);

	return h ^ h >> 29;
}

/* Returns the head of the chain of a name; UINT32_MAX if there is none. */
static function_id
chain_of(const struct alike *a, const struct frames *t, name_id name)
{
	uint64_t hash = alike_hash_of(name);
	uint32_t slot = map_first(&a->map, hash), i;

	while (map_probe(&a->map, &slot, hash, &i))
		if (t->function.name[i] == name)
			return i;
	return UINT32_MAX;
}

/* ---- paths ---- */

static bool
is_separator(char c)
{
	return c == '/' || c == '\\';
}

static bool
is_version(const char *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isdigit((unsigned char)at[i]) && at[i] != '.')
			return false;
	return len && isdigit((unsigned char)at[0]);
}

name_id
alike_module(struct names *names, name_id module)
{
	struct name n = names_get(names, module);
	size_t from = n.len, len, end;
	char base[256];

	while (from && !is_separator(n.at[from - 1]))
		from--;
	len = n.len - from;
	if (!len || len >= sizeof base)
		return module;
	memcpy(base, n.at + from, len);
	for (size_t i = len; i-- > 3;)
		if (!memcmp(base + i - 3, ".so.", 4) && is_version(base + i + 1, len - i - 1))
			len = i;
	/* the stem ends before the last extension that is not a number */
	end = len;
	for (size_t i = len; i-- > 1;)
		if (base[i] == '.' && i + 1 < len && !isdigit((unsigned char)base[i + 1])) {
			end = i;
			break;
		}
	for (size_t i = end; i-- > 1;)
		if (base[i] == '-' && is_version(base + i + 1, end - i - 1)) {
			memmove(base + i, base + end, len - end);
			len -= end - i;
			break;
		}
	return from || len != n.len ? names_put(names, base, len) : module;
}

/* Returns how many trailing components two paths share; at most TAIL_MAX. */
static unsigned
common_tail(struct name a, struct name b)
{
	unsigned tail = 0;
	size_t i = a.len, k = b.len;

	while (tail < TAIL_MAX) {
		while (i && k && a.at[i - 1] == b.at[k - 1] && !is_separator(a.at[i - 1]))
			i--, k--;
		bool ends_a = !i || is_separator(a.at[i - 1]),
		     ends_b = !k || is_separator(b.at[k - 1]);
		if (!ends_a || !ends_b)
			return tail;
		tail++;
		if (!i || !k)
			return tail;
		i--, k--;
	}
	return tail;
}

/* ---- the table ---- */

void
alike_init(struct alike *a, struct profile *p, bool compares)
{
	const struct frames *t = &p->frames;

	*a = (struct alike){.n = t->n_functions, .compares = compares, .paths = p->match_paths};
	map_init(&a->map);
	if (!a->n || (a->paths && !compares)) {
		a->n = 0; /* merging by whole paths only interns */
		return;
	}
	a->next = mem_alloc(a->n, sizeof *a->next);
	a->module = mem_alloc(a->n, sizeof *a->module);
	a->claim = mem_alloc(a->n, sizeof *a->claim);
	for (function_id f = 0; f < a->n; f++) {
		/* the first function of a name heads its chain; others follow it */
		function_id head = chain_of(a, t, t->function.name[f]);
		a->next[f] = UINT32_MAX;
		a->module[f] = alike_module(&p->names, frames_get_function(t, f).module);
		a->claim[f].module = NO_CLAIM;
		if (head == UINT32_MAX) {
			map_insert(&a->map, alike_hash_of(t->function.name[f]), f);
			continue;
		}
		a->next[f] = a->next[head];
		a->next[head] = f;
	}
}

void
alike_release(struct alike *a)
{
	map_release(&a->map);
	free(a->next);
	free(a->module);
	free(a->claim);
	*a = (struct alike){0};
}

static enum agreement
agree(name_id a, name_id b)
{
	if (a == b)
		return a == NAME_EMPTY ? UNKNOWN : EQUAL;
	return a == NAME_EMPTY || b == NAME_EMPTY ? UNKNOWN : DIFFERENT;
}

/* Returns true if another function of the later file than f claims this function. */
static bool
is_claimed(struct alike_claim claim, struct function f)
{
	return claim.module != NO_CLAIM && (agree(claim.module, f.module) == DIFFERENT ||
					    agree(claim.file, f.file) == DIFFERENT);
}

/* Returns how well a candidate fits f, whose module without folder and version is `base`; 0: not
 * at all. */
static unsigned
score(const struct alike *a, const struct profile *p, function_id candidate, struct function f,
      name_id base)
{
	struct function x = profile_function(p, candidate);
	enum agreement module = agree(x.module, f.module), file = agree(x.file, f.file);
	unsigned tail = 0;

	if (module == EQUAL && file == EQUAL && x.line == f.line)
		return UINT32_MAX;
	if (!a->paths && module == DIFFERENT && a->module[candidate] == base)
		module = SIMILAR;
	if (!a->paths && file == DIFFERENT) {
		tail = common_tail(names_get(&p->names, x.file), names_get(&p->names, f.file));
		file = tail ? SIMILAR : DIFFERENT;
	}
	if (module == DIFFERENT || file == DIFFERENT)
		return 0;
	/* merged functions must know the same attributes */
	if (!a->compares &&
	    (x.line != f.line || (x.module == NAME_EMPTY) != (f.module == NAME_EMPTY) ||
	     (x.file == NAME_EMPTY) != (f.file == NAME_EMPTY)))
		return 0;
	if ((module == SIMILAR || file == SIMILAR) && is_claimed(a->claim[candidate], f))
		return 0;
	return ((unsigned)module << 8) + ((unsigned)file << 4) + tail;
}

function_id
alike_find(struct alike *a, struct profile *p, struct function f)
{
	function_id best = UINT32_MAX;
	unsigned best_score = 0;
	uint32_t best_distance = 0;

	if (!a->n)
		return best;
	function_id first = chain_of(a, &p->frames, f.name);
	name_id base = first == UINT32_MAX ? f.module : alike_module(&p->names, f.module);
	for (function_id i = first; i != UINT32_MAX; i = a->next[i]) {
		uint32_t line = profile_function(p, i).line;
		uint32_t distance = line > f.line ? line - f.line : f.line - line;
		unsigned s = score(a, p, i, f, base);
		if (!s || s < best_score ||
		    (s == best_score && best != UINT32_MAX && distance >= best_distance))
			continue;
		best = i;
		best_score = s;
		best_distance = distance;
	}
	if (best != UINT32_MAX && a->claim[best].module == NO_CLAIM)
		a->claim[best] = (struct alike_claim){f.module, f.file};
	return best;
}
