#!/bin/sh
# SQL obeys the lens: every table under every verb, and the same of what is exported, asked for
# the sums, paths, slices, labels and values that the reports of the same lens have.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
cd "$scratch" || exit 99
printf 'main;a 1\n' >small.folded
"$PNAV" sql 'SELECT 1' small.folded >/dev/null 2>&1 || skip_all "pnav is built without SQLite"

# differ NAME A B: rows of one and not of the other, where both are SELECTs; one of them is not
# empty, as a comment after it says
differ()
{
	echo "SELECT '$1', 'only in report', * FROM (SELECT * FROM ($2) EXCEPT SELECT * FROM ($3))
		UNION ALL SELECT '$1', 'not in report', * FROM (SELECT * FROM ($3) EXCEPT SELECT * FROM ($2));"
}

default="(SELECT name FROM metrics WHERE is_default)"
{
	# what functions took themselves
	differ self "SELECT ifnull(function, ''), ifnull(file, ''), sum(self) FROM report_functions GROUP BY 1, 2 HAVING sum(self) <> 0" \
		"SELECT f.name, f.file, sum(value) FROM samples JOIN stacks AS k ON k.id = stack
		JOIN functions AS f ON f.id = k.function WHERE metric = $default GROUP BY 1, 2 HAVING sum(value) <> 0"
	# frames say the same as their stacks
	echo "SELECT 'frame', k.id FROM stacks AS k LEFT JOIN frames AS r ON r.id = k.frame
		LEFT JOIN functions AS f ON f.id = r.function WHERE f.id IS NULL OR f.id <> k.function;"
	echo "SELECT 'parent', k.id FROM stacks AS k LEFT JOIN stacks AS up ON up.id = k.parent
		WHERE k.parent IS NOT NULL AND (up.id IS NULL OR up.id >= k.id OR k.depth <> up.depth + 1)
		OR k.parent IS NULL AND k.depth <> 0;"
	echo "SELECT 'stack of a sample', stack FROM samples WHERE stack NOT IN (SELECT id FROM stacks);"
	echo "SELECT 'stack of a slice', s.stack FROM slices AS s LEFT JOIN stacks AS k ON k.id = s.stack
		WHERE k.id IS NULL OR k.function <> s.function OR k.depth <> s.depth;"
	echo "SELECT 'one stack', stack, count(*) FROM samples WHERE stack = (SELECT max(stack) FROM samples)
		EXCEPT SELECT 'one stack', stack, count(*) FROM (SELECT +stack AS stack FROM samples)
		WHERE stack = (SELECT max(stack) FROM samples);"
} >same.sql
# and with those that they call: a function once, however often it is on the stack
{
	differ total "SELECT ifnull(function, ''), ifnull(file, ''), sum(total) FROM report_functions GROUP BY 1, 2 HAVING sum(total) <> 0" \
		"WITH RECURSIVE up(stack, at) AS (SELECT id, id FROM stacks
			UNION ALL SELECT stack, parent FROM up JOIN stacks ON id = at WHERE parent IS NOT NULL),
		own AS (SELECT stack, sum(value) AS own FROM samples WHERE metric = $default GROUP BY stack),
		every AS (SELECT DISTINCT up.stack, k.function FROM up JOIN stacks AS k ON k.id = at)
		SELECT f.name, f.file, sum(own) FROM own JOIN every ON every.stack = own.stack
		JOIN functions AS f ON f.id = every.function GROUP BY 1, 2 HAVING sum(own) <> 0"
} >total.sql
# (the computed label is in the tables if the lens names it)
differ labels "SELECT key, value, self FROM report_labels WHERE self <> 0 AND key <> 'parallelism'" \
	"SELECT l.key, l.value, sum(x.value) FROM samples AS x JOIN labels AS l ON l.\"set\" = labels
	WHERE metric = $default GROUP BY 1, 2 HAVING sum(x.value) <> 0" >labels.sql
differ tracks "SELECT track FROM report_tracks" "SELECT name FROM tracks" >tracks.sql
differ points "SELECT track, time, CAST(value AS TEXT) FROM report_values" \
	"SELECT name, time, CAST(value AS TEXT) FROM points JOIN tracks ON id = track" >>tracks.sql
# (where filters drop stacks, slices are the pieces of calls that remain; labels are frames, too)
differ slices "SELECT ifnull(function, ''), start, duration, track FROM report_slices" \
	"SELECT f.name, s.start, s.duration, t.name FROM slices AS s JOIN functions AS f ON f.id = s.function
	JOIN tracks AS t ON t.id = s.track" >slices.sql
# a function that is shown is in the tables, and one that the lens hides is not
cat >functions.sql <<'END'
SELECT 'function', ifnull(function, ''), ifnull(file, '') FROM report_functions EXCEPT
	SELECT 'function', name, file FROM functions WHERE id IN (SELECT function FROM stacks);
END
cat functions.sql - >hidden.sql <<'END'
SELECT 'hidden', name FROM functions WHERE kind = 'system';
SELECT 'hidden', id FROM stacks WHERE stack_path(id) REGEXP 'entry_SYSCALL';
END

# nothing SCRIPTS FILE LENS...: they have no answers
nothing()
{
	# The names are words.
	# shellcheck disable=SC2086
	cat $1 >script.sql
	shift
	"$PNAV" sql --format csv -f script.sql "$@" >rows 2>err || { cat err; return 1; }
	grep -v "^$\|^'\|^\"'\|^stack$" rows && return 1
	grep -q , rows
}
# paths FILE LENS...: what stacks cost, as folded stacks have it
paths()
{
	"$PNAV" export --format folded "$@" 2>/dev/null | LC_ALL=C sort >want
	"$PNAV" sql --format csv "SELECT stack_path(stack) || ' ' || sum(value) FROM samples
		WHERE metric = $default GROUP BY stack_path(stack) HAVING sum(value) <> 0" "$@" 2>err |
		sed '1d; s/^"//; s/"$//' | LC_ALL=C sort >got
	diff want got | head -n 5
	cmp want got
}
# views FILE LENS...: a report as a table is the report.  One process has the tables of all reports.
views()
{
	: >want
	: >script.sql
	for view in functions tree callers lines calls slices tracks labels values answers info; do
		"$PNAV" report --view $view --format csv "$@" >one 2>err || continue
		{ [ ! -s want ] || echo; cat one; } >>want
		echo "SELECT * FROM report_$view;" >>script.sql
	done
	[ -s want ] || return
	"$PNAV" sql --format csv -f script.sql "$@" >got 2>err || { cat err; return 1; }
	diff want got | head -n 5
	cmp want got
}
# exported FILE LENS...: the same in a database
exported()
{
	"$PNAV" export --format sqlite -o x.db "$@" 2>err || { cat err; return 1; }
	# shellcheck disable=SC2086
	cat same.sql ${more:-} | sqlite3 -csv x.db | grep . && return 1
	case " $* " in
	*" --invert "*) return 0 ;; # nodes are those of callers
	esac
	sqlite3 -csv x.db "SELECT function, file, module, sum(self) FROM nodes WHERE track IS NULL
		AND metric = $default GROUP BY 1, 2, 3 HAVING sum(self) <> 0
		EXCEPT SELECT ifnull(function, ''), ifnull(file, ''), ifnull(module, ''), sum(self)
		FROM report_functions GROUP BY 1, 2, 3" | grep . && return 1
	return 0
}
# obeys NAME FILE LENS...: all of it
obeys()
{
	name=$1
	shift
	case " $* " in
	*" --by line "* | *" --by address "*) more="" ;;
	*) more=total.sql ;;
	esac
	scripts="same.sql $more"
	for script in $asks; do
		case "$script $*" in
		slices.sql*clude* | slices.sql*--where* | slices.sql*--label*) continue ;;
		esac
		scripts="$scripts $script"
	done
	nothing "$scripts" "$@" || return 1
	case " $* " in
	*" --by "* | *" --invert "*) ;; # folded has lines, and words for what has no name
	*) paths "$@" || return 1 ;;
	esac
	views "$@" || return 1
	if command -v sqlite3 >/dev/null 2>&1; then
		exported "$@" || return 1
	fi
}
# under NAME FILE <LENSES: each of them, a line each; for the second file and those after it every
# third, another third for each, if PNAV_LONG is not set
turn=0
under()
{
	turn=$((turn + 1)) line=0
	while read -r lens; do
		line=$((line + 1))
		[ "${PNAV_LONG:-}" ] || [ $turn = 1 ] || [ $(((line + turn) % 3)) = 0 ] || continue
		# The lens is words without blanks.
		# shellcheck disable=SC2086
		check "$1${lens:+ ($lens)}" obeys "$1" "$2" $lens </dev/null
	done
}

verbs='
--hide PATTERN
--show PATTERN
--collapse PATTERN
--collapse-recursion .
--root PATTERN
--include PATTERN
--exclude PATTERN
--include-self PATTERN
--exclude-self PATTERN
--by line
--by address
--by file
--by module
--invert
--hide PATTERN --invert
--hide PATTERN --by line
--hide PATTERN --by module
--from 20% --to 70%
--hide PATTERN --root OTHER --from 30%
--collapse PATTERN --exclude-self OTHER
--show PATTERN --include OTHER --collapse-recursion .'
# of FILE PATTERN OTHER: a line each
of()
{
	echo "$verbs" | sed "s/PATTERN/$1/; s/OTHER/$2/"
}

asks="functions.sql tracks.sql"
of kind:system module:libc >lenses
under samples "$top_srcdir/data/sample.perfscript.gz" <lenses
asks=hidden.sql
printf '%s\n' '--hide kind:system' '--hide kind:system --by line' '--exclude kind:system' \
	'--show !kind:system' >lenses
under hidden "$top_srcdir/data/sample.perfscript.gz" <lenses
asks="functions.sql tracks.sql"
of a e | grep -v -e --from >lenses
under sums "$(echo "$top_srcdir"/tests/golden/pprof-inlined/input.*)" <lenses
asks="tracks.sql slices.sql"
of a e >lenses
under calls "$(echo "$top_srcdir"/tests/golden/hqnplog-small/input.*)" <lenses
asks="labels.sql tracks.sql slices.sql"
{
	of load outer
	echo '--where cat:net'
	echo '--label cat'
	echo '--label cat --hide load'
	echo '--track thread'
} >lenses
under labels "$(echo "$top_srcdir"/tests/golden/chrome-label/input.*)" <lenses
asks=tracks.sql
printf -- '--from 20%% --to 70%%\n--track .\n--hide a\n' >lenses
under points "$(echo "$top_srcdir"/tests/golden/perfetto-events/input.*)" <lenses
tap_done
