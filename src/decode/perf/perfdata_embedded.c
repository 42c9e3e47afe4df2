/* The section of embedded names (feature 254):
 *
 *	 0 "PNAVNAME"
 *	 8 u32 version, 1       12 u32 compression: 0 none, 1 zlib
 *	16 u64 bytes of what follows once it is inflated
 *	24 what embedded.h reads
 *
 * All numbers are little-endian, whatever the recording's are. */
#include "src/decode/perf/perfdata_embedded.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/buf.h"
#include "src/input/unzlib.h"
#include "src/symbol/embedded.h"

#define HEAD_SIZE 24u
#define LAYOUT_VERSION 1u
enum { AS_IT_IS, BY_ZLIB };
/* Ordinary sections inflate to three times their size; more than this is meant to exhaust
 * memory. */
#define INFLATED_TIMES 16u
#define INFLATED_FREE (1u << 20)

/* Attaches the embedded code to the profile, since views request it after the recording was
 * read. */
static void
attach(struct perfdata_frames *f)
{
	builder_attach(f->b, EMBEDDED_KIND, f->embedding.symbols, embedded_release,
		       embedded_bytes);
	f->embedding.attached = true;
}

static void
perfdata_embedded_take(struct perfdata_frames *f, const uint8_t *at, size_t len,
		       uint64_t offset, struct err *e)
{
	struct err why;

	err_init(&why);
	f->embedding.symbols = embedded_read(at, len, &why);
	if (!f->embedding.symbols) {
		err_damage(e, offset, "%s", why.text);
		return;
	}
	struct embedded_sizes n = embedded_sizes(f->embedding.symbols);
	symbols_recorded(f->symbols, f->embedding.symbols);
	if (n.functions)
		attach(f);
	if (n.functions)
		builder_info(f->b, "embedded",
			     "names at %zu addresses of %zu modules, %zu stacks, the code of %zu "
			     "functions",
			     n.addresses, n.modules, n.stacks, n.functions);
	else
		builder_info(f->b, "embedded", "names at %zu addresses of %zu modules, %zu stacks",
			     n.addresses, n.modules, n.stacks);
}

void
perfdata_embedded(struct perfdata_frames *f, const uint8_t *at, size_t len, uint64_t offset,
		  struct err *e)
{
	struct cursor r = perfdata_over(at, len, false);
	const uint8_t *magic = cursor_bytes(&r, 8);
	uint32_t version = cursor_u32(&r), compression = cursor_u32(&r);
	uint64_t size = cursor_u64(&r);
	struct buf plain = BUF_INIT;

	if (r.bad || memcmp(magic, "PNAVNAME", 8) != 0 || f->embedding.symbols) {
		err_damage(e, offset, "the section of embedded names has no head");
		return;
	}
	if (version != LAYOUT_VERSION || compression > BY_ZLIB) {
		builder_warn(f->b,
			     "the embedded names are of version %" PRIu32
			     ", which this pnav cannot read: the files of this machine are used",
			     version);
		return;
	}
	if (size > EMBEDDED_MAX || size > INFLATED_FREE + (uint64_t)INFLATED_TIMES * len ||
	    (compression == AS_IT_IS && size != len - HEAD_SIZE) ||
	    (compression == BY_ZLIB &&
	     (!unzlib(at + HEAD_SIZE, len - HEAD_SIZE, (size_t)size + 1, &plain) ||
	      plain.len != size)))
		err_damage(e, offset, "the section of embedded names cannot be inflated");
	else if (compression == AS_IT_IS)
		perfdata_embedded_take(f, at + HEAD_SIZE, (size_t)size, offset, e);
	else
		perfdata_embedded_take(f, (const uint8_t *)buf_str(&plain), plain.len, offset, e);
	buf_release(&plain);
}
