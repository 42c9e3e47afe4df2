/* hints.c - see hints.h.
 *
 * A hint is a magic at an offset, or a test of the first bytes.  Magics that no text can begin
 * with, and reports of other programs, are tested before the decoders, because nearly any lines
 * look like folded stacks.  Hints for JSON, HTML and containers are tested after all decoders have
 * declined, and those for sources (hints_code.c) last. */
#include "src/decode/hints.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"
#include "src/input/xml.h"

#define TEXT_BYTES 4096u /* reports name themselves in this many first bytes */

struct rule {
	struct hint hint;
	/* the members that identify a JSON document (json_outline.h); only `is` is tested, too */
	const char *members;
	const char *magic; /* NULL: `line` or `is` decides */
	size_t len, at;    /* of the magic: its length and its offset */
	const char *line;  /* of a text: one of its lines begins with it */
	const char *also;  /* this text must also occur in the head; NULL: none */
	bool sure;
	bool (*is)(struct head head);
};

/* ---- tests ---- */

static bool
hints_has(struct head head, size_t within, const char *text)
{
	return memmem(head.at, head.len < within ? head.len : within, text, strlen(text));
}

/* Returns true if a line of the text begins with this. */
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

/* The plan of PostgreSQL in a form that is not read. */
static bool
is_plan(struct head head)
{
	return hints_has(head, TEXT_BYTES, "www.postgresql.org/2009/explain") ||
	       hints_has(head, TEXT_BYTES, "Node Type: \"");
}

/* A buffer header of ETL: its size, a power of two, and the number of bytes written. */
static bool
is_etl(struct head head)
{
	uint32_t size, saved;

	if (head.len < 8 || !hints_named(head, ".etl"))
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
is_xctrace_toc(struct head head)
{
	return xml_begins_with(head.at, head.len, "trace-toc");
}

static bool
is_coz_json(struct head head)
{
	return hints_has(head, 64, "\"startup\"");
}

static bool
is_bpftrace(struct head head)
{
	return hints_has(head, 64, "\"attached_probes\"") || hints_has(head, 64, "\"map\"");
}

/* Reports of MSTest (TRX), xUnit and NUnit 3. */
static bool
is_dotnet_tests(struct head head)
{
	return xml_begins_with(head.at, head.len, "TestRun") ||
	       xml_begins_with(head.at, head.len, "assemblies") ||
	       xml_begins_with(head.at, head.len, "test-run");
}

static bool
is_jenkins(struct head head)
{
	return xml_begins_with(head.at, head.len, "result") &&
	       hints_has(head, TEXT_BYTES, "<suites>");
}

/* Maps of bpftrace whose keys have no stacks: `@us[read]: 12` or `@n: 3`. */
static bool
is_bpftrace_maps(struct head head)
{
	const char *next = NULL, *at, *end;

	while (head_line_filled(head, &next, &at, &end)) {
		if (begins_with(at, end, "Attaching ") || begins_with(at, end, "^C"))
			continue;
		const char *c = at + 1;
		while (c < end && (is_digit(*c) || *c == '_' || (unsigned)((*c | 32) - 'a') < 26))
			c++;
		return *at == '@' && c < end && !head_has(head, "[\n") &&
		       (*c == ':' ? c + 1 == end || c[1] == ' '
				  : *c == '[' && text_find(c, end, "]: "));
	}
	return false;
}

/* After the version, the binary form has a NUL and the text form has text. */
static bool
is_hprof_text(struct head head)
{
	return head.len >= 19 && !memcmp(head.at, "JAVA PROFILE 1.0.", 17) && head.at[18];
}

/* Lines of luajit -jp: a count or a percentage, two blanks, a function, which is no number. */
static bool
is_luajit_table(struct head head)
{
	size_t lines = 0, i = 0, end = head.len < TEXT_BYTES ? head.len : TEXT_BYTES;

	while (i < end) {
		const uint8_t *line = head.at + i, *stop = memchr(line, '\n', end - i);
		size_t len = stop ? (size_t)(stop - line) : end - i, at = 0, first;
		i += len + 1;
		if (!stop)
			break;
		while (at < len && line[at] == ' ')
			at++;
		for (first = at; at < len && is_digit((char)line[at]);)
			at++;
		if (at == first)
			return false;
		at += at < len && line[at] == '%';
		if (len - at < 3 || memcmp(line + at, "  ", 2) ||
		    line[at + 2] == ' ' || is_digit((char)line[at + 2]))
			return false;
		lines++;
	}
	return lines;
}

/* Records of uftrace: a time, then a word of flags with 5 in three of its bits and the address
 * above them. */
static bool
is_uftrace_data(struct head head)
{
	if (!hints_named(head, ".dat") || head.len < 64)
		return false;
	for (size_t i = 0; i < 64; i += 16)
		if ((head.at[i + 8] >> 3 & 7) != 5)
			return false;
	return true;
}

static bool
is_html(struct head head)
{
	static const char *const begins[] = {"<html", "<!doctype html", "<meta charset"};
	size_t i = 0;

	while (i < head.len && (is_blank((char)head.at[i]) || head.at[i] == '\n' ||
				head.at[i] == '\r'))
		i++;
	for (size_t k = 0; k < sizeof begins / sizeof *begins; k++) {
		size_t len = strlen(begins[k]);
		if (head.len - i >= len &&
		    !strncasecmp((const char *)head.at + i, begins[k], len))
			return true;
	}
	return false;
}

static bool
is_memray_page(struct head head)
{
	return is_html(head) && hints_has(head, TEXT_BYTES, "<title>memray");
}

static bool
is_tachyon_page(struct head head)
{
	return is_html(head) && hints_has(head, TEXT_BYTES, "<title>Tachyon Profiler");
}

/* Returns true for an ELF file of this type.  The type follows the identification, in the byte
 * order of the file. */
static bool
is_elf(struct head head, unsigned type)
{
	return head.len >= 18 && !memcmp(head.at, "\x7F" "ELF", 4) &&
	       (head.at[5] == 2 ? head.at[17] : head.at[16]) == type;
}

static bool
is_core(struct head head)
{
	return is_elf(head, 4);
}

static bool
is_object(struct head head)
{
	return is_elf(head, 1);
}

/* Java classes share the magic of Mach-O files for several processors, which continue with a
 * small number, the number of processors. */
static bool
is_java_class(struct head head)
{
	return head.len >= 8 && !memcmp(head.at, "\xCA\xFE\xBA\xBE", 4) && head.at[7] >= 45;
}

static bool
is_webp(struct head head)
{
	return head.len >= 12 && !memcmp(head.at, "RIFF", 4) && !memcmp(head.at + 8, "WEBP", 4);
}

static bool
is_svg(struct head head)
{
	return !is_html(head) && hints_has(head, TEXT_BYTES, "<svg");
}

static bool
is_async_profiler(struct head head)
{
	return is_html(head) && hints_has(head, PROBE_BYTES, "async-profiler");
}

/* Its first record opens the log: a length, the type, a magic (sys/pmclog.h). */
static bool
is_pmcstat(struct head head)
{
	return head.len >= 8 && head.at[3] == 0xEE && head.at[2] == 3 && !head.at[1];
}

/* Lines such as `cycles:u: size: 136, { sample_period, sample_freq }: 4000, sample_type: ...`. */
static bool
is_perf_evlist(struct head head)
{
	const uint8_t *end = memchr(head.at, '\n', head.len);
	size_t len = end ? (size_t)(end - head.at) : head.len;

	return len && *head.at != '#' &&
	       hints_has(head, len, ", sample_type: ") && hints_has(head, len, "size: ") &&
	       hints_has(head, len, "{ sample_period, sample_freq }: ");
}

/* `SECONDS.MS (MS ms): COMMAND/TID CALL(ARGUMENTS) = RESULT` */
static bool
is_perf_trace(struct head head)
{
	size_t i = 0;

	while (i < head.len && (is_blank((char)head.at[i]) || is_digit((char)head.at[i]) ||
				head.at[i] == '.'))
		i++;
	return i && head.len - i > 20 && head.at[i] == '(' &&
	       memmem(head.at + i, 20, " ms): ", 6);
}

static bool
is_nsight(struct head head)
{
	return hints_named(head, ".nsys-rep") || hints_named(head, ".qdrep");
}

static bool
is_blanks(struct head head)
{
	for (size_t i = 0; i < head.len; i++)
		if (!strchr(" \t\r\n", head.at[i]) || !head.at[i])
			return false;
	return head.whole;
}

/* Records of a zero, the length of a term, the term: a tuple (erl_ext_dist, dbg's files). */
static bool
is_erlang_trace(struct head head)
{
	return head.len >= 7 && !head.at[0] && !head.at[1] && head.at[5] == 0x83 &&
	       head.at[6] == 'h';
}

/* ---- the table ---- */

#define MAGIC(bytes) .magic = bytes, .len = sizeof bytes - 1
#define SURE .sure = true
#define UNPACK "unpack it first"
#define NO_PROFILE "it is not a profile"
#define TRACY {"a Tracy capture", "tracy-csvexport -u FILE | pnav -"}
#define UTRACE {"an Unreal trace (utrace)", "Unreal Insights shows it"}
#define CTF {"a CTF trace", "babeltrace2 FILE shows it; OCaml's: memtrace_viewer"}
#define GPROF {"a report of gprof", "give pnav gmon.out, with the program beside it"}
#define VTUNE {"a report of VTune", "vtune -report callstacks -format csv; inferno-collapse-vtune"}
#define PERF {"a report of perf", "perf script -i perf.data | pnav -"}
#define PERF_SCHED                                                                         \
	{"a report of perf sched", "perf sched record writes perf.data, which pnav reads"}
#define PPROF {"a report of pprof", "give pnav the profile itself; go tool pprof -proto saves it"}
#define TACHYON_BINARY "python -m profiling.sampling run --binary writes a file that pnav reads"
#define COZ {"experiments of coz, a causal profiler", "coz plot shows them"}
#define SIMPLEPERF                                                                         \
	{"a text of simpleperf",                                                           \
	 "simpleperf report-sample --protobuf --show-callchain -i perf.data -o x.trace"}
#define GO_TEST {"results of go test -bench", "-cpuprofile x.out, and pnav x.out"}
#define BCC {"the output of a tool of bcc", "its option -f writes folded stacks"}
#define CLEOPATRA                                                                          \
	{"a profile of Firefox's old profiler (Cleopatra)",                                \
	 "open it in Firefox Profiler and save it again"}
/* pnav decompresses a file once */
#define TWICE {"a file that is compressed twice", "gzip -dc FILE | pnav -, or zstd, xz, lz4"}
#define MACH_O {"a Mach-O file", NO_PROFILE}

static const struct rule rules[] = {
	{{"a trace of Windows (ETW)", "PerfView saves it for speedscope"}, .is = is_etl, SURE},
	{CTF, MAGIC("\xC1\x1F\xFC\xC1"), SURE},
	{CTF, MAGIC("\xC1\xFC\x1F\xC1"), SURE},
	{CTF, .is = is_ctf_metadata, SURE},
	{{"a table of contents of Instruments (XML)",
	  "xctrace export with --xpath '/trace-toc/run/data/table[@schema=\"time-profile\"]'"},
	 .is = is_xctrace_toc, SURE},
	{{"a test report of .NET",
	  "dotnet test --logger junit, with the package JunitXml.TestLogger"},
	 .is = is_dotnet_tests, SURE},
	{{"a test report of Jenkins", "give pnav the JUnit files that Jenkins read"},
	 .is = is_jenkins, SURE},
	{{"a HAR file with a call around it (JSONP)", "save what is in the parentheses"},
	 MAGIC("onInputData("), SURE},
	{TRACY, MAGIC("tr\xFDP"), SURE},
	{TRACY, MAGIC("tlZ\4"), SURE},
	{TRACY, MAGIC("tZst"), SURE},
	{{"a profile of rustc itself", "crox, of measureme, makes a trace for Chrome of it"},
	 MAGIC("MMPD"), SURE},
	{{"a Fuchsia trace, as magic-trace writes it", "ui.perfetto.dev shows it"},
	 MAGIC("\x10\0\4FxT\x16\0"), SURE},
	{UTRACE, MAGIC("TRC2"), SURE},
	{UTRACE, MAGIC("2CRT"), SURE},
	{{"a recording of perf before Linux 2.6.35 (PERFFILE)", "perf script -i FILE | pnav -"},
	 MAGIC("PERFFILE"), SURE},
	{{"a log of FreeBSD's pmcstat",
	  "pmcstat -R FILE -G x.txt; stackcollapse-pmc.pl x.txt | pnav -"},
	 .is = is_pmcstat, SURE},
	{{"a report of FreeBSD's pmcstat", "stackcollapse-pmc.pl FILE | pnav -"},
	 .line = "@ ", .also = " samples]\n", SURE},
	{{"a raw recording of rbspy", "rbspy report -f speedscope -i FILE -o x.json"},
	 MAGIC("rbspy0"), SURE},
	{{"a profile of Bun or Deno in Markdown",
	  "bun --cpu-prof, deno run --cpu-prof write .cpuprofile, which pnav reads"},
	 .line = "# CPU Profile", .also = "| Duration |", SURE},
	{{"a heap profile of Bun in Markdown", "Chrome DevTools shows that of bun --heap-prof"},
	 .line = "# Bun Heap Profile", SURE},
	{SIMPLEPERF, .line = "sample:", .also = "\n  event_type: ", SURE},
	{SIMPLEPERF, .line = "Cmdline: ", .also = "\nEvent count: ", SURE},
	{{"a report of spindump", "sample PID 10 -file x.txt, and pnav x.txt"},
	 MAGIC("Date/Time: "), SURE},
	{{"a text of pyinstrument", "pyinstrument -r json -o x.json, and pnav x.json"},
	 .line = "  _     ._   __/__", SURE},
	{{"a summary of rbspy", "rbspy record --format speedscope"},
	 .line = "% self  % total  name", SURE},
	{{"a text of pprofile", "pprofile --format callgrind --out cachegrind.out.x PROGRAM"},
	 .line = "Command line: ", .also = "\nTotal duration: ", SURE},
	{{"the output of uftrace replay", "give pnav the folder of uftrace record"},
	 .line = "# DURATION ", .also = "FUNCTION", SURE},
	{{"the passes of rustc", "rustc -Zself-profile; crox makes a trace for Chrome of it"},
	 .line = "time: ", .also = "; rss: ", SURE},
	{{"the output of python3 -X importtime", "python3 -m cProfile -o x.prof PROGRAM"},
	 .line = "import time: self [us] |", SURE},
	{{"an HTML trace of Xdebug", "xdebug.trace_format=1 writes one that pnav reads"},
	 .line = "<table style='hyphens:", SURE},
	{PERF_SCHED, .line = "           time    cpu", .also = "wait time  sch delay", SURE},
	{PERF_SCHED, .line = "  Task                  |   Runtime ms", SURE},
	{PERF_SCHED, .line = "  *A0 ", .also = " secs A0 => ", SURE},
	{{"a report of perf lock", "perf lock record writes perf.data, which pnav reads"},
	 .line = " contended   total wait", SURE},
	{{"the output of perf trace", "perf trace record writes perf.data, which pnav reads"},
	 .is = is_perf_trace, SURE},
	{{"a summary of perf trace", "strace -c, or perf trace record"},
	 .line = " Summary of events:", SURE},
	{{"a list of perf evlist", "perf script -i perf.data | pnav -"},
	 .is = is_perf_evlist, SURE},
	{{"a report of perf c2c", "perf script -i perf.data | pnav -"},
	 .line = "            Trace Event Information", SURE},
	{{"a table of line_profiler", "give pnav the .lprof itself"},
	 .line = "Timer unit: ", .also = "% Time", SURE},
	{{"a text profile of Java's hprof", "record it with JFR"}, .is = is_hprof_text, SURE},
	{{"a heap dump of Java (hprof)", "Eclipse MAT shows it"}, MAGIC("JAVA PROFILE 1.0."), SURE},
	{GPROF, .line = "Flat profile:", SURE},
	{GPROF, .line = "Each sample counts as ", SURE},
	{GPROF, .line = "granularity:", SURE},
	{GPROF, .line = "ngranularity:", SURE},
	{GPROF, .line = "index % time", SURE},
	{GPROF, .line = "index  % time", SURE},
	{VTUNE, .line = "Index ", .also = "CPU Time:Self", SURE},
	{VTUNE, .line = "Function\t", .also = "CPU Time", SURE},
	{{"a table of VTune", "inferno-collapse-vtune FILE | pnav -"},
	 .line = "Function Stack,", .also = "CPU Time", SURE},
	{{"a table of Visual Studio", "inferno-collapse-vsprof FILE | pnav -"},
	 .line = "Level,Function Name,Number of Calls", SURE},
	{{"metrics for Prometheus", "/debug/pprof/profile of the same server is a profile"},
	 .line = "# HELP ", .also = "\n# TYPE ", SURE},
	{{"bookmarks of LaTeX", NO_PROFILE}, MAGIC("\\BOOKMARK ["), SURE},
	{{"a trace of Erlang's fprof",
	  "fprof:profile({file, FILE}), fprof:analyse({dest, \"x.analysis\"})"},
	 .is = is_erlang_trace, SURE},
	{PERF, .line = "# To display the perf.data header", SURE},
	{PERF, .line = "# Event count (approx.): ", SURE},
	{PERF, .line = "# Event '", .also = "# Baseline ", SURE},
	{PERF, .line = " Percent |\tSource code & Disassembly of ", SURE},
	{COZ, .line = "startup\ttime=", SURE},
	{COZ, .members = "type time", .is = is_coz_json, SURE},
	{{"a report of pnav", "open the profile that it was made from"},
	 .members = "profile view/command view/rows_total columns rows", SURE},
	{{"a capture of sysprof", "Sysprof shows it"}, MAGIC("\x5E\x97\xCA\xFD"), SURE},
	{{"a capture of sysprof", "Sysprof shows it"}, MAGIC("\xFD\xCA\x97\x5E"), SURE},
	{PPROF, .line = "PeriodType: ", .also = "\nSamples:\n", SURE},
	{PPROF, .line = "Showing nodes accounting for ", SURE},
	{PPROF, .line = "Type: ", .also = "-----------+-----", SURE},
	{PPROF, .line = "Total: ", .also = "% "},
	{{"a report of callgrind_annotate", "give pnav callgrind.out itself"},
	 .line = "Profile data file '", SURE},
	{{"a report of cg_annotate", "give pnav cachegrind.out itself"},
	 .line = "Data file: ", .also = "cache: ", SURE},
	{{"a report of ms_print", "give pnav massif.out itself"}, .line = "ms_print arguments:",
	 SURE},
	{{"a report of heaptrack_print", "give pnav heaptrack.PROGRAM.zst itself"},
	 .line = "Debuggee command was:", .also = "reading file", SURE},
	{{"a table of Python's pstats", "python3 -m cProfile -o x.prof PROGRAM, and pnav x.prof"},
	 .line = "   Ordered by:", .also = " function calls ", SURE},
	{{"a table of Python's pstats", "python3 -m cProfile -o x.prof PROGRAM, and pnav x.prof"},
	 .line = "   Ordered by:", .also = "called", SURE},
	{{"a table of yappi", "stats.save(\"x.prof\", type=\"pstat\"), and pnav x.prof"},
	 .line = "Clock type: ", .also = "\nOrdered by:", SURE},
	{{"a report of node --prof-process", "give pnav the isolate-*-v8.log itself"},
	 .line = "Statistical profiling result from ", SURE},
	{{"a report of stackprof", "give pnav the .dump itself"}, .line = "  Mode: ",
	 .also = "SAMPLES    (pct)", SURE},
	{{"a table of ruby-prof", "print it with RubyProf::CallTreePrinter, and pnav that file"},
	 .line = "Measure Mode: ", .also = "%self", SURE},
	{{"a summary of R's profile", "give pnav Rprof.out itself"}, .line = "$by.self", SURE},
	{{"the output of jfr print", "give pnav the .jfr itself"},
	 .line = "jdk.", .also = " {\n  startTime = ", SURE},
	{{"a summary of jfr", "give pnav the .jfr itself"},
	 .line = " Version: ", .also = " Chunks: ", SURE},
	{{"a table of luajit -jp", "luajit -jp=G,x.folded PROGRAM, and pnav x.folded"},
	 .is = is_luajit_table},
	{{"a part of uftrace's data", "give pnav the folder that contains it"},
	 .is = is_uftrace_data},
	{BCC, .line = "Sampling at ", .also = "Hit Ctrl-C to end."},
	{{"maps of bpftrace without stacks", "make kstack or ustack a key: @[ustack] = count()"},
	 .is = is_bpftrace_maps, SURE},
	{{"a pointer of Git LFS", "git lfs pull gets the file itself"},
	 MAGIC("version https://git-lfs"), SURE},
	{{"a table of nsys stats", "nsys export --type sqlite FILE.nsys-rep, and pnav x.sqlite"},
	 .line = "Time (%),", SURE},
	{{"a report of nvprof", "nsys profile; nsys export --type sqlite, and pnav x.sqlite"},
	 .line = "==", .also = " NVPROF is profiling", SURE},
	{GO_TEST, .line = "goos: ", .also = "\nBenchmark", SURE},
	{GO_TEST, .line = "Benchmark", .also = " ns/op", SURE},
	{{"a log of the JVM", "java -XX:StartFlightRecording=filename=x.jfr has its pauses"},
	 .line = "[", .also = "][gc", SURE},
	{BCC, .line = "Tracing ", .also = "Hit Ctrl-C to end."},
	{{"the output of bpftrace as JSON", "run bpftrace without -f json"},
	 .members = "type data", .is = is_bpftrace},
	{{"stacks of py-spy as JSON", "py-spy dump without --json"},
	 .members = "/thread_name /frames"},
	{{"a tree for a flame graph (d3)", "give pnav the data that it shows"},
	 .members = "name value children"},
	{{"a tree for a flame graph (d3)", "give pnav the data that it shows"}, .members = "n v c"},
	{{"a profile of React DevTools", "record the page with Chrome DevTools instead"},
	 .members = "dataForRoots"},
	{{"results of Google Benchmark", "pnav record ./BENCHMARK runs and samples it"},
	 .members = "context benchmarks"},
	{{"results of pytest-benchmark", "python3 -m cProfile -o x.prof -m pytest; pnav x.prof"},
	 .members = "machine_info benchmarks"},
	{{"results of hyperfine", "pnav record PROGRAM runs and samples it"},
	 .members = "results/command results/mean"},
	{{"results of JMH", "JMH's option -prof jfr writes recordings that pnav reads"},
	 .members = "/jmhVersion /benchmark"},
	{{"a log of go test", "gotestsum --junitfile x.xml, and pnav x.xml"},
	 .members = "Time Action Package"},
	{{"a report of Lighthouse", "lighthouse --save-assets writes a trace that pnav reads"},
	 .members = "lighthouseVersion"},
	{{"statistics of memray", "give pnav memray's .bin itself"},
	 .members = "total_num_allocations total_bytes_allocated"},
	{{"a network log of Chrome", "chrome --trace-startup writes a trace that pnav reads"},
	 .members = "constants/logEventTypes"},
	{{"a log of Rust's tracing", "tracing-chrome; Rspack: RSPACK_TRACE_LAYER=perfetto"},
	 .members = "timestamp level fields target"},
	{{"a heap snapshot of V8", "Chrome DevTools shows it"}, .members = "snapshot/meta nodes"},
	{{"a heap snapshot of V8", "Chrome DevTools shows it"},
	 .members = "snapshot/node_count nodes"},
	{{"a profile of scalene", "py-spy record -f speedscope, or cProfile"},
	 .members = "elapsed_time_sec"},
	{{"the output of jfr print", "give pnav the .jfr itself"}, .members = "recording/events"},
	{{"a plan of PostgreSQL as YAML or XML", "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)"},
	 .is = is_plan},
	{{"metrics of OpenTelemetry", "they hold no profile"}, .members = "resourceMetrics"},
	{{"logs of OpenTelemetry", "they hold no profile"}, .members = "resourceLogs"},
	{{"perf.data as JSON, without weights", "give pnav the perf.data itself"},
	 .members = "linux-perf-json-version samples"},
	{{"a snapshot of Dart DevTools", "Dart DevTools opens it"},
	 .members = "devToolsSnapshot activeScreenId"},
	{{"counts of Python's sampling profiler, without stacks", TACHYON_BINARY},
	 .members = "type run_id sample_interval_usec"},
	{CLEOPATRA, .members = "profileJSON"},
	{CLEOPATRA, .members = "threads/samples"},
	{{"a report of Nsight Systems", "Nsight Systems shows it"}, .is = is_nsight},
	{{"nothing but blanks", "nothing was recorded"}, .is = is_blanks},
	{{"a zip archive", UNPACK}, MAGIC("PK\3\4")},
	{{"a tar archive", UNPACK}, MAGIC("ustar"), .at = 257, SURE},
	{TWICE, MAGIC("\x28\xB5\x2F\xFD"), SURE},
	{TWICE, MAGIC("\x04\x22\x4D\x18"), SURE},
	{TWICE, MAGIC("\xFD" "7zXZ"), SURE},
	{TWICE, MAGIC("\x1F\x8B\x08"), SURE},
	{{"a file of bzip2", "bzip2 -dc FILE | pnav -"}, MAGIC("BZh")},
	{{"a 7z archive", UNPACK}, MAGIC("7z\xBC\xAF\x27\x1C")},
	{{"a rar archive", UNPACK}, MAGIC("Rar!\x1A\x07")},
	{{"a picture (PNG)", NO_PROFILE}, MAGIC("\x89PNG\r\n\x1A\n")},
	{{"a picture (JPEG)", NO_PROFILE}, MAGIC("\xFF\xD8\xFF")},
	{{"a picture (GIF)", NO_PROFILE}, MAGIC("GIF8")},
	{{"a picture (WebP)", NO_PROFILE}, .is = is_webp},
	{{"a picture (SVG)", "give pnav the data that it shows, such as the folded stacks"},
	 .is = is_svg},
	{{"a PDF", NO_PROFILE}, MAGIC("%PDF-")},
	{{"a core dump", "gdb -batch -ex 'thread apply all bt' PROGRAM FILE | pnav -"},
	 .is = is_core},
	{{"an object file (ELF)", "link it: pnav record ./PROGRAM runs and samples it"},
	 .is = is_object},
	{{"a program or library (ELF)", "pnav record ./FILE runs and samples it"},
	 MAGIC("\x7F" "ELF")},
	{MACH_O, MAGIC("\xFE\xED\xFA\xCE")},
	{MACH_O, MAGIC("\xFE\xED\xFA\xCF")},
	{MACH_O, MAGIC("\xCE\xFA\xED\xFE")},
	{MACH_O, MAGIC("\xCF\xFA\xED\xFE")},
	{{"a class of Java", "java -XX:StartFlightRecording=filename=x.jfr, and pnav x.jfr"},
	 .is = is_java_class},
	{MACH_O, MAGIC("\xCA\xFE\xBA\xBE")},
	{{"an archive of object files", NO_PROFILE}, MAGIC("!<arch>\n")},
	{{"WebAssembly", NO_PROFILE}, MAGIC("\0asm")},
	{{"a program of Windows or DOS", NO_PROFILE}, MAGIC("MZ")},
	{{"a flame graph of async-profiler (HTML)", "asprof -o collapsed, or the .jfr itself"},
	 .is = is_async_profiler},
	{{"a report of memray (HTML)", "give pnav memray's .bin itself"}, .is = is_memray_page},
	{{"a page of Python's sampling profiler", TACHYON_BINARY}, .is = is_tachyon_page},
	{{"an HTML page", "save the data, not the page"}, .is = is_html},
};

static bool
hints_fits(const struct rule *r, struct head head)
{
	if (head.json || r->members)
		return r->members && head_members(head, r->members) && (!r->is || r->is(head));
	if (r->magic)
		return head.len >= r->at + r->len && !memcmp(head.at + r->at, r->magic, r->len);
	if (r->line)
		return has_line(head, r->line) &&
		       (!r->also || hints_has(head, TEXT_BYTES, r->also));
	return r->is(head);
}

const struct hint *
hint_for(struct head head, bool sure)
{
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if ((!sure || rules[i].sure) && hints_fits(&rules[i], head))
			return &rules[i].hint;
	return sure || head.json ? NULL : hint_for_code(head);
}
