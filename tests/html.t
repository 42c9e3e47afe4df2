#!/bin/sh
# The page of `pnav export --format html`: as markup without its script, and in headless Chromium.
# Its numbers are those of reports through the same lens.  Names that are markup or scripts do
# nothing.
leaks=yes
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
command -v python3 >/dev/null 2>&1 || skip_all "python3 is not installed"
LC_ALL=C.UTF-8
export LC_ALL
cd "$scratch" || exit 99
golden=$top_srcdir/tests/golden

PYTHONPATH=$top_srcdir/tests/lib
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)

python3 "$top_srcdir/tests/lib/html_pages.py" "$PNAV" "$golden" "$top_srcdir/data" "$browser" \
	>out 2>err || echo "bad html_pages.py ends with status 0" >>out
outcomes <out
tap_done
