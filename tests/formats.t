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
command -v python3 >/dev/null 2>&1 || skip_all "python3 is not installed"

# One process compares all: to start one for each of two thousand rows costs more than pnav's work.
libiberty=no
! built_with HAVE_LIBIBERTY || libiberty=yes
tables=$(echo "$top_srcdir"/tests/samples/${PNAV_FORMAT:-*}.tsv)
cd "$scratch" || exit 99
# shellcheck disable=SC2086 # no path has blanks
python3 "$top_srcdir/tests/lib/sample_rows.py" "$PNAV" "$PNAV_SAMPLES" $libiberty $tables >results 2>err ||
	echo "bad sample_rows.py ends with status 0" >>results
outcomes <results
tap_done
