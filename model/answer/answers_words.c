/* answers_words.c - classes of functions by their well-known names, or their kinds.
 *
 * A class is a text of names with blanks between them. Many are patterns, so a name is compared
 * with all words that have its first byte. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/answer/answers_inside.h"
#include "model/base/mem.h"

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

static unsigned
first_byte(const struct answers_word *word)
{
	return *word->at == '~' ? ' ' : (unsigned char)*word->at;
}

void
answers_words_init(struct answers_words *x, const char *const *known, int n_classes)
{
	VEC(struct answers_word) all = VEC_INIT;

	*x = (struct answers_words){0};
	for (int c = 1; c < n_classes; c++)
		for (const char *at = known[c]; *at;) {
			size_t len = strcspn(at, " ");
			if (len)
				*vec_push(&all) = (struct answers_word){at, len, c};
			at += len + (at[len] == ' ');
		}
	for (size_t i = 0; i < all.n; i++) {
		assert(*all.at[i].at != '*'); /* it would have no first byte */
		x->from[first_byte(&all.at[i]) + 1]++;
	}
	for (unsigned i = 0; i < 256; i++)
		x->from[i + 1] += x->from[i];
	x->n = (uint32_t)all.n;
	x->word = mem_alloc(all.n + 1, sizeof *x->word);
	for (size_t i = all.n; i-- > 0;) /* from[] becomes the begin of each byte */
		x->word[--x->from[first_byte(&all.at[i]) + 1]] = all.at[i];
	vec_release(&all);
}

void
answers_words_release(struct answers_words *x)
{
	free(x->word);
	*x = (struct answers_words){0};
}

static int
class_of(const struct answers_words *x, struct name n)
{
	unsigned first = n.len ? (unsigned char)n.at[0] : 0;
	uint32_t end = first < 255 ? x->from[first + 2] : x->n;

	for (uint32_t i = x->from[first + 1]; i < end; i++)
		if (word_matches(x->word[i].at, x->word[i].len, n))
			return x->word[i].class;
	return 0;
}

int
answers_class_of(const struct answers_words *x, struct name n)
{
	static const char inner[] = "__GI_"; /* what glibc calls a function of its own */
	int class = class_of(x, n);

	if (class || n.len < sizeof inner || memcmp(n.at, inner, sizeof inner - 1))
		return class;
	n.at += sizeof inner - 1;
	n.len -= (uint32_t)sizeof inner - 1;
	return class_of(x, n);
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
