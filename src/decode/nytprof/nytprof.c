/* Devel::NYTProf, the profiler of Perl: files nytprof.out of format 5.
 *
 * A file describes the run in several ways. Statements have the time to the next one (`+`, `*`).
 * Returns of subs have their depth and duration (`<`, with calls=1, the usual setting); with
 * calls=2 there are also entries (`>`). When the program ends, it writes the sums for each caller
 * and callee (`c`). The decoder uses the most detailed one: slices if there are entries, else the
 * tree of calls from the returns, else the graph of the sums.
 * Names of files and places of subs come last, so the profile is written when everything has been
 * read. */
#include "src/decode/nytprof/nytprof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "src/decode/common/slice.h"
#include "src/decode/common/words.h"
#include "src/decode/decoder.h"
#include "src/input/cursor.h"
#include "src/input/unzlib.h"

/* ---- records ---- */

/* Reads a record from the window.  If the window ends inside the record, the window grows and
 * the record is read again.  Records are short, so that is rare. */

#define NYT_FIELDS_MAX 9u

/* A field. The letter in the form of its record (nyt_form()) gives its type: 'u' and 'i', an
 * unsigned and a signed number; 'n', a real; 's', a string; 'l', the rest of the line. */
union nyt_field {
	uint32_t u;
	int32_t i;
	double n;
	struct text_slice s;
};

struct nyt_record {
	char tag;
	uint64_t offset; /* in the file; in the compressed part, the bytes read so far */
	uint64_t place;  /* the position if that part were decompressed in place */
	union nyt_field field[NYT_FIELDS_MAX];
};

struct nyt_reader {
	struct input *in;    /* borrowed */
	struct input *inner; /* after `z`: the decompressed rest */
	uint64_t inner_at;   /* its position */
	unsigned major, minor;
	bool big_endian, ordered; /* byte order of reals; ordered: it is known */
};

#define TEXT_MAX (16u << 20)

static const struct nytprof_form {
	char tag;
	const char *fields, *name;
} forms[] = {
	{'#', "l", "comment"},
	{':', "l", "attribute"},
	{'!', "l", "option"},
	{'P', "uun", "process"},	 /* id, its parent's, when it began */
	{'p', "un", "process-end"},
	{'@', "uuuuuus", "file"},	 /* id, of the eval: file, line; flags, size, time, name */
	{'+', "iuu", "time-line"},	 /* ticks, file, line */
	{'*', "iuuuu", "time-block"},	 /* and the lines of block and sub */
	{'-', "", "discount"},
	{'S', "uus", "source"},		 /* file, line, text */
	{'s', "usuu", "sub"},		 /* file, name, first line, last line */
	{'c', "uusunnnus", "callers"},	 /* file, line, caller, count, three times, depth, name */
	{'>', "uu", "entry"},		 /* file and line of the caller */
	{'<', "unns", "return"},	 /* depth, ticks with and without callees, name */
	{'z', "", "compressed"},
};

static const struct nytprof_form *
nytprof_read_form_of(char tag)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (forms[i].tag == tag)
			return &forms[i];
	return NULL;
}

/* Returns the types of a record's fields, a letter each; NULL if there is no such record. */
static const char *
nyt_form(char tag)
{
	const struct nytprof_form *f = nytprof_read_form_of(tag);
	return f ? f->fields : NULL;
}

/* Returns the name of a kind of records. */
static const char *
nyt_name(char tag)
{
	const struct nytprof_form *f = nytprof_read_form_of(tag);
	return f ? f->name : "?";
}

/* Reads the first line. Returns false with a refusal if it is missing, or of an unsupported
 * version. */
static bool
nyt_open(struct nyt_reader *r, struct input *in, struct err *e)
{
	const char *magic = "NYTProf ";
	char line[32] = "";
	size_t len;
	bool ended;

	*r = (struct nyt_reader){.in = in};
	const char *at = input_line(in, &len, &ended);
	if (at && len < sizeof line)
		memcpy(line, at, len);
	if (strncmp(line, magic, strlen(magic)) != 0 ||
	    sscanf(line + strlen(magic), "%5u %5u", &r->major, &r->minor) < 1)
		return err_refuse(e, "not a profile of NYTProf");
	if (r->major != 5)
		return err_refuse(e, "NYTProf's format %u, and only 5 is read; "
				     "Devel::NYTProf 4 and later write it", r->major);
	return true;
}

static void
nyt_close(struct nyt_reader *r)
{
	if (r->inner)
		input_close(r->inner);
	r->inner = NULL;
}

/* ---- fields ---- */

static uint32_t
nytprof_read_number(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 1);
	if (!p || *p < 0x80)
		return p ? *p : 0;
	unsigned more = *p < 0xC0 ? 1 : *p < 0xE0 ? 2 : *p < 0xFF ? 3 : 4;
	uint32_t v = *p < 0xC0 ? *p & 0x7Fu : *p < 0xE0 ? *p & 0x1Fu : *p < 0xFF ? *p & 0xFu : 0;
	p = cursor_bytes(c, more);
	for (unsigned i = 0; p && i < more; i++)
		v = v << 8 | p[i];
	return p ? v : 0;
}

static double
real(struct nyt_reader *r, struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 8);
	double v;

	if (!p)
		return 0;
	uint64_t bits = bytes_u64(p, r->big_endian);
	memcpy(&v, &bits, sizeof v);
	return v;
}

/* Reads the bytes of a string or of a line; the cursor goes bad if there is none. */
static struct text_slice
text(struct cursor *c)
{
	const uint8_t *quote = cursor_bytes(c, 1), *p;

	if (!quote)
		return slice_of("", 0);
	uint32_t len = nytprof_read_number(c);
	if (*quote != '\'' && *quote != '"' && !c->bad) {
		c->bad = true;
		return slice_of("", 0);
	}
	c->bad |= len > TEXT_MAX;
	p = cursor_bytes(c, len);
	return p ? slice_of((const char *)p, len) : slice_of("", 0);
}

static struct text_slice
rest_of_line(struct cursor *c)
{
	size_t left = cursor_left(c);
	const uint8_t *end = left ? memchr(c->at, '\n', left) : NULL;

	if (!end) {
		c->bad = true;
		c->torn = left < TEXT_MAX;
		return slice_of("", 0);
	}
	struct text_slice t = {(const char *)c->at, (size_t)(end - c->at)};
	c->at = end + 1;
	return t;
}

/* Finds the byte order of reals: only one of them makes the start time of a process a time of
 * this or the last century. */
static void
learn_order(struct nyt_reader *r, const struct cursor *at)
{
	struct cursor c = *at;

	nytprof_read_number(&c);
	nytprof_read_number(&c);
	for (int big = 0; big < 2 && !r->ordered; big++) {
		struct cursor real_at = c;
		r->big_endian = big;
		double v = real(r, &real_at);
		r->ordered = !real_at.bad && v > 1e8 && v < 1e11;
	}
	if (!r->ordered)
		r->big_endian = false;
}

static bool
record_read(struct nyt_reader *r, struct cursor *c, struct nyt_record *out)
{
	const uint8_t *tag = cursor_bytes(c, 1);
	const struct nytprof_form *form = tag ? nytprof_read_form_of((char)*tag) : NULL;

	if (tag && !form)
		c->bad = true;
	if (!form)
		return false;
	out->tag = (char)*tag;
	if (out->tag == 'P' && !r->ordered)
		learn_order(r, c);
	for (unsigned i = 0; form->fields[i] && !c->bad; i++) {
		union nyt_field *f = &out->field[i];
		switch (form->fields[i]) {
		case 'u': f->u = nytprof_read_number(c); break;
		case 'i': f->i = (int32_t)nytprof_read_number(c); break;
		case 'n': f->n = real(r, c); break;
		case 's': f->s = text(c); break;
		default: f->s = rest_of_line(c); break;
		}
	}
	return !c->bad;
}

/* ---- records ---- */

static uint64_t
nytprof_read_place_of(const struct nyt_reader *r)
{
	return r->inner ? r->inner_at + input_offset(r->inner) : input_offset(r->in);
}

/* Reports a compressed part that ended too early, at its offset. Returns false. */
static bool
end_reached(struct nyt_reader *r, struct err *e)
{
	const struct err *fault = r->inner ? input_fault(r->inner) : NULL;

	if (fault && !err_is_set(e))
		err_damage(e, input_offset(r->in), "%s", fault->text);
	return false;
}

/* Reads the next record; its texts are valid until the next call. Returns false at the end, and
 * with damage in *e if a record is unreadable. */
static bool
nyt_next(struct nyt_reader *r, struct nyt_record *out, struct err *e)
{
	struct input *in = r->inner ? r->inner : r->in;

	for (;;) {
		if (!input_need(in, 1))
			return end_reached(r, e);
		struct cursor c = cursor_over(input_at(in), input_have(in));
		out->offset = input_offset(r->in);
		out->place = nytprof_read_place_of(r);
		if (record_read(r, &c, out)) {
			input_skip(in, (size_t)(c.at - c.start));
			break;
		}
		if (c.torn && input_more(in))
			continue;
		if (c.torn && input_stopped(in))
			return false;
		if (c.torn && r->inner && input_fault(r->inner))
			return end_reached(r, e);
		return err_damage(e, out->offset, c.torn ? "the last record is truncated"
							 : "not a record of NYTProf");
	}
	if (out->tag == 'z' && !r->inner) {
		r->inner_at = input_offset(r->in);
		r->inner = unzlib_rest(r->in);
	}
	return true;
}

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
name(struct nytprof *n, struct text_slice t)
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
attribute(struct nytprof *n, struct text_slice t)
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

	uint32_t up = p->open.n ? p->open.at[p->open.n - 1] + 1 : 0;

	*vec_push(&p->open) = (uint32_t)p->slice.n;
	*vec_push(&p->slice) =
		(struct nyt_slice){.enters = p->ticks, .leaves = p->ticks, .up = up};
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
	s->leaves = p->ticks > s->enters ? p->ticks : s->enters;
	s->self_ticks = r->field[2].n;
	s->offset = r->offset;
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
		good = err_damage(e, input_offset(in), "the end of the program is missing");
	builder_warn_count(b, n.unmatched,
			   "return of a sub that was not entered, ignored",
			   "returns of subs that were not entered, ignored");
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
	.made_of = MADE_BINARY,
	.probe = nytprof_probe,
	.decode = nytprof_decode,
	.dump = nytprof_dump,
};
