#!/bin/sh
# The manual: every page passes mandoc's lint, and every example runs.  An example is a
# line that begins with "$ " between .Bd -literal and .Ed; the lines of one display run
# together in one shell, in a folder with the samples of data/.
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
	cp "$PNAV" "$scratch/bin/pnav" 2>/dev/null || return 1
	cd "$scratch/play" || return 1
	PATH=$scratch/bin:$PATH timeout 60 sh -e "$1" </dev/null
	example_status=$?
	cd "$top_builddir" || return 1
	[ $example_status = 0 ] && return
	echo "status $example_status of:"
	cat "$1"
	return 1
}

# What a decoder says of its section is a heading there.
find "$top_srcdir/src/decode" -name '*.c' -exec sed -n 's/^\t\.manual = "\(.*\)",$/\1/p' {} + | sort -u >"$scratch/sections"
[ "$(wc -l <"$scratch/sections")" -ge 8 ] || not_ok "decoders name their sections" "$scratch/sections"
while read -r section; do
	check "pnav-formats(7) has the section $section" \
		grep -qx ".Ss $section" "$top_srcdir/man/pnav-formats.7"
done <"$scratch/sections"

mkdir -p "$scratch/bin"
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
		check "$name: the example at $(sed -n '1s/^# //p' "$commands")" \
			example "$commands"
	done
done
tap_done
