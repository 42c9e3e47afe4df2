#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "model/base/vec.h"
#include "model/fold/fold.h"
#include "model/lens/regroup.h"
#include "src/decode/decoder.h"
#include "src/encode/encoder.h"
#include "src/encode/shown_times.h"
#include "tests/lib/decoded.h"
#include "tests/lib/golden_inputs.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/same_tracks.h"
#include "tests/lib/unit.h"

/* An exported profile that is read again has the same numbers, through any lens: for random
 * profiles, and for each golden input. The test adds up the numbers from the trees by the texts of
 * their paths, since ids and order differ; a format without paths is compared by function. Then it
 * compares tracks, points and calls, as far as the format represents them: the encoder must have
 * warned about the rest, and nothing else may be missing. It does not compare the number of records
 * of a track: two events of one file may be one slice in the other. */

struct format {
	const char *name;
	bool all;     /* all metrics are carried, by name; else the lens's alone */
	bool paths;   /* else functions */
	bool floats;  /* decimals are carried; else they are rounded */
	bool ns;      /* times of another unit are no times there */
	const char *nameless; /* the beginning of a reader's name for a nameless function */
	int64_t most; /* values that are larger are none that a reader has room for; 0: any */
	bool timed;      /* only profiles with times are written */
	bool by_lens;    /* frames have lines where the lens asks for them alone */
	bool by_function; /* and else the line that the function begins with */
	unsigned same;   /* SAME_ bits through any lens, */
	unsigned plain;  /* and where the lens shows all */
};

static const struct format formats[] = {
	{"pprof", .all = true, .paths = true, .nameless = "0x",
	 .plain = SAME_NAMES | SAME_METRICS},
	{"speedscope", .ns = true, .paths = true, .by_lens = true, .floats = true,
	 .nameless = "(unnamed)",
	 .plain = SAME_NAMES | SAME_CALLS},
	{"firefox", .paths = true, .nameless = "(anonymous", .most = 1000000000000,
	 .same = SAME_TRACKS | SAME_EXTENT | SAME_POINTS},
	{"chrome", .paths = true, .by_lens = true, .by_function = true, .timed = true,
	 .nameless = "(unnamed)",
	 .same = SAME_TRACKS | SAME_EXTENT | SAME_POINTS,
	 .plain = SAME_CALLS | SAME_METRICS},
	{"callgrind", .nameless = "???"},
};

struct text {
	char *at;
	int64_t self;
};
struct texts {
	VEC(struct text) v;
};

static void
texts_release(struct texts *t)
{
	for (size_t i = 0; i < t->v.n; i++)
		free(t->v.at[i].at);
	vec_release(&t->v);
}

static int64_t *
texts_self(struct texts *t, const char *text)
{
	for (size_t i = 0; i < t->v.n; i++)
		if (!strcmp(t->v.at[i].at, text))
			return &t->v.at[i].self;
	*vec_push(&t->v) = (struct text){strdup(text), 0};
	return &t->v.at[t->v.n - 1].self;
}

/* `name|file|line`: every format here preserves it. */
static void
frame_text(const struct format *format, const struct profile *p, const struct projection *t,
	   key_id key, struct buf *out)
{
	function_id f = projection_key_function(t, p, key);
	struct line line = projection_key_line(t, p, key);
	size_t start = out->len;

	profile_write_name(p, projection_key_name(t, p, key), out);
	size_t len = out->len - start;
	/* who has no name has nothing else either in some formats */
	if (!len || !strncmp(out->at + start, format->nameless, strlen(format->nameless))) {
		out->len = start;
		buf_addc(out, ';');
		return;
	}
	buf_addc(out, '|');
	/* a file as a whole is written as a function that is called like it */
	if (f != UINT32_MAX)
		profile_write_name(p, profile_function(p, f).file, out);
	else if (t->by == BY_FILE)
		profile_write_name(p, projection_key_name(t, p, key), out);
	buf_addc(out, '|');
	if (line.form != LINE_UNKNOWN && line.number)
		buf_addf(out, "%u", line.number);
	else if (format->by_function && f != UINT32_MAX && profile_function(p, f).line)
		buf_addf(out, "%u", profile_function(p, f).line);
	buf_addc(out, ';');
}

static struct texts
texts_of(const struct format *format, const struct profile *p, const struct lens *lens)
{
	struct texts out = {VEC_INIT};
	struct fold *f = fold_new();
	struct lens l;
	struct err e;

	err_init(&e);
	lens_copy(&l, lens);
	if (l.by == BY_FUNCTION && !format->by_lens)
		l.by = BY_LINE;
	ck_assert_msg(fold_update(f, p, &l, NULL, &e), "%s", e.text);
	for (node_id v = 1; v < f->tree->n; v++) {
		struct buf text = BUF_INIT;
		if (!f->now.self[v])
			continue;
		for (node_id up = v; up != NODE_ROOT; up = f->tree->parent[up]) {
			frame_text(format, p, f->tree, f->tree->key[up], &text);
			if (!format->paths)
				break;
		}
		*texts_self(&out, buf_str(&text)) += f->now.self[v];
		buf_release(&text);
	}
	lens_release(&l);
	fold_free(f);
	return out;
}

static void
check_same(const struct format *format, const char *what, struct texts *a, struct texts *b)
{
	for (size_t i = 0; i < a->v.n; i++) {
		int64_t read = *texts_self(b, a->v.at[i].at);
		ck_assert_msg(read == a->v.at[i].self, "%s, %s: %s: %lld, not %lld", format->name,
			      what, a->v.at[i].at, (long long)read, (long long)a->v.at[i].self);
	}
}

/* Decompresses gzipped output as a reader of files does. */
static void
unzip(char **bytes, size_t *len)
{
	z_stream z = {.next_in = (Bytef *)*bytes, .avail_in = (uInt)*len};
	size_t room = 1u << 16;
	char *out = malloc(room);
	int status;

	z.next_out = (Bytef *)out;
	z.avail_out = (uInt)room;
	ck_assert_int_eq(inflateInit2(&z, 15 + 16), Z_OK);
	while ((status = inflate(&z, Z_FINISH)) == Z_BUF_ERROR) {
		out = realloc(out, room *= 2);
		z.next_out = (Bytef *)out + z.total_out;
		z.avail_out = (uInt)(room - z.total_out);
	}
	ck_assert_int_eq(status, Z_STREAM_END);
	*len = z.total_out;
	inflateEnd(&z);
	free(*bytes);
	*bytes = out;
}

struct said {
	bool negative;  /* some value was left out for that */
	unsigned loses; /* SAME_ bits that the warnings take away */
};

/* All losses that the formats report and that are compared here. */
static void
hear(const void *ctx, const char *text)
{
	static const struct {
		const char *text;
		unsigned loses;
	} losses[] = {
		{"that times are not in ns", SAME_EXTENT},
		{"tracks,", SAME_NAMES},
		{"counts of calls", SAME_CALLS},
		{"other metrics", SAME_NAMES},
		{"suspended calls", SAME_CALLS},
		{"calls without a recorded begin or end", SAME_CALLS},
	};
	struct said *said = (struct said *)(uintptr_t)ctx;
	char list[2000];

	snprintf(list, sizeof list, "%s,", text);
	said->negative |= strstr(text, "below zero") != NULL;
	for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
		if (strstr(list, losses[i].text))
			said->loses |= losses[i].loses;
}

/* No profile that was read is like that: counters are tracks of their own, and a thread runs
 * one thing at a time. */
static bool
is_twofold(const struct profile *p)
{
	for (track_id t = 0; t < p->n_tracks; t++) {
		unsigned steps = 0, points = 0;
		for (uint32_t i = 0; i < p->track[t].n_series; i++) {
			steps += p->track[t].series[i]->kind == SERIES_STEPS;
			points += p->track[t].series[i]->kind == SERIES_POINTS;
		}
		if (steps > 1 || (points && p->track[t].kind < TRACK_COUNTER))
			return true;
	}
	return false;
}

/* true if tracks, points and calls were compared */
static bool
compare_tracks(const struct format *format, const char *what, const struct profile *p,
	       const struct lens *l, const struct profile *again, unsigned loses)
{
	struct fold *f = fold_new();
	struct lens all;
	struct err e;
	char text[6400];

	err_init(&e);
	lens_init(&all);
	ck_assert_msg(fold_update(f, p, l, NULL, &e), "%s", e.text);
	unsigned same = format->same | (lens_equal(l, &all) ? format->plain : 0);
	if (!f->whole)
		same &= ~(unsigned)SAME_EXTENT;
	if (is_twofold(p))
		same = 0;
	same &= ~loses;
	snprintf(text, sizeof text, "%s, %s", format->name, what);
	if (same)
		check_same_tracks(text, p, f, again, same);
	lens_release(&all);
	fold_free(f);
	return same;
}

static bool
is_read(const struct format *format, const struct texts *t)
{
	for (size_t i = 0; i < t->v.n; i++)
		if (format->most && (t->v.at[i].self > format->most ||
				     t->v.at[i].self < -format->most))
			return false;
	return t->v.n;
}

/* Compares the profile that was read again with the written one; false if they cannot be
 * compared. */
static bool
compare(const struct format *format, const char *what, const struct profile *p,
	const struct lens *l, const struct profile *again)
{
	struct texts written = texts_of(format, p, l), read;
	/* A lens that shows of the profile read again the same as `l` shows of p */
	struct lens whole;
	bool compared = is_read(format, &written);
	struct err e;

	err_init(&e);
	if (compared) {
		lens_init(&whole);
		metric_id m = lens_metric(l, p, &e);
		if (format->by_lens && !format->by_function &&
		    (l->by == BY_LINE || l->by == BY_ADDRESS))
			whole.by = BY_LINE;
		if (format->all && m != METRIC_NONE)
			lens_set_metric(&whole, names_get(&p->names, p->metric[m].name).at);
		read = texts_of(format, again, &whole);
		check_same(format, what, &written, &read);
		check_same(format, what, &read, &written);
		texts_release(&read);
		lens_release(&whole);
	}
	texts_release(&written);
	return compared;
}

/* The other metrics of a format that carries all of them. */
static bool
compare_others(const struct format *format, const char *what, const struct profile *p,
	       const struct lens *l, const struct profile *again)
{
	struct lens other;
	struct err e;
	bool compared = false;

	err_init(&e);
	metric_id main = lens_metric(l, p, &e);
	lens_copy(&other, l);
	for (metric_id m = 0; m < p->n_metrics; m++)
		if (m != main && profile_metric_shown(p, m)) {
			lens_set_metric(&other, names_get(&p->names, p->metric[m].name).at);
			compared |= compare(format, what, p, &other, again);
		}
	lens_release(&other);
	return compared;
}

/* All stacks are those of samples of the lens's metric: slices and sums have other ways. */
static bool
has_samples_alone(const struct profile *p, const struct lens *l)
{
	struct err e;

	err_init(&e);
	metric_id m = lens_metric(l, p, &e);
	for (track_id t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++) {
			const struct series *s = p->track[t].series[i];
			if (s->kind != SERIES_POINTS && s->n &&
			    (s->kind != SERIES_SAMPLES || series_metric(s, m) < 0))
				return false;
		}
	return true;
}

static bool
round_trip(const struct format *format, const char *what, const struct profile *p,
	   const struct lens *l)
{
	char *bytes = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&bytes, &len);
	struct said said = {0};
	struct encode_job job = {
		.profile = p, .lens = l, .out = out, .warn = hear, .ctx = &said};
	bool compared = false;
	struct err e;

	err_init(&e);
	bool good = encoder_named(format->name)->write(&job, &e);
	fclose(out);
	if (!good) { /* refused: there is no time */
		ck_assert_msg(format->timed && strstr(e.text, "has no time"), "%s", e.text);
		free(bytes);
		return false;
	}
	if (encoder_named(format->name)->compressed)
		unzip(&bytes, &len);
	struct texts written = texts_of(format, p, l);
	if (is_read(format, &written) && !said.negative) {
		struct input *in = input_open_bytes(bytes, len, "x");
		const struct decoder *d = decoder_of(in, &e);
		ck_assert_msg(d && !strcmp(d->name, format->name), "%s is taken for %s",
			      format->name, d ? d->name : "nothing");
		input_close(in);
		struct buf text = BUF_INIT;
		buf_add(&text, bytes, len);
		struct decoded again = decoded(d, &text, FROM_BYTES, NULL);
		ck_assert_msg(again.good, "%s, %s: %s", format->name, what, again.e.text);
		compared = compare_tracks(format, what, p, l, again.p, said.loses);
		if (!format->timed || has_samples_alone(p, l))
			compared |= compare(format, what, p, l, again.p);
		if (format->all)
			compared |= compare_others(format, what, p, l, again.p);
		decoded_free(&again);
		buf_release(&text);
	}
	texts_release(&written);
	free(bytes);
	return compared;
}

/* ---- by chance ---- */

#define N_FORMATS (sizeof formats / sizeof *formats)
#define PROFILES 500
#define LENSES 4 /* by chance one shows nothing at all: how many are tried */

START_TEST(by_chance)
{
	unsigned compared[N_FORMATS] = {0};

	for (unsigned i = 0; i < PROFILES; i++) {
		struct random_profile *r = random_profile_new(i);
		bool seen = false;
		random_profile_grow(r, 20);
		random_profile_finish(r);
		for (unsigned k = 0; k < LENSES && !seen; k++) {
			struct naive_lens naive;
			struct lens l;
			char what[32];
			random_lens(r, &naive, &l);
			/* a path turned over has no end of its own in a format of stacks */
			l.invert = false;
			snprintf(what, sizeof what, "profile %u, lens %u", i, k);
			struct regroup *regroup = regroup_new();
			const struct profile *p = regroup_look(regroup, r->model, &l, false, NULL);
			for (size_t x = 0; x < N_FORMATS; x++) {
				bool one = round_trip(&formats[x], what, p, &l);
				compared[x] += one;
				seen |= one;
			}
			regroup_free(regroup);
			lens_release(&l);
		}
		random_profile_free(r);
	}
	for (size_t x = 0; x < N_FORMATS; x++)
		ck_assert_uint_gt(compared[x], PROFILES / 5); /* some have no time */
}
END_TEST

/* ---- every golden input ---- */

static bool
has_decimals(const struct profile *p)
{
	for (metric_id m = 0; m < p->n_metrics; m++)
		if (p->metric[m].decimals)
			return true;
	return false;
}

/* Returns true if times are numbers of another unit. The export to such a format warns: they are
 * values there, without calls. */
static bool
has_ticks(const struct profile *p)
{
	for (uint32_t i = 0; i < p->n_groups; i++)
		if (p->group[i].has_time && p->group[i].axis != UNIT_NS)
			return true;
	return false;
}

/* Adds to [format] whether it was compared. */
static void
golden_file(const char *path, unsigned *compared)
{
	struct err e;
	struct lens l;
	struct profile *p = golden_profile(path, &e);

	if (!p)
		return;
	lens_init(&l);
	if (p->n_metrics && !p->comparison && !strstr(path, "overflow"))
		for (size_t x = 0; x < N_FORMATS; x++)
			if ((formats[x].floats || !has_decimals(p)) &&
			    (!formats[x].ns || !has_ticks(p)))
				compared[x] += round_trip(&formats[x], path, p, &l);
	lens_release(&l);
	profile_free(p);
}

START_TEST(golden)
{
	unsigned compared[N_FORMATS] = {0};
	glob_t inputs = golden_inputs();

	for (size_t i = 0; i < inputs.gl_pathc; i++)
		golden_file(inputs.gl_pathv[i], compared);
	globfree(&inputs);
	for (size_t x = 0; x < N_FORMATS; x++)
		ck_assert_uint_gt(compared[x], 20);
}
END_TEST

UNIT(exports)
{
	Suite *s = suite_create("exports");
	TCase *t = tcase_create("exports");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, by_chance);
	tcase_add_test(t, golden);
	suite_add_tcase(s, t);
	return s;
}
