#!/bin/sh
# Who may know whom (HACKING.md): the arrows between the folders, read from the #include
# lines, that no module includes itself by way of others, what only some files may call or
# write, and that every action has a file that performs it.  Each rule is also shown a file that breaks it, so that a rule which has stopped to
# see anything does not pass.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

# arrows ROOT: prints every breach under ROOT, one a line
arrows()
{
	(cd "$1" && find model src ui -name '*.[ch]' | sort | xargs awk "$rules")
}

rules='
FNR == 1 {
	file = FILENAME
	comment = 0
}
function breach(why) { print file ":" FNR ": " why }
function in_folder(path, folder) { return index(path, folder "/") == 1 }
# The part of the model that a decoder writes through: builder.h and what it includes,
# and the plain containers and arithmetic.
function is_writing(path) {
	return path ~ /^model\/base\/(bisect|buf|chars|err|escape|map|mem|ordered|slots|sum|utf8|vec|wide)\.h$/ || \
		path ~ /^model\/profile\/(frames|human|metrics|names|pack_form|packed|stacks|tracks)\.h$/ || \
		path == "model/build/builder.h"
}
function is_reading(path) { return in_folder(path, "model") && path !~ /^model\/build\/builder/ }
# The rooms of the model; one includes only those before it and itself.  0: no room.
function room(path,    part) {
	split(path, part, "/")
	return index("base     profile  lens     fold     calls    compare  build    picture  derive   answer   table    ",
		sprintf("%-9s", part[2]))
}
# timeline_draw.c and timeline.c may know timeline.h, and flame.c what its layout says.
function is_own(path,    mine, its) {
	mine = file
	its = path
	sub(/^.*\//, "", mine)
	sub(/^.*\//, "", its)
	sub(/[._].*/, "", mine)
	sub(/[._].*/, "", its)
	return mine == its
}
function allowed(path) {
	if (in_folder(file, "model"))
		return in_folder(path, "model") && room(path) && room(path) <= room(file)
	# what a format takes from the command line is a row that it brings; libraries that are
	# loaded when they are needed
	if (path == "src/option.h" || path == "src/late.h")
		return in_folder(file, "src")
	if (in_folder(file, "src/input"))
		return in_folder(path, "src/input") || path ~ /^model\/base\/(bytes|chars|err|mem|buf|vec|wide)\.h$/
	if (in_folder(file, "src/decode"))
		return in_folder(path, "src/decode") || in_folder(path, "src/input") ||
			is_writing(path) || \
			((in_folder(file, "src/decode/pack") || in_folder(file, "src/decode/pnavdb")) && path == "model/build/builder_adopt.h") || path ~ /^src\/symbol\/(embedded|symbols|unwind)\.h$/
	if (in_folder(file, "src/symbol"))
		return in_folder(path, "src/symbol") || path ~ /^model\/base\/(bisect|bytes|err|mem|buf|ordered|vec)\.h$/
	if (in_folder(file, "src/encode"))
		return in_folder(path, "src/encode") || is_reading(path)
	if (in_folder(file, "src/sql"))
		return in_folder(path, "src/sql") || path ~ /^src\/encode\/shown(_actors|_stacks)?\.h$/ || \
			is_reading(path)
	# the reader of a store builds a profile, the writer looks at one as encoders do
	if (in_folder(file, "src/store"))
		return in_folder(path, "src/store") || in_folder(path, "src/input") || \
			path ~ /^src\/encode\/(encoder|shown|shown_stacks|shown_times)\.h$/ || in_folder(path, "model")
	if (in_folder(file, "src/command")) {
		if (in_folder(path, "ui"))
			return file ~ /^src\/command\/browse\/browse(_[a-z]+)?\.[ch]$/ || \
				(file == "src/command/browse/resume.c" && path == "ui/app/session.h")
		if (path ~ /^src\/command\/browse\/browse_/)
			return is_own(path)
		return in_folder(path, "src") || is_reading(path)
	}
	if (in_folder(file, "src"))
		return in_folder(path, "src") || in_folder(path, "model")
	# the browser: screen <- part <- view <- app; a view knows its own files alone
	if (path ~ /^ui\/screen\/term_/)
		return is_own(path)
	if (in_folder(path, "ui/screen"))
		return 1
	if (in_folder(file, "ui/screen") && in_folder(path, "ui"))
		return 0
	if (in_folder(path, "ui/part"))
		return 1
	if (in_folder(file, "ui/part") && in_folder(path, "ui"))
		return 0
	if (in_folder(path, "ui/view"))
		return in_folder(file, "ui/app") || path == "ui/view/view.h" || is_own(path)
	if (in_folder(path, "ui"))
		return in_folder(file, "ui/app")
	return is_reading(path)
}
# Comments and the insides of strings away, so that words in them do not count.
function code(line,    out) {
	if (comment) {
		if (!match(line, /\*\//))
			return ""
		line = substr(line, RSTART + 2)
		comment = 0
	}
	gsub(/\\./, "", line)
	gsub(/"[^"]*"/, "\"\"", line)
	gsub(/\047[^\047]*\047/, "0", line)
	gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", line)
	if (match(line, /\/\*/)) {
		line = substr(line, 1, RSTART - 1)
		comment = 1
	}
	sub(/\/\/.*/, "", line)
	return line
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	path = $0
	sub(/^[^"]*"/, "", path)
	sub(/".*/, "", path)
	if (!allowed(path))
		breach("may not include " path)
}
/^[ \t]*#[ \t]*include[ \t]*</ {
	path = $0
	sub(/^[^<]*</, "", path)
	sub(/>.*/, "", path)
	if (path ~ /curses|^term\.h$/ && file !~ /^ui\/screen\/term(_[a-z]+\.[ch]|\.c)$/)
		breach("<" path "> is for ui/screen/term.c and its term_ files alone")
	if (path ~ /^pcre2/ && file != "model/lens/match.c")
		breach("<" path "> is for model/lens/match.c alone")
	if (path ~ /^(zlib|zstd|lzma|lz4|lz4frame)\.h$/ && file !~ /^src\/(input|encode)\//)
		breach("<" path "> is for src/input and src/encode alone")
	if (path == "expat.h" && file != "src/input/xml.c")
		breach("<" path "> is for src/input/xml.c alone")
	if (path ~ /^curl\// && file != "src/input/url.c")
		breach("<" path "> is for src/input/url.c alone")
	if (path == "sqlite3.h" && !in_folder(file, "src/sql") &&
		!in_folder(file, "src/decode/pnavdb") && file !~ /^src\/encode\/sqlite(_rows)?\.[ch]$/)
		breach("<" path "> is for src/sql, src/decode/pnavdb and src/encode/sqlite*.c alone")
	if (path ~ /^(elfutils\/|libelf|gelf|dwarf|capstone\/|libiberty\/)/ && !in_folder(file, "src/symbol"))
		breach("<" path "> is for src/symbol alone")
	if (path ~ /^(time|sys\/time|pthread|locale|fcntl|unistd)\.h$/ && in_folder(file, "model") &&
	    !(path == "pthread.h" && file == "model/profile/series_beside.c"))
		breach("the model knows no <" path ">")
}
{
	line = code($0)
	speaks = file ~ /^src\/command\// || file == "src/main.c"
	if (!speaks && line ~ /(^|[^A-Za-z0-9_.>])(printf|vprintf|puts|putchar|perror)[ ]*\(/)
		breach("prints")
	if (!speaks && file !~ /^(model\/base\/mem\.c|ui\/screen\/term\.c)$/ &&
	    line ~ /(^|[^A-Za-z0-9_])(stdout|stderr)([^A-Za-z0-9_]|$)/)
		breach("knows stdout or stderr")
	if (!speaks && line ~ /(^|[^A-Za-z0-9_.>])(exit|_exit|_Exit|quick_exit)[ ]*\(/ &&
	    file != "ui/screen/term.c")
		breach("ends the program")
	if (in_folder(file, "model") && line ~ /(^|[^A-Za-z0-9_])FILE[ ]*\*/)
		breach("the model knows no FILE")
	# the type of wide.h, which compilers for 64 bits have as a typedef
	if (line ~ /(^|[^A-Za-z0-9_])typedef[ ]+(struct|union)/ && file != "model/base/wide_halves.h")
		breach("a typedef of a struct")
	# who owns what of struct app (app_inside.h)
	if (in_folder(file, "ui/app") && file !~ /^ui\/app\/app_(look|change)\.c$/ &&
	    line ~ /->look\.[a-z_.]+[ ]*([-+*\/|&^]?=([^=]|$)|\+\+|--)/)
		breach("writes what is for ui/app/app_look.c and app_change.c alone")
	if (in_folder(file, "ui/app") && file != "ui/app/app_say.c" &&
	    line ~ /->message\.[a-z_.]+[ ]*([-+*\/|&^]?=([^=]|$)|\+\+|--)/)
		breach("writes what is for ui/app/app_say.c alone")
	if (in_folder(file, "ui/app") && file != "ui/app/app_front.c" &&
	    line ~ /(^|[^A-Za-z0-9_])(prompt|menu|pager)_open[ ]*\(/)
		breach("opens what gets no input")
	if (line ~ /(^|[^A-Za-z0-9_])dl(open|sym)[ ]*\(/ && file != "src/late.c")
		breach("loads what src/late.c is for")
	# numbers have a point wherever pnav runs
	if (line ~ /(^|[^A-Za-z0-9_])(setlocale|newlocale|uselocale)[ ]*\(/ &&
	    !(file == "src/charset.c" && line ~ /setlocale[ ]*\(LC_CTYPE,/))
		breach("sets more of the locale than its characters")
	if (line ~ /(^|[^A-Za-z0-9_])(setjmp|longjmp|gets|strcpy|strcat|sprintf|strtok|alloca)[ ]*\(/)
		breach("calls what is not used here")
}
'

# unlisted ROOT: sources that no Makemodule.am names
unlisted()
{
	(cd "$1" && find model src ui -name '*.[ch]' | sort) >"$scratch/sources"
	awk 'FNR == NR { source[++n] = $1; next }
		{ for (i = 1; i <= NF; i++) named[$i] = 1 }
		END { for (i = 1; i <= n; i++) if (!(source[i] in named)) print source[i], "is in no Makemodule.am" }' \
		"$scratch/sources" "$1"/*/Makemodule.am
}

# circles ROOT: what includes itself by way of others, a module a line; a module is x.c, x.h
# and x_inside.h.
circles()
{
	(cd "$1" && find model src ui -name '*.[ch]' | sort | xargs awk '
		function module(path) { sub(/(_inside)?\.[ch]$/, "", path); return path }
		/^[ \t]*#[ \t]*include[ \t]*"/ {
			split($0, part, "\"")
			print module(FILENAME), module(part[2])
		}') | LC_ALL=C tsort 2>&1 >/dev/null
}

# undone ROOT: actions of the list that no row, case or comparison does anything for.  What
# opens a view is done by the table of views.
undone()
{
	cat "$1"/ui/app/*.c "$1"/ui/view/*.c "$1"/ui/view/*/*.c "$1"/ui/part/*.c 2>/dev/null |
		grep -oE '(\{|case |[!=]= )ACTION_[A-Z_]+' | sed 's/.*ACTION_//' | sort -u >"$scratch/done"
	sed -n 's/^	X(\([A-Z_]*\), *[A-Z]*,.*/\1/p' "$1/ui/part/keys.h" | grep -v '^VIEW_' | sort -u |
		comm -23 - "$scratch/done" | sed 's/^/nobody does ACTION_/'
}

# includes FILE HEADER [FILE HEADER]...: the circles of a tree with these includes
includes()
{
	rm -rf "$scratch/tree"
	mkdir -p "$scratch/tree/model" "$scratch/tree/src" "$scratch/tree/ui"
	title=
	while [ $# -gt 0 ]; do
		printf '#include "%s"\n' "$2" >>"$scratch/tree/$1"
		title="$title${title:+, }$1 -> $2"
		shift 2
	done
	circles "$scratch/tree" >"$scratch/found"
}

round()
{
	includes "$@"
	check "found: a circle, $title" grep -q ': model/a$' "$scratch/found"
}

straight()
{
	includes "$@"
	check "no circle: $title" no_lines "$scratch/found"
}

# planted FILE LINE WHY: a tree with this one line is found to break a rule
planted()
{
	rm -rf "$scratch/tree"
	mkdir -p "$scratch/tree/model" "$scratch/tree/ui" "$scratch/tree/$(dirname "$1")"
	mkdir -p "$scratch/tree/src"
	printf '/* a file */\n%s\n' "$2" >"$scratch/tree/$1"
	arrows "$scratch/tree" >"$scratch/found"
	if grep -qF "$1:2: $3" "$scratch/found"; then
		ok "found: $3, in $1"
	else
		not_ok "found: $3, in $1" "$scratch/found"
	fi
}

# innocent FILE LINE: the same tree breaks none
innocent()
{
	rm -rf "$scratch/tree"
	mkdir -p "$scratch/tree/model" "$scratch/tree/ui" "$scratch/tree/$(dirname "$1")"
	mkdir -p "$scratch/tree/src"
	printf '/* a file */\n%s\n' "$2" >"$scratch/tree/$1"
	arrows "$scratch/tree" >"$scratch/found"
	if [ -s "$scratch/found" ]; then
		not_ok "no breach: $2, in $1" "$scratch/found"
	else
		ok "no breach: $2, in $1"
	fi
}

no_lines()
{
	cat "$1"
	[ ! -s "$1" ]
}

planted model/base/x.c '#include "model/fold/fold.h"' 'may not include model/fold/fold.h'
planted model/x.c '#include "src/load.h"' 'may not include src/load.h'
planted model/x.c '#include <pthread.h>' 'the model knows no <pthread.h>'
planted model/x.c 'void x(FILE *f);' 'the model knows no FILE'
planted model/lens/lens.c '#include <pcre2.h>' '<pcre2.h> is for model/lens/match.c alone'
planted src/input/x.c '#include "model/build/builder.h"' 'may not include model/build/builder.h'
planted src/decode/x.c '#include "model/profile/profile.h"' 'may not include model/profile/profile.h'
planted src/decode/x.c '#include "src/load.h"' 'may not include src/load.h'
planted src/encode/x.c '#include "src/input/input.h"' 'may not include src/input/input.h'
planted src/encode/x.c '#include "model/build/builder.h"' 'may not include model/build/builder.h'
planted src/command/report/report.c '#include "ui/app/app.h"' 'may not include ui/app/app.h'
planted src/command/browser.c '#include "ui/app/app.h"' 'may not include ui/app/app.h'
planted src/command/diff.c '#include "src/command/browse/browse_feed.h"' 'may not include src/command/browse/browse_'
planted src/load.c '#include "ui/app/app.h"' 'may not include ui/app/app.h'
planted ui/app/app_look.c '#include "src/load.h"' 'may not include src/load.h'
planted ui/app/app_look.c '#include "model/build/builder.h"' 'may not include model/build/builder.h'
planted ui/view/a.c '#include "ui/view/b.h"' 'may not include ui/view/b.h'
planted ui/part/a.c '#include "ui/view/view.h"' 'may not include ui/view/view.h'
planted ui/screen/a.c '#include "ui/part/nav.h"' 'may not include ui/part/nav.h'
planted ui/view/a.c '#include "ui/app/app.h"' 'may not include ui/app/app.h'
planted ui/screen/canvas.c '#include <curses.h>' '<curses.h> is for ui/screen/term.c and its'
planted ui/screen/canvas.c '#include <ncursesw/ncurses.h>' '<ncursesw/ncurses.h> is for ui/screen/term.c'
planted src/decode/x.c '#include <zlib.h>' '<zlib.h> is for src/input and src/encode alone'
planted src/input/open.c '#include <curl/curl.h>' '<curl/curl.h> is for src/input/url.c alone'
planted src/command/sql.c '#include <sqlite3.h>' '<sqlite3.h> is for src/sql, '
planted src/sql/x.c '#include "src/command/report/report.h"' 'may not include src/command/report/report.h'
planted src/store/x.c '#include "src/load.h"' 'may not include src/load.h'
planted src/store/x.c '#include "src/decode/decoder.h"' 'may not include src/decode/decoder.h'
planted src/encode/x.c '#include "src/store/storeurl.h"' 'may not include src/store/storeurl.h'
planted src/decode/x.c '#include <gelf.h>' '<gelf.h> is for src/symbol alone'
planted src/decode/x.c '#include "src/symbol/elf.h"' 'may not include src/symbol/elf.h'
planted src/symbol/x.c '#include "src/input/input.h"' 'may not include src/input/input.h'
planted src/decode/x.c '	printf("x");' 'prints'
planted src/load.c '	fprintf(stderr, "x");' 'knows stdout or stderr'
planted src/decode/x.c '	exit(1);' 'ends the program'
planted ui/app/app_look.c 'typedef struct x x;' 'a typedef of a struct'
planted ui/app/app_menus.c '	a->look.lens = l;' 'writes what is for ui/app/app_look.c and app_change.c alone'
planted ui/app/app_look.c '	a->message.fault = true;' 'writes what is for ui/app/app_say.c alone'
planted ui/app/app_draw.c '	a->look.generation++;' 'writes what is for ui/app/app_look.c and app_change.c alone'
planted ui/app/app_menus.c '	menu_open(&m, "x", &hooks, a);' 'opens what gets no input'
planted src/input/x.c '	dlopen("libx.so.1", RTLD_NOW);' 'loads what src/late.c is for'
planted model/x.c '	strcpy(a, b);' 'calls what is not used here'
planted src/charset.c '	setlocale(LC_ALL, "");' 'sets more of the locale than its characters'
planted src/main.c '	setlocale(LC_CTYPE, "");' 'sets more of the locale than its characters'
planted ui/screen/term.h '#include <curses.h>' '<curses.h> is for ui/screen/term.c and its'
planted ui/screen/canvas.c '#include "ui/screen/term_input.h"' 'may not include ui/screen/term_input.h'
innocent ui/screen/term_input.h '#include <curses.h>'
innocent model/lens/match.c '#include <pcre2.h>'
innocent src/decode/x.c '#include "src/symbol/symbols.h"'
innocent ui/view/a.c '#include "ui/view/a.h"'
innocent ui/app/app_change.c '	a->look.lens = l;'
innocent ui/app/app_menus.c '	if (a->look.comparing == was)'
innocent ui/view/a.c '#include "ui/view/a_layout.h"'
innocent ui/app/a.c '#include "ui/view/b.h"'
innocent ui/view/a.c '#include "ui/view/view.h"'
innocent src/command/browse/browse.c '#include "ui/app/app.h"'
innocent src/command/browse/browse_feed.h '#include "ui/app/app.h"'
innocent src/command/browse/browse_feed.c '#include "src/command/browse/browse_feed.h"'
innocent src/charset.c '	if (setlocale(LC_CTYPE, ""))'
innocent src/command/report/report.c '	printf("x");'
innocent src/decode/x.c '	x("printf(1)"); /* exit(1) */'

round model/a.c model/b.h model/b.c model/a.h
round model/a.h model/b.h model/b.h model/c.h model/c.c model/a.h
round model/a_inside.h model/b.h model/b.c model/a.h
straight model/a.c model/a.h model/a.c model/b.h model/b.c model/b.h
straight model/a.c model/b.h model/a.c model/c.h model/b.c model/c.h

rm -rf "$scratch/tree"
mkdir -p "$scratch/tree/ui/app" "$scratch/tree/ui/view" "$scratch/tree/ui/part"
printf '\tX(UP, ANY, "up", "up", "up", "k")\n\tX(UPPER, ANY, "upper", "u", "u", "K")\n' \
	>"$scratch/tree/ui/part/keys.h"
echo '	case ACTION_UPPER:' >"$scratch/tree/ui/view/a.c"
echo '	{ACTION_UP, up},' >"$scratch/tree/ui/app/a.c"
: >"$scratch/tree/ui/part/scrubber.c"
undone "$scratch/tree" >"$scratch/found"
check "a row and a case do an action" no_lines "$scratch/found"
: >"$scratch/tree/ui/app/a.c"
undone "$scratch/tree" >"$scratch/found"
check "found: an action that nobody does" grep -qx 'nobody does ACTION_UP' "$scratch/found"

mkdir -p "$scratch/tree/model" "$scratch/tree/src"
: >"$scratch/tree/src/a.c"
printf 'x =\tui/app/a.c \\\n\tui/view/a.c\n\tui/part/keys.h ui/part/scrubber.c\n' >"$scratch/tree/ui/Makemodule.am"
unlisted "$scratch/tree" >"$scratch/found"
check "found: a source without a row" test "$(cat "$scratch/found")" = "src/a.c is in no Makemodule.am"
undone "$top_srcdir" >"$scratch/undone"
check "every action of keys.h is done by somebody" no_lines "$scratch/undone"
circles "$top_srcdir" >"$scratch/circles"
check "no module includes itself by way of others" no_lines "$scratch/circles"
arrows "$top_srcdir" >"$scratch/breaches"
check "the tree keeps the arrows" no_lines "$scratch/breaches"
unlisted "$top_srcdir" >"$scratch/unlisted"
check "every source is in its folder's Makemodule.am" no_lines "$scratch/unlisted"
tap_done
