#include "src/decode/gmon/gmon.h"

#include <string.h>

/* glibc's gmon_out.h:
 *
 *	0	"gmon"
 *	4	u32 version 1: its byte order is that of the file
 *	8	12 bytes of nothing
 *	20	records, each after its tag:
 *		0  histogram: address low, address high, u32 bins, u32 rate, 15 bytes
 *		   dimension, 1 byte its letter, u16 of each bin
 *		1  arc: address from, address self, u32 calls
 *		2  blocks: u32 n, n times address and count of calls (an address wide)
 *
 * The BSDs and MinGW write their older form, 4.4BSD's <sys/gmon.h>: no magic, no tags. p is the
 * width of an address, l that of a long, including the padding of an arc to a multiple of p:
 *
 *	0	low p, high p
 *	2p	u32 bytes of this head and the histogram
 *	2p+4	u32 version 0x51879: its place and byte order are those of the file
 *	2p+8	u32 rate (0: 100), 12 bytes of nothing
 *	2p+24	u16 of each bin
 *	...	arcs: address from p, address self p, calls l
 *
 * l is p, but 4 and 4 that say nothing on 64-bit Windows; counts above 2^32 are not known of.
 *
 * In glibc's form an address has the width of the program's, which the file does not state: a
 * histogram's dimension, `seconds`, is at the right place for only one width, and arcs fill the
 * file for only one. */

#define HEADER 20u
#define BSD_VERSION 0x51879u
#define BSD_RATE 100u
#define DIMENSION 15u

static uint64_t
address(struct gmon_file *f)
{
	return f->wide ? cursor_u64(&f->c) : cursor_u32(&f->c);
}

static void
read_histogram(struct gmon_file *f, struct gmon_histogram *h)
{
	h->low = address(f);
	h->high = address(f);
	h->bins = cursor_u32(&f->c);
	h->rate = cursor_u32(&f->c);
	const uint8_t *dimension = cursor_bytes(&f->c, DIMENSION + 1);
	if (dimension)
		memcpy(h->dimension, dimension, DIMENSION);
	h->dimension[DIMENSION] = '\0';
	h->bin = cursor_bytes(&f->c, (uint64_t)h->bins * 2);
}

/* Returns true if the bytes are a head of the BSD form with addresses of this width: the version at
 * its place, a size that holds the head and whole bins, and bins for at least one address. */
static bool
is_bsd_head(const uint8_t *at, size_t len, bool wide, bool big_endian)
{
	uint32_t width = wide ? 8 : 4, size = 2 * width + 24;

	if (len < size || bytes_u32(at + 2 * width + 4, big_endian) != BSD_VERSION)
		return false;
	uint32_t used = bytes_u32(at + 2 * width, big_endian);
	uint64_t low = wide ? bytes_u64(at, big_endian) : bytes_u32(at, big_endian);
	uint64_t high = wide ? bytes_u64(at + 8, big_endian) : bytes_u32(at + 4, big_endian);
	return used > size && (used - size) % 2 == 0 && low < high;
}

bool
gmon_is_bsd(const uint8_t *at, size_t len, bool *wide, bool *big_endian)
{
	for (unsigned way = 0; way < 4; way++) {
		*wide = way & 1;
		*big_endian = way & 2;
		if (is_bsd_head(at, len, *wide, *big_endian))
			return true;
	}
	return false;
}

/* The same for a file of BSD's form: the histogram first, then arcs. */
static const char *
read_bsd(struct gmon_file *f, struct gmon_record *r)
{
	if (r->offset) {
		r->kind = GMON_ARC;
		r->arc.from = address(f);
		r->arc.self = address(f);
		uint64_t calls = address(f);
		r->arc.calls = f->c.big_endian && calls > UINT32_MAX ? UINT32_MAX : (uint32_t)calls;
		return f->c.bad ? "a truncated arc" : NULL;
	}
	struct gmon_histogram *h = &r->histogram;
	r->kind = GMON_HISTOGRAM;
	h->low = address(f);
	h->high = address(f);
	uint32_t size = cursor_u32(&f->c);
	cursor_u32(&f->c); /* the version */
	h->rate = cursor_u32(&f->c);
	if (!h->rate || h->rate > INT32_MAX)
		h->rate = BSD_RATE;
	cursor_bytes(&f->c, 12);
	h->bins = (size - (uint32_t)(f->c.at - f->c.start)) / 2;
	h->bin = cursor_bytes(&f->c, (uint64_t)h->bins * 2);
	memcpy(h->dimension, "seconds", 8);
	return f->c.bad ? "a truncated histogram" : NULL;
}

/* Returns why a record cannot be read; NULL if it can. */
static const char *
read_record(struct gmon_file *f, struct gmon_record *r)
{
	if (f->bsd)
		return read_bsd(f, r);
	const uint8_t *tag = cursor_bytes(&f->c, 1);
	if (!tag)
		return "no record";
	if (*tag > GMON_BLOCKS)
		return "a record of an unknown kind";
	r->kind = (enum gmon_kind)*tag;
	switch (r->kind) {
	case GMON_HISTOGRAM:
		read_histogram(f, &r->histogram);
		r->histogram.offset = r->offset;
		if (!f->c.bad && (r->histogram.high <= r->histogram.low || !r->histogram.bins ||
				  !r->histogram.rate))
			return "an empty histogram";
		break;
	case GMON_ARC:
		r->arc.from = address(f);
		r->arc.self = address(f);
		r->arc.calls = cursor_u32(&f->c);
		break;
	case GMON_BLOCKS:
		r->blocks = cursor_u32(&f->c);
		cursor_bytes(&f->c, (uint64_t)r->blocks * (f->wide ? 16 : 8));
		break;
	}
	return f->c.bad ? "a truncated record" : NULL;
}

/* Returns how much of the file can be read with addresses of this width; the width with more is
 * right. */
static uint64_t
readable(struct gmon_file f, bool wide)
{
	struct gmon_record r = {0};
	uint64_t good = 0;

	f.wide = wide;
	while (cursor_left(&f.c)) {
		r.offset = (uint64_t)(f.c.at - f.c.start);
		if (read_record(&f, &r))
			break;
		for (size_t i = 0; r.kind == GMON_HISTOGRAM && i < DIMENSION; i++)
			if (r.histogram.dimension[i] &&
			    (unsigned char)(r.histogram.dimension[i] - ' ') > '~' - ' ')
				return good;
		good = (uint64_t)(f.c.at - f.c.start);
	}
	/* the first record determines the form of a truncated file */
	return good;
}

bool
gmon_open(struct gmon_file *f, struct input *in, struct err *e)
{
	while (input_more(in))
		;
	*f = (struct gmon_file){.c = cursor_over(input_at(in), input_have(in))};
	if (gmon_is_bsd(f->c.at, cursor_left(&f->c), &f->wide, &f->c.big_endian)) {
		f->bsd = true;
		return true;
	}
	const uint8_t *head = cursor_bytes(&f->c, HEADER);
	if (!head || memcmp(head, "gmon", 4) != 0)
		return err_refuse(e, "not a gmon.out: it does not begin with `gmon`");
	f->c.big_endian = bytes_u32(head + 4, true) == 1;
	if (!f->c.big_endian && bytes_u32(head + 4, false) != 1)
		return err_refuse(e, "a gmon.out of another version than 1");
	f->wide = readable(*f, true) >= readable(*f, false);
	return true;
}

bool
gmon_next(struct gmon_file *f, struct gmon_record *out, struct err *e)
{
	if (!cursor_left(&f->c))
		return false;
	*out = (struct gmon_record){.offset = (uint64_t)(f->c.at - f->c.start)};
	const char *why = read_record(f, out);
	return why ? err_damage(e, out->offset, "%s", why) : true;
}
