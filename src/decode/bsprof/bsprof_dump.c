/* bsprof_dump.c - see bsprof_dump.h.
 *
 * Ids are printed as numbers, since their definitions may come later in the file, or never. */
#include "src/decode/bsprof/bsprof_dump.h"

#include <inttypes.h>

#include "model/base/buf.h"
#include "src/decode/bsprof/bsprof_read.h"

/* ---- dump ---- */

static bool
dump_header(struct dump *d, const struct bsprof_header *h)
{
	static const char *const key[BSPROF_TEXTS] = {
		"target", "supplemental", "version", "vendor", "model", "firmware",
	};
	struct buf scratch = BUF_INIT;
	bool good = dump_record(d, 0,
				"header version=%" PRIu64 ".%" PRIu64 ".%" PRIu64 " size=%" PRIu64
				" requested=%.9g actual=%.9g lines=%d memory=%d start=%" PRIu64,
				h->major, h->minor, h->patch, h->size, (double)h->requested_ratio,
				(double)h->actual_ratio, h->lines, h->memory, h->start_ms);

	for (int i = 0; i < BSPROF_TEXTS && good; i++)
		if (h->text[i])
			good = dump_record(d, 0, "header %s=%s", key[i],
					   dump_bytes(d, &scratch, h->text[i], h->len[i]));
	buf_release(&scratch);
	return good;
}

static bool
dump_path(struct dump *d, const struct bsprof_entry *e)
{
	if (!e->caller)
		return dump_record(d, e->offset,
				   "path id=%u root module=%u file=%u line=%u function=%u", e->id,
				   e->module, e->file, e->definition, e->function);
	return dump_record(d, e->offset, "path id=%u caller=%u at=%u file=%u line=%u function=%u",
			   e->id, e->caller, e->line, e->file, e->definition, e->function);
}

static bool
dump_entry(struct dump *d, const struct bsprof_entry *e, struct buf *scratch)
{
	static const char *const op[] = {"alloc", "free", "free_realloc", "unassigned"};

	switch (e->type) {
	case BSPROF_STRING:
		return dump_record(d, e->offset, "string id=%u %s", e->id,
				   dump_bytes(d, scratch, e->text, e->len));
	case BSPROF_MODULE:
		return dump_record(d, e->offset, "module id=%u name=%u", e->id, e->string);
	case BSPROF_PATH:
		return dump_path(d, e);
	case BSPROF_MEMORY:
		if (e->op == BSPROF_ALLOC)
			return dump_record(d, e->offset,
					   "memory path=%u op=alloc at=%u address=0x%" PRIx64
					   " size=%" PRIu64,
					   e->id, e->line, e->value[0], e->value[1]);
		return dump_record(d, e->offset, "memory path=%u op=%s at=%u address=0x%" PRIx64,
				   e->id, op[e->op], e->line, e->value[0]);
	case BSPROF_CPU:
		return dump_record(d, e->offset, "cpu path=%u at=%u cpu=%" PRIu64 " time=%" PRIu64,
				   e->id, e->line, e->value[0], e->value[1]);
	}
	return dump_record(d, e->offset, "calls path=%u count=%" PRIu64, e->id, e->value[0]);
}

bool
bsprof_dump(struct input *in, struct dump *d, struct err *err)
{
	struct buf scratch = BUF_INIT;
	struct bsprof_reader r;
	struct bsprof_header h;
	struct bsprof_entry e;
	enum bsprof_got got = BSPROF_FAULT;
	uint64_t offset, end_ms;
	bool written = true, there, good = bsprof_header_read(&r, in, &h, err);

	if (good || h.size)
		written = dump_header(d, &h);
	while (good && written && (got = bsprof_next(&r, &e, err)) == BSPROF_ENTRY)
		written = dump_entry(d, &e, &scratch);
	if (written && got == BSPROF_END) {
		written = dump_record(d, e.offset, "end");
		good = bsprof_footer_read(&r, &offset, &end_ms, &there, err);
		if (written && good && there)
			dump_record(d, offset, "footer end=%" PRIu64, end_ms);
	}
	good &= got != BSPROF_FAULT || !written;
	bsprof_header_release(&h);
	buf_release(&scratch);
	return good;
}
