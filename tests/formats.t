#!/bin/sh
# Numbers that other programs found in files of their formats, against what pnav says: the
# tables tests/samples/*.tsv.  PNAV_SAMPLES names the folder with the files; a file that is not
# there is skipped, and said so.  A line of a table is, between tabs:
#
#	FILE  OPTIONS  ROW  COLUMN  WANTED
#
# FILE below $PNAV_SAMPLES (several, with blanks between them, are opened together); OPTIONS of
# `pnav report`, - for none; ROW `COLUMN=TEXT` (the first such), `#` (how many rows), `+` (the sum of the
# column) or `?` (the exit status, and WANTED is it; COLUMN is a pattern that stderr has, or
# -).  WANTED is a text, a number, or `LOW..HIGH`.  Lines of '#' say by whom the numbers are.
# PNAV_FORMAT=NAME runs one table.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -d "$PNAV_SAMPLES/seeds" ] || skip_all "there are no samples at $PNAV_SAMPLES"
[ -x "$PNAV" ] || skip_all "pnav is not built"
tab=$(printf '\t')

# field ROW COLUMN: from a CSV on stdin
field()
{
	awk -v row="$1" -v column="$2" '
		# cells[1..n] of a line, which has no line ends in its cells
		function cut(line, cells,   n, at, c, quoted, cell) {
			if (!index(line, "\""))
				return split(line, cells, ",")
			n = 0; cell = ""; quoted = 0
			for (at = 1; at <= length(line); at++) {
				c = substr(line, at, 1)
				if (quoted && c == "\"" && substr(line, at + 1, 1) == "\"") {
					cell = cell c; at++
				} else if (c == "\"") quoted = !quoted
				else if (c == "," && !quoted) { cells[++n] = cell; cell = "" }
				else cell = cell c
			}
			cells[++n] = cell
			return n
		}
		NR == 1 {
			n = cut($0, head)
			split(row, want, "=")
			text = substr(row, length(want[1]) + 2)
			for (i = 1; i <= n; i++) {
				if (head[i] == column) at = i
				if (head[i] == want[1]) key = i
			}
			next
		}
		row == "#" { rows++; next }
		{ cut($0, cells) }
		row == "+" { sum += cells[at]; next }
		key && cells[key] == text { print cells[at]; found = 1; exit }
		END {
			if (row == "#") print rows + 0
			else if (row == "+") printf "%.17g\n", sum
			else if (!found) print "(no such row)"
		}'
}

# same WANTED GOT
same()
{
	[ "$1" = "$2" ] && return
	awk -v wanted="$1" -v got="$2" 'BEGIN {
		n = split(wanted, ends, "[.][.]")
		number = got ~ /^-?[0-9.e+]+$/
		if (n == 2) exit !(number && got + 0 >= ends[1] + 0 && got + 0 <= ends[2] + 0)
		exit !(number && wanted ~ /^-?[0-9.e+]+$/ && got + 0 == wanted + 0)
	}'
}

for table in "$top_srcdir"/tests/samples/*.tsv; do
	name=$(basename "$table" .tsv)
	[ -n "${PNAV_FORMAT:-}" ] && [ "$PNAV_FORMAT" != "$name" ] && continue
	before=
	while IFS="$tab" read -r files options row column wanted; do
		case $files in '#'* | '') continue ;; esac
		paths=
		missing=
		for file in $files; do
			paths="$paths $PNAV_SAMPLES/$file"
			[ -e "$PNAV_SAMPLES/$file" ] || missing=$file
		done
		[ -z "$missing" ] || {
			skip "$name: $files: $row $column" "no $missing"
			continue
		}
		if [ "$before" != "$files $options" ]; then
			[ "$options" != - ] || options=
			# Options and paths are words without blanks.
			# shellcheck disable=SC2086
			timeout 120 "$PNAV" report --format csv $options $paths \
				>"$scratch/out" 2>"$scratch/err" </dev/null
			status=$?
			options=${options:--}
			lacks=$(sed -n 's/.*\(with [a-z]*, which was not built in\|built without [a-z]*\).*/\1/p' "$scratch/err" | head -n 1)
		fi
		before="$files $options"
		[ -z "$lacks" ] || {
			skip "$name: $files: $row $column" "$lacks"
			continue
		}
		case $row in
		'?')
			got=$status
			[ "$column" = - ] || grep -qE -e "$column" "$scratch/err" ||
				got="$got without /$column/" ;;
		*) got=$(field "$row" "$column" <"$scratch/out") ;;
		esac
		if ! built_with HAVE_LIBIBERTY && grep -q '^_[ZR]' "$scratch/out"; then
			skip "$name: $files $options: $row $column" "built without libiberty"
		elif same "$wanted" "$got"; then
			ok "$name: $files $options: $row $column"
		else
			{
				echo "pnav report --format csv $options $paths"
				echo "wanted $wanted, got $got (status $status)"
				head -n 3 "$scratch/err"
			} >"$scratch/report"
			not_ok "$name: $files $options: $row $column" "$scratch/report"
		fi
	done <"$table"
done
tap_done
