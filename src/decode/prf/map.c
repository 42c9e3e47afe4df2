#include "src/decode/decoder.h"

#include "src/decode/prf/linkmap.h"

/* A linker map that the user opens directly.  It has the addresses of functions and no times,
 * so it is not a profile: it is refused with advice. `pnav dump` lists its lines and how the
 * reader understood them, which shows why a symbol is missing from a report. */

static int
linkmap_file_probe(struct head head)
{
	return linkmap_probe(head.at, head.len);
}

/* Refuses a map as a profile, with the reason. */
static bool
refuse(const struct linkmap *m, struct err *e)
{
	const char *linker = linkmap_form_name(m->form);

	if (!m->symbols.n)
		return err_refuse(e,
				  "a linker map (%s) without public symbols, and no "
				  "profile; link with /MAP (MS LINK), /m (TLINK) or "
				  "-Map (ld) to get them",
				  linker);
	return err_refuse(e,
			  "a linker map (%s, %zu symbols), not a profile: give it with "
			  "--map, or put it beside a .PRF of the same name",
			  linker, m->symbols.n);
}

static bool
linkmap_file_decode(struct input *in, struct builder *b UNUSED, struct err *e)
{
	struct linkmap m;
	const char *foreign;

	input_need(in, 4096);
	foreign = linkmap_foreign(input_at(in), input_have(in));
	if (foreign)
		return err_refuse(e,
				  "a map of %s, which pnav does not read: it reads those "
				  "of MS LINK, TLINK, GNU ld and lld",
				  foreign);
	if (linkmap_read(&m, in, NULL, NULL, e))
		refuse(&m, e);
	linkmap_release(&m);
	return false;
}

struct listing {
	struct dump *dump;
	struct buf scratch;
	bool good;
};

static bool
map_list(void *ctx, uint64_t offset, const char *kind, const char *at, size_t len)
{
	struct listing *l = ctx;

	l->good = dump_record(l->dump, offset, "%s %s", kind,
			      dump_bytes(l->dump, &l->scratch, at, len));
	return l->good;
}

static bool
linkmap_file_dump(struct input *in, struct dump *d, struct err *e)
{
	struct listing l = {.dump = d, .good = true};
	struct linkmap m;
	bool good;

	d->cp437 = true;
	good = linkmap_read(&m, in, map_list, &l, e);
	linkmap_release(&m);
	buf_release(&l.scratch);
	return good && l.good;
}

const struct decoder decoder_map = {
	.name = "map",
	.title = "linker map (MS LINK, TLINK, GNU ld, lld), for prf",
	.manual = "profile(1)",
	.made_of = MADE_TEXT,
	.mangled = true,
	.probe = linkmap_file_probe,
	.decode = linkmap_file_decode,
	.dump = linkmap_file_dump,
};
