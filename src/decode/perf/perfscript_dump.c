/* perfscript_dump.c - prints each line of perf script by its kind, and the fields of headers. */
#include "src/decode/perf/perfscript_dump.h"

#include <inttypes.h>

#include "model/base/buf.h"
#include "src/decode/perf/perfscript_line.h"
#include "src/input/lines.h"

static bool
dump_sample(struct dump *d, const struct text_line *line, const struct perf_sample *s)
{
	struct buf out = BUF_INIT, text = BUF_INIT;
	if (s->comm.len)
		buf_addf(&out, " comm %s", dump_bytes(d, &text, s->comm.at, s->comm.len));
	if (s->tid.len)
		buf_addf(&out, " tid %.*s", (int)s->tid.len, s->tid.at);
	if (s->has_time)
		buf_addf(&out, " time %" PRId64 " ns", s->time_ns);
	if (s->event.len)
		buf_addf(&out, " event %s",
			 dump_bytes(d, &text, s->event.at, s->event.len));
	if (s->has_period)
		buf_addf(&out, " period %" PRId64, s->period);
	if (s->frame.len)
		buf_addf(&out, " frame %s",
			 dump_bytes(d, &text, s->frame.at, s->frame.len));
	bool ok = dump_record(d, line->offset, "sample%s", buf_str(&out));
	buf_release_all(&out, &text);
	return ok;
}

bool
perfscript_dump(struct input *in, struct dump *d, struct err *e UNUSED)
{
	static const char *const words[] = {
		[PERF_COMMENT] = "comment", [PERF_RECORD] = "record",
		[PERF_FRAME] = "frame",     [PERF_SOURCE] = "source",
		[PERF_FIELD] = "field",     [PERF_OTHER] = "other",
	};
	struct buf text = BUF_INIT;
	struct lines lines;
	struct text_line line;
	struct perf_sample s;
	bool open = false, framed = false, one_line = false, ok = true;
	lines_init(&lines, in);
	while (ok && lines_next(&lines, &line)) {
		enum perf_kind kind = line.cut ? PERF_OTHER
					       : perf_line(line.at, line.len, open,
							   framed, one_line, &s);
		if (kind == PERF_BLANK) {
			open = framed = one_line = false;
		} else if (kind == PERF_SAMPLE) {
			open = true;
			framed = one_line = s.frame.len > 0;
			ok = dump_sample(d, &line, &s);
		} else {
			framed |= kind == PERF_FRAME;
			open |= kind == PERF_FRAME;
			ok = dump_record(d, line.offset, "%s %s", words[kind],
					 dump_bytes(d, &text, line.at, line.len));
		}
	}
	buf_release(&text);
	return ok;
}
