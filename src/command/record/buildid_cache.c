/* The cache as tools/perf/util/build-id.c lays it out:
 *
 *	~/.debug/PATH/cdef0123.../elf
 *	~/.debug/.build-id/cd/ef0123... -> ../../PATH/cdef0123... */
#include "src/command/record/buildid_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "src/outfile.h"

#define PIECE_BYTES 65536u

/* Creates the parent folders of a path. */
static bool
make_folders(struct buf *path, struct err *e)
{
	for (char *at = path->at + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		bool good = !mkdir(path->at, 0755) || errno == EEXIST ||
			    err_refuse(e, "%s: %s", path->at, strerror(errno));
		*at = '/';
		if (!good)
			return false;
	}
	return true;
}

static bool
copy(const char *file, const char *to, struct err *e)
{
	struct outfile_how how = {.fresh = true};
	struct outfile out;
	char piece[PIECE_BYTES];
	size_t n;
	FILE *in = fopen(file, "re");

	if (!in)
		return err_refuse(e, "%s: %s", file, strerror(errno));
	bool good = outfile_open(&out, to, &how, e);
	while (good && (n = fread(piece, 1, sizeof piece, in)) > 0)
		good = fwrite(piece, 1, n, out.stream) == n;
	good = good && !ferror(in);
	fclose(in);
	return outfile_close(&out, good, e) && good;
}

bool
buildid_cache_add(const char *file, const uint8_t *id, size_t id_len, struct err *e)
{
	struct buf root = BUF_INIT, hex = BUF_INIT, elf = BUF_INIT, name = BUF_INIT, to = BUF_INIT;
	const char *home = getenv("HOME");
	char *real = realpath(file, NULL);
	bool good = home && *home && real && id_len > 1;

	if (!good)
		err_refuse(e, "%s: %s", file,
			   real ? "there is no HOME for ~/.debug" : strerror(errno));
	for (size_t i = 0; i < id_len; i++)
		buf_addf(&hex, "%02x", id[i]);
	buf_addf(&root, "%s/.debug/", home ? home : "");
	bool is_there = good && !strncmp(real, buf_str(&root), root.len);
	if (good && !is_there) {
		buf_addf(&elf, "%s%s/%s/elf", buf_str(&root), real + 1, buf_str(&hex));
		buf_addf(&name, "%s.build-id/%02x/", buf_str(&root), id[0]);
		for (size_t i = 1; i < id_len; i++)
			buf_addf(&name, "%02x", id[i]);
		buf_addf(&to, "../../%s/%s", real + 1, buf_str(&hex));
		good = make_folders(&elf, e) && make_folders(&name, e);
		if (good && access(buf_str(&elf), F_OK) && link(real, buf_str(&elf)))
			good = copy(real, buf_str(&elf), e);
		if (good && symlink(buf_str(&to), buf_str(&name)) && errno != EEXIST)
			good = err_refuse(e, "%s: %s", buf_str(&name), strerror(errno));
	}
	free(real);
	buf_release(&root);
	buf_release(&hex);
	buf_release(&elf);
	buf_release(&name);
	buf_release(&to);
	return good;
}
