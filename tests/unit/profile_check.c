#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/builder.h"
#include "model/profile/profile.h"
#include "model/profile/series_column.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* All other tests and the fuzzers rely on profile_check(), so it is tested itself: a good
 * profile passes; each kind of damage, planted into a good one, is found. */

struct planted {
	struct profile *p;
	struct builder *b;
	struct series *s;
};

/* 200,000 samples on 50 stacks, in a series that has checkpoints. */
static struct planted
good_profile(void)
{
	struct planted x = {.p = profile_new()};
	stack_id stack[50];
	struct chance c;
	struct err e;

	err_init(&e);
	chance_init(&c, 15);
	x.b = builder_new(x.p, "good", "test");
	metric_id m = builder_metric(x.b, "bytes", UNIT_BYTES, ROLE_VALUE);
	x.s = builder_samples(x.b, builder_track(x.b, "main", 4, TRACK_THREAD), &m, 1);
	for (uint32_t i = 0; i < 50; i++) {
		char name = (char)('A' + i);
		stack[i] = builder_child(
			x.b, i ? stack[i / 2] : STACK_EMPTY,
			builder_frame(x.b, builder_function_named(x.b, &name, 1),
				      line_unknown()));
	}
	for (int64_t i = 0; i < 200000; i++) {
		int64_t value = chance_below(&c, 1000);
		if (!builder_sample(x.b, x.s, i * 3, stack[chance_below(&c, 50)], &value,
				    0, &e))
			ck_abort_msg("%s", e.text);
	}
	builder_finish(x.b, &e);
	ck_assert_msg(profile_check(x.p, &e), "%s", e.text);
	ck_assert_uint_ge(x.s->n_checkpoints, 2);
	return x;
}

/* Value i of a column, packed to bits or not. */
static void
column_set(struct column *c, uint32_t i, int64_t v)
{
	uint64_t offset = (uint64_t)v - (uint64_t)(c->bases ? c->bases[i / COLUMN_GROUP] : c->base);
	uint64_t bit = (uint64_t)i * c->bits, mask = (UINT64_C(1) << c->bits) - 1;
	uint8_t *at = (uint8_t *)c->at + bit / 8;

	if (c->bits)
		column_word_put(at, (column_word(at) & ~(mask << bit % 8)) |
					    (offset / c->step & mask) << bit % 8);
	else
		column_store(c->at, c->width, i, offset);
	ck_assert_int_eq(column_get(c, i), v);
}

static void
plant_checkpoint(struct planted *x)
{
	/* the sums of the first metric, one byte or more a stack */
	*(uint8_t *)x->s->checkpoint[1].sum[0].at ^= 1;
}

static void
plant_key(struct planted *x)
{
	x->s->checkpoint[1].key = 1;
}

static void
plant_checkpoint_elsewhere(struct planted *x)
{
	x->s->checkpoint[0].events++;
}

static void
plant_block(struct planted *x)
{
	x->s->block_sum[7 * x->s->n_metrics]++;
}

static void
plant_order(struct planted *x)
{
	column_set(&x->s->chunk[0].time, 10, 0);
}

static void
plant_value(struct planted *x)
{
	struct column *value = &x->s->chunk[0].value[0];

	column_set(value, 0, column_get(value, 0) ^ 1);
}

static void
set_stack(struct chunk *c, uint32_t i, stack_id stack)
{
	column_set(&c->stack, i, stack);
}

static void
plant_stack(struct planted *x)
{
	set_stack(&x->s->chunk[2], 5, x->p->stacks.n);
}

static void
plant_other_stack(struct planted *x)
{
	set_stack(&x->s->chunk[0], 5, chunk_stack(&x->s->chunk[0], 5) == 1 ? 2 : 1);
}

static void
plant_first(struct planted *x)
{
	x->s->chunk[3].first++;
}

static void
plant_count(struct planted *x)
{
	x->s->n--;
}

static void
plant_parent(struct planted *x)
{
	x->p->stacks.parent[10] = 11;
}

static void
plant_frame(struct planted *x)
{
	x->p->stacks.frame[10] = x->p->frames.n;
}

static void
plant_function(struct planted *x)
{
	x->p->frames.frame.function[10] = x->p->frames.n_functions;
}

static void
plant_name(struct planted *x)
{
	x->p->frames.function.name[10] = x->p->names.n;
}

static void
plant_kind(struct planted *x)
{
	frames_function(&x->p->frames, (struct function){.kind = KINDS});
}

static void
plant_interned_twice(struct planted *x)
{
	x->p->names.place[5] = x->p->names.place[6];
}

static void
plant_track(struct planted *x)
{
	x->p->track[0].end = x->p->track[0].start - 1;
}

static void
plant_owner(struct planted *x)
{
	x->s->track = 1;
}

static void (*const plants[])(struct planted *x) = {
	plant_checkpoint,     plant_key,    plant_checkpoint_elsewhere,
	plant_block,          plant_order,  plant_value,
	plant_stack,          plant_first,  plant_other_stack,
	plant_count,          plant_parent, plant_frame,
	plant_function,       plant_name,   plant_kind,
	plant_interned_twice, plant_track,  plant_owner,
};

START_TEST(test_planted)
{
	struct planted x = good_profile();
	struct err e;

	err_init(&e);
	plants[_i](&x);
	ck_assert_msg(!profile_check(x.p, &e), "damage %d is not found", _i);
	ck_assert(err_is_set(&e));
	builder_free(x.b);
	profile_free(x.p);
}
END_TEST

UNIT(profile_check)
{
	Suite *suite = suite_create("profile_check");
	TCase *cases = tcase_create("planted damage");

	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, test_planted, 0,
			    (int)(sizeof plants / sizeof *plants));
	suite_add_tcase(suite, cases);
	return suite;
}
