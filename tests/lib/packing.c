#include "tests/lib/packing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/base/vec.h"
#include "model/build/builder_load.h"
#include "model/lens/lens.h"
#include "model/profile/pack_form.h"
#include "src/encode/encoder.h"
#include "src/input/unzstd.h"
#include "tests/lib/unit.h"

struct buf
packing_pack(const struct profile *p)
{
	struct buf out = BUF_INIT;
	char *bytes = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&bytes, &len);
	struct encode_job job = {.profile = p, .out = stream};
	struct lens l;
	struct err e;

	err_init(&e);
	lens_init(&l);
	job.lens = &l;
	ck_assert_msg(encoder_named("pnav")->write(&job, &e), "%s", e.text);
	fclose(stream);
	buf_add(&out, bytes, len);
	free(bytes);
	lens_release(&l);
	return out;
}

struct decoded
packing_unpack(const struct buf *bytes)
{
	return decoded(decoder_named("pnav"), bytes, FROM_BYTES, NULL);
}

/* ---- changed contents ---- */

uint64_t
packing_fixed(const char *at, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | (uint8_t)at[n];
	return v;
}

static void
put_fixed(char *at, uint64_t v, unsigned n)
{
	for (; n--; v >>= 8)
		*at++ = (char)v;
}

void
packing_seal(char *head, const char *contents, size_t len)
{
	put_fixed(head + 4, 0, 4);
	put_fixed(head + 8, len, 8);
	put_fixed(head + 16, len, 8);
	put_fixed(head + 24, XXH3_64bits(contents, len), 8);
}

/* The same file with no section compressed. */
struct buf
packing_plain(const struct buf *from)
{
	struct buf out = BUF_INIT;
	size_t at = PACK_HEAD;

	buf_add(&out, from->at, PACK_HEAD);
	while (at < from->len) {
		char head[PACK_SECTION_HEAD];
		memcpy(head, from->at + at, sizeof head);
		size_t stored = packing_fixed(head + 8, 8), size = packing_fixed(head + 16, 8);
		char *text = malloc(size + 1);
		bool bad = false;
		if (packing_fixed(head + 4, 4) & PACK_ZSTD) {
			struct unzstd *z = unzstd_new();
			unzstd_feed(z, from->at + at + sizeof head, stored);
			ck_assert_uint_eq(unzstd_read(z, text, size, &bad), size);
			unzstd_free(z);
		} else {
			memcpy(text, from->at + at + sizeof head, size);
		}
		at += sizeof head + stored;
		packing_seal(head, text, size);
		buf_add(&out, head, sizeof head);
		buf_add(&out, text, size);
		free(text);
	}
	return out;
}

/* Changes one to four bytes of the contents of some section, of this kind or of any (""). */
void
packing_change(struct buf *b, struct chance *c, const char *kind)
{
	VEC(size_t) section = VEC_INIT;

	for (size_t at = PACK_HEAD; at < b->len;) {
		size_t size = packing_fixed(b->at + at + 8, 8);
		if (size && !strncmp(b->at + at, kind, strlen(kind)))
			*vec_push(&section) = at;
		at += PACK_SECTION_HEAD + size;
	}
	char *head = b->at + section.at[chance_below(c, (unsigned)section.n)];
	size_t size = packing_fixed(head + 8, 8);
	char *contents = head + PACK_SECTION_HEAD;
	for (unsigned n = 1 + chance_below(c, 4); n; n--) {
		char *at = contents + chance_below(c, (unsigned)size);
		static const unsigned char edges[] = {0, 1, 0x7f, 0x80, 0xff, 8, 64};
		if (chance_one_in(c, 2))
			*at = (char)edges[chance_below(c, sizeof edges)];
		else
			*at ^= (char)(1u << chance_below(c, 8));
	}
	packing_seal(head, contents, size);
	vec_release(&section);
}

struct buf
packing_with(const struct buf *all, const char *kind, const char *contents, size_t len)
{
	struct buf out = BUF_INIT;
	bool done = false;

	buf_add(&out, all->at, PACK_HEAD);
	for (size_t at = PACK_HEAD; at < all->len;) {
		size_t size = PACK_SECTION_HEAD + packing_fixed(all->at + at + 8, 8);
		if (!done && !memcmp(all->at + at, kind, 4)) {
			char head[PACK_SECTION_HEAD];
			memcpy(head, kind, 4);
			packing_seal(head, contents, len);
			buf_add(&out, head, sizeof head);
			buf_add(&out, contents, len);
			done = true;
		} else {
			buf_add(&out, all->at + at, size);
		}
		at += size;
	}
	ck_assert(done);
	return out;
}

/* ---- many events ---- */

/* Checkpoints exist only where events are many; samples and points take a third. */
enum { STEPS = 90000, EVENTS = 70000 };

struct making {
	struct builder *b;
	struct chance c;
	stack_id stack[200];
	struct err e;
};

static void
make_stacks(struct making *m)
{
	for (unsigned i = 0; i < 200; i++) {
		char name[16];
		snprintf(name, sizeof name, "f%u", i);
		function_id f = builder_function_named(m->b, name, strlen(name));
		stack_id up = i ? m->stack[chance_below(&m->c, i)] : STACK_EMPTY;
		m->stack[i] = builder_child(m->b, up,
					    builder_frame(m->b, f, line_plain(i)));
	}
}

static void
make_steps(struct making *m, metric_id time)
{
	track_id t = builder_track(m->b, "steps", 5, TRACK_THREAD);
	struct series *s = builder_steps_valued(m->b, t);
	int64_t now = -1000;

	(void)time;
	for (unsigned i = 0; i < STEPS; i++) {
		now += chance_below(&m->c, 1000);
		ck_assert(builder_step_valued(m->b, s, now, m->stack[chance_below(&m->c, 200)],
					      i % 3 ? STEP_CALL : STEP_RETURN,
					      i % 3 ? chance_below(&m->c, 9) : 0, 0, &m->e));
	}
	builder_track_end(m->b, t, now + 77);
}

static void
next_label(struct making *m, struct series *s, name_id key)
{
	label_id label = builder_label_number(m->b, key, chance_below(&m->c, 50), NAME_EMPTY);

	builder_next_labels(m->b, s, builder_labels(m->b, &label, 1));
}

static void
make_samples(struct making *m, metric_id metric, int64_t most)
{
	track_id t = builder_track(m->b, "samples", 7, TRACK_THREAD);
	struct series *s = builder_samples(m->b, t, &metric, 1);
	name_id key = builder_name(m->b, "key", 3);

	builder_labelled(m->b, s);
	for (unsigned i = 0; i < EVENTS; i++) {
		int64_t value = (int64_t)(chance_bits(&m->c) % (uint64_t)most) - 3;
		next_label(m, s, key);
		ck_assert(builder_sample(m->b, s, i * INT64_C(37) % 4096,
					 m->stack[chance_below(&m->c, 200)], &value, 0, &m->e));
	}
}

static void
make_totals(struct making *m, metric_id metric, int64_t most)
{
	track_id t = builder_track(m->b, "totals", 6, TRACK_THREAD);
	struct series *s = builder_totals(m->b, t, &metric, 1);
	name_id key = builder_name(m->b, "key", 3);

	builder_labelled(m->b, s);
	for (unsigned i = 0; i < EVENTS; i++) {
		int64_t value = (int64_t)(chance_bits(&m->c) % (uint64_t)most) - 3;
		next_label(m, s, key);
		ck_assert(builder_total(m->b, s, m->stack[chance_below(&m->c, 200)], &value, 0,
					&m->e));
	}
}

static void
make_points(struct making *m, bool floating)
{
	track_id t = builder_track(m->b, "points", 6, TRACK_COUNTER);
	struct series *s = builder_points(m->b, t, floating);

	for (unsigned i = 0; i < EVENTS; i++) {
		int64_t v = (int64_t)chance_bits(&m->c);
		ck_assert(floating ? builder_point_double(m->b, s, i, (double)v / 7, 0, &m->e)
				   : builder_point(m->b, s, i, v, 0, &m->e));
	}
}

/* The values are small, too large to be summed without a look at each, and near the limit. */
static const int64_t mosts[PACKING_SIZES] = {1000, INT64_C(1) << 43, INT64_C(1) << 46};

struct profile *
packing_made(unsigned i)
{
	struct profile *p = profile_new();
	struct making m = {.b = builder_new(p, "made", "made")};

	err_init(&m.e);
	chance_init(&m.c, i);
	metric_id time = builder_timeline(m.b);
	metric_id bytes = builder_metric(m.b, "bytes", UNIT_BYTES, ROLE_VALUE);
	make_stacks(&m);
	make_steps(&m, time);
	make_samples(&m, bytes, mosts[i]);
	make_totals(&m, bytes, mosts[i]);
	make_points(&m, false);
	make_points(&m, true);
	builder_finish(m.b, &m.e);
	builder_free(m.b);
	return p;
}

