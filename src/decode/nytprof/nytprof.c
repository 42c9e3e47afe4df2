/* Devel::NYTProf, the profiler of Perl: files nytprof.out of format 5.
 *
 * A file describes the run in several ways. Statements have the time to the next one (`+`, `*`).
 * Returns of subs have their depth and duration (`<`, with calls=1, the usual setting); with
 * calls=2 there are also entries (`>`). When the program ends, it writes the sums for each caller
 * and callee (`c`). The decoder uses the most detailed one: slices if there are entries, in the
 * time of the statements; else the tree of calls from the returns; else the graph of the sums.
 * Names of files and places of subs come last, so the profile is written when everything has been
 * read. */
#include "src/decode/nytprof/nytprof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "src/decode/common/words.h"
#include "src/decode/decoder.h"
#include "src/decode/nytprof/nytprof_read.h"

static int
nytprof_probe(struct head head)
{
	return head.len >= 9 && !memcmp(head.at, "NYTProf ", 8) && head.at[8] >= '0' &&
			       head.at[8] <= '9'
		       ? 100
		       : 0;
}

/* ---- records ---- */

static name_id
name(struct nytprof *n, struct nyt_text t)
{
	return builder_name(n->b, t.at, t.len);
}

static struct nyt_process *
current(struct nytprof *n)
{
	if (!n->process.n)
		*vec_push(&n->process) = (struct nyt_process){0};
	return &n->process.at[n->process.n - 1];
}

static bool
attribute(struct nytprof *n, struct nyt_text t)
{
	static const char *const facts[] = {"application", "perl_version", "xs_version", "basetime",
					   "ticks_per_sec"};
	const char *end = t.at + t.len, *equals = t.len ? memchr(t.at, '=', t.len) : NULL;
	int64_t number;

	if (!equals)
		return true;
	size_t len = (size_t)(equals - t.at), value_len = (size_t)(end - equals) - 1;
	if (is_key(t.at, len, "nv_size") && !is_key(equals + 1, value_len, "8"))
		return err_refuse(n->e, "a Perl with floating-point numbers larger than double");
	if (is_key(t.at, len, "ticks_per_sec")) {
		if (!number_parse(equals + 1, end, &number) || number <= 0)
			return err_refuse(n->e, "a clock without ticks");
		n->ticks_per_second = number;
	}
	if (is_key(t.at, len, "application"))
		n->application = builder_name(n->b, equals + 1, value_len);
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		if (is_key(t.at, len, facts[i]))
			builder_info_bytes(n->b, facts[i], equals + 1, value_len);
	return true;
}

static bool
statement(struct nytprof *n, const struct nyt_record *r)
{
	struct nyt_process *p = current(n);
	uint32_t file = r->field[1].u, line = r->field[2].u;
	uint64_t key = (uint64_t)file << 32 | line;
	uint32_t i;

	if (idmap_add(&p->line_of, key, p->line.n, &i))
		*vec_push(&p->line) = (struct nyt_line){.file = file, .line = line};
	p->statements++;
	if (__builtin_add_overflow(p->line.at[i].ticks, r->field[0].i, &p->line.at[i].ticks) ||
	    __builtin_add_overflow(p->ticks, r->field[0].i, &p->ticks))
		return err_damage(n->e, r->offset, "the sum of the values exceeds 2^63");
	return true;
}

static void
nytprof_entry(struct nytprof *n)
{
	struct nyt_process *p = current(n);

	*vec_push(&p->open) = (uint32_t)p->slice.n;
	*vec_push(&p->slice) = (struct nyt_slice){p->ticks, p->ticks, NAME_EMPTY};
}

static void
sub_return(struct nytprof *n, const struct nyt_record *r)
{
	struct nyt_process *p = current(n);
	name_id sub = name(n, r->field[3].s);

	*vec_push(&p->call) = (struct nyt_call){.self_ticks = r->field[2].n,
						.name = sub,
						.depth = r->field[0].u,
						.offset = r->offset};
	if (!p->slice.n)
		return;
	if (!p->open.n) {
		n->unmatched++;
		return;
	}
	struct nyt_slice *s = &p->slice.at[p->open.at[--p->open.n]];
	s->name = sub;
	s->end_ticks = p->ticks > s->start_ticks ? p->ticks : s->start_ticks;
}

static void
sub(struct nytprof *n, const struct nyt_record *r)
{
	struct nyt_sub s = {.name = name(n, r->field[1].s),
			    .file = r->field[0].u,
			    .first = r->field[2].u,
			    .last = r->field[3].u};

	if (!s.last) /* it is written in C */
		s.first = 0;
	*vec_push(&n->sub) = s;
}

static bool
record(struct nytprof *n, const struct nyt_record *r)
{
	switch (r->tag) {
	case ':':
		return attribute(n, r->field[0].s);
	case 'P':
		*vec_push(&n->process) = (struct nyt_process){.pid = r->field[0].u};
		return true;
	case '@':
		idmap_put(&n->file_of, r->field[0].u, name(n, r->field[6].s));
		return true;
	case '+':
	case '*':
		return statement(n, r);
	case '>':
		nytprof_entry(n);
		return true;
	case '<':
		sub_return(n, r);
		return true;
	case 's':
		sub(n, r);
		return true;
	case 'c':
		*vec_push(&current(n)->arc) = (struct nyt_arc){
			.caller = name(n, r->field[2].s),
			.called = name(n, r->field[8].s),
			.count = r->field[3].u,
			.seconds = r->field[4].n,
			.self_seconds = r->field[5].n,
			.offset = r->offset,
		};
		return true;
	default:
		return true;
	}
}

/* ---- the decoder ---- */

static void
nytprof_release(struct nytprof *n)
{
	for (size_t i = 0; i < n->process.n; i++) {
		struct nyt_process *p = &n->process.at[i];
		vec_release_all(&p->call, &p->slice, &p->open, &p->arc, &p->line);
		idmap_release(&p->line_of);
	}
	vec_release_all(&n->process, &n->sub);
	idmap_release_all(&n->file_of, &n->sub_of);
}

static bool
nytprof_decode(struct input *in, struct builder *b, struct err *e)
{
	struct nytprof n = {.b = b, .e = e, .ticks_per_second = 10000000};
	struct nyt_reader reader;
	struct nyt_record r;
	bool good = true, ended = false;

	if (!nyt_open(&reader, in, e))
		return false;
	builder_info(b, "file format", "%u.%u", reader.major, reader.minor);
	while (good && nyt_next(&reader, &r, e)) {
		good = record(&n, &r);
		ended |= r.tag == 'p';
	}
	good = good && !err_is_set(e);
	good = nyt_write(&n, in) && good;
	if (good && !ended && !input_stopped(in))
		builder_incomplete(b, "the end of the program is missing");
	builder_warn_count(b, n.unmatched, "returns of subs that were not entered, ignored");
	nyt_close(&reader);
	nytprof_release(&n);
	return good;
}

static bool
record_dump(struct dump *d, const struct nyt_record *r, struct buf *line, struct buf *scratch)
{
	const char *form = nyt_form(r->tag);

	buf_reset(line);
	for (unsigned i = 0; form[i]; i++) {
		const union nyt_field *f = &r->field[i];
		buf_addc(line, ' ');
		if (form[i] == 'u')
			buf_addf(line, "%" PRIu32, f->u);
		else if (form[i] == 'i')
			buf_addf(line, "%" PRId32, f->i);
		else if (form[i] == 'n')
			buf_addf(line, "%.9g", f->n);
		else
			buf_adds(line, dump_bytes(d, scratch, f->s.at, f->s.len));
	}
	return dump_record(d, r->place, "%s%s", nyt_name(r->tag), buf_str(line));
}

static bool
nytprof_dump(struct input *in, struct dump *d, struct err *e)
{
	struct buf line = BUF_INIT, scratch = BUF_INIT;
	struct nyt_reader reader;
	struct nyt_record r;
	bool good = nyt_open(&reader, in, e);

	if (!good)
		return false;
	while (good && nyt_next(&reader, &r, e))
		good = record_dump(d, &r, &line, &scratch);
	nyt_close(&reader);
	buf_release_all(&line, &scratch);
	return good && !err_is_set(e);
}

const struct decoder decoder_nytprof = {
	.name = "nytprof",
	.title = "Devel::NYTProf's profiles of Perl",
	.manual = "nytprof",
	.made_of = MADE_BINARY,
	.probe = nytprof_probe,
	.decode = nytprof_decode,
	.dump = nytprof_dump,
};
