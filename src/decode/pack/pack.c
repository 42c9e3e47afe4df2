/* Packed profiles: what pnav pack writes, the tables and columns of the model (pack_form.h shows
 * the layout; pnav-pack(5) describes each byte).
 *
 * Sections come in an order in which each refers only to those before it: names, files, functions,
 * frames, stacks, labels, metrics; tracks with their series and chunks; what is known besides. So a
 * file that ends early, or a section whose checksum does not fit, leaves all sections before it. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "model/profile/pack_form.h"
#include "src/decode/pack/pack.h"

static const struct section_kind {
	char kind[5];
	bool (*read)(struct pack *x);
} section_kinds[] = {
	{"name", pack_read_names},   {"file", pack_read_file},     {"func", pack_read_functions},
	{"fram", pack_read_frames},  {"stac", pack_read_stacks},   {"labl", pack_read_labels},
	{"sets", pack_read_sets},    {"metr", pack_read_metrics},  {"modu", pack_read_modules},
	{"rang", pack_read_ranges},  {"proc", pack_read_processes}, {"outs", pack_read_outside},
	{"trac", pack_read_track},
	{"seri", pack_read_series},  {"bloc", pack_read_blocks}, {"chec", pack_read_checkpoints},
	{"sums", pack_read_sums},
	{"acto", pack_read_actors},  {"edge", pack_read_edges},    {"call", pack_read_calls},
	{"stat", pack_read_stated},  {"info", pack_read_info},     {"warn", pack_read_warnings},
	{"why ", pack_read_why},     {"atta", pack_read_attachment},
};

/* ---- sections ---- */

static bool
read_head(struct input *in, struct err *e)
{
	if (!input_need(in, PACK_HEAD))
		return err_damage(e, 0, "the file ends within its head");
	struct cursor c = cursor_over(input_at(in) + 8, PACK_HEAD - 8);
	unsigned version = cursor_u16(&c);
	cursor_u16(&c);
	uint32_t features = cursor_u32(&c);
	if (version != PACK_VERSION)
		return err_refuse(e, "version %u of packed profiles is not known; this pnav reads "
				     "version %u", version, PACK_VERSION);
	if (features & ~PACK_ZSTD)
		return err_refuse(e, "the packed profile needs features 0x%" PRIx32
				     " that this pnav does not have", features & ~PACK_ZSTD);
	input_skip(in, PACK_HEAD);
	return true;
}

/* Reads the head of a section; false at the end of the file, and if it ends within. */
static bool
read_section(struct input *in, struct pack_section *s, struct err *e)
{
	uint64_t offset = input_offset(in);

	*s = (struct pack_section){.offset = offset};
	if (!pack_goes_on(in, offset, e))
		return false;
	if (!input_need(in, PACK_SECTION_HEAD))
		return err_damage(e, offset, "the file ends here: its last sections are missing");
	struct cursor c = cursor_over(input_at(in), PACK_SECTION_HEAD);
	memcpy(s->kind, cursor_bytes(&c, 4), 4);
	s->flags = cursor_u32(&c);
	s->stored = cursor_u64(&c);
	s->size = cursor_u64(&c);
	s->hash = cursor_u64(&c);
	if (s->stored > PACK_SECTION_MAX || s->size > PACK_SECTION_MAX ||
	    (!(s->flags & PACK_ZSTD) && s->size != s->stored) || s->flags & ~PACK_ZSTD)
		return err_damage(e, offset, "a section with an impossible size");
	input_skip(in, PACK_SECTION_HEAD);
	if (!input_need(in, s->stored))
		return err_damage(e, offset, "the file ends within a section");
	return true;
}

static bool
read_contents(struct pack *x, const struct pack_section *s)
{
	if (!memcmp(s->kind, "end ", 4)) {
		x->ended = true;
		if (cursor_varint(&x->c) != x->n_sections)
			return pack_damaged(x, "sections are missing");
		return true;
	}
	x->n_sections++;
	for (size_t i = 0; i < sizeof section_kinds / sizeof *section_kinds; i++) {
		if (memcmp(section_kinds[i].kind, s->kind, 4) != 0)
			continue;
		bool good = section_kinds[i].read(x);
		if ((!good || x->c.bad) && !err_is_set(x->e))
			return err_damage(x->e, x->offset, PACK_BAD_CONTENTS, s->kind);
		return good;
	}
	return true; /* of a later version: its features say that it can be left out */
}

/* Takes over all chunks that were handed out. After a fault in one of them its track ends there,
 * whatever section is being read meanwhile. */
static bool
take_over(struct pack *x)
{
	if (pack_adopt_given(x, 0) && builder_adopt_wait(x->b, x->e))
		return true;
	x->complete = false;
	return false;
}

/* Reads a section whose bytes lie in the window. */
static bool
read_whole(struct pack *x, const struct pack_section *s, const uint8_t *stored,
	   struct pack_room *room)
{
	if (!memcmp(s->kind, "chun", 4)) {
		x->n_sections++;
		return pack_give_chunks(x, s, stored);
	}
	if (!take_over(x))
		return false;
	const uint8_t *at = pack_contents(s, stored, room, x->e);
	x->c = cursor_over(at, at ? s->size : 0);
	return at && read_contents(x, s);
}

/* Returns true if sections of this kind follow all events of the track before. */
static bool
follows_track(const char *kind)
{
	static const char kinds[][5] = {"trac", "acto", "edge", "call", "stat", "info",
					"warn", "why ", "atta", "end "};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!memcmp(kinds[i], kind, 4))
			return true;
	return false;
}

/* Ends what is read. Chunks may be damaged before the fault that was found, if any. After a fault
 * the end that the file states for a series is that of a step that is missing, not that of the
 * last step that was read. */
static bool
end_reading(struct pack *x, bool good)
{
	struct err later = {0}, earlier = {0}, *e = x->e;

	x->e = &earlier;
	if (!take_over(x)) {
		*e = earlier;
		good = false;
	}
	x->e = good ? e : &later;
	if (!good && !x->complete)
		pack_cut_track(x);
	return pack_end_track(x) && good;
}

static bool
pnav_decode(struct input *in, struct builder *b, struct err *e)
{
	struct pack x = {.b = b, .in = in, .e = e};
	struct pack_room plain = {0};
	struct pack_section s;
	bool good = read_head(in, e);

	x.whole = good && builder_adopt_begin(b);
	if (!x.whole)
		*vec_push(&x.id.stack) = STACK_EMPTY;
	*vec_push(&x.id.depth) = 0;
	x.id.n_stacks = 1;
	*vec_push(&x.id.set) = LABELS_NONE;
	x.whole_sets = true;
	while (good && !x.ended) {
		x.offset = input_offset(in);
		good = read_section(in, &s, e);
		if (s.kind[0])
			x.complete = follows_track(s.kind);
		good = good && read_whole(&x, &s, input_at(in), &plain);
		if (good)
			input_skip(in, s.stored);
	}
	good = end_reading(&x, good);
	pack_jobs_free(&x);
	pack_room_release(&plain);
	vec_release_all(&x.id.name, &x.id.function, &x.id.frame, &x.id.stack, &x.id.depth,
			&x.id.label, &x.id.set, &x.id.process, &x.id.actor);
	return good;
}

static bool
pnav_dump(struct input *in, struct dump *d, struct err *e)
{
	struct pack_section s = {0};
	bool good = read_head(in, e);

	while (good && memcmp(s.kind, "end ", 4) != 0) {
		uint64_t offset = input_offset(in);
		struct buf kind = BUF_INIT;
		good = read_section(in, &s, e) && pack_is_intact(&s, input_at(in), e) &&
		       dump_record(d, offset, "section %s %" PRIu64 " bytes%s%s %" PRIu64,
				   dump_bytes(d, &kind, s.kind, 4), s.stored,
				   s.flags & PACK_ZSTD ? ", zstd" : "", " of", s.size);
		buf_release(&kind);
		if (good)
			input_skip(in, s.stored);
	}
	return good;
}

const struct decoder decoder_pnav = {
	.name = "pnav",
	.title = "packed profiles of pnav pack",
	.made_of = MADE_BINARY,
	DECODER_MAGIC(PACK_MAGIC),
	.decode = pnav_decode,
	.dump = pnav_dump,
};
