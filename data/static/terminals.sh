#!/bin/sh
# terminals.sh NAME...: the descriptions of these terminals, as infocmp finds them, in a table of C
# (ui/screen/term_entries.h).  Without names, an empty table.
set -eu
echo '#include "ui/screen/term_entries.h"'
echo
echo "const struct term_entry term_entries[] = {"
for name in "$@"; do
	text=$(infocmp -0 -x -Q2 "$name" | sed -n '/^b64:/,$p' | tr -d '\n')
	case $text in
	b64:?*) printf '\t{"%s",\n\t "%s"},\n' "$name" "$text" ;;
	*)
		echo "terminals.sh: infocmp has no description of $name" >&2
		exit 1 ;;
	esac
done
echo "	{0},"
echo "};"
