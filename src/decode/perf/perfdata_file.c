/* The container of a perf.data file.
 *
 *	 0 "PERFILE2"          16 u64 attr_size         40 data section
 *	 8 u64 header size     24 attrs section         56 event types (unused)
 *	                                                72 256 bits: which features
 *	a section is u64 offset, u64 size
 *	attrs: attr_size bytes each: perf_event_attr, section of its ids
 *	after the data: one section for each feature whose bit is set
 *
 * A header of 16 bytes is that of a pipe: records follow to the end, and records replace the
 * sections. While perf writes a file, the size of its data is 0; then, too, records follow to the
 * end.
 *
 * Two kinds of records are followed by bytes of their own, which are skipped. Each compressed
 * record contains a piece of one zstd stream. It decompresses to records, the last of which may
 * continue in the next piece.
 *
 * A truncated record, or one of an impossible size, ends the file: the beginning of the next is
 * unknown.
 *
 * Invariant: `plain` holds less than one record between two compressed ones. */
#include "src/decode/perf/perfdata_file.h"

#include <inttypes.h>
#include <string.h>

#include "src/input/unzstd.h"

#define HEADER_SIZE 104u
#define PIPE_HEADER_SIZE 16u
/* perf_event_attr has 136 bytes today */
#define ATTR_SIZE_MAX 4096u
/* a forged section must not fill the memory */
#define SECTION_MAX (256u << 20)
#define READ_BYTES 65536u
/* The maximum size to which one compressed record (64 KB) may inflate. perf compresses at most the
 * contents of one CPU's buffer. */
#define PLAIN_MAX (256u << 20)

bool
perfdata_is_magic(const uint8_t *at, size_t len)
{
	return len >= 8 && (!memcmp(at, "PERFILE2", 8) || !memcmp(at, "2ELIFREP", 8));
}

static struct perfdata_section
read_section(struct cursor *r)
{
	struct perfdata_section s;
	s.offset = cursor_u64(r);
	s.size = cursor_u64(r);
	return s;
}

/* The set of features is an array of `unsigned long`: files of a 32-bit big-endian machine have
 * the halves of each word swapped.  All files have a host name (3), which shows the order. */
static void
read_features(struct perfdata_file *f, struct cursor *r)
{
	for (size_t i = 0; i < PERFDATA_FEATURES / 64; i++)
		f->features[i] = cursor_u64(r);
	if (!f->big_endian || f->features[0] >> 3 & 1 || !(f->features[0] >> 35 & 1))
		return;
	for (size_t i = 0; i < PERFDATA_FEATURES / 64; i++)
		f->features[i] = f->features[i] << 32 | f->features[i] >> 32;
}

bool
perfdata_open(struct perfdata_file *f, struct input *in, struct err *e)
{
	*f = (struct perfdata_file){.in = in, .e = e};
	if (!input_need(in, PIPE_HEADER_SIZE))
		return err_damage(e, 0, "the header is truncated");
	f->big_endian = input_at(in)[0] == '2';
	struct cursor r =
		perfdata_over(input_at(in) + 8, PIPE_HEADER_SIZE - 8, f->big_endian);
	uint64_t size = cursor_u64(&r);
	if (size == PIPE_HEADER_SIZE) {
		f->pipe = true;
		input_skip(in, PIPE_HEADER_SIZE);
		return true;
	}
	if (size < HEADER_SIZE)
		return err_damage(e, 0, "a header of %" PRIu64 " bytes", size);
	input_keep(in);
	if (!input_need(in, HEADER_SIZE))
		return err_damage(e, 0, "the header is truncated");
	r = perfdata_over(input_at(in) + 16, HEADER_SIZE - 16, f->big_endian);
	f->attr_size = cursor_u64(&r);
	f->attrs = read_section(&r);
	f->data = read_section(&r);
	read_section(&r);
	read_features(f, &r);
	if (f->attr_size < PERFDATA_ATTR_MIN + 16 || f->attr_size > ATTR_SIZE_MAX)
		return err_damage(e, 0, "events of %" PRIu64 " bytes each", f->attr_size);
	f->open_ended = !f->data.size;
	if (f->data.offset < HEADER_SIZE ||
	    f->data.offset + f->data.size < f->data.offset)
		return err_damage(e, 0, "data at %" PRIu64 ", %" PRIu64 " bytes of it",
				  f->data.offset, f->data.size);
	return true;
}

void
perfdata_open_part(struct perfdata_file *f, struct input *in,
		   const struct perfdata_file *head, struct err *e)
{
	*f = (struct perfdata_file){.in = in, .e = e, .big_endian = head->big_endian, .pipe = true};
}

void
perfdata_close(struct perfdata_file *f)
{
	unzstd_free(f->stream);
	vec_release(&f->plain);
}

bool
perfdata_section(struct perfdata_file *f, struct perfdata_section s,
		 struct perfdata_bytes *out)
{
	out->v.n = 0;
	if (s.offset + s.size < s.offset || s.size > SECTION_MAX)
		return false;
	while (out->v.n < s.size) {
		size_t rest = (size_t)s.size - out->v.n;
		size_t n = rest < READ_BYTES ? rest : READ_BYTES;
		vec_reserve(&out->v, out->v.n + n);
		if (!input_read_at(f->in, s.offset + out->v.n, out->v.at + out->v.n, n))
			return false;
		out->v.n += n;
	}
	return true;
}

bool
perfdata_feature(struct perfdata_file *f, unsigned bit, struct perfdata_section *out)
{
	uint8_t bytes[16];
	unsigned before = 0;
	*out = (struct perfdata_section){0};
	if (f->pipe || f->open_ended || !(f->features[bit / 64] >> (bit % 64) & 1))
		return true;
	for (unsigned i = 0; i < bit; i++)
		before += f->features[i / 64] >> (i % 64) & 1;
	out->offset = f->data.offset + f->data.size + before * sizeof bytes;
	if (!input_read_at(f->in, out->offset, bytes, sizeof bytes))
		return false;
	struct cursor r = perfdata_over(bytes, sizeof bytes, f->big_endian);
	*out = read_section(&r);
	return true;
}

/* ---- records ---- */

static struct perfdata_record
read_header(const struct perfdata_file *f, const uint8_t *at, uint64_t offset)
{
	struct perfdata_record rec = {.at = at, .offset = offset};
	struct cursor r = perfdata_over(at, PERFDATA_HEADER, f->big_endian);
	rec.type = cursor_u32(&r);
	rec.misc = cursor_u16(&r);
	rec.size = cursor_u16(&r);
	return rec;
}

static bool
bad_size(struct perfdata_file *f, const struct perfdata_record *rec)
{
	return err_damage(f->e, rec->offset, "a record of %u bytes", rec->size);
}

/* Takes the complete records of `plain`; the remaining bytes move to its front. */
static bool
take_plain(struct perfdata_file *f, uint64_t offset, perfdata_take *take, void *arg)
{
	size_t at = 0;
	while (f->plain.n - at >= PERFDATA_HEADER) {
		struct perfdata_record rec = read_header(f, f->plain.at + at, offset);
		if (rec.size < PERFDATA_HEADER)
			return bad_size(f, &rec);
		if (f->plain.n - at < rec.size)
			break;
		at += rec.size;
		/* perf never nests compressed records; nested ones would cause recursion */
		if (rec.type == PERFDATA_COMPRESSED || rec.type == PERFDATA_COMPRESSED2)
			return err_damage(f->e, offset, "a compressed record in another");
		if (!take(arg, &rec))
			return false;
	}
	if (at)
		memmove(f->plain.at, f->plain.at + at, f->plain.n - at);
	f->plain.n -= at;
	return true;
}

static bool
decompress(struct perfdata_file *f, const struct perfdata_record *rec,
	   perfdata_take *take, void *arg)
{
	struct cursor r = perfdata_body(rec, f->big_endian);
	uint64_t offset = rec->offset, total = 0, len = cursor_left(&r);
	if (rec->type == PERFDATA_COMPRESSED2)
		len = cursor_u64(&r);
	const uint8_t *piece = cursor_bytes(&r, len);
	bool bad = false;
	if (!piece)
		return err_damage(f->e, offset,
				  "a compressed record is shorter than it says");
	if (!f->stream)
		f->stream = unzstd_new();
	if (!f->stream)
		return err_damage(f->e, offset,
				  "records are compressed with zstd, which this "
				  "pnav was built without");
	unzstd_feed(f->stream, piece, (size_t)len);
	for (;;) {
		vec_reserve(&f->plain, f->plain.n + READ_BYTES);
		size_t n = unzstd_read(f->stream, f->plain.at + f->plain.n, READ_BYTES,
				       &bad);
		f->plain.n += n;
		total += n;
		if (!take_plain(f, offset, take, arg))
			return false;
		if (bad || total > PLAIN_MAX)
			return err_damage(f->e, offset,
					  "compressed records cannot be read");
		if (n < READ_BYTES)
			return true;
	}
}

/* Returns the number of bytes that follow some records; false if the record lacks that size. */
static bool
bytes_behind(const struct perfdata_file *f, const struct perfdata_record *rec,
	     uint64_t *n)
{
	struct cursor r = perfdata_body(rec, f->big_endian);
	*n = 0;
	if (rec->type == PERFDATA_TRACING_DATA)
		*n = ((uint64_t)cursor_u32(&r) + 7) & ~(uint64_t)7;
	else if (rec->type == PERFDATA_AUXTRACE)
		*n = cursor_u64(&r);
	return !r.bad;
}

/* Steps over the words of perf record behind the last record of a pipe, if output and errors went
 * to one file.  The window has a header, after which nothing may follow for long. */
static bool
skip_words(struct perfdata_file *f)
{
	static const char words[] = "[ perf record: ";
	size_t len = sizeof words - 1;

	if (!f->pipe || memcmp(input_at(f->in), words, PERFDATA_HEADER) != 0 ||
	    !input_need(f->in, len) || memcmp(input_at(f->in), words, len) != 0)
		return false;
	do
		input_skip(f->in, input_have(f->in));
	while (input_more(f->in));
	return true;
}

/* Handles one record at the window's start, whose header was read. */
static bool
take_one(struct perfdata_file *f, uint64_t left, perfdata_take *take, void *arg)
{
	struct perfdata_record rec = read_header(f, input_at(f->in), input_offset(f->in));
	uint64_t behind;
	if (skip_words(f))
		return true;
	if (rec.size < PERFDATA_HEADER)
		return bad_size(f, &rec);
	if (rec.size > left || !input_need(f->in, rec.size))
		return err_damage(f->e, rec.offset, "a record of %u bytes is truncated",
				  rec.size);
	rec.at = input_at(f->in);
	if (!bytes_behind(f, &rec, &behind))
		return bad_size(f, &rec);
	if (rec.type == PERFDATA_TRACING_DATA && behind <= left - rec.size &&
	    input_need(f->in, rec.size + (size_t)behind)) {
		rec.at = input_at(f->in);
		rec.behind = (size_t)behind;
	}
	if (!take(arg, &rec))
		return false;
	if ((rec.type == PERFDATA_COMPRESSED || rec.type == PERFDATA_COMPRESSED2) &&
	    !decompress(f, &rec, take, arg))
		return false;
	input_skip(f->in, rec.size);
	if (behind > left - rec.size || !input_discard(f->in, behind))
		return err_damage(f->e, rec.offset,
				  "%" PRIu64 " bytes that belong to a record "
				  "are missing",
				  behind);
	return true;
}

static bool
continues_nowhere(struct perfdata_file *f)
{
	return err_damage(f->e, input_offset(f->in), "the last compressed record is truncated");
}

/* Returns false with damage if the input, which ends `left` bytes before the end of the data,
 * is incomplete. */
static bool
end_of_data(struct perfdata_file *f, uint64_t left)
{
	uint64_t at = input_offset(f->in);
	if (input_stopped(f->in))
		return true;
	if (input_have(f->in))
		return err_damage(f->e, at, "the last record is truncated");
	if (f->plain.n)
		return continues_nowhere(f);
	if (f->open_ended)
		return err_damage(f->e, at, "the recorder has not finished the file");
	if (!f->pipe)
		return err_damage(f->e, at,
				  "the file ends %" PRIu64 " bytes before its data",
				  left);
	return true;
}

bool
perfdata_begin(struct perfdata_file *f)
{
	bool bounded = !f->pipe && !f->open_ended;
	f->end = bounded ? f->data.offset + f->data.size : UINT64_MAX;
	if (!f->pipe && !input_seek(f->in, f->data.offset))
		return err_damage(f->e, input_size(f->in),
				  "the file ends before its data");
	return true;
}

bool
perfdata_step(struct perfdata_file *f, perfdata_take *take, void *arg, bool *ended)
{
	uint64_t left = f->end - input_offset(f->in);
	*ended = true;
	if (!left)
		return f->plain.n ? continues_nowhere(f) : true;
	if (left < PERFDATA_HEADER || !input_need(f->in, PERFDATA_HEADER))
		return end_of_data(f, left);
	*ended = false;
	return take_one(f, left, take, arg);
}

bool
perfdata_walk(struct perfdata_file *f, perfdata_take *take, void *arg)
{
	bool ended = false;
	if (!perfdata_begin(f))
		return false;
	while (!ended)
		if (!perfdata_step(f, take, arg, &ended))
			return false;
	return true;
}
