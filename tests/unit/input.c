/* Inputs from files, pipes, memory and compressed streams: the same bytes each time,
 * and the truth about where they ended. */
#include "src/input/input.h"

#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif
#ifdef HAVE_LIBLZMA
#include <lzma.h>
#endif
#ifdef HAVE_LIBLZ4
#include <lz4.h>
#include <lz4frame.h>
#endif

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "src/input/clock.h"
#include "src/input/lines.h"
#include "src/input/source.h"
#include "tests/lib/unit.h"

/* ---- helpers ---- */

static char dir[64];

static void
make_dir(void)
{
	snprintf(dir, sizeof dir, "/tmp/pnav-input-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void
remove_dir(void)
{
	char command[96];
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}

static const char *
path_of(const char *name)
{
	static char path[256];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static const char *
write_file(const char *name, const void *bytes, size_t len)
{
	const char *path = path_of(name);
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, len, f), len);
	fclose(f);
	return path;
}

/* Distinct bytes, of a length that is no multiple of any buffer. */
#define DATA_LEN 1000003u
static unsigned char *
data(void)
{
	unsigned char *d = malloc(DATA_LEN);
	uint32_t x = 1;
	ck_assert_ptr_nonnull(d);
	for (size_t i = 0; i < DATA_LEN; i++) {
		x = x * 1664525u + 1013904223u;
		d[i] = (unsigned char)(x >> 28);
	}
	return d;
}

static struct input *
open_ok(const char *path)
{
	struct err e;
	err_init(&e);
	struct input *in = input_open(path, &e);
	ck_assert_msg(in, "%s", e.text);
	return in;
}

/* All that the input gives is `want`. */
static void
expect(struct input *in, const unsigned char *want, size_t len)
{
	size_t done = 0;
	while (input_have(in) || input_more(in)) {
		size_t n = input_have(in);
		ck_assert_uint_eq(input_offset(in), done);
		ck_assert_uint_le(done + n, len);
		ck_assert(!memcmp(input_at(in), want + done, n));
		input_skip(in, n);
		done += n;
	}
	ck_assert_uint_eq(done, len);
}

struct writer {
	int fd;
	const unsigned char *at;
	size_t len, step;
	pthread_t thread;
};

static void *
write_slowly(void *arg)
{
	struct writer *w = arg;
	for (size_t done = 0; done < w->len;) {
		size_t n = w->len - done < w->step ? w->len - done : w->step;
		ssize_t put = write(w->fd, w->at + done, n);
		if (put <= 0)
			break;
		done += (size_t)put;
	}
	close(w->fd);
	return NULL;
}

/* A pipe that a thread writes to; gives the reading end. */
static int
piped(struct writer *w, const unsigned char *at, size_t len, size_t step)
{
	int ends[2];
	ck_assert_int_eq(pipe(ends), 0);
	*w = (struct writer){.fd = ends[1], .at = at, .len = len, .step = step};
	ck_assert_int_eq(pthread_create(&w->thread, NULL, write_slowly, w), 0);
	return ends[0];
}

static struct input *
open_fd(int fd, struct watch *w)
{
	struct err e;
	err_init(&e);
	struct input *in = input_open_watched("-", fd, NULL, w, &e);
	ck_assert_msg(in, "%s", e.text);
	return in;
}

/* ---- tests ---- */

START_TEST(windows)
{
	unsigned char *d = data();
	struct input *in = open_ok(write_file("plain", d, DATA_LEN));
	ck_assert_uint_eq(input_size(in), DATA_LEN);
	ck_assert(input_need(in, 10));
	ck_assert(!memcmp(input_at(in), d, 10));
	input_skip(in, 7);
	/* larger than the first buffer */
	ck_assert(input_need(in, 900000));
	ck_assert(!memcmp(input_at(in), d + 7, 900000));
	ck_assert(!input_need(in, DATA_LEN));
	ck_assert_uint_eq(input_have(in), DATA_LEN - 7);
	ck_assert(!input_need(in, SIZE_MAX));
	ck_assert(input_discard(in, 900000));
	ck_assert_uint_eq(input_offset(in), 900007);
	ck_assert(input_seek(in, 3));
	ck_assert(input_need(in, 5) && !memcmp(input_at(in), d + 3, 5));
	unsigned char ten[10];
	ck_assert(input_read_at(in, 500000, ten, 10) && !memcmp(ten, d + 500000, 10));
	ck_assert(!input_read_at(in, DATA_LEN - 5, ten, 10));
	ck_assert(!input_read_at(in, UINT64_MAX, ten, 10));
	ck_assert(!input_seek(in, DATA_LEN + 1));
	ck_assert(input_seek(in, 0));
	expect(in, d, DATA_LEN);
	ck_assert(!input_discard(in, 1));
	input_close(in);

	in = input_open_bytes(d, 100, "bytes");
	ck_assert(!input_need(in, 101) && input_need(in, 100));
	input_skip(in, 60);
	ck_assert(input_seek(in, 20) && input_at(in) == d + 20 && input_have(in) == 80);
	ck_assert(input_read_at(in, 90, ten, 10) && !input_read_at(in, 91, ten, 10));
	input_close(in);
	free(d);
}
END_TEST

START_TEST(pipes)
{
	unsigned char *d = data(), ten[10];
	struct writer w;
	int fd = piped(&w, d, DATA_LEN, 777);
	/* non-blocking descriptors are waited for like others */
	fcntl(fd, F_SETFL, O_NONBLOCK);
	struct input *in = open_fd(fd, NULL);
	ck_assert(input_need(in, 300000));
	expect(in, d, DATA_LEN);
	ck_assert(!input_seek(in, 0));
	input_close(in);
	pthread_join(w.thread, NULL);
	close(fd);

	fd = piped(&w, d, DATA_LEN, 5000);
	in = open_fd(fd, NULL);
	input_keep(in);
	input_need(in, 100);
	input_skip(in, 50);
	ck_assert(input_read_at(in, DATA_LEN - 10, ten, 10));
	ck_assert(!memcmp(ten, d + DATA_LEN - 10, 10));
	ck_assert(!input_read_at(in, DATA_LEN - 9, ten, 10));
	ck_assert(input_seek(in, 700001));
	ck_assert(input_need(in, 9) && !memcmp(input_at(in), d + 700001, 9));
	ck_assert(input_seek(in, 0));
	expect(in, d, DATA_LEN);
	input_close(in);
	pthread_join(w.thread, NULL);
	close(fd);
	free(d);
}
END_TEST

static size_t
gzipped(const unsigned char *at, size_t len, unsigned char *out, size_t room)
{
	z_stream z = {0};
	ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	z.next_in = (Bytef *)(uintptr_t)at;
	z.avail_in = (uInt)len;
	z.next_out = out;
	z.avail_out = (uInt)room;
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	size_t n = room - z.avail_out;
	deflateEnd(&z);
	return n;
}

/* Compressed bytes as a file and as a pipe give the data. */
static void
expect_inflated(const unsigned char *packed, size_t n, const unsigned char *d)
{
	struct writer w;
	struct input *in = open_ok(write_file("packed", packed, n));
	ck_assert_uint_eq(input_size(in), 0);
	expect(in, d, DATA_LEN);
	ck_assert_ptr_null(input_fault(in));
	input_close(in);

	int fd = piped(&w, packed, n, 3);
	in = open_fd(fd, NULL);
	input_keep(in);
	ck_assert(input_need(in, 100000));
	expect(in, d, DATA_LEN);
	ck_assert(input_seek(in, 4) && input_need(in, 4) &&
		  !memcmp(input_at(in), d + 4, 4));
	ck_assert_ptr_null(input_fault(in));
	input_close(in);
	pthread_join(w.thread, NULL);
	close(fd);
}

/* A stream that is cut gives a prefix and says where it ends. */
static void
expect_cut(const unsigned char *packed, size_t n, const unsigned char *d,
	   const char *word)
{
	struct input *in = open_ok(write_file("cut", packed, n));
	size_t done = 0;
	while (input_more(in)) {
		done += input_have(in);
		ck_assert(
			!memcmp(input_at(in), d + done - input_have(in), input_have(in)));
		input_skip(in, input_have(in));
	}
	const struct err *fault = input_fault(in);
	ck_assert_ptr_nonnull(fault);
	ck_assert_int_eq(fault->class, ERR_DAMAGED);
	ck_assert_uint_eq(fault->offset, done);
	ck_assert_msg(strstr(fault->text, word), "%s", fault->text);
	input_close(in);
}

START_TEST(gzip)
{
	unsigned char *d = data(), *packed = malloc(2 * DATA_LEN);
	size_t n = gzipped(d, 400000, packed, DATA_LEN);
	size_t first = n;
	n += gzipped(d + 400000, DATA_LEN - 400000, packed + n, DATA_LEN);
	expect_inflated(packed, n, d);
	memset(packed + n, 0, 512); /* padding of tapes */
	expect_inflated(packed, n + 512, d);
	expect_cut(packed, n - 4, d, "truncated");
	expect_cut(packed, first + 5, d, "truncated");
	expect_cut(packed, n / 2, d, "truncated");
	packed[n] = 'x';
	expect_cut(packed, n + 3, d, "followed by other bytes");
	packed[n - 6] ^= 1; /* the checksum */
	expect_cut(packed, n, d, "corrupt");
	free(d);
	free(packed);
}
END_TEST

/* Damages of all kinds give the same bytes and the same fault, read from a file (by ISA-L, if pnav
 * has it) and from a pipe (by zlib). A file may also give exactly the data, without a fault, where
 * zlib is stricter than the checksum. */
START_TEST(gzip_damages)
{
	enum { LEN = 9000, CASES = 400 };
	unsigned char *d = data(), *packed = malloc(2 * LEN), *damaged = malloc(2 * LEN);
	uint32_t seed = 12345;
	size_t n = gzipped(d, LEN, packed, 2 * LEN);
	for (int i = 0; i < CASES; i++) {
		size_t len = n, done = 0;
		memcpy(damaged, packed, n);
		seed = seed * 1664525 + 1013904223;
		if (i % 3 == 0)
			len = 4 + (seed >> 8) % (n - 4);
		else
			damaged[3 + (seed >> 8) % (i % 2 ? n - 3 : 60)] ^= 1u << (seed & 7);
		struct writer w;
		int fd = piped(&w, damaged, len, 3);
		struct input *pipe = open_fd(fd, NULL), *file;
		file = open_ok(write_file("damaged.gz", damaged, len));
		while (input_more(pipe))
			;
		while (input_more(file))
			;
		done = input_have(file);
		if (input_fault(file) || done != LEN || memcmp(input_at(file), d, LEN) != 0) {
			ck_assert_uint_eq(done, input_have(pipe));
			ck_assert(!memcmp(input_at(file), input_at(pipe), done));
			ck_assert_int_eq(!input_fault(file), !input_fault(pipe));
			if (input_fault(file)) {
				ck_assert_str_eq(input_fault(file)->text, input_fault(pipe)->text);
				ck_assert_uint_eq(input_fault(file)->offset,
						  input_fault(pipe)->offset);
			}
		}
		input_close(file);
		input_close(pipe);
		pthread_join(w.thread, NULL);
		close(fd);
	}
	free(d);
	free(packed);
	free(damaged);
}
END_TEST

/* For a browser, a compressed file is decompressed ahead, on a thread: the same bytes, the same
 * fault if it is truncated, and no wait if it is closed early. */
START_TEST(ahead)
{
	unsigned char *d = data(), *packed = malloc(2 * DATA_LEN);
	struct watch w = {.wake_fd = -1};
	struct err e;
	ck_assert_ptr_nonnull(packed);
	size_t n = gzipped(d, DATA_LEN, packed, 2 * DATA_LEN);
	ck_assert_uint_gt(n, 128u << 10);
	const char *path = write_file("ahead.gz", packed, n);
	for (size_t until = 0; until <= DATA_LEN; until += DATA_LEN / 3) {
		err_init(&e);
		struct input *in = input_open_watched(path, -1, NULL, &w, &e);
		ck_assert_msg(in, "%s", e.text);
		if (until + 3 > DATA_LEN)
			expect(in, d, DATA_LEN);
		else
			ck_assert(!until || (input_need(in, until) &&
					     !memcmp(input_at(in), d, until)));
		ck_assert_ptr_null(input_fault(in));
		input_close(in);
	}
	path = write_file("cut.gz", packed, n / 2);
	struct input *plain = open_ok(path);
	struct input *watched = input_open_watched(path, -1, NULL, &w, &e);
	ck_assert_ptr_nonnull(watched);
	while (input_more(plain))
		;
	while (input_more(watched))
		;
	ck_assert_uint_eq(input_have(watched), input_have(plain));
	ck_assert(!memcmp(input_at(watched), d, input_have(plain)));
	ck_assert_ptr_nonnull(input_fault(watched));
	ck_assert_str_eq(input_fault(watched)->text, input_fault(plain)->text);
	ck_assert_uint_eq(input_fault(watched)->offset, input_fault(plain)->offset);
	input_close(plain);
	input_close(watched);
	free(packed);
	free(d);
}
END_TEST

#ifdef HAVE_LIBZSTD
START_TEST(zstd)
{
	unsigned char *d = data(), *packed = malloc(2 * DATA_LEN);
	size_t n = ZSTD_compress(packed, DATA_LEN, d, 300000, 3);
	n += ZSTD_compress(packed + n, DATA_LEN, d + 300000, DATA_LEN - 300000, 3);
	expect_inflated(packed, n, d);
	expect_cut(packed, n - 1, d, "truncated");
	free(d);
	free(packed);
}
END_TEST
#endif

#ifdef HAVE_LIBLZMA
START_TEST(xz)
{
	unsigned char *d = data(), *packed = malloc(2 * DATA_LEN);
	size_t n = 0;
	for (size_t at = 0; at < DATA_LEN; at += 600000) {
		size_t len = DATA_LEN - at < 600000 ? DATA_LEN - at : 600000;
		ck_assert_int_eq(lzma_easy_buffer_encode(2, LZMA_CHECK_CRC32, NULL,
							 d + at, len, packed, &n,
							 2 * DATA_LEN),
				 LZMA_OK);
	}
	expect_inflated(packed, n, d);
	expect_cut(packed, n - 1, d, "truncated");
	free(d);
	free(packed);
}
END_TEST
#endif

#ifdef HAVE_LIBLZ4
/* Packs len bytes with independent or dependent blocks of 64 KB, and checksums. */
static size_t
pack_lz4(unsigned char *to, const unsigned char *d, size_t len, bool dependent)
{
	LZ4F_preferences_t p = {
		.frameInfo = {.blockSizeID = LZ4F_max64KB,
			      .blockMode = dependent ? LZ4F_blockLinked : LZ4F_blockIndependent,
			      .contentChecksumFlag = LZ4F_contentChecksumEnabled,
			      .contentSize = dependent ? len : 0,
			      .blockChecksumFlag = LZ4F_blockChecksumEnabled}};
	size_t n = LZ4F_compressFrame(to, LZ4F_compressFrameBound(len, &p), d, len, &p);

	ck_assert(!LZ4F_isError(n));
	return n;
}

/* Frames follow each other, also behind and before skippable ones. */
START_TEST(lz4)
{
	unsigned char *d = data(), *packed = malloc(3 * DATA_LEN);
	static const unsigned char skipped[] = "\x5f\x2a\x4d\x18\3\0\0\0abc";
	size_t n = sizeof skipped - 1;

	memcpy(packed, skipped, n);
	n += pack_lz4(packed + n, d, 300000, true);
	memcpy(packed + n, skipped, sizeof skipped - 1);
	n += sizeof skipped - 1;
	n += pack_lz4(packed + n, d + 300000, DATA_LEN - 300000, false);
	expect_inflated(packed, n, d);
	expect_cut(packed, n - 1, d, "truncated");
	memcpy(packed + n, "more bytes", 10);
	expect_cut(packed, n + 10, d, "corrupt");
	free(d);
	free(packed);
}
END_TEST

/* A bit of a block's data differs, which its checksum finds: the blocks before it are kept. */
START_TEST(lz4_corrupt)
{
	unsigned char *d = data(), *packed = malloc(2 * DATA_LEN);
	size_t n = pack_lz4(packed, d, DATA_LEN, true);
	struct input *in;

	packed[n - 30] ^= 1;
	in = open_ok(write_file("corrupt", packed, n));
	while (input_more(in))
		;
	ck_assert_uint_ge(input_have(in), DATA_LEN / 65536 * 65536);
	ck_assert(!memcmp(input_at(in), d, DATA_LEN / 65536 * 65536));
	ck_assert_ptr_nonnull(strstr(input_fault(in)->text, "corrupt"));
	input_close(in);
	free(d);
	free(packed);
}
END_TEST

/* The form before frames: a magic, then blocks behind their lengths. */
START_TEST(lz4_old)
{
	unsigned char *d = data(), *packed = malloc(2 * DATA_LEN);
	size_t n = 0;

	for (size_t at = 0; at < DATA_LEN; at += 700000) {
		size_t len = DATA_LEN - at < 700000 ? DATA_LEN - at : 700000;
		memcpy(packed + n, "\x02\x21\x4c\x18", 4);
		int some = LZ4_compress_default((const char *)d + at, (char *)packed + n + 8,
						(int)len, 2 * DATA_LEN);
		ck_assert_int_gt(some, 0);
		for (int i = 0; i < 4; i++)
			packed[n + 4 + (size_t)i] = (unsigned char)((unsigned)some >> 8 * i);
		n += 8 + (size_t)some;
	}
	expect_inflated(packed, n, d);
	expect_cut(packed, n - 1, d, "truncated");
	memcpy(packed + n, "\1", 1);
	expect_cut(packed, n + 1, d, "truncated");
	memcpy(packed + n, "\0\0\0\0", 4);
	expect_cut(packed, n + 4, d, "corrupt");
	free(d);
	free(packed);
}
END_TEST
#endif

START_TEST(refusals)
{
	struct err e;
	err_init(&e);
	ck_assert_ptr_null(input_open(path_of("missing"), &e));
	ck_assert_int_eq(e.class, ERR_REFUSED);
	ck_assert_str_eq(e.text, "No such file or directory");
	err_init(&e);
	ck_assert_ptr_null(input_open(dir, &e));
	ck_assert_ptr_nonnull(strstr(e.text, "is a directory"));
	struct input *in = open_ok(write_file("empty", "", 0));
	ck_assert(!input_more(in) && !input_have(in));
	input_close(in);
}
END_TEST

START_TEST(beside)
{
	write_file("prog.PRF", "p", 1);
	write_file("Prog.Map", "m", 1);
	write_file("prog.PRF.BIN", "b", 1);
	struct input *in = open_ok(path_of("prog.PRF"));
	struct input *map = input_open_beside(in, "map", false);
	ck_assert_ptr_nonnull(map);
	expect(map, (const unsigned char *)"m", 1);
	input_close(map);
	struct input *bin = input_open_beside(in, "bin", true);
	ck_assert_ptr_nonnull(bin);
	expect(bin, (const unsigned char *)"b", 1);
	input_close(bin);
	/* the exact name wins */
	write_file("prog.map", "x", 1);
	map = input_open_beside(in, "map", false);
	expect(map, (const unsigned char *)"x", 1);
	input_close(map);
	ck_assert_ptr_null(input_open_beside(in, "sym", false));
	/* nothing is beside itself */
	ck_assert_ptr_null(input_open_beside(in, "prf", false));
	input_close(in);
}
END_TEST

/* Lines of all lengths through a pipe in small pieces: none is lost or torn. */
START_TEST(lines_from_pipe)
{
	struct buf all = BUF_INIT;
	for (size_t i = 0; i < 1200; i++) {
		size_t n = i == 600 ? 700000 : i;
		for (size_t k = 0; k < n; k++)
			buf_addc(&all, (char)('a' + (i + k) % 26));
		buf_addc(&all, '\n');
	}
	struct writer w;
	int fd = piped(&w, (const unsigned char *)all.at, all.len, 1021);
	struct input *in = open_fd(fd, NULL);
	struct lines l;
	struct text_line line;
	size_t done = 0;
	lines_init(&l, in);
	while (lines_next(&l, &line)) {
		ck_assert_uint_eq(line.offset, done);
		ck_assert(line.ended && !memcmp(line.at, all.at + done, line.len + 1));
		done += line.len + 1;
	}
	ck_assert_uint_eq(done, all.len);
	ck_assert_uint_eq(l.number, 1200);
	input_close(in);
	pthread_join(w.thread, NULL);
	close(fd);
	buf_release(&all);
}
END_TEST

static void *
append_later(void *arg)
{
	usleep(100000);
	FILE *f = fopen(arg, "ab");
	fputs(" and more", f);
	fclose(f);
	return NULL;
}

static void *
stop_later(void *arg)
{
	struct watch *w = arg;
	uint64_t one = 1;
	usleep(100000);
	atomic_store(&w->stop, true);
	ck_assert_int_eq(write(w->wake_fd, &one, sizeof one), sizeof one);
	return NULL;
}

struct shown {
	struct input *in;
	uint64_t at[64]; /* where the input stood each time */
	unsigned n;
};

static void
show(void *ctx)
{
	struct shown *x = ctx;
	if (x->n < 64)
		x->at[x->n++] = input_offset(x->in);
}

/* A decoder's pending events are also shown for a plain file before its end, while the profile is
 * displayed; otherwise this costs nothing. */
START_TEST(looked_at)
{
	char *bytes = mem_zalloc(3u << 20, 1);
	struct watch w = {.wake_fd = -1};
	struct shown x = {0};
	struct err e;

	err_init(&e);
	const char *path = write_file("large", bytes, 3u << 20);
	for (int looked = 0; looked < 2; looked++) {
		w.looked = looked;
		x = (struct shown){.in = input_open_watched(path, -1, NULL, &w, &e)};
		ck_assert_ptr_nonnull(x.in);
		input_when_idle(x.in, show, &x);
		while (input_more(x.in))
			input_skip(x.in, input_have(x.in));
		input_close(x.in);
		ck_assert(looked ? x.n > 3 : !x.n);
	}
	ck_assert_uint_eq(x.at[0], 0);
	ck_assert(x.at[1] > 0 && x.at[1] < 3u << 20);
	/* a moment ago is too soon after work that took its time */
	w.idle_after_ms = clock_ms() + 100000;
	x.n = 0;
	ck_assert_int_gt(watch_show(&w), 0);
	ck_assert_uint_eq(x.n, 0);
	free(bytes);
}
END_TEST

/* A file that grows is waited for, and the wait can be ended. */
START_TEST(following)
{
	char *path = strdup(write_file("grows", "some", 4));
	struct format_options options = {.follow = true};
	struct watch w = {.wake_fd = eventfd(0, EFD_NONBLOCK)};
	struct err e;
	pthread_t t;
	err_init(&e);
	struct input *in = input_open_watched(path, -1, &options, &w, &e);
	ck_assert_ptr_nonnull(in);
	pthread_create(&t, NULL, append_later, path);
	ck_assert(input_need(in, 13));
	ck_assert(!memcmp(input_at(in), "some and more", 13));
	ck_assert_uint_eq(atomic_load(&w.bytes), 13);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, stop_later, &w);
	ck_assert(!input_need(in, 14));
	ck_assert(input_stopped(in));
	pthread_join(t, NULL);
	input_close(in);

	/* the same at a pipe without a writer */
	int ends[2];
	uint64_t drained;
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(read(w.wake_fd, &drained, sizeof drained), sizeof drained);
	atomic_store(&w.stop, false);
	pthread_create(&t, NULL, stop_later, &w);
	in = input_open_watched("-", ends[0], NULL, &w, &e);
	ck_assert(!in || !input_need(in, 1));
	pthread_join(t, NULL);
	input_close(in);
	close(ends[0]);
	close(ends[1]);
	close(w.wake_fd);
	free(path);
}
END_TEST

UNIT(input)
{
	Suite *s = suite_create("input");
	TCase *t = tcase_create("bytes");
	tcase_add_checked_fixture(t, make_dir, remove_dir);
	tcase_add_test(t, windows);
	tcase_add_test(t, pipes);
	tcase_add_test(t, gzip);
	tcase_add_test(t, gzip_damages);
	tcase_add_test(t, ahead);
#ifdef HAVE_LIBZSTD
	tcase_add_test(t, zstd);
#endif
#ifdef HAVE_LIBLZMA
	tcase_add_test(t, xz);
#endif
#ifdef HAVE_LIBLZ4
	tcase_add_test(t, lz4);
	tcase_add_test(t, lz4_corrupt);
	tcase_add_test(t, lz4_old);
#endif
	tcase_add_test(t, refusals);
	tcase_add_test(t, beside);
	tcase_add_test(t, lines_from_pipe);
	tcase_add_test(t, looked_at);
	tcase_add_test(t, following);
	suite_add_tcase(s, t);
	return s;
}
