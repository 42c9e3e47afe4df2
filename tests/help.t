#!/bin/sh
# pnav help and --help, examples, what was meant by a word that is none, and what is not written to
# a terminal.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
cd "$scratch" || exit 99
printf 'main;read 5\nmain;draw;blit 7\n' >a.folded

# what NAME STATUS ARGUMENT...: it ends with that status; out, err
what()
{
	name=$1 status=$2
	shift 2
	"$PNAV" "$@" >out 2>err </dev/null
	got=$?
	[ "$got" -eq "$status" ] && return 0
	echo "exit $got, not $status: pnav $*" | cat - err >why
	not_ok "$name" why
	return 1
}

# ---- help ----

what "help" 0 help && mv out overview && what "--help" 0 --help &&
	check "pnav help is pnav --help" cmp overview out
commands=$(sed -n '/^Commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p' overview)
twice=$(printf '%s\n' $commands | sort | uniq -d)
check "no command is listed twice${twice:+: $twice}" [ -z "$twice" ]
mkdir examples
cp "$top_srcdir/tests/golden/perfdata-two-cpus/input.data" examples/perf.data 2>/dev/null ||
	cp "$top_srcdir/tests/golden/perfdata-two-cpus/"input* examples/perf.data
cp a.folded examples/before.folded
cp a.folded examples/after.folded
"$PNAV" export --format chrome -o examples/trace.json examples/perf.data 2>/dev/null
for command in $commands; do
	what "help $command" 0 help "$command" && mv out one && what "$command --help" 0 "$command" --help &&
		check "pnav help $command is pnav $command --help" cmp one out
	sed -n '/^Examples:/,$p' one | sed -n 's/^  \(.*pnav .*\)/\1/p' >lines
	built_with HAVE_RECORDER || case $command in
	record | profile)
		skip "$command has examples" "built without the recorder"
		continue ;;
	esac
	# profile(1) has a help of its own; programs that are sampled, and servers, are not here
	[ "$command" = profile ] || check "$command has examples" [ -s lines ]
	grep -v 'perf script\|timeline\|flamegraph\|clickhouse:\|./program\|-p 1234\|less$\|--symbols' lines >run
	while read -r line; do
		case $line in
		*"pnav sql "*)
			built_with HAVE_SQLITE || {
				skip "$line" "built without SQLite"
				continue
			} ;;
		esac
		(cd examples && PNAV_MANUAL=$top_srcdir/man sh -c "pnav() { '$PNAV' \"\$@\"; }; $line" >../out 2>../err </dev/null)
		got=$?
		[ $got -ne 2 ] && [ $got -ne 127 ] && ok "$line" || not_ok "$line" err
	done <run
done
near() { what "$1" 2 "$@" && check "$1" grep -qF -- "$text" err; }
text="did you mean 'export'?"
near exprot a.folded
near help exprot
text="did you mean '--metric'?"
near report --metirc=calls a.folded
text="did you mean 'folded'?"
near report --input foldde a.folded
near export --format fodled a.folded
text="did you mean 'samples'?"
near report --metric sampels a.folded
text="did you mean 'functions'?"
near report --view function a.folded
what "a word that is near nothing" 2 help nonsense && check "and says no more" \
	[ "$(grep -c 'did you mean' err)" = 0 ]
what "a file that is not there" 1 missing.folded && check "is reported" grep -q "No such file" err
what "no command either" 1 nonsense && check "is a file that is not there" grep -q "No such file" err
cp a.folded exprot
what "a file that is called nearly like a command" 0 exprot && ok "is read"

# ---- where pages are installed ----

# A package of a distribution compresses the pages.
mkdir -p usr/bin usr/share/man/man1 usr/share/man/man7
cp "$PNAV" usr/bin/pnav
for page in pnav.1 pnav-browse.1 pnav-inspections.7; do
	gzip -9n <"$top_srcdir/man/$page" >"usr/share/man/man${page##*.}/$page.gz"
done
gzip -9n <"$top_srcdir/man/profile.1" >usr/share/man/man1/pnav-profile.1.gz
alone()
{
	(unset PNAV_MANUAL; PATH=/nowhere; "$PWD/usr/bin/pnav" "$@")
}
alone manual exit >out 2>err && check "a compressed page" grep -q 'EXIT STATUS' out ||
	not_ok "a compressed page" err
alone manual profile >out 2>err && check "profile(1) under its installed name" grep -qi '^NAME' out ||
	not_ok "profile(1) under its installed name" err
alone report --guide a.folded >out 2>err &&
	check "the questions of a compressed page" [ -s out ] ||
	not_ok "the questions of a compressed page" err
alone --size 80x24 --keys 'F1' --snapshot a.folded >out 2>err
check "a compressed page on the screen, without man" grep -q 'pnav-browse(1)' out

# ---- terminals ----

pty=$top_builddir/tests/lib/pty
for format in pprof html sqlite; do
	"$pty" "$PNAV" export --format $format a.folded >out 2>err
	[ $? -eq 2 ] && grep -q 'is not written to a terminal' out && ok "$format is not written to a terminal" ||
		not_ok "$format is not written to a terminal" out
	[ $format = sqlite ] && ! built_with HAVE_SQLITE && {
		skip "$format: but with -o -" "built without SQLite"
		continue
	}
	"$pty" "$PNAV" export --format $format -o - a.folded >out 2>err
	[ $? -eq 0 ] && [ "$(wc -c <out)" -gt 50 ] && ok "$format: but with -o -" ||
		not_ok "$format: but with -o -" err
done
tap_done
