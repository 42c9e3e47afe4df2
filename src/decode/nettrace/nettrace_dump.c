/* Prints the records of a nettrace: blocks, and what is in them. */
#include "src/decode/nettrace/nettrace_inside.h"

#include <inttypes.h>

#include "src/decode/decoder.h"

struct nettrace_printer {
	struct nettrace_file file;
	struct dump *out;
	struct buf text, scratch;
};

/* Quotes a text of the file at the end of the line. */
static void
print_text(struct nettrace_printer *p, struct name n)
{
	buf_addf(&p->text, " %s", dump_bytes(p->out, &p->scratch, n.at, n.len));
}

static bool
print_line(struct nettrace_printer *p, uint64_t offset, const char *kind)
{
	bool good = dump_record(p->out, offset, "%s%s", kind, buf_str(&p->text));

	buf_reset(&p->text);
	return good;
}

static bool
print_event(void *ctx, const struct nettrace_event *ev)
{
	struct nettrace_printer *p = ctx;

	buf_addf(&p->text,
		 " metadata=%" PRIu32 " sequence=%" PRIu32 " capture=%" PRIu64 " cpu=%" PRIu32
		 " thread=%" PRIu64 " stack=%" PRIu32 " ticks=%" PRIu64 " labels=%" PRIu32
		 " sorted=%d size=%" PRIu32 "%s",
		 ev->metadata, ev->sequence, ev->capture, ev->cpu, ev->thread, ev->stack, ev->ticks,
		 ev->labels, ev->sorted, ev->size, ev->size ? " " : "");
	for (uint32_t i = 0; i < ev->size; i++)
		buf_addf(&p->text, "%02x", ev->payload[i]);
	return print_line(p, ev->offset, "event");
}

static bool
print_metadata(void *ctx, const struct nettrace_metadata *row)
{
	struct nettrace_printer *p = ctx;

	buf_addf(&p->text, " id=%" PRIu64 " event=%" PRIu64, row->id, row->event);
	print_text(p, row->provider);
	print_text(p, row->name);
	return print_line(p, row->offset, "metadata");
}

static bool
print_stack(void *ctx, uint64_t offset, uint32_t id, const uint8_t *at, uint32_t n)
{
	struct nettrace_printer *p = ctx;
	unsigned bytes = p->file.pointer;

	buf_addf(&p->text, " id=%" PRIu32, id);
	for (uint32_t i = 0; i < n; i++, at += bytes)
		buf_addf(&p->text, " 0x%" PRIx64,
			 bytes == 8 ? bytes_u64(at, false) : bytes_u32(at, false));
	return print_line(p, offset, "stack");
}

static bool
print_sequence(void *ctx, uint64_t offset, uint64_t thread, uint32_t number)
{
	struct nettrace_printer *p = ctx;

	buf_addf(&p->text, " thread=%" PRIu64 " sequence=%" PRIu32, thread, number);
	return print_line(p, offset, "last");
}

static bool
print_thread(void *ctx, const struct nettrace_thread_row *row)
{
	struct nettrace_printer *p = ctx;

	buf_addf(&p->text, " index=%" PRIu64 " pid=%" PRIu64 " tid=%" PRIu64, row->index, row->pid,
		 row->tid);
	print_text(p, row->name);
	return print_line(p, row->offset, "thread");
}

static bool
print_label(void *ctx, const struct nettrace_label *l)
{
	struct nettrace_printer *p = ctx;

	buf_addf(&p->text, " list=%" PRIu64 " kind=%u", l->list, l->kind);
	if (l->kind == NETTRACE_TEXT || l->kind == NETTRACE_NUMBER)
		print_text(p, l->key);
	if (l->kind == NETTRACE_TEXT)
		print_text(p, l->text);
	if (l->kind == NETTRACE_NUMBER)
		buf_addf(&p->text, " %" PRId64, l->number);
	if (l->bytes)
		buf_addc(&p->text, ' ');
	for (unsigned i = 0; l->bytes && i < nettrace_id_bytes(l->kind); i++)
		buf_addf(&p->text, "%02x", l->bytes[i]);
	return print_line(p, l->offset, "label");
}

static bool
print_trace(struct nettrace_printer *p, const struct nettrace_block *block)
{
	struct nettrace_trace t;

	if (!nettrace_trace_read(&p->file, block, &t))
		return false;
	buf_addf(&p->text,
		 " utc=%04u-%02u-%02uT%02u:%02u:%02u.%03u ticks=%" PRIu64 " frequency=%" PRIu64
		 " pointer=%u pid=%" PRIu64 " cpus=%" PRIu64,
		 t.utc[0], t.utc[1], t.utc[3], t.utc[4], t.utc[5], t.utc[6], t.utc[7], t.ticks,
		 t.frequency, p->file.pointer, t.pid, t.cpus);
	return print_line(p, block->offset, "recording");
}

static bool
print_block(void *ctx, const struct nettrace_block *block)
{
	struct nettrace_printer *p = ctx;
	uint32_t flags;

	buf_addf(&p->text, " size=%zu", block->size);
	if (!print_line(p, block->offset, nettrace_kinds[block->kind]))
		return false;
	switch (block->kind) {
	case NETTRACE_TRACE:
		return print_trace(p, block);
	case NETTRACE_EVENTS:
		return nettrace_events(&p->file, block, print_event, p);
	case NETTRACE_METADATA:
		return nettrace_metadata_read(&p->file, block, print_metadata, p);
	case NETTRACE_STACKS:
		return nettrace_stacks(&p->file, block, print_stack, p);
	case NETTRACE_SEQUENCE:
	case NETTRACE_REMOVED:
		return nettrace_sequence(&p->file, block, &flags, print_sequence, p);
	case NETTRACE_THREADS:
		return nettrace_threads_read(&p->file, block, print_thread, p);
	case NETTRACE_LABELS:
		return nettrace_labels_read(&p->file, block, print_label, p);
	case NETTRACE_END:
	case NETTRACE_KINDS:
		break;
	}
	return true;
}

bool
nettrace_dump(struct input *in, struct dump *out, struct err *e)
{
	struct nettrace_printer p = {.file = {.in = in, .e = e}, .out = out};
	bool good = nettrace_magic(&p.file) &&
		    dump_record(out, 0, "header %s", p.file.version < 6 ? "4 or 5" : "6") &&
		    nettrace_blocks(&p.file, print_block, &p);

	buf_release_all(&p.text, &p.scratch);
	return good;
}
