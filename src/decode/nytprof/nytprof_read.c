#include "src/decode/nytprof/nytprof_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/input/cursor.h"
#include "src/input/unzlib.h"

/* Reads a record from the window.  If the window ends inside the record, the window grows and
 * the record is read again.  Records are short, so that is rare. */

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

const char *
nyt_form(char tag)
{
	const struct nytprof_form *f = nytprof_read_form_of(tag);
	return f ? f->fields : NULL;
}

const char *
nyt_name(char tag)
{
	const struct nytprof_form *f = nytprof_read_form_of(tag);
	return f ? f->name : "?";
}

bool
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

void
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
static struct nyt_text
text(struct cursor *c)
{
	const uint8_t *quote = cursor_bytes(c, 1), *p;

	if (!quote)
		return (struct nyt_text){"", 0};
	uint32_t len = nytprof_read_number(c);
	if (*quote != '\'' && *quote != '"' && !c->bad) {
		c->bad = true;
		return (struct nyt_text){"", 0};
	}
	c->bad |= len > TEXT_MAX;
	p = cursor_bytes(c, len);
	return p ? (struct nyt_text){(const char *)p, len} : (struct nyt_text){"", 0};
}

static struct nyt_text
rest_of_line(struct cursor *c)
{
	size_t left = cursor_left(c);
	const uint8_t *end = left ? memchr(c->at, '\n', left) : NULL;

	if (!end) {
		c->bad = true;
		c->torn = left < TEXT_MAX;
		return (struct nyt_text){"", 0};
	}
	struct nyt_text t = {(const char *)c->at, (size_t)(end - c->at)};
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

bool
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
