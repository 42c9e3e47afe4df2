#include "src/collect/lookfields.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The fields of a sample.  A sample without the last ones is shorter. */
struct look_fields {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	char state[16];
	char call[32];
	char waits_for[256];
	uint64_t waited_ms;
};

const char lookfields_format[] =
	"name: threads\nID: 60001\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char state[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:char call[32];\toffset:24;\tsize:32;\tsigned:0;\n"
	"\tfield:char waits_for[256];\toffset:56;\tsize:256;\tsigned:0;\n"
	"\tfield:u64 waited_ms;\toffset:312;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"%s %s %s\", REC->state, REC->call, REC->waits_for\n";

void
lookfields_put(const struct doing *doing, pid_t tid, const char *waits_for, struct buf *out)
{
	struct look_fields f = {.type = LOOKFIELDS_TYPE, .pid = tid,
				.waited_ms = (uint64_t)doing->waited_ns / 1000000};
	size_t size = offsetof(struct look_fields, call);

	snprintf(f.state, sizeof f.state, "%s", doing_state_name(doing->state));
	if (waits_for && *waits_for) {
		snprintf(f.call, sizeof f.call, "%s", doing->call);
		snprintf(f.waits_for, sizeof f.waits_for, "%s", waits_for);
		size = doing->waited_ns < 0 ? offsetof(struct look_fields, waited_ms) : sizeof f;
	}
	/* u32 size, bytes, up to a whole word */
	uint32_t padded = (uint32_t)((size + 4 + 7) / 8 * 8 - 4);
	uint8_t bytes[sizeof f + 8] = {0};
	memcpy(bytes, &f, size);
	buf_add(out, &padded, sizeof padded);
	buf_add(out, bytes, padded);
}
