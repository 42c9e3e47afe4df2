/* Inputs from files, pipes and memory: the same bytes each time, and the truth about where they
 * ended.  inflate.c has those that are compressed. */
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

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "src/input/clock.h"
#include "src/input/lines.h"
#include "src/input/source.h"
#include "tests/lib/inputs.h"
#include "tests/lib/unit.h"

START_TEST(windows)
{
	unsigned char *d = inputs_data();
	struct input *in = inputs_open(inputs_write("plain", d, INPUTS_DATA_LEN));
	ck_assert_uint_eq(input_size(in), INPUTS_DATA_LEN);
	ck_assert(input_need(in, 10));
	ck_assert(!memcmp(input_at(in), d, 10));
	input_skip(in, 7);
	/* larger than the first buffer */
	ck_assert(input_need(in, 900000));
	ck_assert(!memcmp(input_at(in), d + 7, 900000));
	ck_assert(!input_need(in, INPUTS_DATA_LEN));
	ck_assert_uint_eq(input_have(in), INPUTS_DATA_LEN - 7);
	ck_assert(!input_need(in, SIZE_MAX));
	ck_assert(input_discard(in, 900000));
	ck_assert_uint_eq(input_offset(in), 900007);
	ck_assert(input_seek(in, 3));
	ck_assert(input_need(in, 5) && !memcmp(input_at(in), d + 3, 5));
	unsigned char ten[10];
	ck_assert(input_read_at(in, 500000, ten, 10) && !memcmp(ten, d + 500000, 10));
	ck_assert(!input_read_at(in, INPUTS_DATA_LEN - 5, ten, 10));
	ck_assert(!input_read_at(in, UINT64_MAX, ten, 10));
	ck_assert(!input_seek(in, INPUTS_DATA_LEN + 1));
	ck_assert(input_seek(in, 0));
	inputs_expect(in, d, INPUTS_DATA_LEN);
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
	unsigned char *d = inputs_data(), ten[10];
	struct inputs_writer w;
	int fd = inputs_pipe(&w, d, INPUTS_DATA_LEN, 777);
	/* non-blocking descriptors are waited for like others */
	fcntl(fd, F_SETFL, O_NONBLOCK);
	struct input *in = inputs_open_fd(fd, NULL);
	ck_assert(input_need(in, 300000));
	inputs_expect(in, d, INPUTS_DATA_LEN);
	ck_assert(!input_seek(in, 0));
	input_close(in);
	pthread_join(w.thread, NULL);
	close(fd);

	fd = inputs_pipe(&w, d, INPUTS_DATA_LEN, 5000);
	in = inputs_open_fd(fd, NULL);
	input_keep(in);
	input_need(in, 100);
	input_skip(in, 50);
	ck_assert(input_read_at(in, INPUTS_DATA_LEN - 10, ten, 10));
	ck_assert(!memcmp(ten, d + INPUTS_DATA_LEN - 10, 10));
	ck_assert(!input_read_at(in, INPUTS_DATA_LEN - 9, ten, 10));
	ck_assert(input_seek(in, 700001));
	ck_assert(input_need(in, 9) && !memcmp(input_at(in), d + 700001, 9));
	ck_assert(input_seek(in, 0));
	inputs_expect(in, d, INPUTS_DATA_LEN);
	input_close(in);
	pthread_join(w.thread, NULL);
	close(fd);
	free(d);
}
END_TEST
START_TEST(refusals)
{
	struct err e;
	err_init(&e);
	ck_assert_ptr_null(input_open(inputs_path("missing"), &e));
	ck_assert_int_eq(e.class, ERR_REFUSED);
	ck_assert_str_eq(e.text, "No such file or directory");
	err_init(&e);
	ck_assert_ptr_null(input_open(inputs_path(""), &e));
	ck_assert_ptr_nonnull(strstr(e.text, "is a directory"));
	struct input *in = inputs_open(inputs_write("empty", "", 0));
	ck_assert(!input_more(in) && !input_have(in));
	input_close(in);
}
END_TEST

START_TEST(beside)
{
	inputs_write("prog.PRF", "p", 1);
	inputs_write("Prog.Map", "m", 1);
	inputs_write("prog.PRF.BIN", "b", 1);
	struct input *in = inputs_open(inputs_path("prog.PRF"));
	struct input *map = input_open_beside(in, "map", false);
	ck_assert_ptr_nonnull(map);
	inputs_expect(map, (const unsigned char *)"m", 1);
	input_close(map);
	struct input *bin = input_open_beside(in, "bin", true);
	ck_assert_ptr_nonnull(bin);
	inputs_expect(bin, (const unsigned char *)"b", 1);
	input_close(bin);
	/* the exact name wins */
	inputs_write("prog.map", "x", 1);
	map = input_open_beside(in, "map", false);
	inputs_expect(map, (const unsigned char *)"x", 1);
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
	struct inputs_writer w;
	int fd = inputs_pipe(&w, (const unsigned char *)all.at, all.len, 1021);
	struct input *in = inputs_open_fd(fd, NULL);
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
	const char *path = inputs_write("large", bytes, 3u << 20);
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
	char *path = strdup(inputs_write("grows", "some", 4));
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
	tcase_add_checked_fixture(t, inputs_make_dir, inputs_remove_dir);
	tcase_add_test(t, windows);
	tcase_add_test(t, pipes);
	tcase_add_test(t, refusals);
	tcase_add_test(t, beside);
	tcase_add_test(t, lines_from_pipe);
	tcase_add_test(t, looked_at);
	tcase_add_test(t, following);
	suite_add_tcase(s, t);
	return s;
}
