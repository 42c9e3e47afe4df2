#include "tests/lib/decoded.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/build/builder.h"
#include "model/fold/fold.h"
#include "tests/lib/unit.h"

/* Code shared by the tests of all binary decoders.  An encoder written from the format's document
 * makes the bytes of a test; its true values are known before the bytes exist. */

static struct input *
open_way(const struct buf *bytes, enum decoded_way way,
	 const struct format_options *options)
{
	char path[] = "/tmp/pnav-decoded-XXXXXX", fd_path[32];
	struct input *in;
	struct err e;
	int fd, ends[2];

	if (way == FROM_BYTES && !options)
		return input_open_bytes(buf_str(bytes), bytes->len, "test");
	err_init(&e);
	if (way == FROM_PIPE) {
		ck_assert_int_eq(pipe(ends), 0);
		ck_assert_uint_le(bytes->len, 65536);
		ck_assert_int_eq(write(ends[1], buf_str(bytes), bytes->len),
				 (ssize_t)bytes->len);
		close(ends[1]);
		snprintf(fd_path, sizeof fd_path, "/dev/fd/%d", ends[0]);
		in = input_open_with(fd_path, options, &e);
		close(ends[0]);
	} else {
		fd = mkstemp(path);
		ck_assert_int_ge(fd, 0);
		ck_assert_int_eq(write(fd, buf_str(bytes), bytes->len),
				 (ssize_t)bytes->len);
		close(fd);
		in = input_open_with(path, options, &e);
		unlink(path);
	}
	ck_assert_msg(in != NULL, "%s", e.text);
	return in;
}

struct decoded
decoded(const struct decoder *decoder, const struct buf *bytes, enum decoded_way way,
	const struct format_options *options)
{
	struct decoded d = {.p = profile_new()};
	struct builder *b = builder_new(d.p, "test", decoder->name);
	struct input *in = open_way(bytes, way, options);
	struct err check;

	err_init(&d.e);
	err_init(&check);
	d.good = decoder->decode(in, b, &d.e);
	ck_assert_int_eq(d.good, !err_is_set(&d.e));
	ck_assert(!d.e.has_offset || d.e.offset <= bytes->len);
	builder_finish(b, &d.e);
	builder_free(b);
	input_close(in);
	ck_assert_msg(profile_check(d.p, &check), "%s", check.text);
	return d;
}

void
decoded_free(struct decoded *d)
{
	profile_free(d->p);
}

struct decoded_row
decoded_row(const struct decoded *d, const char *metric, const char *function)
{
	struct decoded_row row = {0, 0, -1};
	struct fold *f = fold_new();
	struct rows rows = {0};
	struct lens l;
	struct err e;

	lens_init(&l);
	err_init(&e);
	lens_set_metric(&l, metric);
	ck_assert_msg(fold_update(f, d->p, &l, NULL, &e), "%s", e.text);
	fold_rows(f, &rows);
	for (uint32_t i = 0; i < rows.n; i++) {
		name_id id = projection_key_name(f->tree, d->p, rows.key[i]);
		if (strcmp(names_get(&d->p->names, id).at, function) != 0)
			continue;
		row.self += rows_get(&rows, i).self;
		row.total += rows_get(&rows, i).total;
		row.calls = rows_get(&rows, i).calls;
	}
	rows_release(&rows);
	lens_release(&l);
	fold_free(f);
	return row;
}

const struct track *
decoded_track(const struct decoded *d, const char *name)
{
	for (uint32_t i = 0; i < d->p->n_tracks; i++)
		if (!strcmp(names_get(&d->p->names, d->p->track[i].name).at, name))
			return &d->p->track[i];
	return NULL;
}

const char *
profile_says(const struct profile *p, const char *key)
{
	for (uint32_t i = 0; i < p->n_info; i++)
		if (!strcmp(names_get(&p->names, p->info[i].key).at, key))
			return names_get(&p->names, p->info[i].value).at;
	return NULL;
}

const char *
decoded_info(const struct decoded *d, const char *key)
{
	return profile_says(d->p, key);
}

static uint32_t
chance(uint64_t *state, uint32_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 33) % below;
}

/* Allocates exactly the bytes, so the sanitizers see each access beyond them. */
static void
survives(const struct decoder *decoder, const char *at, size_t len)
{
	struct buf bytes = {.at = mem_alloc(len, 1), .len = len, .cap = len};

	memcpy(bytes.at, at, len);
	struct decoded d = decoded(decoder, &bytes, FROM_BYTES, NULL);
	decoded_free(&d);
	free(bytes.at);
}

void
decoded_survives(const struct decoder *decoder, const struct buf *bytes, unsigned cases,
		 unsigned part)
{
	char *work = mem_alloc(bytes->len, 1);

	for (size_t len = part; len <= bytes->len; len += DECODED_PARTS)
		survives(decoder, bytes->at, len);
	for (unsigned i = part; i < cases; i += DECODED_PARTS) {
		uint64_t state = i + 88172645463325252u;
		memcpy(work, bytes->at, bytes->len);
		for (uint32_t edits = chance(&state, 6) + 1; edits; edits--) {
			uint32_t at = chance(&state, (uint32_t)bytes->len);
			if (chance(&state, 2))
				work[at] = (char)chance(&state, 256);
			else
				work[at] ^= (char)(1u << chance(&state, 8));
		}
		survives(decoder, work, bytes->len);
	}
	free(work);
}
