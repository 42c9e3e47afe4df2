/* pprof_old.c - see pprof_old.h.
 *
 * Samples are addresses.  The name of a frame comes from the file itself, otherwise from the
 * symbols of the mapped file, otherwise it is the address.  Each address is looked up once. */
#include "src/decode/pprof/pprof_old.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"
#include "src/decode/pprof/pprof_types.h"

void
pprof_old_init(struct pprof_old *o, struct input *in, struct builder *b)
{
	*o = (struct pprof_old){.b = b};
	pprof_frames_init(&o->frames, in, b);
	o->bytes = builder_name(b, "bytes", 5);
	o->track = builder_main(b);
}

void
pprof_old_release(struct pprof_old *o)
{
	pprof_frames_info(&o->frames);
	pprof_frames_release(&o->frames);
	for (size_t i = 0; i < o->word.n; i++) {
		buf_release_all(&o->word.at[i].name, &o->word.at[i].value);
	}
	vec_release_all(&o->word, &o->symbol, &o->first, &o->known, &o->path, &o->address);
	idmap_release_all(&o->symbol_of, &o->frames_of);
}

void
pprof_old_metric(struct pprof_old *o, const char *name, const char *unit)
{
	const struct name type = {.at = name, .len = (uint32_t)strlen(name)};
	const struct name of = {.at = unit, .len = (uint32_t)strlen(unit)};
	int64_t factor;

	o->metric[o->n_metrics++] = pprof_metric(o->b, type, of, false, &factor);
}

/* ---- memory maps ---- */

static bool
take_hex(const char **at, const char *end, uint64_t *out)
{
	const char *from = begins_with(*at, end, "0x") ? *at + 2 : *at;

	*at = hex_digits(from, end, out);
	return *at > from && *at - from <= 16;
}

/* Handles KEY=VALUE, which defines a word of later lines. */
static bool
take_word(struct pprof_old *o, const char *at, const char *end)
{
	const char *sign = memchr(at, '=', (size_t)(end - at));

	if (!sign || sign == at || memchr(at, ' ', (size_t)(sign - at)))
		return false;
	struct pprof_old_word *w = vec_push(&o->word);
	*w = (struct pprof_old_word){BUF_INIT, BUF_INIT};
	buf_addc(&w->name, '$');
	buf_add(&w->name, at, (size_t)(sign - at));
	buf_add(&w->value, sign + 1, (size_t)(end - sign - 1));
	return true;
}

/* The text with its words in place. */
static void
put_words(const struct pprof_old *o, const char *at, const char *end, struct buf *out)
{
	while (at < end) {
		size_t i = 0;
		while (i < o->word.n && !begins_with(at, end, buf_str(&o->word.at[i].name)))
			i++;
		if (i < o->word.n) {
			buf_add(out, o->word.at[i].value.at, o->word.at[i].value.len);
			at += o->word.at[i].name.len;
		} else {
			buf_addc(out, *at++);
		}
	}
}

static bool
is_permissions(const char *at, const char *end)
{
	if (end - at < 3 || end - at > 5)
		return false;
	for (; at < end; at++)
		if (!strchr("rwxps-", *at))
			return false;
	return true;
}

struct map_line {
	uint64_t start, limit, offset;
	const char *file, *file_end, *id, *id_end;
	bool data; /* it has permissions, and is not executable */
};

/* Parses the rest after the addresses and permissions: `OFFSET DEV INODE FILE` of /proc, or `FILE
 * (@OFFSET) BUILDID`. */
static void
take_file(struct map_line *m, const char *at, const char *end)
{
	const char *word = at, *next = word_end(at, end), *try = at;
	uint64_t offset;

	if (take_hex(&try, next, &offset) && try == next) {
		const char *dev = skip_blanks(next, end), *dev_end = word_end(dev, end);
		if (dev < dev_end && memchr(dev, ':', (size_t)(dev_end - dev))) {
			m->offset = offset;
			word = skip_blanks(word_end(skip_blanks(dev_end, end), end), end);
			m->file = word;
			m->file_end = end;
			return;
		}
	}
	m->file = word;
	m->file_end = next;
	at = skip_blanks(next, end);
	next = word_end(at, end);
	try = at + (begins_with(at, end, "(@") ? 2 : begins_with(at, end, "@") ? 1 : 0);
	if (try > at && take_hex(&try, next, &offset)) {
		m->offset = offset;
		at = skip_blanks(next, end);
		next = word_end(at, end);
	}
	m->id = at;
	m->id_end = next;
}

static bool
read_map(struct map_line *m, const char *at, const char *end)
{
	*m = (struct map_line){.file = end, .file_end = end, .id = end, .id_end = end};
	if (!take_hex(&at, end, &m->start) || at == end || *at++ != '-' ||
	    !take_hex(&at, end, &m->limit))
		return false;
	at += at < end && *at == ':';
	at = skip_blanks(at, end);
	const char *next = word_end(at, end);
	if (is_permissions(at, next)) {
		m->data = !memchr(at, 'x', (size_t)(next - at));
		at = skip_blanks(next, end);
	}
	take_file(m, at, end);
	return m->limit > m->start;
}

bool
pprof_old_map(struct pprof_old *o, const char *at, const char *end)
{
	struct buf text = BUF_INIT;
	struct map_line m;
	const char *log = text_find(at, end, "] ");

	at = skip_blanks(log && log > at && is_digit(log[-1]) ? log + 2 : at, end);
	end = drop_blanks(at, end);
	put_words(o, at, end, &text);
	const char *line = buf_str(&text);
	bool good = read_map(&m, line, line + text.len);
	if (good && !m.data && m.file < m.file_end)
		pprof_mapping_add(&o->frames, m.start, m.limit, m.offset,
				  builder_name(o->b, m.file, (size_t)(m.file_end - m.file)),
				  builder_name(o->b, m.id, (size_t)(m.id_end - m.id)));
	buf_release(&text);
	return good || take_word(o, at, end);
}

static uint32_t
mapping_at(const struct pprof_old *o, uint64_t address)
{
	for (size_t i = 0; i < o->frames.mapping.n; i++)
		if (address >= o->frames.mapping.at[i].start &&
		    address < o->frames.mapping.at[i].limit)
			return (uint32_t)i;
	return PPROF_NO_MAPPING;
}

/* ---- names ---- */

/* FILE:LINE, perhaps in parentheses. */
static void
take_place(const struct pprof_old *o, const char *at, const char *end, struct pprof_old_symbol *s)
{
	const char *colon = end;
	int64_t line;

	if (at < end && *at == '(' && end[-1] == ')') {
		at++;
		end--;
		colon = end;
	}
	while (colon > at && (colon == end || *colon != ':'))
		colon--;
	if (colon > at && number_parse(colon + 1, end, &line)) {
		s->line = line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
		end = colon;
	}
	for (const char *k = at; o->java && k < end; k++)
		if (*k == '/')
			at = k + 1;
	s->file = builder_name(o->b, at, (size_t)(end - at));
}

bool
pprof_old_name(struct pprof_old *o, const char *at, const char *end)
{
	struct pprof_old_symbol s = {.file = NAME_EMPTY};
	uint64_t address;

	at = skip_blanks(at, end);
	end = drop_blanks(at, end);
	if (!begins_with(at, end, "0x") || !take_hex(&at, end, &address) ||
	    (at < end && !is_blank(*at)))
		return false;
	at = skip_blanks(at, end);
	const char *name_end = memchr(at, '\t', (size_t)(end - at));
	const char *place = text_find(at, end, " (");
	if (!name_end)
		name_end = place ? place : end;
	place = skip_blanks(name_end, end);
	for (const char *sign = at; (sign = text_find(sign, name_end, "+0x")); sign += 3) {
		const char *digits = sign;
		uint64_t ignored;
		if ((digits++, take_hex(&digits, name_end, &ignored)) && digits == name_end) {
			name_end = sign;
			break;
		}
	}
	if (idmap_get(&o->symbol_of, address) != IDMAP_NONE || (name_end == at && o->java))
		return name_end > at;
	s.name = builder_name(o->b, at, (size_t)(name_end - at));
	if (place < end)
		take_place(o, place, end, &s);
	idmap_put(&o->symbol_of, address, (uint32_t)o->symbol.n);
	*vec_push(&o->symbol) = s;
	return true;
}

/* ---- samples ---- */

static void
ask_frames(struct pprof_old *o, uint64_t address)
{
	uint32_t mapping = mapping_at(o, address), symbol = idmap_get(&o->symbol_of, address);
	frame_id frame[SYMBOLS_DEPTH];
	unsigned n = 1;

	if (symbol != IDMAP_NONE && o->symbol.at[symbol].name != NAME_EMPTY) {
		const struct pprof_old_symbol *s = &o->symbol.at[symbol];
		frame[0] = pprof_frame(&o->frames, mapping, s->name, s->file, 0, s->line);
	} else {
		n = pprof_frames_at(&o->frames, mapping, address, frame);
	}
	idmap_put(&o->frames_of, address, (uint32_t)o->first.n);
	*vec_push(&o->first) = (uint32_t)o->known.n;
	for (unsigned i = 0; i < n; i++)
		*vec_push(&o->known) = frame[i];
}

/* Go lists the addresses below a sample, but not those of its runtime before the first other
 * function, and not runtime.goexit, the last: these have no names. Sets *first and *end to the
 * addresses that are listed. */
static void
listed_addresses(const struct pprof_old *o, size_t *first, size_t *end)
{
	*first = 0;
	*end = o->address.n;
	if (!o->symbol.n || o->java || o->frames.mapping.n)
		return;
	while (*first < *end && idmap_get(&o->symbol_of, o->address.at[*first]) == IDMAP_NONE)
		++*first;
	if (*first < *end && idmap_get(&o->symbol_of, o->address.at[*end - 1]) == IDMAP_NONE)
		--*end;
}

static stack_id
pprof_stack_of(struct pprof_old *o)
{
	size_t first, end;

	o->path.n = 0;
	listed_addresses(o, &first, &end);
	for (size_t i = first; i < end; i++) {
		if (idmap_get(&o->frames_of, o->address.at[i]) == IDMAP_NONE)
			ask_frames(o, o->address.at[i]);
		uint32_t k = idmap_get(&o->frames_of, o->address.at[i]);
		size_t stop = k + 1 < o->first.n ? o->first.at[k + 1] : o->known.n;
		for (size_t f = o->first.at[k]; f < stop; f++)
			*vec_push(&o->path) = o->known.at[f];
	}
	if (o->path.n) {
		uint64_t address = o->address.at[first];
		o->path.at[0] = builder_frame_at(
			o->b, o->path.at[0],
			pprof_address(&o->frames, mapping_at(o, address), address));
	} else if (o->address.n) {
		struct function f = {.name = builder_name(o->b, "[runtime]", 9),
				     .kind = KIND_SYSTEM};
		*vec_push(&o->path) = builder_frame_of(o->b, f, 0);
	}
	return o->path.n ? builder_stack_leaf_first(o->b, o->path.at, o->path.n)
			 : builder_stack_missing(o->b, 1);
}

bool
pprof_old_sample(struct pprof_old *o, const int64_t *values, int64_t block, uint64_t offset,
		 struct err *e)
{
	struct series **s = block < 0 ? &o->plain : &o->labelled;

	if (!*s)
		*s = builder_totals(o->b, o->track, o->metric, o->n_metrics);
	if (block >= 0 && !(*s)->labelled)
		builder_labelled(o->b, *s);
	builder_track_event(o->b, o->track);
	if (block >= 0) {
		label_id id = builder_label_number(o->b, o->bytes, block, NAME_EMPTY);
		builder_next_labels(o->b, *s, builder_labels(o->b, &id, 1));
	}
	return builder_total(o->b, *s, pprof_stack_of(o), values, offset, e);
}
