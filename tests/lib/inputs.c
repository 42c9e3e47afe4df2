/* inputs.c - see inputs.h. */
#include "tests/lib/inputs.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/input/input.h"
#include "src/input/source.h"
#include "tests/lib/unit.h"

static char dir[64];

void
inputs_make_dir(void)
{
	snprintf(dir, sizeof dir, "/tmp/pnav-input-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

void
inputs_remove_dir(void)
{
	char command[96];
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}

const char *
inputs_path(const char *name)
{
	static char path[256];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

const char *
inputs_write(const char *name, const void *bytes, size_t len)
{
	const char *path = inputs_path(name);
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, len, f), len);
	fclose(f);
	return path;
}

unsigned char *
inputs_data(void)
{
	unsigned char *d = malloc(INPUTS_DATA_LEN);
	uint32_t x = 1;
	ck_assert_ptr_nonnull(d);
	for (size_t i = 0; i < INPUTS_DATA_LEN; i++) {
		x = x * 1664525u + 1013904223u;
		d[i] = (unsigned char)(x >> 28);
	}
	return d;
}

struct input *
inputs_open(const char *path)
{
	struct err e;
	err_init(&e);
	struct input *in = input_open(path, &e);
	ck_assert_msg(in, "%s", e.text);
	return in;
}

void
inputs_expect(struct input *in, const unsigned char *want, size_t len)
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

static void *
write_slowly(void *arg)
{
	struct inputs_writer *w = arg;
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

int
inputs_pipe(struct inputs_writer *w, const unsigned char *at, size_t len, size_t step)
{
	int ends[2];
	ck_assert_int_eq(pipe(ends), 0);
	*w = (struct inputs_writer){.fd = ends[1], .at = at, .len = len, .step = step};
	ck_assert_int_eq(pthread_create(&w->thread, NULL, write_slowly, w), 0);
	return ends[0];
}

struct input *
inputs_open_fd(int fd, struct watch *w)
{
	struct err e;
	err_init(&e);
	struct input *in = input_open_watched("-", fd, NULL, w, &e);
	ck_assert_msg(in, "%s", e.text);
	return in;
}
