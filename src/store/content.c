/* Identifies the content of a store: the bytes of a file, how it was read, and its labels.  The
 * order of the labels does not matter. */
#include "src/store/content.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "src/input/hash.h"
#include "src/store/rowout.h"

#define READ_BYTES (256u << 10)

void
content_put(unsigned char out[SCHEMA_HASH], uint64_t high, uint64_t low)
{
	for (unsigned i = 0; i < 8; i++) {
		out[i] = (unsigned char)(high >> (56 - 8 * i));
		out[8 + i] = (unsigned char)(low >> (56 - 8 * i));
	}
}

bool
content_source(const char *path, unsigned char out[SCHEMA_HASH])
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	XXH3_state_t *state;
	char *bytes;
	ssize_t n = -1;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		state = XXH3_createState();
		bytes = mem_alloc(READ_BYTES, 1);
		XXH3_128bits_reset(state);
		while ((n = read(fd, bytes, READ_BYTES)) > 0)
			XXH3_128bits_update(state, bytes, (size_t)n);
		XXH128_hash_t h = XXH3_128bits_digest(state);
		content_put(out, h.high64, h.low64);
		free(bytes);
		XXH3_freeState(state);
	}
	close(fd);
	return n == 0;
}

static int
by_key(const void *a, const void *b)
{
	const struct writer_label *x = a, *y = b;
	int key = strcmp(x->key, y->key);

	return key ? key : strcmp(x->value, y->value);
}

struct writer_label *
content_labels(const struct writer_job *job)
{
	struct writer_label *l = mem_alloc(job->n_labels, sizeof *l);

	for (size_t i = 0; i < job->n_labels; i++)
		l[i] = job->label[i];
	if (job->n_labels)
		qsort(l, job->n_labels, sizeof *l, by_key);
	return l;
}

void
content_find(const struct writer_job *job, unsigned char out[SCHEMA_HASH])
{
	struct writer_label *label = content_labels(job);
	struct buf all = BUF_INIT;

	buf_add(&all, job->source, SCHEMA_HASH);
	rowout_text(&all, job->how, strlen(job->how));
	rowout_text(&all, job->service, strlen(job->service));
	for (size_t i = 0; i < job->n_labels; i++) {
		rowout_text(&all, label[i].key, strlen(label[i].key));
		rowout_text(&all, label[i].value, strlen(label[i].value));
	}
	struct hash128 h = hash128(all.at, all.len);
	content_put(out, h.high, h.low);
	buf_release(&all);
	free(label);
}

