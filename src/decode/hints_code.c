/* The hints for sources and scripts, which people give to a profiler instead of a profile. Only the
 * name of a file identifies a source: its first lines look like other texts. */
#include "src/decode/hints.h"

#include <string.h>
#include <strings.h>

#define NAMES_MAX 11u
#define TEXT_BYTES 4096u /* of a source, these contain no NUL */

static const struct {
	struct hint hint;
	const char *ends[NAMES_MAX + 1]; /* of the file's name */
} codes[] = {
	{{"a program in Python", "python3 -m cProfile -o x.prof FILE, and pnav x.prof"}, {".py"}},
	{{"a program in JavaScript", "node --cpu-prof FILE, and pnav CPU.*.cpuprofile"},
	 {".js", ".mjs", ".cjs", ".ts"}},
	{{"a program in Ruby", "stackprof run -o x.dump -- ruby FILE, and pnav x.dump"}, {".rb"}},
	{{"a program in Perl", "perl -d:NYTProf FILE, and pnav nytprof.out"}, {".pl", ".pm"}},
	{{"a program in PHP", "php -d xdebug.mode=profile FILE, and pnav cachegrind.out.*"},
	 {".php"}},
	{{"a source of Go", "go test -cpuprofile x.out, and pnav x.out"}, {".go"}},
	{{"a source of Java", "java -XX:StartFlightRecording=filename=x.jfr, and pnav x.jfr"},
	 {".java", ".kt", ".scala"}},
	{{"a source of Haskell", "ghc -prof, run it with +RTS -p, and pnav PROGRAM.prof"}, {".hs"}},
	{{"a source", "compile it with -g, and pnav record ./PROGRAM"},
	 {".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".rs", ".swift", ".zig", ".f90"}},
	{{"a script", "pnav record ./FILE runs and samples it"}, {".sh", ".bash", ".lua"}},
};

bool
hints_named(struct head head, const char *end)
{
	size_t n = strlen(head.name), len = strlen(end);

	return n > len && !strcasecmp(head.name + n - len, end);
}

const struct hint *
hint_for_code(struct head head)
{
	size_t last = sizeof codes / sizeof *codes - 1;

	for (size_t i = 0; i <= last; i++)
		for (const char *const *end = codes[i].ends; *end; end++)
			if (hints_named(head, *end) &&
			    !memchr(head.at, '\0', head.len < TEXT_BYTES ? head.len : TEXT_BYTES))
				return &codes[i].hint;
	return head.len >= 2 && !memcmp(head.at, "#!", 2) ? &codes[last].hint : NULL;
}
