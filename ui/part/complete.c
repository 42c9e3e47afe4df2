/* complete.c - see complete.h.
 *
 * The names of a profile lie in the order of their first use, so each Tab scans all of them. Half a
 * million take a few milliseconds, and an index would need maintenance while the file grows. */
#include "ui/part/complete.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/utf8.h"
#include "model/lens/subject.h"

void
complete_release(struct complete *k)
{
	vec_release(&k->names);
	buf_release(&k->text);
}

/* True if the name can be typed: valid characters without controls. */
static bool
is_typable(struct name n)
{
	const unsigned char *at = (const unsigned char *)n.at;
	for (size_t i = 0; i < n.len;) {
		size_t one = utf8_length(at + i, n.len - i);
		if (!one || at[i] < 0x20 || at[i] == 0x7f)
			return false;
		i += one;
	}
	return n.len > 0;
}

static void
try_name(struct complete *k, const struct profile *p, name_id id, const struct buf *begin)
{
	struct name n = names_get(&p->names, id);
	if (n.len >= begin->len && !memcmp(n.at, buf_str(begin), begin->len) && is_typable(n))
		*vec_push(&k->names) = id;
}

struct complete_order {
	const struct profile *p;
};

static int
complete_by_name(const void *a, const void *b, void *ctx)
{
	const struct profile *p = ((const struct complete_order *)ctx)->p;
	struct name x = names_get(&p->names, *(const name_id *)a);
	struct name y = names_get(&p->names, *(const name_id *)b);
	return strcmp(x.at, y.at);
}

static void
sort_names(struct complete *k, const struct profile *p)
{
	struct complete_order order = {p};
	size_t n = 0;
	if (!k->names.n)
		return;
	qsort_r(k->names.at, k->names.n, sizeof *k->names.at, complete_by_name, &order);
	for (size_t i = 0; i < k->names.n; i++)
		if (!n || k->names.at[n - 1] != k->names.at[i])
			k->names.at[n++] = k->names.at[i];
	k->names.n = n;
}

/* Returns the common beginning of sorted names, in whole characters: that of the first and the
 * last. */
static size_t
common_len(const struct complete *k, const struct profile *p)
{
	struct name x = names_get(&p->names, k->names.at[0]);
	struct name y = names_get(&p->names, k->names.at[k->names.n - 1]);
	size_t n = 0;
	while (n < x.len && n < y.len && x.at[n] == y.at[n])
		n++;
	while (n && n < x.len && is_utf8_tail(x.at[n]))
		n--;
	return n;
}

static void
complete_find_frames(struct complete *k, const struct profile *p, enum subject subject,
		     const struct buf *begin)
{
	const char *word;
	for (uint32_t i = 0; i < p->frames.n_functions; i++) {
		word = NULL;
		struct function f = profile_function(p, i);
		name_id id = subject_of(subject, &f, &word);
		if (!word && id != NAME_EMPTY)
			try_name(k, p, id, begin);
	}
	sort_names(k, p);
}

static void
find_tracks(struct complete *k, const struct profile *p, const struct buf *begin)
{
	for (uint32_t i = 0; i < p->n_tracks; i++)
		try_name(k, p, p->track[i].name, begin);
	sort_names(k, p);
}

/* Copies the typed text without its backslashes. */
static void
unquote(const char *at, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++) {
		if (at[i] == '\\' && i + 1 < len)
			i++;
		buf_addc(out, at[i]);
	}
}

static void
quote(const char *at, size_t len, bool literal, struct buf *out)
{
	for (size_t i = 0; i < len; i++) {
		if (!literal && strchr("\\^$.[]|()?*+{}", at[i]))
			buf_addc(out, '\\');
		buf_addc(out, at[i]);
	}
}

/* Completes keys, and after the colon those values of the key that are text. */
static void
find_labels(struct complete *k, const struct profile *p, const char *key, size_t key_len,
	    const struct buf *begin)
{
	name_id of = key ? names_find(&p->names, key, key_len) : UINT32_MAX;
	for (label_id i = 0; i < p->labels.n_labels; i++) {
		const struct label *l = &p->labels.label[i];
		if (!key)
			try_name(k, p, l->key, begin);
		else if (l->key == of && !l->is_number)
			try_name(k, p, l->text, begin);
	}
	sort_names(k, p);
}

static void
complete_labels(struct complete *k, const struct profile *p, const char *text, size_t len,
		enum complete_what what)
{
	size_t sign = what == COMPLETE_LABELS && len && *text == '!', head = sign;
	const char *colon = what == COMPLETE_LABELS ? memchr(text, ':', len) : NULL;
	struct buf begin = BUF_INIT;
	if (colon)
		head = (size_t)(colon - text) + 1;
	bool literal = !colon || (head < len && text[head] == '=');
	head += colon && head < len && (literal || text[head] == '^');
	k->names.n = 0;
	buf_reset(&k->text);
	buf_add(&k->text, text, head);
	if (literal)
		buf_add(&begin, text + head, len - head);
	else
		unquote(text + head, len - head, &begin);
	find_labels(k, p, colon ? text + sign : NULL, colon ? (size_t)(colon - text) - sign : 0,
		    &begin);
	if (k->names.n)
		quote(names_get(&p->names, k->names.at[0]).at, common_len(k, p), literal,
		      &k->text);
	if (k->names.n == 1 && what == COMPLETE_LABELS && !colon)
		buf_addc(&k->text, ':');
	buf_release(&begin);
}

void
complete_pattern(struct complete *k, const struct profile *p, const char *text, size_t len,
		 enum complete_what what)
{
	static const enum subject others[] = {SUBJECT_MODULE, SUBJECT_FILE};
	struct buf begin = BUF_INIT;
	enum subject subject = SUBJECT_FN;
	size_t head = len && *text == '!';
	head += subject_parse(text + head, len - head, &subject);
	if (what == COMPLETE_LABELS || what == COMPLETE_KEYS) {
		complete_labels(k, p, text, len, what);
		return;
	}
	bool named = head > 1, literal = head < len && text[head] == '=';
	if (head < len && (literal || text[head] == '^'))
		head++;
	k->names.n = 0;
	buf_reset(&k->text);
	buf_add(&k->text, text, head);
	if (literal)
		buf_add(&begin, text + head, len - head);
	else
		unquote(text + head, len - head, &begin);
	if (what == COMPLETE_TRACKS)
		find_tracks(k, p, &begin);
	else
		complete_find_frames(k, p, subject, &begin);
	/* if no function matches, a module or a file may */
	for (size_t i = 0; !k->names.n && !named && what == COMPLETE_FRAMES && i < 2; i++) {
		complete_find_frames(k, p, others[i], &begin);
		if (!k->names.n)
			continue;
		size_t sign = len && *text == '!';
		buf_reset(&k->text);
		buf_addf(&k->text, "%s%s:", sign ? "!" : "", subject_name(others[i]));
		buf_add(&k->text, text + sign, head - sign);
	}
	if (k->names.n) {
		size_t n = common_len(k, p);
		quote(names_get(&p->names, k->names.at[0]).at, n, literal, &k->text);
	}
	buf_release(&begin);
}
