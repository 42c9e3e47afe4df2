#include <check.h>
#include <string.h>

#include "tests/lib/decoded.h"
#include "tests/lib/encode_br.h"
#include "tests/lib/unit.h"

/* The br decoder against an encoder written from the document. */

static void
maps(struct buf *out)
{
	br_map(out, 1, "MAIN.BR");
	br_map(out, 2, "LIB.BR");
}

/* FNADD$ in LIB.BR, called from a GOSUB, called from MAIN; ns 0: no TIME record. */
static void
deep_group(struct buf *out, uint64_t ns)
{
	br_current(out, 2, 100, 2);
	br_function(out, "FNADD$");
	if (ns)
		br_time(out, ns - ns / 3);
	br_backtrace(out, 1, 50, 1);
	br_gosub(out);
	br_backtrace(out, 1, 10, 1);
	br_main(out);
	if (ns)
		br_time(out, ns / 3);
	br_end(out);
}

static void
flat_group(struct buf *out, uint64_t ns)
{
	br_current(out, 1, 20, 1);
	if (ns)
		br_time(out, ns);
	br_end(out);
}

START_TEST(sampled)
{
	struct buf out = BUF_INIT;

	maps(&out);
	for (int i = 0; i < 3; i++)
		deep_group(&out, 0);
	flat_group(&out, 0);
	struct decoded d = decoded(&decoder_br, &out, _i ? FROM_PIPE : FROM_BYTES, NULL);
	ck_assert_msg(d.good, "%s", d.e.text);
	ck_assert_int_eq(decoded_row(&d, NULL, "FNADD$").self, 3);
	ck_assert_int_eq(decoded_row(&d, NULL, "GOSUB").self, 0);
	ck_assert_int_eq(decoded_row(&d, NULL, "MAIN").total, 3);
	ck_assert_int_eq(decoded_row(&d, NULL, "MAIN.BR").self, 1);
	ck_assert_int_eq(decoded_row(&d, NULL, "FNADD$").calls, -1);
	ck_assert_int_eq(decoded_track(&d, "main")->end, 4);
	ck_assert_uint_eq(decoded_track(&d, "main")->unit, UNIT_SAMPLES);
	ck_assert_uint_eq(profile_metric(d.p, "time", 4), METRIC_NONE);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

START_TEST(timed)
{
	struct buf out = BUF_INIT;

	maps(&out);
	flat_group(&out, 0); /* a sample of 0 ns, before any TIME */
	deep_group(&out, 1000);
	deep_group(&out, 100);
	flat_group(&out, 7);
	struct decoded d = decoded(&decoder_br, &out, FROM_BYTES, NULL);
	ck_assert_msg(d.good, "%s", d.e.text);
	ck_assert_int_eq(decoded_row(&d, NULL, "FNADD$").self, 1100);
	ck_assert_int_eq(decoded_row(&d, NULL, "MAIN").total, 1100);
	ck_assert_int_eq(decoded_row(&d, NULL, "MAIN.BR").self, 7);
	ck_assert_int_eq(decoded_row(&d, "samples", "MAIN.BR").self, 2);
	const struct track *t = decoded_track(&d, "main");
	ck_assert_int_eq(t->start, 0);
	ck_assert_int_eq(t->end, 1107);
	ck_assert_uint_eq(t->unit, UNIT_NS);
	ck_assert_uint_eq(t->events, 4);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* A long sampled log followed by a timed one: the sums are right, and the profile reports it. */
START_TEST(timed_late)
{
	struct buf out = BUF_INIT;

	maps(&out);
	for (int i = 0; i < 10000; i++)
		flat_group(&out, 0);
	deep_group(&out, 1000000);
	struct decoded d = decoded(&decoder_br, &out, FROM_BYTES, NULL);
	ck_assert_msg(d.good, "%s", d.e.text);
	ck_assert_int_eq(decoded_row(&d, NULL, "FNADD$").self, 1000000);
	ck_assert_int_eq(decoded_row(&d, "samples", "MAIN.BR").self, 10000);
	ck_assert_int_eq(decoded_track(&d, "main")->end, 1000000);
	ck_assert_uint_eq(decoded_track(&d, "main")->unit, UNIT_NS);
	ck_assert_uint_eq(d.p->n_warnings, 1);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* Names: of the line LINE.CLAUSE, of modules that are not mapped, and mapped again. */
START_TEST(names)
{
	struct buf out = BUF_INIT;

	br_current(&out, 9, 4294967295u, 255);
	br_end(&out);
	br_map(&out, 9, "OLD.BR");
	br_current(&out, 9, 1, 1);
	br_end(&out);
	br_map(&out, 9, "NEW.BR");
	br_current(&out, 9, 1, 1);
	br_end(&out);
	struct decoded d = decoded(&decoder_br, &out, FROM_BYTES, NULL);
	ck_assert(d.good);
	ck_assert_int_eq(decoded_row(&d, NULL, "module#9").self, 1);
	ck_assert_int_eq(decoded_row(&d, NULL, "OLD.BR").self, 1);
	ck_assert_int_eq(decoded_row(&d, NULL, "NEW.BR").self, 1);
	ck_assert_uint_eq(profile_frame(d.p, 0).line.form, LINE_CLAUSE);
	ck_assert_uint_eq(profile_frame(d.p, 0).line.number, 4294967295u);
	ck_assert_uint_eq(profile_frame(d.p, 0).line.clause, 255);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* The root of the deep group: MAIN, or the GOSUB when backtraces are outermost first. */
START_TEST(direction)
{
	struct option_given given = {"br-outermost-first", NULL};
	struct format_options options = {.given = {&given, _i, 0}};
	struct buf out = BUF_INIT;

	maps(&out);
	deep_group(&out, 0);
	struct decoded d = decoded(&decoder_br, &out, FROM_BYTES, &options);
	ck_assert(d.good);
	uint32_t f = d.p->frames.frame.function[d.p->stacks.frame[1]];
	ck_assert_str_eq(names_get(&d.p->names, d.p->frames.function.name[f]).at,
			 _i ? "GOSUB" : "MAIN");
	ck_assert_int_eq(decoded_row(&d, NULL, "FNADD$").self, 1);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

START_TEST(damage)
{
	struct buf out = BUF_INIT;

	maps(&out);
	deep_group(&out, 0);
	uint64_t at = out.len;
	switch (_i) {
	case 0: /* the document lists no type 2 */
		buf_addc(&out, 2);
		break;
	case 1: /* CURRENT before END */
		br_current(&out, 1, 1, 1);
		at = out.len;
		br_current(&out, 1, 1, 1);
		break;
	case 2: /* TIME outside of a group */
		br_time(&out, 1);
		break;
	case 3: /* a routine after a TIME */
		br_current(&out, 1, 1, 1);
		br_time(&out, 1);
		at = out.len;
		br_main(&out);
		break;
	case 4: /* a name that runs past the end */
		buf_add(&out,
			"\1\0\1\0\xFF"
			"SHORT",
			10);
		break;
	case 5: /* a name of length 0 */
		br_map(&out, 3, "");
		break;
	case 6:
		br_current(&out, 1, 1, 1);
		at = out.len;
		br_function(&out, "");
		break;
	case 7: /* the file ends inside a group, between two records */
		br_current(&out, 1, 1, 1);
		at = out.len;
		break;
	case 8: /* ... and inside a record */
		br_current(&out, 1, 1, 1);
		at = out.len;
		buf_add(&out, "\5\0\1", 3);
		break;
	case 9: /* a MAP in a group */
		br_current(&out, 1, 1, 1);
		at = out.len;
		br_map(&out, 3, "X.BR");
		break;
	case 10: /* times that do not add up to 63 bits */
		br_current(&out, 1, 1, 1);
		br_time(&out, INT64_MAX);
		at = out.len;
		br_time(&out, 1);
		break;
	}
	struct decoded d = decoded(&decoder_br, &out, FROM_BYTES, NULL);
	ck_assert(!d.good && d.e.class == ERR_DAMAGED);
	ck_assert_msg(d.e.offset == at, "%s: at %llu, expected %llu", d.e.text,
		      (unsigned long long)d.e.offset, (unsigned long long)at);
	/* the whole group counts, the open one does not */
	ck_assert_int_eq(decoded_row(&d, "samples", "FNADD$").self, 1);
	ck_assert_uint_eq(decoded_track(&d, "main")->events, 1);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

START_TEST(probe)
{
	static const char text[] = "\1\0\0binary, but no log\0\0\0\0";
	struct buf out = BUF_INIT;

	maps(&out);
	deep_group(&out, 5);
	struct head head = {.at = (const uint8_t *)out.at, .len = out.len, .whole = true};
	ck_assert_int_ge(decoder_br.probe(head), 50);
	head.at = (const uint8_t *)text;
	head.len = sizeof text;
	ck_assert_int_eq(decoder_br.probe(head), 0);
	buf_release(&out);
}
END_TEST

START_TEST(survives)
{
	struct buf out = BUF_INIT;
	unsigned shape = (unsigned)_i / DECODED_PARTS;

	maps(&out);
	deep_group(&out, shape ? 1000 : 0);
	flat_group(&out, 0);
	br_map(&out, 1, "OTHER.BR");
	deep_group(&out, 0);
	deep_group(&out, shape ? 10 : 0);
	decoded_survives(&decoder_br, &out, unit_rounds(5000), (unsigned)_i % DECODED_PARTS);
	buf_release(&out);
}
END_TEST

UNIT(br)
{
	Suite *s = suite_create("br");
	TCase *c = tcase_create("br");

	tcase_add_loop_test(c, sampled, 0, 2);
	tcase_add_test(c, timed);
	tcase_add_test(c, timed_late);
	tcase_add_test(c, names);
	tcase_add_loop_test(c, direction, 0, 2);
	tcase_add_loop_test(c, damage, 0, 11);
	tcase_add_test(c, probe);
	tcase_add_loop_test(c, survives, 0, 2 * DECODED_PARTS);
	suite_add_tcase(s, c);
	return s;
}
