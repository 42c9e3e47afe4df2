/* answers_words.c - classes of functions by their well-known names, or their kinds.
 *
 * A class is a text of names with blanks between them. A hash of all names would be faster, but
 * each function is looked up once, and many names are patterns. */
#include <string.h>

#include "model/answer/answers_inside.h"

/* Returns true if the name matches a word of the list. */
static bool
word_matches(const char *word, size_t len, struct name n)
{
	bool open = len && word[len - 1] == '*';

	len -= open;
	if (n.len < len || (!open && n.len != len))
		return false;
	for (size_t i = 0; i < len; i++)
		if ((word[i] == '~' ? ' ' : word[i]) != n.at[i])
			return false;
	return true;
}

static int
class_of(const char *const *known, int n_classes, struct name n)
{
	for (int c = 1; c < n_classes; c++)
		for (const char *at = known[c]; *at;) {
			size_t len = strcspn(at, " ");
			if (len && word_matches(at, len, n))
				return c;
			at += len + (at[len] == ' ');
		}
	return 0;
}

int
answers_class_of(const char *const *known, int n_classes, struct name n)
{
	static const char inner[] = "__GI_"; /* what glibc calls a function of its own */
	int class = class_of(known, n_classes, n);

	if (class || n.len < sizeof inner || memcmp(n.at, inner, sizeof inner - 1))
		return class;
	n.at += sizeof inner - 1;
	n.len -= (uint32_t)sizeof inner - 1;
	return class_of(known, n_classes, n);
}

bool
answers_of_system(const struct answers_work *w)
{
	for (uint32_t i = 0; i < w->rows.n; i++) {
		struct row r = rows_get(&w->rows, i);
		if (r.total && profile_function(w->p, r.key).kind != KIND_SYSTEM)
			return false;
	}
	return true;
}
