/* The file of `perf record` (tools/perf/Documentation/perf.data-file-format.txt):
 *
 *	header   magic "PERFILE2", u64 size 104, u64 size of an attr entry,
 *	         (u64 offset, u64 size) of attrs, data, event types, 256 feature bits
 *	attrs    one an event: struct perf_event_attr, (offset, size) of its ids
 *	ids      of all events, u64 each
 *	data     records, as the kernel makes them
 *	features (offset, size) for each bit that is set, then their content
 *
 * Readers of an unfinished file also need the features (above all the machine).  So they precede
 * the data as well, as records in the pipe's form.  In the finished file the data begins after
 * them.
 *
 * Nothing is written before the first flush, which truncates the file: until then the recording may
 * still fail to begin.  The size of the data stays 0 until the end, which shows readers that a file
 * is incomplete.
 *
 * A live browser gets the same records through a pipe, after a pipe's header: magic, u64 size 16,
 * then attrs and features as records of their own.  The pipe is fed from the file, so a paused
 * reader costs no memory and never stops the sampling. */
#include "src/collect/perfwriter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "src/collect/eventlist.h"
#include "src/collect/perfembed.h"
#include "src/collect/tracedata.h"
#include "src/decode/perf/event_names.h"
#include "src/encode/zstd.h"
#include "src/input/clock.h"

#define HOLD_BYTES (256u << 10)
#define FEED_BYTES (64u << 10)
#define IDS_MAX 8000u

enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE,
	FEATURE_VERSION,
	FEATURE_ARCH,
	FEATURE_NRCPUS,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC,
	FEATURE_COMPRESSED = 27,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_COMMAND = 253, /* pnav's own, from here on */
	FEATURE_JIT_MAPS = 255,
};
enum {
	RECORD_HEADER_ATTR = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
};

struct perfwriter_section {
	uint64_t offset, size;
};

struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct perfwriter_section attrs, data, event_types;
	uint64_t features[4];
};

struct attr_entry {
	struct perf_event_attr attr;
	struct perfwriter_section ids;
};

struct feature {
	unsigned bit;
	struct buf data;
};

#define FEATURES_MAX 13
#define COMPRESSED_MAX 65000u /* of a record */

struct perfwriter {
	int fd;
	bool begun, stream;
	struct err fault; /* the first error; nothing is written after it */
	const struct eventlist *events;
	struct feature feature[FEATURES_MAX];
	size_t features;
	struct buf held;           /* not yet in the file */
	struct zstd *zstd;         /* NULL: not compressed */
	struct buf squeezed;       /* the held data, compressed */
	uint64_t data_at, written; /* of the data, bytes in the file */
	struct buf attrs;          /* with their ids, as they are in the file */
	uint64_t front_at;
	struct buf front;          /* features as records */
	uint64_t formats_len;      /* of tracepoints, which are not among these */
	struct buf head;           /* of the pipe */
	uint64_t fed;              /* bytes of head and data that were sent */
	uint64_t reserved_at, end; /* of the finished file; 0: it has no such place */
};

/* u32 length including the padding NULs, text */
static void
add_string(struct buf *out, const char *text)
{
	uint32_t len = (uint32_t)(strlen(text) + 64) / 64 * 64;
	buf_add(out, &len, sizeof len);
	buf_adds(out, text);
	for (size_t n = strlen(text); n < len; n++)
		buf_addc(out, '\0');
}

/* u32 events, u32 size of an attr; each: attr, u32 ids, name, ids */
static void
describe_events(struct buf *out, const struct eventlist *l)
{
	uint32_t head[2] = {(uint32_t)l->at.n, sizeof l->at.at[0].attr};
	struct buf name = BUF_INIT;

	buf_add(out, head, sizeof head);
	for (size_t i = 0; i < l->at.n; i++) {
		const struct collect_event *v = &l->at.at[i];
		uint32_t ids = (uint32_t)v->ids.n;
		buf_add(out, &v->attr, sizeof v->attr);
		buf_add(out, &ids, sizeof ids);
		buf_reset(&name);
		if (v->name)
			buf_adds(&name, v->name);
		else
			event_name(&name, v->attr.type, v->attr.config);
		add_string(out, buf_str(&name));
		buf_add(out, v->ids.at, ids * sizeof *v->ids.at);
	}
	buf_release(&name);
}

/* Adds a feature; later ones must have higher bits. */
static struct buf *
add_feature(struct perfwriter *w, unsigned bit)
{
	struct feature *f = &w->feature[w->features++];

	f->bit = bit;
	return &f->data;
}

/* Adds the time of day at a moment of the clock of all events. */
static void
add_clock(struct perfwriter *w)
{
	uint32_t ids[2] = {1 /* version */, CLOCK_MONOTONIC};
	int64_t ns[2] = {clock_day_ns(), clock_ns()};
	struct buf *data = add_feature(w, FEATURE_CLOCK_DATA);
	buf_add(data, ids, sizeof ids);
	buf_add(data, ns, sizeof ns);
}

static void
make_features(struct perfwriter *w, char *const *argv, const struct perfwriter_how *how)
{
	struct utsname u;
	uint32_t cpus[2] = {(uint32_t)sysconf(_SC_NPROCESSORS_CONF),
			    (uint32_t)sysconf(_SC_NPROCESSORS_ONLN)};
	/* version, zstd, its level, ratio, the maximum size of a record */
	uint32_t compression[5] = {1, 1, ZSTD_STREAM_LEVEL, 0, 4 * HOLD_BYTES};
	uint32_t n = 0;

	memset(&u, 0, sizeof u);
	uname(&u);
	if (tracedata_wanted(w->events)) {
		struct buf *formats = add_feature(w, FEATURE_TRACING_DATA);
		tracedata_section(w->events, formats);
		w->formats_len = formats->len;
	}
	add_string(add_feature(w, FEATURE_HOSTNAME), u.nodename);
	add_string(add_feature(w, FEATURE_OSRELEASE), u.release);
	add_string(add_feature(w, FEATURE_VERSION), PACKAGE_STRING);
	add_string(add_feature(w, FEATURE_ARCH), u.machine);
	buf_add(add_feature(w, FEATURE_NRCPUS), cpus, sizeof cpus);
	while (argv[n])
		n++;
	struct buf *line = add_feature(w, FEATURE_CMDLINE);
	buf_add(line, &n, sizeof n);
	for (uint32_t i = 0; i < n; i++)
		add_string(line, argv[i]);
	describe_events(add_feature(w, FEATURE_EVENT_DESC), w->events);
	if (w->zstd)
		buf_add(add_feature(w, FEATURE_COMPRESSED), compression,
			sizeof compression);
	add_clock(w);
	if (how->n_command) {
		struct buf *command = add_feature(w, FEATURE_COMMAND);
		buf_add(command, &how->n_command, sizeof how->n_command);
		for (uint32_t i = 0; i < how->n_command; i++)
			buf_add(command, &(uint32_t){(uint32_t)how->command[i]}, 4);
	}
}

/* A record of the pipe's form: header, body, whole words. */
static void
add_record(struct buf *out, uint32_t type, const uint64_t *number, const void *body,
	   size_t len)
{
	size_t size =
		sizeof(struct perf_event_header) + (number ? 8 : 0) + (len + 7) / 8 * 8;
	struct perf_event_header h = {.type = type, .size = (uint16_t)size};
	if (size > UINT16_MAX)
		return; /* a very long command line, which the file has */
	buf_add(out, &h, sizeof h);
	if (number)
		buf_add(out, number, sizeof *number);
	buf_add(out, body, len);
	for (; len % 8; len++)
		buf_addc(out, '\0');
}

static void
make_front(struct perfwriter *w)
{
	for (size_t i = 0; i < w->features; i++) {
		uint64_t bit = w->feature[i].bit;
		if (bit == FEATURE_TRACING_DATA)
			continue; /* readers of pipes expect another record */
		add_record(&w->front, RECORD_HEADER_FEATURE, &bit, w->feature[i].data.at,
			   w->feature[i].data.len);
	}
}

/* The formats of tracepoints follow a record with their length; they may be larger than one. */
static void
add_formats(struct buf *out, const struct buf *formats)
{
	uint32_t size[2] = {(uint32_t)formats->len};

	add_record(out, RECORD_TRACING_DATA, NULL, size, sizeof size[0]);
	buf_add(out, formats->at, formats->len);
	for (size_t n = formats->len; n % 8; n++)
		buf_addc(out, '\0');
}

static void
make_pipe_head(struct perfwriter *w)
{
	uint64_t size = 16;
	buf_add(&w->head, "PERFILE2", 8);
	buf_add(&w->head, &size, sizeof size);
	for (size_t i = 0; i < w->events->at.n; i++) {
		const struct collect_event *v = &w->events->at.at[i];
		/* a record cannot be larger; the file has all of them */
		size_t ids = v->ids.n < IDS_MAX ? v->ids.n : IDS_MAX;
		struct buf body = BUF_INIT;
		buf_add(&body, &v->attr, sizeof v->attr);
		buf_add(&body, v->ids.at, ids * sizeof *v->ids.at);
		add_record(&w->head, RECORD_HEADER_ATTR, NULL, body.at, body.len);
		buf_release(&body);
	}
	buf_add(&w->head, w->front.at, w->front.len);
	if (w->formats_len)
		add_formats(&w->head, &w->feature[0].data);
}

/* Writes at a position of the file, or next in the stream. */
static bool
perfwriter_put(const struct perfwriter *w, uint64_t at, const void *bytes, size_t len,
	       struct err *e)
{
	for (size_t done = 0; done < len;) {
		const char *rest = (const char *)bytes + done;
		ssize_t n = w->stream ? write(w->fd, rest, len - done)
				      : pwrite(w->fd, rest, len - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_refuse(e, "cannot write: %s",
					  strerror(n ? errno : ENOSPC));
		done += (size_t)n;
	}
	return true;
}

/* The data is one stream, in perf's records, flushed with each write of held data.  So a truncated
 * recording is readable up to there. */
static bool
compress(struct perfwriter *w)
{
	uint64_t body[COMPRESSED_MAX / 8];
	size_t at = 0;

	buf_reset(&w->squeezed);
	for (bool more = w->held.len > 0; more;) {
		size_t n = zstd_block(w->zstd, w->held.at, w->held.len, &at, body,
				      sizeof body, &more, &w->fault);
		if (err_is_set(&w->fault))
			return false;
		struct perf_event_header h = {.type = RECORD_COMPRESSED,
					      .size = (uint16_t)(sizeof h + n)};
		buf_add(&w->squeezed, &h, sizeof h);
		buf_add(&w->squeezed, body, n);
	}
	return true;
}

/* Writes all entries, then all ids. */
static void
make_attrs(struct perfwriter *w)
{
	const struct eventlist *l = w->events;
	uint64_t at = sizeof(struct file_header) + l->at.n * sizeof(struct attr_entry);

	for (size_t i = 0; i < l->at.n; i++) {
		const struct collect_event *v = &l->at.at[i];
		struct attr_entry entry = {v->attr, {at, v->ids.n * sizeof *v->ids.at}};
		buf_add(&w->attrs, &entry, sizeof entry);
		at += entry.ids.size;
	}
	for (size_t i = 0; i < l->at.n; i++)
		buf_add(&w->attrs, l->at.at[i].ids.at,
			l->at.at[i].ids.n * sizeof *l->at.at[i].ids.at);
}

void
perfwriter_keep_jit(struct perfwriter *w, const struct buf *maps)
{
	if (maps->len)
		buf_add(add_feature(w, FEATURE_JIT_MAPS), maps->at, maps->len);
}

void
perfwriter_reserve(struct perfwriter *w)
{
	if (!w->stream)
		add_feature(w, PERFEMBED_FEATURE);
}

static bool
perfwriter_write_header(struct perfwriter *w, bool complete, struct err *e)
{
	struct file_header h = {
		.magic = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'},
		.size = sizeof h,
		.attr_size = sizeof(struct attr_entry),
		.attrs = {sizeof h, w->events->at.n * sizeof(struct attr_entry)},
		.data = {complete ? w->data_at : w->front_at, complete ? w->written : 0},
	};
	for (size_t i = 0; complete && i < w->features; i++)
		h.features[w->feature[i].bit / 64] |= 1ull << w->feature[i].bit % 64;
	return perfwriter_put(w, 0, &h, sizeof h, e);
}

struct perfwriter *
perfwriter_new(int fd, const struct eventlist *events, char *const *argv,
	       struct perfwriter_how how)
{
	struct perfwriter *w = mem_zalloc(1, sizeof *w);
	w->fd = fd;
	w->stream = how.stream;
	w->zstd = how.compress ? zstd_new() : NULL;
	w->events = events;
	make_features(w, argv, &how);
	make_front(w);
	make_attrs(w);
	w->front_at = sizeof(struct file_header) + w->attrs.len;
	w->data_at = w->front_at + w->front.len;
	make_pipe_head(w);
	return w;
}

static bool
perfwriter_begin(struct perfwriter *w, struct err *e)
{
	if (w->begun)
		return true;
	if (w->stream)
		return w->begun = perfwriter_put(w, 0, w->head.at, w->head.len, e);
	(void)!ftruncate(w->fd, 0); /* only a regular file has a length */
	w->begun = perfwriter_write_header(w, false, e) &&
		   perfwriter_put(w, sizeof(struct file_header), w->attrs.at, w->attrs.len, e) &&
		   perfwriter_put(w, w->front_at, w->front.at, w->front.len, e);
	return w->begun;
}

/* Returns the held data in the form of the file; NULL with w->fault. */
static const struct buf *
squeeze(struct perfwriter *w)
{
	if (!w->zstd)
		return &w->held;
	return compress(w) ? &w->squeezed : NULL;
}

bool
perfwriter_flush(struct perfwriter *w, struct err *e)
{
	const struct buf *out = NULL;

	if (!err_is_set(&w->fault) && perfwriter_begin(w, &w->fault) && (out = squeeze(w)))
		perfwriter_put(w, w->data_at + w->written, out->at, out->len, &w->fault);
	if (err_is_set(&w->fault)) {
		*e = w->fault;
		return false;
	}
	w->written += out ? out->len : 0;
	buf_reset(&w->held);
	return true;
}

uint64_t
perfwriter_size(const struct perfwriter *w)
{
	/* the front part is repeated at the end */
	return w->data_at + w->written + w->held.len + w->front.len + w->formats_len +
	       FEATURES_MAX * sizeof(struct perfwriter_section);
}

bool
perfwriter_take(void *ctx, const struct perf_event_header *record, struct err *e)
{
	struct perfwriter *w = ctx;
	buf_add(&w->held, record, record->size);
	if (w->held.len < HOLD_BYTES && !err_is_set(&w->fault))
		return true;
	return perfwriter_flush(w, e);
}

bool
perfwriter_finish(struct perfwriter *w, struct err *e)
{
	struct perfwriter_section table[FEATURES_MAX];
	size_t n = w->features;
	/* data without a byte would mean that the file is incomplete; this is perf's own record */
	const struct perf_event_header round = {.type = 68, .size = sizeof round};
	if (!w->written && !w->held.len)
		buf_add(&w->held, &round, sizeof round);
	if (!perfwriter_flush(w, e))
		return false;
	if (w->stream)
		return true;
	uint64_t table_at = w->data_at + w->written, at = table_at + n * sizeof *table;
	for (size_t i = 0; i < n; i++) {
		const struct buf *data = &w->feature[i].data;
		table[i] = (struct perfwriter_section){at, data->len};
		if (w->feature[i].bit == PERFEMBED_FEATURE)
			w->reserved_at = table_at + i * sizeof *table;
		if (!perfwriter_put(w, at, data->at, data->len, e))
			return false;
		at += data->len;
	}
	w->end = at;
	/* the header comes last: without it the file counts as incomplete */
	return perfwriter_put(w, table_at, table, n * sizeof *table, e) &&
	       perfwriter_write_header(w, true, e);
}

bool
perfwriter_embed(struct perfwriter *w, const struct buf *section, struct err *e)
{
	struct perfwriter_section s = {w->end, section->len};

	return w->reserved_at && perfwriter_put(w, w->end, section->at, section->len, e) &&
	       perfwriter_put(w, w->reserved_at, &s, sizeof s, e);
}

bool
perfwriter_embedded(struct perfwriter *w)
{
	struct perfwriter_section s = {0};

	bool is = w->reserved_at &&
		  pread(w->fd, &s, sizeof s, (off_t)w->reserved_at) == (ssize_t)sizeof s && s.size;
	if (!is && w->reserved_at)
		(void)!ftruncate(w->fd, (off_t)w->end);
	return is;
}

bool
perfwriter_feed(struct perfwriter *w, int pipe)
{
	char part[FEED_BYTES];
	while (w->fed < w->head.len + w->written) {
		const char *from = part;
		ssize_t n, done;
		if (w->fed < w->head.len) {
			from = w->head.at + w->fed;
			n = (ssize_t)(w->head.len - w->fed);
		} else {
			uint64_t at = w->fed - w->head.len, left = w->written - at;
			n = pread(w->fd, part, left < sizeof part ? left : sizeof part,
				  (off_t)(w->data_at + at));
			if (n <= 0)
				return false;
		}
		done = write(pipe, from, (size_t)n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return errno == EAGAIN;
		w->fed += (uint64_t)done;
	}
	return true;
}

void
perfwriter_free(struct perfwriter *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->features; i++)
		buf_release(&w->feature[i].data);
	buf_release(&w->held);
	buf_release(&w->squeezed);
	zstd_free(w->zstd);
	buf_release(&w->attrs);
	buf_release(&w->front);
	buf_release(&w->head);
	free(w);
}
