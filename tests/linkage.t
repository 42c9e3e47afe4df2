#!/bin/sh
# What the linker knows of the program (HACKING.md, "Style"), read with nm from its archives: a
# public function is called from another file, has a name of its own in all archives, and nothing
# but what is listed here is state that a file keeps for the whole run.  Each rule is also shown
# symbols that break it.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

cd "$top_builddir" || exit 99
command -v nm >/dev/null && nm -P -A -g src/main.o >/dev/null 2>&1 || skip_all "no nm that reads src/main.o"

# Called by tests and fuzzers alone: what they check or begin with.  None is to be added; one that
# the program calls again, or that is gone, has to leave the list.
for_tests='branches_beside branches_end branches_is_open branches_open callwatch_percentile
	cells_lane config_read decoder_for decoder_sure evidence_binomial evidence_means
	evidence_student evidence_student_limit evidence_wilson head_of labelsum_make
	linecosts_make order_compare pattern_find profile_check record_mmap rowbin_over
	search_update'

# State of the whole run: of the terminal, which signals restore (term.c); the flag that a signal
# sets (sql.c); libraries that are loaded once (disasm.c, url.c); the number of the next serial
# (serial.c); what memory exhaustion calls (mem.c); whom a callback of libdwfl serves (places.c);
# the stack of a child without memory of its own (heir.c).
state='capstone curl cooked crash_stack ended_by given goes_on interrupted loaded
	on_exhaustion once ours restore restore_len stack tty unloaded wake wants_resize
	wants_stop asking'

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
printf 'x.o:count.0 |00|   b  |            OBJECT|04|     |.bss\nx.o:names |00|   d  |            OBJECT|04|     |.data.rel.ro\n' >"$scratch/made"
variables "$scratch/made" >"$scratch/found"
check "found: a variable, not a table" test "$(cat "$scratch/found")" = count

archives=$(ls libpnav*.a | grep -v libpnavtest)
# shellcheck disable=SC2086
nm -P -A -g $archives src/main.o >"$scratch/symbols" 2>/dev/null
check "symbols are read" test "$(wc -l <"$scratch/symbols")" -gt 5000
uncalled "$scratch/symbols" >"$scratch/uncalled"
words "$for_tests" >"$scratch/for_tests"
check "every public function is called from another file, but those for tests" \
	same "$scratch/for_tests" "$scratch/uncalled"
twice "$scratch/symbols" >"$scratch/twice"
check "no two files define a function of one name" test ! -s "$scratch/twice"
if nm -A -f sysv src/main.o >/dev/null 2>&1; then
	# shellcheck disable=SC2086
	nm -A -f sysv $archives >"$scratch/sysv" 2>/dev/null
	variables "$scratch/sysv" | grep -vxF "$(words "$state")" >"$scratch/variables"
	check "no file keeps state but those that are listed" test ! -s "$scratch/variables"
else
	skip "no file keeps state but those that are listed" "nm knows no -f sysv"
fi
tap_done
