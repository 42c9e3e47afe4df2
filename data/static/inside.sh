#!/bin/sh
# inside.sh FILE...: the files as a table of C (src/inside.h), compressed.  Without files, an empty
# table.  Equal files give equal bytes, wherever and whenever it runs.
set -eu
LC_ALL=C
export LC_ALL
rows=
echo '#include "src/inside.h"'
for file in $(for f in "$@"; do echo "${f##*/} $f"; done | sort | cut -d ' ' -f 2); do
	name=${file##*/}
	symbol=$(printf '%s' "$name" | tr -c 'a-zA-Z0-9' _)
	echo
	echo "static const unsigned char $symbol[] = {"
	gzip -9nc "$file" | od -An -v -tu1 | sed 's/^ *//; s/  */,/g; s/$/,/'
	echo "};"
	rows="$rows	{\"$name\", $symbol, sizeof $symbol},
"
done
echo
echo "const struct inside_file inside_files[] = {"
printf '%s' "$rows"
echo "	{0},"
echo "};"
