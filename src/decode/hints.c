/* hints.c - see hints.h.
 *
 * Each is a magic at a place, or a test of the first bytes.  Magics that no text could begin
 * with, and reports that other programs print for people, are asked before the decoders, since
 * nearly any lines look like folded stacks; what is JSON, HTML or a container only after all
 * decoders have declined. */
#include "src/decode/hints.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/chars.h"

#define TEXT_BYTES 4096u /* reports say what they are at their beginning */

struct rule {
	struct hint hint;
	const char *magic; /* NULL: `is` tells */
	size_t len, at;    /* of the magic, and where it stands */
	bool sure;
	bool (*is)(struct head head);
};

/* ---- tests ---- */

static bool
has(struct head head, size_t within, const char *text)
{
	return memmem(head.at, head.len < within ? head.len : within, text, strlen(text));
}

/* At the beginning of a line of a text. */
static bool
has_line(struct head head, const char *text)
{
	size_t len = strlen(text), end = head.len < TEXT_BYTES ? head.len : TEXT_BYTES;
	const uint8_t *at = head.at;

	if (memchr(head.at, '\0', end))
		return false;
	while (end - (size_t)(at - head.at) >= len) {
		if (!memcmp(at, text, len))
			return true;
		const uint8_t *line = memchr(at, '\n', end - (size_t)(at - head.at));
		if (!line)
			return false;
		at = line + 1;
	}
	return false;
}

static bool
is_json(struct head head)
{
	for (size_t i = 0; i < head.len; i++)
		if (!strchr(" \t\r\n\xEF\xBB\xBF", head.at[i]))
			return head.at[i] == '{' || head.at[i] == '[';
	return false;
}

static bool
ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), len = strlen(end);

	return n > len && !strcasecmp(name + n - len, end);
}

static bool
is_go_trace(struct head head)
{
	return head.len >= 16 && !memcmp(head.at, "go 1.", 5) && has(head, 16, " trace");
}

/* A buffer header: its size, a power of two, and how much of it was written. */
static bool
is_etl(struct head head)
{
	uint32_t size, saved;

	if (head.len < 8 || !ends_with(head.name, ".etl"))
		return false;
	memcpy(&size, head.at, sizeof size);
	memcpy(&saved, head.at + 4, sizeof saved);
	return size >= 1024 && size <= (16u << 20) && !(size & (size - 1)) && saved <= size;
}

static bool
is_ctf_metadata(struct head head)
{
	return head.len >= 6 && !memcmp(head.at, "/* CTF", 6);
}

static bool
is_xctrace(struct head head)
{
	return has(head, TEXT_BYTES, "<trace-query-result>");
}

/* Behind the version: a NUL in the binary form, text in the other. */
static bool
is_hprof_text(struct head head)
{
	return head.len >= 19 && !memcmp(head.at, "JAVA PROFILE 1.0.", 17) && head.at[18];
}

static bool
is_gprof_text(struct head head)
{
	return has_line(head, "Flat profile:") || has_line(head, "granularity:");
}

static bool
is_perf_report(struct head head)
{
	return has_line(head, "# To display the perf.data header") &&
	       has(head, TEXT_BYTES, "# Overhead");
}

static bool
is_perf_stat(struct head head)
{
	return has_line(head, " Performance counter stats for");
}

static bool
is_heap_snapshot(struct head head)
{
	return is_json(head) && has(head, TEXT_BYTES, "\"snapshot\"") &&
	       has(head, TEXT_BYTES, "\"node_fields\"");
}

static bool
is_scalene(struct head head)
{
	return is_json(head) && has(head, PROBE_BYTES, "\"elapsed_time_sec\"");
}

static bool
is_jfr_print(struct head head)
{
	return is_json(head) && has(head, 256, "\"recording\"") && has(head, 256, "\"events\"");
}

static bool
is_cleopatra(struct head head)
{
	return is_json(head) && (has(head, PROBE_BYTES, "\"profileJSON\"") ||
				 (has(head, PROBE_BYTES, "\"threads\"") &&
				  has(head, PROBE_BYTES, "\"frames\"") &&
				  has(head, PROBE_BYTES, "\"samples\"")));
}

static bool
is_slabs(struct head head)
{
	return has(head, 16, "JsonSlabs") || ends_with(head.name, ".jslb");
}

static bool
is_html(struct head head)
{
	size_t i = 0;

	while (i < head.len && is_blank((char)head.at[i]))
		i++;
	return (head.len - i >= 5 && !strncasecmp((const char *)head.at + i, "<html", 5)) ||
	       (head.len - i >= 14 &&
		!strncasecmp((const char *)head.at + i, "<!doctype html", 14));
}

/* ---- the table ---- */

#define MAGIC(bytes) .magic = bytes, .len = sizeof bytes - 1
#define SURE .sure = true
#define UNPACK "unpack it first"
#define NO_PROFILE "it is no profile"
#define TRACY {"a Tracy capture", "tracy-csvexport -u FILE | pnav -"}
#define UTRACE {"an Unreal trace (utrace)", "Unreal Insights shows it"}
#define CTF {"a CTF trace", "babeltrace2 FILE shows it; OCaml's: memtrace_viewer"}
#define MACH_O {"a Mach-O file", NO_PROFILE}

static const struct rule rules[] = {
	{{"a .NET trace (nettrace)", "dotnet-trace convert --format Speedscope FILE"},
	 MAGIC("Nettrace"), SURE},
	{{"a .NET trace (nettrace)", "dotnet-trace convert --format Speedscope FILE"},
	 MAGIC("!FastSerialization"), .at = 4, SURE},
	{{"a trace of trace-cmd (trace.dat)", "trace-cmd report FILE | pnav -"},
	 MAGIC("\x17\x08\x44tracing"), SURE},
	{{"an event log of GHC", "hs-speedscope FILE, or ghc-events"}, MAGIC("hdrb"), SURE},
	{{"an execution trace of Go", "go tool trace -pprof=sync FILE > x.pprof"}, .is = is_go_trace,
	 SURE},
	{{"a trace of Windows (ETW)", "PerfView saves it for speedscope"}, .is = is_etl, SURE},
	{CTF, MAGIC("\xC1\x1F\xFC\xC1"), SURE},
	{CTF, MAGIC("\xC1\xFC\x1F\xC1"), SURE},
	{CTF, .is = is_ctf_metadata, SURE},
	{{"a table of Instruments (XML)", "inferno-collapse-xctrace FILE | pnav -"}, .is = is_xctrace,
	 SURE},
	{TRACY, MAGIC("tr\xFDP"), SURE},
	{TRACY, MAGIC("tlZ\4"), SURE},
	{TRACY, MAGIC("tZst"), SURE},
	{UTRACE, MAGIC("TRC2"), SURE},
	{UTRACE, MAGIC("2CRT"), SURE},
	{{"a recording of memray", "py-spy record -f speedscope, or cProfile"}, MAGIC("memray\0"),
	 SURE},
	{{"a text profile of Java's hprof", "record it with JFR"}, .is = is_hprof_text, SURE},
	{{"a heap dump of Java (hprof)", "Eclipse MAT shows it"}, MAGIC("JAVA PROFILE 1.0."), SURE},
	{{"a report of gprof", "give pnav gmon.out, with the program beside it"},
	 .is = is_gprof_text, SURE},
	{{"a report of perf", "perf script -i perf.data | pnav -"}, .is = is_perf_report, SURE},
	{{"counts of perf stat", "perf record, and pnav perf.data"}, .is = is_perf_stat, SURE},
	{{"a heap snapshot of V8", "Chrome DevTools shows it"}, .is = is_heap_snapshot},
	{{"a profile of scalene", "py-spy record -f speedscope, or cProfile"}, .is = is_scalene},
	{{"the output of jfr print", "give pnav the .jfr itself"}, .is = is_jfr_print},
	{{"a profile of Firefox's old profiler (Cleopatra)",
	  "open it in Firefox Profiler and save it again"}, .is = is_cleopatra},
	{{"a profile of Firefox in JsonSlabs", "save it as JSON in Firefox Profiler"},
	 .is = is_slabs},
	{{"a zip archive", UNPACK}, MAGIC("PK\3\4")},
	{{"a tar archive", UNPACK}, MAGIC("ustar"), .at = 257},
	{{"a file of bzip2", "bzip2 -dc FILE | pnav -"}, MAGIC("BZh")},
	{{"a 7z archive", UNPACK}, MAGIC("7z\xBC\xAF\x27\x1C")},
	{{"a rar archive", UNPACK}, MAGIC("Rar!\x1A\x07")},
	{{"a picture (PNG)", NO_PROFILE}, MAGIC("\x89PNG\r\n\x1A\n")},
	{{"a PDF", NO_PROFILE}, MAGIC("%PDF-")},
	{{"a program or library (ELF)", "pnav record ./FILE runs and samples it"},
	 MAGIC("\x7F" "ELF")},
	{MACH_O, MAGIC("\xFE\xED\xFA\xCE")},
	{MACH_O, MAGIC("\xFE\xED\xFA\xCF")},
	{MACH_O, MAGIC("\xCE\xFA\xED\xFE")},
	{MACH_O, MAGIC("\xCF\xFA\xED\xFE")},
	{MACH_O, MAGIC("\xCA\xFE\xBA\xBE")},
	{{"a program of Windows or DOS", NO_PROFILE}, MAGIC("MZ")},
	{{"an HTML page", "save the data, not the page"}, .is = is_html},
};

const struct hint *
hint_for(struct head head, bool sure)
{
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		const struct rule *r = &rules[i];
		if (sure && !r->sure)
			continue;
		if (r->magic ? head.len >= r->at + r->len &&
				       !memcmp(head.at + r->at, r->magic, r->len)
			     : r->is(head))
			return &r->hint;
	}
	return NULL;
}
