/* pprof_cpu.c - CPU profiles of gperftools: words of 4 or 8 bytes in either byte order.
 *
 *	0 3 0 PERIOD 0                header; the third is 1 in Java's
 *	COUNT DEPTH ADDRESS...        samples, leaf first
 *	0 1 0                         the end, followed by a memory map as text
 *
 * The decoder treats samples as pprof does. Callers are return addresses, so it subtracts 1. If
 * nearly all samples have the same second address, it belongs to the signal handler and is removed,
 * at most twice. A second address that repeats the leaf is removed, too. */
#include "src/decode/pprof/pprof_old.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "src/decode/common/last_line.h"
#include "src/decode/common/words.h"
#include "src/input/cursor.h"
#include "src/input/lines.h"

#define HANDLERS_MAX 2 /* frames of it */
#define SIMILAR 32u    /* one sample in this many may lack it */

/* How words are written. */
struct pprof_form {
	unsigned width; /* 0: this is none */
	bool big_endian, java;
	uint64_t period_us;
};

static uint64_t
pprof_word_of(const uint8_t *at, const struct pprof_form *f)
{
	return f->width == 8 ? bytes_u64(at, f->big_endian) : bytes_u32(at, f->big_endian);
}

static struct pprof_form
pprof_cpu_form_of(const uint8_t *at, size_t len)
{
	for (unsigned i = 0; i < 4; i++) {
		struct pprof_form f = {.width = i < 2 ? 8 : 4, .big_endian = i % 2};
		uint64_t w[5];
		if (len < 5u * f.width)
			continue;
		for (unsigned k = 0; k < 5; k++)
			w[k] = pprof_word_of(at + (size_t)k * f.width, &f);
		f.java = w[2] == 1;
		f.period_us = w[3];
		if (!w[0] && w[1] == 3 && w[2] <= 1 && w[3] > 0 && w[3] < 1000000000 && !w[4])
			return f;
	}
	return (struct pprof_form){.width = 0};
}

int
pprof_cpu_probe(struct head head)
{
	return pprof_cpu_form_of(head.at, head.len).width ? 100 : 0;
}

/* A sample as it is in the file. */
struct raw {
	uint64_t count, offset;
	size_t first, depth; /* of the addresses */
};

struct cpu {
	struct pprof_old old;
	struct pprof_form form;
	VEC(struct raw) sample;
	VEC(uint64_t) address;
};

/* Reads a record; returns false at the end, and with *e after an error.  *over: the trailer was
 * read. */
static bool
read_sample(struct cpu *c, struct input *in, bool *over, struct err *e)
{
	unsigned w = c->form.width;
	uint64_t offset = input_offset(in);

	if (!input_need(in, 2u * w))
		return err_damage(e, offset, "the samples end without their trailer");
	uint64_t count = pprof_word_of(input_at(in), &c->form);
	uint64_t depth = pprof_word_of(input_at(in) + w, &c->form);
	if (depth > STACK_DEPTH_MAX || !input_need(in, (2u + (size_t)depth) * w))
		return err_damage(e, offset, "a sample of %" PRIu64 " addresses is truncated",
				  depth);
	const uint8_t *at = input_at(in) + 2u * w;
	*over = !count && depth == 1 && !pprof_word_of(at, &c->form);
	if (!*over) {
		*vec_push(&c->sample) =
			(struct raw){count, offset, c->address.n, (size_t)depth};
		for (uint64_t i = 0; i < depth; i++) {
			uint64_t a = pprof_word_of(at + i * w, &c->form);
			*vec_push(&c->address) = a - (i && !c->form.java && a);
		}
	}
	input_skip(in, (2u + (size_t)depth) * w);
	return !*over;
}

ORDERED_NUMBERS(compare_addresses, uint64_t)

/* Finds the second address that nearly all samples have, in their remaining parts; false: there
 * is none. */
static bool
find_handler(const struct cpu *c, uint64_t *out)
{
	uint64_t *second = mem_alloc(c->sample.n + 1, sizeof *second);
	size_t n = 0, run = 0, need = c->sample.n - c->sample.n / SIMILAR;
	bool found = false;

	for (size_t i = 0; i < c->sample.n; i++)
		if (c->sample.at[i].depth > 1)
			second[n++] = c->address.at[c->sample.at[i].first + 1];
	if (n > 1)
		qsort(second, n, sizeof *second, compare_addresses);
	for (size_t i = 0; i < n && !found; i++) {
		run = i && second[i] == second[i - 1] ? run + 1 : 1;
		found = run >= need;
		*out = second[i];
	}
	free(second);
	return found;
}

/* Removes the second frame: the leaf moves into its place. */
static void
drop_second(struct cpu *c, struct raw *s)
{
	c->address.at[s->first + 1] = c->address.at[s->first];
	s->first++;
	s->depth--;
}

static void
drop_handlers(struct cpu *c)
{
	uint64_t handler;

	for (unsigned i = 0; i < HANDLERS_MAX && find_handler(c, &handler); i++)
		for (size_t k = 0; k < c->sample.n; k++) {
			struct raw *s = &c->sample.at[k];
			if (s->depth > 1 && c->address.at[s->first + 1] == handler)
				drop_second(c, s);
		}
	for (size_t k = 0; k < c->sample.n; k++) {
		struct raw *s = &c->sample.at[k];
		if (s->depth > 1 && c->address.at[s->first] == c->address.at[s->first + 1] + 1)
			drop_second(c, s);
	}
}

static void
read_maps(struct cpu *c, struct input *in, struct err *e)
{
	struct lines lines;
	struct text_line line;

	lines_init(&lines, in);
	while (lines_next(&lines, &line)) {
		const char *end = line.at + line.len;
		if (!last_line_whole(in, line.ended, line.offset, last_line_open(line.at, end), e))
			return;
		if (c->form.java)
			pprof_old_name(&c->old, line.at, end);
		else
			pprof_old_map(&c->old, line.at, end);
	}
}

static bool
write_samples(struct cpu *c, struct err *e)
{
	for (size_t i = 0; i < c->sample.n; i++) {
		const struct raw *s = &c->sample.at[i];
		int64_t period = (int64_t)c->form.period_us * 1000, time;
		if (s->count > INT64_MAX ||
		    __builtin_mul_overflow((int64_t)s->count, period, &time))
			return err_damage(e, s->offset, "a sample of %" PRIu64 " ticks", s->count);
		c->old.address.n = 0;
		for (size_t k = 0; k < s->depth; k++)
			*vec_push(&c->old.address) = c->address.at[s->first + k];
		const int64_t values[] = {(int64_t)s->count, time};
		if (!pprof_old_sample(&c->old, values, -1, s->offset, e))
			return false;
	}
	return true;
}

bool
pprof_cpu_decode(struct input *in, struct builder *b, struct err *e)
{
	struct cpu c = {.form = {.width = 0}};
	struct err late = {0};
	bool over = false;

	input_need(in, 40);
	c.form = pprof_cpu_form_of(input_at(in), input_have(in));
	if (!c.form.width)
		return err_refuse(e, "not a CPU profile of gperftools");
	pprof_old_init(&c.old, in, b);
	c.old.java = c.form.java;
	pprof_old_metric(&c.old, "samples", "count");
	pprof_old_metric(&c.old, "cpu", "nanoseconds");
	builder_default_metric(b, c.old.metric[1]);
	builder_info(b, "period", "cpu %" PRIu64 " ns", c.form.period_us * 1000);
	input_skip(in, 5u * c.form.width);
	while (read_sample(&c, in, &over, e))
		;
	if (over)
		read_maps(&c, in, e);
	if (!c.form.java)
		drop_handlers(&c);
	if (!write_samples(&c, &late) && !err_is_set(e))
		*e = late;
	pprof_old_release(&c.old);
	vec_release_all(&c.sample, &c.address);
	return !err_is_set(e);
}

bool
pprof_cpu_dump(struct input *in, struct dump *d, struct err *e)
{
	struct cpu c = {.form = {.width = 0}};
	struct buf text = BUF_INIT;
	bool over = false, written = true;

	input_need(in, 40);
	c.form = pprof_cpu_form_of(input_at(in), input_have(in));
	if (!c.form.width)
		return err_refuse(e, "not a CPU profile of gperftools");
	written = dump_record(d, 0, "header width=%u java=%d period=%" PRIu64, c.form.width,
			      c.form.java, c.form.period_us);
	input_skip(in, 5u * c.form.width);
	while (written && read_sample(&c, in, &over, e)) {
		const struct raw *s = &c.sample.at[c.sample.n - 1];
		buf_reset(&text);
		for (size_t i = 0; i < s->depth; i++)
			buf_addf(&text, " 0x%" PRIx64, c.address.at[s->first + i]);
		written = dump_record(d, s->offset, "sample count=%" PRIu64 "%s", s->count,
				      buf_str(&text));
		c.sample.n = c.address.n = 0;
	}
	if (written && over)
		written = lines_dump(in, d, e);
	vec_release_all(&c.sample, &c.address);
	buf_release(&text);
	return written && !err_is_set(e);
}
