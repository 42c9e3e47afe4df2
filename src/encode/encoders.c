#include "src/encode/encoder.h"

#include <string.h>

#include "src/encode/gzip.h"

const struct encoder *const encoders[] = {
#define ENCODER_ROW(name) &encoder_##name,
	ENCODERS(ENCODER_ROW)
#undef ENCODER_ROW
	NULL,
};

const struct encoder *
encoder_named(const char *name)
{
	for (size_t i = 0; encoders[i]; i++)
		if (!strcmp(encoders[i]->name, name))
			return encoders[i];
	return NULL;
}

static bool
is_gz(const char *path)
{
	size_t len = path ? strlen(path) : 0;

	return len > 3 && !strcmp(path + len - 3, ".gz");
}

/* True if a name of this length ends in one of the endings. */
static bool
ends_in(const char *path, size_t len, const char *endings)
{
	for (const char *at = endings; at && *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");
		if (len > n && !memcmp(path + len - n, at, n))
			return true;
		at += n;
	}
	return false;
}

const struct encoder *
encoder_of_file(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; encoders[i]; i++)
		if (ends_in(path, len, encoders[i]->endings) ||
		    (is_gz(path) && ends_in(path, len - 3, encoders[i]->endings)))
			return encoders[i];
	return NULL;
}

bool
encode(const struct encoder *x, const struct encode_job *job, const char *path, struct err *e)
{
	struct encode_job inner = *job;

	if (x->compressed || !is_gz(path))
		return x->write(job, e);
	inner.out = gzip_open(job->out);
	if (!inner.out)
		return err_refuse(e, "no memory to compress with");
	bool good = x->write(&inner, e);
	gzip_close(inner.out);
	return good;
}
