#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/vec.h"
#include "model/base/wide.h"
#include "model/fold/fold.h"
#include "model/profile/human.h"
#include "src/decode/decoder.h"
#include "src/encode/encoder.h"
#include "tests/lib/decoded.h"
#include "tests/lib/golden_inputs.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* An exported profile that is read again has the same numbers: for random profiles with names that
 * are hard to distinguish in folded stacks, and for each golden input.
 *
 * The truth comes from the first profile's paths alone: the self of each, and, added up here, the
 * total of each name. Names are compared in their displayed form, since that is written, `;` as
 * `:`. */

#define DIVIDER '\x01' /* shown names hold no control characters */
#define MILLION 1000000

struct path {
	char *text;
	wide self; /* millionths of anything */
};
struct paths {
	VEC(struct path) v;
};

static void
paths_release(struct paths *p)
{
	for (size_t i = 0; i < p->v.n; i++)
		free(p->v.at[i].text);
	vec_release(&p->v);
}

static wide
times(int64_t a, int64_t b)
{
	return wide_mul(wide_of(a), wide_of(b));
}

static void
paths_add(struct paths *p, const char *text, wide self)
{
	for (size_t i = 0; i < p->v.n; i++)
		if (!strcmp(p->v.at[i].text, text)) {
			p->v.at[i].self = wide_add(p->v.at[i].self, self);
			return;
		}
	*vec_push(&p->v) = (struct path){strdup(text), self};
}

static wide
paths_self(const struct paths *p, const char *text)
{
	for (size_t i = 0; i < p->v.n; i++)
		if (!strcmp(p->v.at[i].text, text))
			return p->v.at[i].self;
	return wide_of(0);
}

static void
node_text(const struct fold *f, const struct profile *p, node_id node, struct buf *out)
{
	node_id chain[4096];
	size_t n = 0;

	for (; node != NODE_ROOT; node = f->tree->parent[node]) {
		ck_assert_uint_lt(n, 4096);
		chain[n++] = node;
	}
	while (n--) {
		key_id key = f->tree->key[chain[n]];
		struct line line = projection_key_line(f->tree, p, key);
		size_t start = out->len;
		profile_write_name(p, projection_key_name(f->tree, p, key), out);
		if (line.form != LINE_UNKNOWN) {
			buf_addc(out, ':');
			human_line(out, line);
		}
		for (size_t i = start; i < out->len; i++)
			if (out->at[i] == ';')
				out->at[i] = ':';
		buf_addc(out, DIVIDER);
	}
}

/* Of all nodes, in millionths. */
static struct paths
paths_of(const struct profile *p, const struct lens *l)
{
	struct paths out = {VEC_INIT};
	struct fold *f = fold_new();
	struct err e;

	err_init(&e);
	ck_assert_msg(fold_update(f, p, l, NULL, &e), "%s", e.text);
	int64_t scale = p->metric[f->metric].decimals ? 1 : MILLION;
	for (node_id i = 1; i < f->tree->n; i++) {
		struct buf text = BUF_INIT;
		if (!f->now.self[i])
			continue;
		node_text(f, p, i, &text);
		paths_add(&out, buf_str(&text), times(f->now.self[i], scale));
		buf_release(&text);
	}
	fold_free(f);
	return out;
}

static void
check_same_paths(const struct paths *a, const struct paths *b)
{
	for (size_t i = 0; i < a->v.n; i++)
		ck_assert_msg(!wide_cmp(paths_self(b, a->v.at[i].text), a->v.at[i].self),
			      "%s: %lld, not %lld", a->v.at[i].text,
			      (long long)wide_low(paths_self(b, a->v.at[i].text)),
			      (long long)wide_low(a->v.at[i].self));
}

/* Returns true if the name is one of the path's.  Both end in a divider. */
static bool
path_has(const char *path, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = path; *at; at = strchr(at, DIVIDER) + 1)
		if (!strncmp(at, name, len))
			return true;
	return false;
}

/* The rows of the profile read, against sums over the written paths. */
static void
check_rows(const struct profile *p, const struct paths *truth)
{
	struct fold *f = fold_new();
	struct rows rows = {0};
	struct lens l;
	struct err e;

	err_init(&e);
	lens_init(&l);
	ck_assert(fold_update(f, p, &l, NULL, &e));
	fold_rows(f, &rows);
	int64_t scale = p->metric[f->metric].decimals ? 1 : MILLION;
	for (uint32_t i = 0; i < rows.n; i++) {
		struct buf name = BUF_INIT;
		wide self = wide_of(0), total = self;
		profile_write_name(p, projection_key_name(f->tree, p, rows.key[i]), &name);
		buf_addc(&name, DIVIDER);
		for (size_t k = 0; k < truth->v.n; k++) {
			const struct path *x = &truth->v.at[k];
			size_t len = strlen(x->text);
			bool leaf = len >= name.len &&
				    !strcmp(x->text + len - name.len, buf_str(&name)) &&
				    (len == name.len ||
				     x->text[len - name.len - 1] == DIVIDER);
			if (leaf)
				self = wide_add(self, x->self);
			if (path_has(x->text, buf_str(&name)))
				total = wide_add(total, x->self);
		}
		ck_assert(!wide_cmp(times(rows_get(&rows, i).self, scale), self));
		ck_assert(!wide_cmp(times(rows_get(&rows, i).total, scale), total));
		buf_release(&name);
	}
	rows_release(&rows);
	lens_release(&l);
	fold_free(f);
}

struct said {
	bool comparison, letterless;
};

static void
hear(const void *ctx, const char *text)
{
	struct said *said = (struct said *)(uintptr_t)ctx;

	said->comparison |= strstr(text, "comparison") != NULL;
	said->letterless |= strstr(text, "--input folded") != NULL;
}

/* Exports, reads, compares; gives whether there was anything to compare. */
static bool
round_trip(const struct profile *p, const struct lens *l)
{
	struct said said = {0};
	char *bytes = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&bytes, &len);
	struct encode_job job = {
		.profile = p, .lens = l, .out = out, .warn = hear, .ctx = &said};
	struct paths truth = paths_of(p, l);
	struct err e;
	bool compared = false;

	err_init(&e);
	ck_assert_msg(encoder_named("folded")->write(&job, &e), "%s", e.text);
	fclose(out);
	if (len && !said.comparison) {
		struct input *in = input_open_bytes(bytes, len, "x.folded");
		const struct decoder *d =
			said.letterless ? decoder_named("folded") : decoder_of(in, &e);
		ck_assert_msg(d && !strcmp(d->name, "folded"), "taken for %s:\n%s",
			      d ? d->name : "nothing", bytes);
		input_close(in);
		struct buf text = BUF_INIT;
		buf_add(&text, bytes, len);
		struct decoded again = decoded(d, &text, FROM_BYTES, NULL);
		struct lens whole;
		lens_init(&whole);
		ck_assert_msg(again.good && !again.p->n_warnings, "%s:\n%s", again.e.text,
			      bytes);
		struct paths read = paths_of(again.p, &whole);
		check_same_paths(&truth, &read);
		check_same_paths(&read, &truth);
		check_rows(again.p, &truth);
		paths_release(&read);
		lens_release(&whole);
		decoded_free(&again);
		buf_release(&text);
		compared = true;
	}
	paths_release(&truth);
	free(bytes);
	return compared;
}

/* ---- by chance ---- */

static const char *const names[] = {
	"main",      "a b",      "a=b",  "calls=1 20", "",       " ",        "x ",
	" y",        "a;b",      ";",    "x 1",        "x 2.5",  "x -3",     "17",
	"-",         "[libc]",   "[1] 2", "\ttab",      "tab\t7", "line\nend", "caf\xE9",
	"\xFF\xFE 4", "na\xC3\xAFve", "\xEF\xBB\xBF" "bom", "\x1B[31m", "#c", "a\\x01", "idle_[k]",
	"{\"a\": 1}", "operator new(unsigned)", "f:3", "0x1f", "\xE2\x80\xAE" "rtl", "1 2",
};
#define N_NAMES (sizeof names / sizeof *names)

static struct profile *
profile_by_chance(struct chance *c)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "chance", "chance");
	metric_id m = builder_metric(b, "live", UNIT_BYTES, ROLE_VALUE);
	unsigned few = 1 + chance_below(c, N_NAMES), n = 1 + chance_below(c, 12);
	unsigned from = chance_below(c, N_NAMES);
	struct err e;

	err_init(&e);
	builder_default_metric(b, m);
	struct series *s =
		builder_totals(b, builder_track(b, "main", 4, TRACK_THREAD), &m, 1);
	for (; n; n--) {
		stack_id stack = STACK_EMPTY;
		int64_t value = (int64_t)chance_below(c, 100) - 10;
		if (chance_one_in(c, 8))
			value = (int64_t)(chance_bits(c) >> (30 + chance_below(c, 30)));
		for (unsigned depth = 1 + chance_below(c, 5); depth; depth--) {
			const char *name = names[(from + chance_below(c, few)) % N_NAMES];
			struct function f = {
				.name = builder_name(b, name, strlen(name)),
				.line = chance_below(c, 3),
				.kind = (uint8_t)chance_below(c, KINDS),
			};
			struct line line = chance_one_in(c, 2) ? line_unknown()
							       : line_plain(chance_below(c, 9));
			stack = builder_child(
				b, stack, builder_frame(b, builder_function(b, f), line));
		}
		ck_assert(builder_total(b, s, stack, &value, 0, &e));
	}
	builder_finish(b, &e);
	builder_free(b);
	return p;
}

#define PROFILES 400

START_TEST(by_chance)
{
	struct chance c;
	unsigned compared = 0;

	chance_init(&c, (uint64_t)_i);
	for (unsigned i = 0; i < PROFILES; i++) {
		struct profile *p = profile_by_chance(&c);
		struct lens l;
		lens_init(&l);
		compared += round_trip(p, &l);
		l.by = BY_LINE;
		round_trip(p, &l);
		lens_release(&l);
		profile_free(p);
	}
	/* losses of the format are rare */
	ck_assert_uint_gt(compared, PROFILES * 8 / 10);
}
END_TEST

/* ---- every golden input ---- */

static bool
golden_file(const char *path)
{
	struct err e;
	struct profile *p = golden_profile(path, &e);
	bool compared = false;

	for (metric_id m = 0; p && m < p->n_metrics; m++) {
		struct lens l;
		if (!profile_metric_shown(p, m))
			continue;
		lens_init(&l);
		lens_set_metric(&l, names_get(&p->names, p->metric[m].name).at);
		compared |= round_trip(p, &l);
		l.by = BY_LINE;
		compared |= round_trip(p, &l);
		lens_release(&l);
	}
	profile_free(p);
	return compared;
}

START_TEST(golden)
{
	unsigned compared = 0;
	glob_t inputs = golden_inputs();

	for (size_t i = 0; i < inputs.gl_pathc; i++)
		compared += golden_file(inputs.gl_pathv[i]);
	globfree(&inputs);
	ck_assert_uint_gt(compared, 20);
}
END_TEST

UNIT(roundtrip)
{
	Suite *s = suite_create("roundtrip");
	TCase *t = tcase_create("roundtrip");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, by_chance, 0, 4);
	tcase_add_test(t, golden);
	suite_add_tcase(s, t);
	return s;
}
