/* stack_queue.c - a queue of paths keeps the frames of at most one that is too deep. */
#include "src/decode/common/stack_queue.h"

#include <check.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/build/builder_load.h"
#include "model/profile/profile.h"
#include "tests/lib/unit.h"

#define DEEP (2 * (size_t)STACK_DEPTH_MAX)

struct deep {
	struct stack_queue q;
	frame_id *frame;
	unsigned made, none;
};

/* Even items have one frame, odd ones too many; neighbours share none. */
static bool
path(void *owner, uint32_t i)
{
	struct deep *d = owner;

	d->frame[0] = i;
	stack_queue_path(&d->q, 0, d->frame, i % 2 ? DEEP : 1);
	return true;
}

static bool
take(void *owner, uint32_t i, stack_id stack)
{
	struct deep *d = owner;

	(void)i;
	d->made += stack != STACK_NONE;
	d->none += stack == STACK_NONE;
	return true;
}

START_TEST(test_a_path_that_is_too_deep_is_the_last)
{
	static const struct stack_queue_ops ops = {.path = path, .take = take};
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "file", "test");
	struct deep d = {.q = {.b = b, .ops = &ops, .owner = &d},
			 .frame = mem_zalloc(DEEP, sizeof *d.frame)};
	struct err e;

	err_init(&e);
	for (unsigned i = 0; i < STACK_QUEUE; i++)
		builder_frame(b, builder_function_named(b, "f", 1), line_numbered(i + 1));
	for (unsigned i = 0; i < STACK_QUEUE; i++) {
		ck_assert_uint_eq(stack_queue_next(&d.q), i);
		ck_assert(stack_queue_add(&d.q, NULL, 0, 0));
	}
	ck_assert_uint_eq(d.made, 1);
	ck_assert_uint_eq(d.none, STACK_QUEUE - 1);
	ck_assert_uint_le(d.q.frame.cap, 2 * (STACK_DEPTH_MAX + 2));
	stack_queue_release(&d.q);
	free(d.frame);
	builder_finish(b, &e);
	builder_free(b);
	profile_free(p);
}
END_TEST

UNIT(stack_queue)
{
	Suite *s = suite_create("stack_queue");
	TCase *t = tcase_create("stack_queue");

	tcase_add_test(t, test_a_path_that_is_too_deep_is_the_last);
	suite_add_tcase(s, t);
	return s;
}
