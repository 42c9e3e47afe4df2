#!/bin/sh
# Every sample is taken for what it is: one format is at least ten surer than all others, and
# what pnav knows and does not read is refused with the command that helps.
# tests/samples/recognition.list says what they are.  PNAV_SAMPLES names the folder.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -d "$PNAV_SAMPLES/seeds" ] || skip_all "there are no samples at $PNAV_SAMPLES"
[ -x "$PNAV" ] || skip_all "pnav is not built"
tab=$(printf '\t')

"$PNAV" formats | awk '$1 == "read" { print $2 }' >"$scratch/readable"
(cd "$PNAV_SAMPLES" && find . -type f | sed 's|^\./||' | LC_ALL=C sort) >"$scratch/files"
(cd "$PNAV_SAMPLES" && "$(cd "$top_builddir" && pwd)/tests/lib/probes") \
	<"$scratch/files" >"$scratch/found"

# wanted FILE: what the list says of it, nothing where it says nothing
wanted()
{
	while IFS="$tab" read -r pattern what; do
		case $pattern in '#'* | '') continue ;; esac
		# shellcheck disable=SC2254 # it is a pattern
		case $1 in
		$pattern)
			printf '%s\n' "$what"
			return ;;
		esac
	done <"$top_srcdir/tests/samples/recognition.list"
}

readable=0
while IFS="$tab" read -r file first second said; do
	want=$(wanted "$file")
	[ -n "$want" ] || continue
	winner=${first% *}
	lead=$((${first#* } - ${second#* }))
	case $want in
	!*)
		[ "$winner" = - ] && case $said in *"${want#!}"*) true ;; *) false ;; esac
		check "$file is refused: ${want#!}" [ $? = 0 ] ||
			echo "# $first, $second: $said" ;;
	-)
		case $winner in
		- | folded) ok "$file is nothing that is known" ;;
		*) not_ok "$file is nothing that is known"; echo "# $first" ;;
		esac ;;
	*)
		if grep -qx "$want" "$scratch/readable"; then
			readable=$((readable + 1))
			[ "$winner" = "$want" ] && [ "$lead" -ge 10 ]
			check "$file is of format $want" [ $? = 0 ] || echo "# $first, $second"
		else
			check "$file is of no format yet ($want)" [ "$winner" = - ] ||
				echo "# $first"
		fi ;;
	esac
done <"$scratch/found"
check "there are many ($readable)" [ "$readable" -ge 150 ]
tap_done
