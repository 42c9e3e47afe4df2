#!/bin/sh
# The manual: every page passes mandoc's lint, and every example runs.  An example is a
# line that begins with "$ " between .Bd -literal and .Ed; the lines of one display run
# together in one shell, in a folder with the samples of data/.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
found=0
for page in "$top_srcdir"/man/*.[1-9]; do
	[ -f "$page" ] && found=1
done
[ $found = 1 ] || skip_all "there is no manual page"

# The displays of page $1 to the files NAME.1, NAME.2...: line number, then the commands
displays()
{
	awk -v name="$2" '
		function text(line) {
			sub(/^\$ /, "", line)
			gsub(/\\e/, "\\", line)
			gsub(/\\-/, "-", line)
			gsub(/\\&/, "", line)
			gsub(/\\(aq|\(aq)/, "\047", line)
			gsub(/\\(dq|\(dq)/, "\"", line)
			return line
		}
		/^\.Bd .*-literal/ { inside = 1; open = 0; next }
		/^\.Ed/ { if (open) close(file); inside = 0; more = 0 }
		inside && (/^\$ / || more) {
			if (!open) {
				file = name "." ++n
				print "# line " NR >file
				open = 1
			}
			print text($0) >file
			more = /\\e$|\\$/
		}' "$1"
}

example()
{
	rm -rf "$scratch/play"
	mkdir "$scratch/play" &&
	cp "$top_srcdir"/data/sample* "$scratch/play/" 2>/dev/null
	cp "$PNAV_ALONE" "$scratch/bin/pnav" 2>/dev/null || return 1
	cd "$scratch/play" || return 1
	PATH=$scratch/bin:$PATH timeout 60 sh -e "$1" </dev/null
	example_status=$?
	cd "$top_builddir" || return 1
	[ $example_status = 0 ] && return
	echo "status $example_status of:"
	cat "$1"
	return 1
}

# Each page is one that pnav manual and pnav mcp know.
for page in "$top_srcdir"/man/*.[1-9]; do
	check "pnav manual knows $(basename "$page")" \
		grep -qF "\"$(basename "$page")\"," "$top_srcdir/src/command/manual.c"
done
check "pnav manual pack prints pnav-pack(5)" eval 'PNAV_MANUAL=$top_srcdir/man "$PNAV" manual pack |
	grep -q "bytes of a packed\|PNAV-PACK(5)\|packed profile"'

# The section of a decoder, which has its name unless .manual states another, is a heading there.
find "$top_srcdir/src/decode" -name '*.c' -exec awk '
	/^const struct decoder / { section = "" }
	/^\t\.(name|manual) = "/ { section = $0; gsub(/^[^"]*"|",$/, "", section) }
	/^\t\.title = / { titled = 1 }
	/^};/ && titled { print section; titled = 0 }' {} + | sort -u >"$scratch/sections"
[ "$(wc -l <"$scratch/sections")" -ge 60 ] || not_ok "decoders name their sections" "$scratch/sections"
while read -r section; do
	check "pnav-formats(7) has the section $section" \
		grep -qx ".Ss $section" "$top_srcdir/man/pnav-formats.7"
done <"$scratch/sections"

# Each option of a command is in its section, and no other does.
# listed SECTION...: the options that have an item in these sections of the pages of commands
listed()
{
	for section; do
		awk -v want="$section" '
			/^\.S[hs] / { here = substr($0, 5) == want }
			here && /^\.It Fl / {
				n = split($0, word, " ")
				for (i = 2; i < n; i++)
					if (word[i] == "Fl" && word[i + 1] ~ /^-/)
						print substr(word[i + 1], 2)
			}' "$top_srcdir/man/pnav.1" "$top_srcdir/man/pnav-browse.1" \
			"$top_srcdir/man/pnav-record.1" "$top_srcdir/man/pnav-report.1"
	done | sort -u
}

# options COMMAND SECTION...
options()
{
	command=$1
	shift
	"$PNAV" "$command" --help | sed -n 's/^  .\{4\}--\([a-z0-9-]*\).*/\1/p' |
		grep -vx help | sort -u >"$scratch/options"
	listed "$@" | diff "$scratch/options" - >"$scratch/differ" && [ -s "$scratch/options" ] &&
		ok "the pages have the options of $command" ||
		not_ok "the pages have the options of $command" "$scratch/differ"
}
lens='THE LENS'
formats='How formats are read'
options browse "$lens" "$formats" "Options of the browser"
options report "$lens" "$formats" REPORTS
options diff "$lens" "$formats" REPORTS 'Several files a side'
options export "$lens" "$formats" EXPORT
options dump "$formats"
options sql "$lens" "$formats" 'ASKING IN SQL'
options store "$lens" "$formats" STORING
built_with HAVE_RECORDER && options record OPTIONS ||
	skip "pnav(1) has the options of record" "built without the recorder"
options formats FORMATS
"$PNAV" --help | sed -n '/^Commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p' >"$scratch/commands"
while read -r command; do
	check "pnav(1) has the command $command" \
		grep -qx ".It Nm Cm $command" "$top_srcdir/man/pnav.1"
done <"$scratch/commands"

# The tables of formats: README.md has all but the linker map, which is read for prf alone.
"$PNAV" formats | awk '$1 == "read" && $2 != "map" { print $2 }' | sort >"$scratch/read"
sed -n '/^## What it reads/,/^## /s/^| `\([a-z0-9]*\)` .*/\1/p' "$top_srcdir/README.md" |
	sort >"$scratch/told"
diff "$scratch/read" "$scratch/told" >"$scratch/differ" && ok "README.md has the formats" ||
	not_ok "README.md has the formats" "$scratch/differ"
"$PNAV" formats | awk '$1 == "write" { print $2 }' >"$scratch/written"
sed -n '/^### What it writes/,/^## /p' "$top_srcdir/README.md" >"$scratch/sentence"
while read -r format; do
	check "README.md says that $format is written" grep -q "\`$format\`" "$scratch/sentence"
done <"$scratch/written"

mkdir -p "$scratch/bin"
PNAV_QUERIES=$top_srcdir/data/queries
export PNAV_QUERIES
for page in "$top_srcdir"/man/*.[1-9]; do
	name=$(basename "$page")
	if command -v mandoc >/dev/null 2>&1; then
		check "$name: mandoc's lint" mandoc -T lint -W warning "$page"
	else
		skip "$name: mandoc's lint" "mandoc is not installed"
	fi
	displays "$page" "$scratch/$name"
	for commands in "$scratch/$name".*; do
		[ -f "$commands" ] || continue
		if [ $name = pnav-sql.7 ] && "$PNAV" sql 2>&1 | grep -q 'without SQLite'; then
			skip "$name: the examples" "pnav was built without SQLite"
			break
		fi
		if ! built_with HAVE_SQLITE && grep -q 'format sqlite\|pnav sql' "$commands"; then
			skip "$name: the example at $(sed -n '1s/^# //p' "$commands")" "built without SQLite"
			continue
		fi
		check "$name: the example at $(sed -n '1s/^# //p' "$commands")" \
			example "$commands"
	done
done
tap_done
