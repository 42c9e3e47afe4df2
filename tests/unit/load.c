/* Loading beside a reader: it gets its turn at once, sees a whole profile, and can
 * stop. */
#include "src/load.h"

#include <check.h>
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/command/browse/browse_roll.h"
#include "src/input/source.h"
#include "tests/lib/unit.h"

static int64_t
now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static char path[64];

static void
make_file(const char *text, unsigned times)
{
	snprintf(path, sizeof path, "/tmp/pnav-load-XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	FILE *f = fdopen(fd, "w");
	for (unsigned i = 0; i < times; i++)
		fputs(text, f);
	fclose(f);
}

static int64_t
sum(const struct profile *p)
{
	int64_t n = 0;
	for (uint32_t t = 0; t < p->n_tracks; t++)
		for (uint32_t s = 0; s < p->track[t].n_series; s++)
			n += p->track[t].series[s]->sum[0];
	return n;
}

START_TEST(loads)
{
	make_file("main;work 3\nmain;rest 4\n", 1000);
	struct profile *p = profile_new();
	struct load *l = load_start(p, path, -1, NULL);
	ck_assert(load_wait(l, -1));
	struct err e = load_file_error(l, 0), check;
	ck_assert_msg(!err_is_set(&e), "%s", e.text);
	struct load_state s = load_state(l);
	ck_assert(s.done && !s.stopped);
	ck_assert_str_eq(s.format, "folded");
	ck_assert_uint_eq(s.bytes, 24000);
	ck_assert_uint_eq(s.size, 24000);
	ck_assert_int_eq(sum(p), 7000);
	ck_assert(p->complete);
	err_init(&check);
	ck_assert_msg(profile_check(p, &check), "%s", check.text);
	load_free(l);
	profile_free(p);
	unlink(path);
}
END_TEST

/* For a file that is read twice, half of the progress is reached after the first reading, and
 * the end is exactly the whole. */
START_TEST(counts_passes)
{
	struct watch w = {.wake_fd = -1};
	struct err e;

	make_file("heap profile: 5: 80 [13: 4300] @ heap/1048576\n", 1);
	FILE *f = fopen(path, "a");
	for (int i = 0; i < 30000; i++)
		fprintf(f, "1: 16 [2: 32] @ 0x%x 0x4ab199\n", 0x400000 + i);
	uint64_t size = (uint64_t)ftell(f);
	fclose(f);
	struct input *in = input_open_watched(path, -1, NULL, &w, &e);
	input_passes(in, 2);
	while (input_more(in))
		input_skip(in, input_have(in));
	ck_assert_uint_eq(atomic_load(&w.again), 0);
	ck_assert(input_seek(in, 0));
	ck_assert_uint_eq(atomic_load(&w.length), size);
	while (input_more(in))
		input_skip(in, input_have(in));
	ck_assert_uint_eq(atomic_load(&w.again), size);
	input_close(in);
	struct profile *p = profile_new();
	struct load *l = load_start(p, path, -1, NULL);
	while (!load_wait(l, 0))
		ck_assert_uint_le(load_state(l).bytes, size);
	struct load_state s = load_state(l);
	ck_assert_str_eq(s.format, "pprof");
	ck_assert(s.bytes == size && s.size == size);
	load_free(l);
	profile_free(p);
	unlink(path);
}
END_TEST

/* Work after reading has its share of the progress, which ends at the file's size. */
START_TEST(counts_what_comes_behind)
{
	struct watch w = {.wake_fd = -1};
	struct err e;

	make_file("main;work 3\n", 1);
	struct input *in = input_open_watched(path, -1, NULL, &w, &e);
	input_later(in, 40);
	ck_assert_uint_eq(atomic_load(&w.later), 40);
	ck_assert_uint_eq(atomic_load(&w.later_done), 0);
	input_later_done(in, 1, 4);
	ck_assert_uint_eq(atomic_load(&w.later_done), LATER_ALL / 4);
	input_later_done(in, 5, 4);
	ck_assert_uint_eq(atomic_load(&w.later_done), LATER_ALL);
	input_close(in);
	unlink(path);

	/* a trace whose slices are put in order in the end: the bar is never full before */
	make_file("", 0);
	FILE *f = fopen(path, "w");
	fputs("[\n", f);
	for (int i = 0; i < 60000; i++)
		fprintf(f,
			"{\"ph\":\"X\",\"pid\":1,\"tid\":1,"
			"\"ts\":%d,\"dur\":%d,\"name\":\"f%d\"},\n",
			i * 3, 1 + i % 5, i % 7);
	uint64_t size = (uint64_t)ftell(f), last = 0;
	fclose(f);
	struct profile *p = profile_new();
	struct load *l = load_start(p, path, -1, NULL);
	while (!load_wait(l, 0)) {
		struct load_state s = load_state(l);
		if (s.done)
			break;
		/* the decoder announces at its beginning how much follows */
		ck_assert(s.bytes >= last || last < size / 2);
		ck_assert_uint_le(s.bytes, size);
		last = s.bytes;
	}
	struct load_state s = load_state(l);
	ck_assert_str_eq(s.format, "chrome");
	ck_assert(s.bytes == size && s.size == size);
	load_free(l);
	profile_free(p);
	unlink(path);
}
END_TEST

/* A text with its binary beside it, alone and as one of two files: all that is read counts. */
START_TEST(counts_beside)
{
	static const char text[] = "* HANDLE(Functions) %HANDLE%,%NAME%,%FILE%,%VALUE%\n"
				   "00000000,main,,\n"
				   "* HANDLE(Data) %HANDLE%,%NAME%,%VALUE%,%VALUE.UNIT%\n"
				   "20000000,speed,,rpm\n";
	static const char zero[48]; /* three records of the first handle at the time 0 */
	char beside[80], first[64];
	make_file("main;work 3\n", 1);
	memcpy(first, path, sizeof first);
	make_file(text, 1);
	snprintf(beside, sizeof beside, "%s.BIN", path);
	FILE *f = fopen(beside, "w");
	fwrite(zero, 1, sizeof zero, f);
	fclose(f);
	const char *both[] = {path, first};
	for (size_t n = 1; n <= 2; n++) {
		struct profile *p = profile_new();
		struct load *l = load_start_files(p, both, n, NULL);
		uint64_t want = sizeof text - 1 + sizeof zero + (n > 1 ? 12 : 0);
		ck_assert(load_wait(l, -1));
		struct load_state s = load_state(l);
		ck_assert_uint_eq(s.bytes, want);
		ck_assert_uint_eq(s.size, want);
		load_free(l);
		profile_free(p);
	}
	unlink(first);
	unlink(path);
	unlink(beside);
}
END_TEST

START_TEST(refuses)
{
	static const struct {
		const char *path, *words;
	} cases[] = {
		{"/nonexistent/file", "No such file or directory"},
		{"/", "is a directory"},
		{"/dev/null", "empty file: nothing was recorded"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct profile *p = profile_new();
		struct load *l = load_start(p, cases[i].path, -1, NULL);
		struct err e = load_file_error(l, 0);
		ck_assert_int_eq(e.class, ERR_REFUSED);
		ck_assert_ptr_eq(strstr(e.text, cases[i].words), e.text);
		load_free(l);
		profile_free(p);
	}
}
END_TEST

/* While a pipe delivers nothing, the profile is free, and the received events are in it. */
START_TEST(reads_beside_a_pipe)
{
	int ends[2];
	ck_assert_int_eq(pipe(ends), 0);
	struct profile *p = profile_new();
	struct load *l = load_start(p, "-", ends[0], NULL);
	static const char lines[] = "main;work 3\nmain;rest 4\n";
	ck_assert_int_eq(write(ends[1], lines, sizeof lines - 1), sizeof lines - 1);
	int64_t seen = 0;
	for (int i = 0; i < 500 && seen != 7; i++) {
		usleep(10000);
		int64_t before = now_us();
		load_lock(l);
		ck_assert_int_lt(now_us() - before, 1000000);
		seen = sum(p);
		load_unlock(l);
	}
	ck_assert_int_eq(seen, 7);
	ck_assert(!load_wait(l, 0) && !load_wait(l, 10));
	load_stop(l);
	ck_assert(load_wait(l, 10000));
	struct err e = load_file_error(l, 0);
	ck_assert(!err_is_set(&e));
	ck_assert(!p->complete);
	ck_assert_str_eq(p->why, "stopped by the user");
	ck_assert(load_state(l).stopped);
	load_free(l);
	profile_free(p);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

/* A reader that never rests and a decoder that never waits both come through. */
START_TEST(takes_turns)
{
	make_file("main;work;deeper;and;deeper 3\nmain;rest 4\n", 400000);
	struct profile *p = profile_new();
	struct load *l = load_start(p, path, -1, NULL);
	unsigned looks = 0;
	int64_t last = 0;
	do {
		load_lock(l);
		int64_t n = sum(p);
		load_unlock(l);
		ck_assert_int_ge(n, last);
		last = n;
		looks++;
	} while (!load_state(l).done);
	ck_assert_uint_gt(looks, 5);
	ck_assert_int_eq(sum(p), 2800000);
	load_free(l);
	profile_free(p);
	unlink(path);
}
END_TEST

/* Freeing in the middle ends the thread. */
/* The signals that a thread blocks, by /proc: a bit a signal. */
static uint64_t
blocked(const char *task)
{
	char file[300], line[256];
	unsigned long long bits = 0;
	snprintf(file, sizeof file, "/proc/self/task/%s/status", task);
	FILE *f = fopen(file, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "SigBlk: %llx", &bits) == 1)
			break;
	fclose(f);
	return bits;
}

/* A fault of the decoder must reach the handler that restores the terminal, and no other
 * signal may be taken by its thread. */
START_TEST(faults_are_handled)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
	int ends[2];
	char own[32];
	unsigned seen = 0;
	ck_assert_int_eq(pipe(ends), 0);
	struct profile *p = profile_new();
	struct load *l = load_start(p, "-", ends[0], NULL);
	/* a new thread blocks everything until it does its job: here, reading */
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	for (int unread = 1; unread; sched_yield())
		ck_assert_int_eq(ioctl(ends[0], FIONREAD, &unread), 0);
	snprintf(own, sizeof own, "%d", (int)getpid());
	DIR *tasks = opendir("/proc/self/task");
	ck_assert_ptr_nonnull(tasks);
	for (struct dirent *task; (task = readdir(tasks));) {
		if (task->d_name[0] == '.' || !strcmp(task->d_name, own))
			continue;
		uint64_t bits = blocked(task->d_name);
		if (!(bits >> (SIGTERM - 1) & 1))
			continue; /* of a sanitizer */
		seen++;
		for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
			ck_assert_msg(!(bits >> (faults[i] - 1) & 1), "signal %d", faults[i]);
	}
	closedir(tasks);
	ck_assert_uint_eq(seen, 1);
	close(ends[1]);
	load_free(l);
	profile_free(p);
}
END_TEST

/* Sends the read end of a pipe, and what can be read there. */
static void
send_part(int socket, const char *text)
{
	int ends[2];
	char byte = 0;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof ends[0])];
	} control = {.head = {.cmsg_level = SOL_SOCKET,
			      .cmsg_type = SCM_RIGHTS,
			      .cmsg_len = CMSG_LEN(sizeof ends[0])}};
	struct iovec part = {&byte, 1};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof control};
	ck_assert_int_eq(pipe(ends), 0);
	memcpy(CMSG_DATA(&control.head), &ends[0], sizeof ends[0]);
	ck_assert_int_eq(sendmsg(socket, &m, 0), 1);
	ck_assert_int_eq(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
	close(ends[0]);
	close(ends[1]);
}

/* A recorder may end when it has sent a pipe, and has not written yet. */
START_TEST(an_empty_part_follows_none)
{
	struct options o = {0};
	struct browse_roll r;
	struct load *l = NULL;
	struct profile *p = profile_new();
	int ends[2];
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	send_part(ends[1], "main;work 3\n");
	ck_assert(browse_roll_begin(&r, "top", &o, ends[0]));
	browse_roll_take(&r, &l, &p);
	ck_assert(load_wait(l, -1));
	send_part(ends[1], "");
	browse_roll_look(&r, l, p); /* takes the pipe */
	if (r.load)
		load_wait(r.load, -1);
	enum browse_rolling now = browse_roll_look(&r, l, p);
	ck_assert_msg(now == ROLLING_SOON, "%d: the recorder may still live", (int)now);
	send_part(ends[1], "main;work 3\n");
	browse_roll_look(&r, l, p);
	ck_assert(load_wait(r.load, -1));
	ck_assert_int_eq(browse_roll_look(&r, l, p), ROLLING_DUE);
	browse_roll_take(&r, &l, &p);
	ck_assert_int_eq(sum(p), 3);
	send_part(ends[1], "");
	close(ends[1]);
	browse_roll_look(&r, l, p);
	if (r.load)
		load_wait(r.load, -1);
	ck_assert_int_eq(browse_roll_look(&r, l, p), ROLLING_OVER);
	browse_roll_stop(&r);
	load_free(l);
	profile_free(p);
}
END_TEST

START_TEST(freed_early)
{
	make_file("main;work 3\nmain;rest 4\n", 400000);
	struct profile *p = profile_new();
	struct load *l = load_start(p, path, -1, NULL);
	load_free(l);
	struct err check;
	err_init(&check);
	ck_assert_msg(profile_check(p, &check), "%s", check.text);
	profile_free(p);
	unlink(path);
}
END_TEST

UNIT(load)
{
	Suite *s = suite_create("load");
	TCase *t = tcase_create("load");
	tcase_add_test(t, loads);
	tcase_add_test(t, refuses);
	tcase_add_test(t, counts_passes);
	tcase_add_test(t, counts_what_comes_behind);
	tcase_add_test(t, counts_beside);
	tcase_add_test(t, reads_beside_a_pipe);
	tcase_add_test(t, takes_turns);
	tcase_add_test(t, an_empty_part_follows_none);
	tcase_add_test(t, freed_early);
	tcase_add_test(t, faults_are_handled);
	suite_add_tcase(s, t);
	return s;
}
