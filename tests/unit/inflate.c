/* Compressed inputs, from files and pipes: the same bytes each time, and the truth about where they
 * are damaged or end. */
#include "src/input/input.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
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
#include "src/input/source.h"
#include "tests/lib/inputs.h"
#include "tests/lib/unit.h"

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
	struct inputs_writer w;
	struct input *in = inputs_open(inputs_write("packed", packed, n));
	ck_assert_uint_eq(input_size(in), 0);
	inputs_expect(in, d, INPUTS_DATA_LEN);
	ck_assert_ptr_null(input_fault(in));
	input_close(in);

	int fd = inputs_pipe(&w, packed, n, 3);
	in = inputs_open_fd(fd, NULL);
	input_keep(in);
	ck_assert(input_need(in, 100000));
	inputs_expect(in, d, INPUTS_DATA_LEN);
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
	struct input *in = inputs_open(inputs_write("cut", packed, n));
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
	unsigned char *d = inputs_data(), *packed = malloc(2 * INPUTS_DATA_LEN);
	size_t n = gzipped(d, 400000, packed, INPUTS_DATA_LEN);
	size_t first = n;
	n += gzipped(d + 400000, INPUTS_DATA_LEN - 400000, packed + n, INPUTS_DATA_LEN);
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
	unsigned char *d = inputs_data(), *packed = malloc(2 * LEN), *damaged = malloc(2 * LEN);
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
		struct inputs_writer w;
		int fd = inputs_pipe(&w, damaged, len, 3);
		struct input *pipe = inputs_open_fd(fd, NULL), *file;
		file = inputs_open(inputs_write("damaged.gz", damaged, len));
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
	unsigned char *d = inputs_data(), *packed = malloc(2 * INPUTS_DATA_LEN);
	struct watch w = {.wake_fd = -1};
	struct err e;
	ck_assert_ptr_nonnull(packed);
	size_t n = gzipped(d, INPUTS_DATA_LEN, packed, 2 * INPUTS_DATA_LEN);
	ck_assert_uint_gt(n, 128u << 10);
	const char *path = inputs_write("ahead.gz", packed, n);
	for (size_t until = 0; until <= INPUTS_DATA_LEN; until += INPUTS_DATA_LEN / 3) {
		err_init(&e);
		struct input *in = input_open_watched(path, -1, NULL, &w, &e);
		ck_assert_msg(in, "%s", e.text);
		if (until + 3 > INPUTS_DATA_LEN)
			inputs_expect(in, d, INPUTS_DATA_LEN);
		else
			ck_assert(!until || (input_need(in, until) &&
					     !memcmp(input_at(in), d, until)));
		ck_assert_ptr_null(input_fault(in));
		input_close(in);
	}
	path = inputs_write("cut.gz", packed, n / 2);
	struct input *plain = inputs_open(path);
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
	unsigned char *d = inputs_data(), *packed = malloc(2 * INPUTS_DATA_LEN);
	size_t n = ZSTD_compress(packed, INPUTS_DATA_LEN, d, 300000, 3);
	n += ZSTD_compress(packed + n, INPUTS_DATA_LEN, d + 300000, INPUTS_DATA_LEN - 300000, 3);
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
	unsigned char *d = inputs_data(), *packed = malloc(2 * INPUTS_DATA_LEN);
	size_t n = 0;
	for (size_t at = 0; at < INPUTS_DATA_LEN; at += 600000) {
		size_t len = INPUTS_DATA_LEN - at < 600000 ? INPUTS_DATA_LEN - at : 600000;
		ck_assert_int_eq(lzma_easy_buffer_encode(2, LZMA_CHECK_CRC32, NULL,
							 d + at, len, packed, &n,
							 2 * INPUTS_DATA_LEN),
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
	unsigned char *d = inputs_data(), *packed = malloc(3 * INPUTS_DATA_LEN);
	static const unsigned char skipped[] = "\x5f\x2a\x4d\x18\3\0\0\0abc";
	size_t n = sizeof skipped - 1;

	memcpy(packed, skipped, n);
	n += pack_lz4(packed + n, d, 300000, true);
	memcpy(packed + n, skipped, sizeof skipped - 1);
	n += sizeof skipped - 1;
	n += pack_lz4(packed + n, d + 300000, INPUTS_DATA_LEN - 300000, false);
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
	unsigned char *d = inputs_data(), *packed = malloc(2 * INPUTS_DATA_LEN);
	size_t n = pack_lz4(packed, d, INPUTS_DATA_LEN, true);
	struct input *in;

	packed[n - 30] ^= 1;
	in = inputs_open(inputs_write("corrupt", packed, n));
	while (input_more(in))
		;
	ck_assert_uint_ge(input_have(in), INPUTS_DATA_LEN / 65536 * 65536);
	ck_assert(!memcmp(input_at(in), d, INPUTS_DATA_LEN / 65536 * 65536));
	ck_assert_ptr_nonnull(strstr(input_fault(in)->text, "corrupt"));
	input_close(in);
	free(d);
	free(packed);
}
END_TEST

/* The form before frames: a magic, then blocks behind their lengths. */
START_TEST(lz4_old)
{
	unsigned char *d = inputs_data(), *packed = malloc(2 * INPUTS_DATA_LEN);
	size_t n = 0;

	for (size_t at = 0; at < INPUTS_DATA_LEN; at += 700000) {
		size_t len = INPUTS_DATA_LEN - at < 700000 ? INPUTS_DATA_LEN - at : 700000;
		memcpy(packed + n, "\x02\x21\x4c\x18", 4);
		int some = LZ4_compress_default((const char *)d + at, (char *)packed + n + 8,
						(int)len, 2 * INPUTS_DATA_LEN);
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
UNIT(inflate)
{
	Suite *s = suite_create("inflate");
	TCase *t = tcase_create("bytes");
	tcase_add_checked_fixture(t, inputs_make_dir, inputs_remove_dir);
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
	suite_add_tcase(s, t);
	return s;
}
