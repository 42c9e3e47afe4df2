#include "model/base/nearest.h"

#include <string.h>

/* The edit distance of Damerau and Levenshtein. Keeps only three rows of the table. */

#define LETTERS_MAX 32u

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned
distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned row[3][LETTERS_MAX + 1];

	for (unsigned j = 0; j <= b_len; j++)
		row[0][j] = j;
	for (unsigned i = 1; i <= a_len; i++) {
		const unsigned *up = row[(i - 1) % 3], *two_up = row[(i + 1) % 3];
		unsigned *now = row[i % 3];
		now[0] = i;
		for (unsigned j = 1; j <= b_len; j++) {
			unsigned changed = up[j - 1] + (a[i - 1] != b[j - 1]);
			now[j] = least(changed, least(up[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], two_up[j - 2] + 1);
		}
	}
	return row[a_len % 3][b_len];
}

struct nearest
nearest_of(const char *word)
{
	unsigned most = (unsigned)strlen(word) / 3;

	return (struct nearest){.word = word, .distance = (most ? most : 1) + 1};
}

void
nearest_try(struct nearest *n, const char *candidate)
{
	size_t a = strlen(n->word), b = strlen(candidate);

	if (a > LETTERS_MAX || b > LETTERS_MAX)
		return;
	unsigned d = distance(n->word, a, candidate, b);
	if (d < n->distance) {
		n->distance = d;
		n->found = candidate;
	}
}

void
nearest_say(const struct nearest *n, struct buf *out)
{
	if (n->found)
		buf_addf(out, ": did you mean '%s'?", n->found);
}

bool
nearest_error(struct err *e, const char *before, const char *word, const char *behind,
	      const char *(*name)(size_t i))
{
	struct nearest near = nearest_of(word);
	struct buf known = BUF_INIT;

	for (size_t i = 0; name(i); i++) {
		buf_addf(&known, "%s%s", i ? ", " : "", name(i));
		nearest_try(&near, name(i));
	}
	nearest_say(&near, &known);
	err_usage(e, "%s'%s'%s: choose from %s", before, word, behind, buf_str(&known));
	buf_release(&known);
	return false;
}
