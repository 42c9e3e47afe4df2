#include <string.h>

#include "model/base/buf.h"
#include "src/collect/collect.h"

bool
collect_give(const struct buf *records, const struct collect_sink *sink, struct err *e)
{
	for (size_t at = 0; at < records->len;) {
		struct perf_event_header h;
		memcpy(&h, records->at + at, sizeof h);
		/* buf's memory is aligned like malloc's, and records are whole words */
		const void *rec = records->at + at;
		if (!sink->take(sink->ctx, rec, e))
			return false;
		at += h.size;
	}
	return true;
}
