/* Reads the tables of a nettrace: the recording, kinds of events, threads, lists of labels.
 *
 * Versions 4 and 5 describe a kind of events in the payload of an event, with texts of UTF-16 that
 * end with 0; version 6 has rows with their sizes, and texts of UTF-8 after their lengths:
 *
 *	4, 5: i32 id   provider   i32 event   name   i64 keywords   i32 version   i32 level ...
 *	6:    u16 size   id   provider   event   name   u16 fields, each u16 size, name, type ...
 *	thread: u16 size   index   then 1 name | 2 pid | 3 tid | 4 key, value, any number of them */
#include "src/decode/nettrace/nettrace_read.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

/* A text of version 6. */
static struct name
table_text(struct cursor *c)
{
	uint64_t len = cursor_varint(c);
	const uint8_t *p = len <= UINT32_MAX ? cursor_bytes(c, len) : NULL;

	c->bad |= !p;
	return (struct name){.at = p ? (const char *)p : "", .len = p ? (uint32_t)len : 0};
}

void
nettrace_utf16(struct cursor *c, struct buf *out)
{
	uint32_t high = 0, unit;

	while ((unit = cursor_u16(c)))
		buf_add_utf16(out, unit, &high);
}

/* ---- the recording ---- */

static void
trace_pair(struct nettrace_trace *t, struct name key, struct name value)
{
	static const char cpus[] = "HardwareThreadCount", pid[] = "ProcessId";
	uint64_t number = 0;

	for (uint32_t i = 0; i < value.len && i < 19 && is_digit(value.at[i]); i++)
		number = number * 10 + (uint64_t)(value.at[i] - '0');
	if (key.len == sizeof cpus - 1 && !memcmp(key.at, cpus, key.len))
		t->cpus = number;
	else if (key.len == sizeof pid - 1 && !memcmp(key.at, pid, key.len))
		t->pid = number;
}

bool
nettrace_trace_read(struct nettrace_file *f, const struct nettrace_block *block,
		    struct nettrace_trace *t)
{
	struct cursor c = cursor_over(block->at, block->len);

	*t = (struct nettrace_trace){.frequency = 0};
	for (unsigned i = 0; i < 8; i++)
		t->utc[i] = cursor_u16(&c);
	t->ticks = cursor_u64(&c);
	t->frequency = cursor_u64(&c);
	uint32_t pointer = cursor_u32(&c);
	if (f->version < 6) {
		t->pid = cursor_u32(&c);
		t->cpus = cursor_u32(&c);
	} else {
		uint32_t n = cursor_u32(&c);
		for (uint32_t i = 0; i < n && !c.bad; i++) {
			struct name key = table_text(&c), value = table_text(&c);
			if (!c.bad)
				trace_pair(t, key, value);
		}
	}
	if (c.bad || (pointer != 4 && pointer != 8) || !t->frequency ||
	    t->frequency > INT64_MAX)
		return nettrace_bad(f, block, block->offset,
				    "a description of the recording that is not whole");
	f->pointer = pointer;
	return true;
}

/* ---- kinds of events ---- */

struct metadata_reader {
	struct nettrace_file *f;
	const struct nettrace_block *block;
	struct buf text;
	bool (*take)(void *ctx, const struct nettrace_metadata *row);
	void *ctx;
};

/* Versions 4 and 5. */
static bool
metadata_event(void *ctx, const struct nettrace_event *ev)
{
	struct metadata_reader *m = ctx;
	struct cursor c = cursor_over(ev->payload, ev->size);
	struct nettrace_metadata row = {.offset = ev->offset};

	buf_reset(&m->text);
	row.id = cursor_u32(&c);
	nettrace_utf16(&c, &m->text);
	size_t provider = m->text.len;
	row.event = cursor_u32(&c);
	nettrace_utf16(&c, &m->text);
	if (c.bad)
		return err_damage(m->f->e, ev->offset, "malformed metadata");
	row.provider = (struct name){.at = buf_str(&m->text), .len = (uint32_t)provider};
	row.name = (struct name){.at = buf_str(&m->text) + provider,
				 .len = (uint32_t)(m->text.len - provider)};
	return m->take(m->ctx, &row);
}

/* Returns true if the fields have addresses, but not the process to which they belong. */
static bool
fields_lack_process(struct cursor *c)
{
	bool start = false, process = false;
	unsigned n = cursor_u16(c);

	for (unsigned i = 0; i < n && !c->bad; i++) {
		unsigned size = cursor_u16(c);
		const uint8_t *p = cursor_bytes(c, size);
		struct cursor field = cursor_over(p, p ? size : 0);
		struct name name = table_text(&field);
		start |= name_is(name, "StartAddress");
		process |= name_is(name, "ProcessId");
	}
	return start && !process;
}

static bool
metadata_rows(struct metadata_reader *m)
{
	struct cursor c = cursor_over(m->block->at, m->block->len);

	cursor_bytes(&c, cursor_u16(&c));
	while (!c.bad && c.at < c.end) {
		struct nettrace_metadata row = {
			.offset = m->block->offset + (uint64_t)(c.at - c.start)};
		unsigned size = cursor_u16(&c);
		const uint8_t *p = cursor_bytes(&c, size);
		struct cursor in = cursor_over(p, p ? size : 0);
		row.id = cursor_varint(&in);
		row.provider = table_text(&in);
		row.event = cursor_varint(&in);
		row.name = table_text(&in);
		if (c.bad || in.bad)
			return nettrace_bad(m->f, m->block, row.offset, "malformed metadata");
		row.no_process = fields_lack_process(&in);
		if (!m->take(m->ctx, &row))
			return false;
	}
	return c.bad ? nettrace_bad(m->f, m->block, m->block->offset, "malformed metadata") : true;
}

bool
nettrace_metadata_read(struct nettrace_file *f, const struct nettrace_block *block,
		       bool (*take)(void *ctx, const struct nettrace_metadata *row), void *ctx)
{
	struct metadata_reader m = {.f = f, .block = block, .text = BUF_INIT, .take = take,
				    .ctx = ctx};
	bool good = f->version < 6 ? nettrace_events(f, block, metadata_event, &m)
				   : metadata_rows(&m);

	buf_release(&m.text);
	return good;
}

/* ---- threads ---- */

static void
thread_attributes(struct cursor *c, struct nettrace_thread_row *row)
{
	while (!c->bad && c->at < c->end)
		switch (cursor_u8(c)) {
		case 1:
			row->name = table_text(c);
			break;
		case 2:
			row->pid = cursor_varint(c);
			row->has_pid = !c->bad;
			break;
		case 3:
			row->tid = cursor_varint(c);
			row->has_tid = !c->bad;
			break;
		case 4:
			table_text(c);
			table_text(c);
			break;
		default: /* of a later version; the row's size is known */
			c->at = c->end;
			break;
		}
}

bool
nettrace_threads_read(struct nettrace_file *f, const struct nettrace_block *block,
		      bool (*take)(void *ctx, const struct nettrace_thread_row *row), void *ctx)
{
	struct cursor c = cursor_over(block->at, block->len);

	while (c.at < c.end) {
		struct nettrace_thread_row row = {
			.offset = block->offset + (uint64_t)(c.at - c.start), .name = {.at = ""}};
		unsigned size = cursor_u16(&c);
		const uint8_t *p = cursor_bytes(&c, size);
		struct cursor in = cursor_over(p, p ? size : 0);
		row.index = cursor_varint(&in);
		thread_attributes(&in, &row);
		if (c.bad || in.bad)
			return nettrace_bad(f, block, row.offset, "a malformed thread");
		if (!take(ctx, &row))
			return false;
	}
	return true;
}

/* ---- labels ---- */

unsigned
nettrace_id_bytes(unsigned kind)
{
	static const uint8_t bytes[NETTRACE_LABEL_KINDS] = {
		[NETTRACE_ACTIVITY] = 16, [NETTRACE_RELATED] = 16, [NETTRACE_TRACE_ID] = 16,
		[NETTRACE_SPAN_ID] = 8};

	return kind < NETTRACE_LABEL_KINDS ? bytes[kind] : 0;
}

/* Reads one label; sets c->bad if its kind is not known. */
static void
label_read(struct cursor *c, struct nettrace_label *l)
{
	/* opcode, keywords, level, version: bytes */
	static const uint8_t skipped[NETTRACE_LABEL_KINDS] = {[7] = 1, [8] = 8, [9] = 1, [10] = 1};
	uint8_t kind = cursor_u8(c);

	l->kind = kind & 0x7F;
	l->last = kind & 0x80;
	l->bytes = NULL;
	if (!l->kind || l->kind >= NETTRACE_LABEL_KINDS) {
		c->bad = true;
	} else if (nettrace_id_bytes(l->kind)) {
		l->bytes = cursor_bytes(c, nettrace_id_bytes(l->kind));
	} else if (l->kind == NETTRACE_TEXT || l->kind == NETTRACE_NUMBER) {
		l->key = table_text(c);
		if (l->kind == NETTRACE_TEXT) {
			l->text = table_text(c);
			return;
		}
		l->number = cursor_zigzag(c);
	} else {
		cursor_bytes(c, skipped[l->kind]);
	}
}

bool
nettrace_labels_read(struct nettrace_file *f, const struct nettrace_block *block,
		     bool (*take)(void *ctx, const struct nettrace_label *label), void *ctx)
{
	struct cursor c = cursor_over(block->at, block->len);
	uint32_t first = cursor_u32(&c), n = cursor_u32(&c);
	struct nettrace_label l = {.list = first};

	for (uint32_t i = 0; i < n && !c.bad;) {
		l.offset = block->offset + (uint64_t)(c.at - c.start);
		l.list = (uint64_t)first + i;
		label_read(&c, &l);
		if (c.bad)
			return nettrace_bad(f, block, l.offset, "a malformed label");
		if (!take(ctx, &l))
			return false;
		i += l.last;
	}
	return c.bad ? nettrace_bad(f, block, block->offset, "a block with a malformed header")
		     : true;
}
