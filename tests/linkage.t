#!/bin/sh
# What the linker knows of the program (HACKING.md, "Style"), read with nm from its archives: a
# public function is called from another file, has a name of its own in all archives, nothing but
# what is listed here is state that a file keeps for the whole run, and no files call each other in
# a circle.  Each rule is also shown symbols that break it.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

cd "$top_builddir" || exit 99
command -v nm >/dev/null && nm -P -A -g src/main.o >/dev/null 2>&1 || skip_all "no nm that reads src/main.o"

# Called by tests and fuzzers alone: what they check or begin with.  None is to be added; one that
# the program calls again, or that is gone, has to leave the list.
for_tests='branches_beside branches_end branches_is_open branches_open config_read decoder_for
	decoder_sure evidence_binomial evidence_means evidence_student
	head_of pattern_find profile_check rowbin_over symbol_go_function symbol_go_read'

# State of the whole run: of the terminal, which signals restore (term.c); the flag that a signal
# sets (sql.c); libraries that are loaded once (disasm.c, url.c); the number of the next serial
# (serial.c); what memory exhaustion calls (mem.c); whom a callback of libdwfl serves (places.c);
# the stack of a child without memory of its own (heir.c); the prompt that libedit completes
# for (sql_prompt.c); whether the screen is ASCII (text.c); what a handler of SIGBUS needs (shrunk.c).
state='capstone curl cooked crash_stack ended_by given goes_on interrupted loaded
	on_exhaustion once ours restore restore_len stack tty unloaded wake wants_resize
	wants_stop completing asking screen_is_ascii shrunk_before shrunk_page_bytes shrunk_pages'

# Files that still call each other in a circle, a circle a line.  None is to be added, and none may
# grow: a file that leaves one has to leave the list.  Tables of rows, such as that of decoders, are
# data and no calls; but the functions in the row of the view `source` look like some.
circles='collect/collect collect/collect_choose
read/perfetto_events read/perfetto_frames read/perfetto_ftrace read/perfetto_intern read/perfetto_packet read/perfetto_samples read/perfetto_slices read/perfetto_tracks
symbol/unwind symbol/unwind_pointer
ui/source ui/source_find'

# calls SYMBOLS: public functions that no other file calls, of lines "FILE: NAME TYPE ..."
uncalled()
{
	awk '$2 !~ /^[a-z]/ || $2 == "main" { next }
		$3 == "U" { called[$2] = 1 }
		$3 == "T" { from[$2] = $1 }
		END { for (name in from) if (!called[name]) print name }' "$1" | LC_ALL=C sort
}

# twice SYMBOLS: public functions that two files define
twice()
{
	awk '$3 == "T" && $2 ~ /^[a-z]/ && from[$2]++ == 1 { print $2 }' "$1"
}

# circles SYMBOLS: files that call each other in a circle, a circle a line.  Files that call no other,
# or that no other calls, are removed until none is left of them; what reaches itself among the
# rest is in a circle.
circles()
{
	awk '$2 !~ /^[a-z]/ { next }
		{
			file = $1
			sub(/^libpnav/, "", file)
			sub(/\.a\[([a-z_]*_a-)?/, "/", file)
			sub(/\.o\]?:$/, "", file)
		}
		$3 == "U" { n++; who[n] = file; whom[n] = $2 }
		$3 == "T" { home[$2] = file }
		END {
			for (i = 1; i <= n; i++)
				if (home[whom[i]] != "" && home[whom[i]] != who[i])
					call[who[i] SUBSEP home[whom[i]]] = 1
			do {
				split("", from); split("", to); gone = 0
				for (c in call) { split(c, f, SUBSEP); from[f[1]] = 1; to[f[2]] = 1 }
				for (c in call) {
					split(c, f, SUBSEP)
					if (!to[f[1]] || !from[f[2]]) { delete call[c]; gone = 1 }
				}
			} while (gone)
			for (k in from) for (i in from) if ((i SUBSEP k) in call)
				for (j in from) if ((k SUBSEP j) in call) call[i SUBSEP j] = 1
			for (i in from) for (j in from)
				if ((i SUBSEP j) in call && (j SUBSEP i) in call) print i, j
		}' "$1" | LC_ALL=C sort |
		awk '$1 != last { if (line) print line; last = $1; line = "" }
			{ line = line (line == "" ? "" : " ") $2 }
			END { if (line) print line }' | LC_ALL=C sort -u
}

# variables SYMBOLS: names of what can be written, of the lines of nm -f sysv
variables()
{
	awk -F'|' '$4 ~ /OBJECT|TLS/ && $7 ~ /\.t?(data|bss)$|COM/ {
		sub(/^.*:/, "", $1)
		sub(/\.[0-9]+ *$/, "", $1)
		gsub(/ /, "", $1)
		if ($1 ~ /^[a-z]/)
			print $1
	}' "$1" | LC_ALL=C sort -u
}

words()
{
	printf '%s\n' $1 | LC_ALL=C sort
}

same()
{
	diff "$1" "$2"
}

printf 'a.a[x.o]: called T 0 1\na.a[x.o]: alone T 0 1\nb.a[y.o]: called U\n' >"$scratch/made"
uncalled "$scratch/made" >"$scratch/found"
check "found: a public function that no other file calls" test "$(cat "$scratch/found")" = alone
printf 'a.a[x.o]: one T 0 1\nb.a[y.o]: one T 0 1\nb.a[y.o]: two T 0 1\n' >"$scratch/made"
twice "$scratch/made" >"$scratch/found"
check "found: one name in two archives" test "$(cat "$scratch/found")" = one
printf 'a.a[l_a-x.o]: x T 0 1\na.a[l_a-y.o]: y T 0 1\na.a[z.o]: z T 0 1\na.a[l_a-x.o]: y U\na.a[l_a-y.o]: z U\n' >"$scratch/made"
circles "$scratch/made" >"$scratch/found"
check "no circle: x calls y, y calls z" test ! -s "$scratch/found"
printf 'a.a[z.o]: x U\na.a[z.o]: other U\na.a[o.o]: other T 0 1\na.a[w.o]: z U\na.a[w.o]: w T 0 1\n' >>"$scratch/made"
circles "$scratch/made" >"$scratch/found"
check "found: files that call each other in a circle" test "$(cat "$scratch/found")" = 'a/x a/y a/z'
printf 'x.o:count.0 |00|   b  |            OBJECT|04|     |.bss\nx.o:names |00|   d  |            OBJECT|04|     |.data.rel.ro\n' >"$scratch/made"
variables "$scratch/made" >"$scratch/found"
check "found: a variable, not a table" test "$(cat "$scratch/found")" = count

archives=$(ls libpnav*.a | grep -v libpnavtest)
# shellcheck disable=SC2086
nm -P -A -g $archives src/main.o >"$scratch/symbols" 2>/dev/null
check "symbols are read" test "$(wc -l <"$scratch/symbols")" -gt 5000
uncalled "$scratch/symbols" >"$scratch/uncalled"
words "$for_tests" >"$scratch/for_tests"
left_out=
for part in HAVE_RECORDER HAVE_SQLITE HAVE_LIBCURL HAVE_LIBDW HAVE_CAPSTONE HAVE_LIBZSTD HAVE_LIBLZMA HAVE_LIBLZ4 HAVE_EXPAT; do
	built_with $part || left_out="$left_out $part"
done
if [ "$left_out" ]; then
	skip "every public function is called from another file, but those for tests" "built without$left_out"
else
	check "every public function is called from another file, but those for tests" \
		same "$scratch/for_tests" "$scratch/uncalled"
fi
twice "$scratch/symbols" >"$scratch/twice"
check "no two files define a function of one name" test ! -s "$scratch/twice"
circles "$scratch/symbols" >"$scratch/circles"
printf '%s\n' "$circles" >"$scratch/known"
check "no files call each other in a circle but those that are listed" \
	same "$scratch/known" "$scratch/circles"
if nm -A -f sysv src/main.o >/dev/null 2>&1; then
	# shellcheck disable=SC2086
	nm -A -f sysv $archives >"$scratch/sysv" 2>/dev/null
	variables "$scratch/sysv" | grep -vxF "$(words "$state")" >"$scratch/variables"
	check "no file keeps state but those that are listed" test ! -s "$scratch/variables"
else
	skip "no file keeps state but those that are listed" "nm knows no -f sysv"
fi
tap_done
