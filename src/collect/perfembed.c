/* A perf.data file ends in a table with an entry for each feature, followed by the features:
 *
 *	before   header | attrs | data | table      | sections
 *	after    header'| attrs | data | table + 1  | sections | names
 *	                 `---- as it was ----'
 *
 * Only the table has the positions of sections, and no section contains its own position, so they
 * can move.  The header is written last: a truncated copy has none. */
#include "src/collect/perfembed.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/encode/zlib.h"

#define FEATURES 256u
#define PIECE_BYTES (64u << 10)
enum { AS_IT_IS, BY_ZLIB };
/* Readers reject sections that inflate to more than 16 times their size. */
#define SQUEEZED_TIMES 16u

struct perfembed_part {
	uint64_t offset, size;
};

struct perfembed_header {
	char magic[8];
	uint64_t size, attr_size;
	struct perfembed_part attrs, data, event_types;
	uint64_t features[FEATURES / 64];
};

struct copy {
	int in, out;
	uint64_t size; /* of the copied data */
	struct perfembed_header header;
	struct perfembed_part section[FEATURES]; /* by bit; those in the header */
};

static void
perfembed_add_word(struct buf *out, uint64_t word, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		buf_addc(out, (char)(word >> 8 * i));
}

void
perfembed_section(const struct buf *names, struct buf *out)
{
	struct buf squeezed = BUF_INIT;
	bool good = zlib_squeeze(buf_str(names), names->len, &squeezed) &&
		    names->len / SQUEEZED_TIMES <= squeezed.len;

	buf_add(out, "PNAVNAME", 8);
	perfembed_add_word(out, 1, 4);
	perfembed_add_word(out, good ? BY_ZLIB : AS_IT_IS, 4);
	perfembed_add_word(out, names->len, 8);
	buf_add(out, good ? squeezed.at : names->at, good ? squeezed.len : names->len);
	buf_release(&squeezed);
}

static bool
perfembed_has(const struct perfembed_header *h, unsigned bit)
{
	return h->features[bit / 64] >> bit % 64 & 1;
}

static bool
read_at(int fd, void *to, size_t len, uint64_t at)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = pread(fd, (char *)to + done, len - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static bool
write_at(int fd, const void *bytes, size_t len, uint64_t at, struct err *e)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = pwrite(fd, (const char *)bytes + done, len - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_refuse(e, "cannot write: %s", strerror(n ? errno : ENOSPC));
		done += (size_t)n;
	}
	return true;
}

static bool
perfembed_inside(const struct copy *c, struct perfembed_part s, uint64_t end)
{
	return s.offset <= end && s.size <= end - s.offset && end <= c->size;
}

static bool
read_head(struct copy *c, struct err *e)
{
	struct perfembed_header *h = &c->header;
	struct stat st;
	uint64_t all = 0;

	if (fstat(c->in, &st) || !S_ISREG(st.st_mode) || !read_at(c->in, h, sizeof *h, 0) ||
	    memcmp(h->magic, "PERFILE2", 8) != 0 || h->size < sizeof *h)
		return err_refuse(
			e,
			"not a perf.data file of this machine's byte order, or in the form of "
			"a pipe: it cannot hold names");
	c->size = (uint64_t)st.st_size;
	if (!h->data.size)
		return err_refuse(e, "the recording is not complete: it cannot hold names");
	if (!perfembed_inside(c, h->data, c->size) ||
	    !perfembed_inside(c, h->attrs, h->data.offset + h->data.size))
		return err_damage(e, 0, "the file ends before its data");
	uint64_t at = h->data.offset + h->data.size;
	for (unsigned bit = 0; bit < FEATURES; bit++) {
		if (!perfembed_has(h, bit))
			continue;
		if (!read_at(c->in, &c->section[bit], sizeof c->section[bit], at) ||
		    !perfembed_inside(c, c->section[bit], c->size) ||
		    (all += c->section[bit].size) > c->size)
			return err_damage(e, at, "the sections after the data are damaged");
		at += sizeof c->section[bit];
	}
	return true;
}

static bool
copy_bytes(const struct copy *c, struct perfembed_part from, uint64_t to, struct err *e)
{
	char piece[PIECE_BYTES];

	for (uint64_t done = 0; done < from.size;) {
		uint64_t left = from.size - done;
		size_t n = left < sizeof piece ? (size_t)left : sizeof piece;
		if (!read_at(c->in, piece, n, from.offset + done))
			return err_damage(e, from.offset + done, "the file ends here");
		if (!write_at(c->out, piece, n, to + done, e))
			return false;
		done += n;
	}
	return true;
}

bool
perfembed_copy(int in, int out, const struct buf *section, struct err *e)
{
	struct copy c = {.in = in, .out = out};
	struct perfembed_header *h = &c.header;

	if (!read_head(&c, e))
		return false;
	uint64_t table = h->data.offset + h->data.size, at = table;
	h->features[PERFEMBED_FEATURE / 64] |= (uint64_t)1 << PERFEMBED_FEATURE % 64;
	for (unsigned bit = 0; bit < FEATURES; bit++)
		at += perfembed_has(h, bit) ? sizeof c.section[bit] : 0;
	if (!copy_bytes(&c, (struct perfembed_part){sizeof *h, table - sizeof *h}, sizeof *h, e))
		return false;
	for (unsigned bit = 0; bit < FEATURES; bit++) {
		bool names = bit == PERFEMBED_FEATURE;
		struct perfembed_part s = {at, names ? section->len : c.section[bit].size};
		if (!perfembed_has(h, bit))
			continue;
		if (!(names ? write_at(out, section->at, section->len, at, e)
			    : copy_bytes(&c, c.section[bit], at, e)) ||
		    !write_at(out, &s, sizeof s, table, e))
			return false;
		table += sizeof s;
		at += s.size;
	}
	return write_at(out, h, sizeof *h, 0, e);
}
