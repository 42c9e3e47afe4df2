/* inputs.h - files and pipes for tests of inputs (src/input/input.h).
 *
 *	tcase_add_checked_fixture(t, inputs_make_dir, inputs_remove_dir);
 *	...
 *	unsigned char *d = inputs_data();
 *	struct input *in = inputs_open(inputs_write("name", d, INPUTS_DATA_LEN));
 *	inputs_expect(in, d, INPUTS_DATA_LEN);
 *
 * A failure of any of these fails the test. */
#ifndef PNAV_TESTS_LIB_INPUTS_H
#define PNAV_TESTS_LIB_INPUTS_H

#include <pthread.h>
#include <stddef.h>

struct input;
struct watch;

#define INPUTS_DATA_LEN 1000003u /* no multiple of any buffer */

/* A thread that writes to a pipe; join it after the end. */
struct inputs_writer {
	int fd;
	const unsigned char *at;
	size_t len, step;
	pthread_t thread;
};

/* Make and remove the folder of a test. */
void inputs_make_dir(void);
void inputs_remove_dir(void);
/* Returns the path of a name in the folder, valid until the next call; of the folder for "". */
const char *inputs_path(const char *name);
/* Writes a file there; returns its path, likewise. */
const char *inputs_write(const char *name, const void *bytes, size_t len);
/* Returns INPUTS_DATA_LEN bytes that do not repeat; the caller frees them. */
unsigned char *inputs_data(void);
/* Open a file, or a descriptor, which w watches unless it is NULL. */
struct input *inputs_open(const char *path);
struct input *inputs_open_fd(int fd, struct watch *w);
/* Reads the input to its end, which has to give exactly `want`. */
void inputs_expect(struct input *in, const unsigned char *want, size_t len);
/* Starts a thread that writes these bytes, `step` at a time; returns the end to read. */
int inputs_pipe(struct inputs_writer *w, const unsigned char *at, size_t len, size_t step);

#endif
