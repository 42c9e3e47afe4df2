# golden.sh - how one golden case is run; for golden.t and golden-diff.  Starting a process costs
# more than most of these runs, so what the shell does itself is left to it.

# Sets golden_file to the file of the case in folder $1 that is given to pnav: the one that `input`
# names, or the only input.*; to nothing where there is none.
golden_find()
{
	golden_file=
	if [ -f "$1/input" ]; then
		read -r golden_file <"$1/input"
		return
	fi
	for golden_file in "$1"/input.*; do
		[ ! -f "$golden_file" ] || break
		golden_file=
	done
	golden_file=${golden_file##*/}
}

# Prints it.
golden_input()
{
	golden_find "$1"
	[ -z "$golden_file" ] || echo "$golden_file"
}

# Sets golden_args to the arguments, FILE aside, that print the expected file named $1; false where
# $1 is none.  NAME.EXTRA.EXT: EXTRA is a metric, or `invert`, `with-tracks`.
golden_arguments()
{
	golden_extra=${1#*.}
	golden_extra=${golden_extra%.*}
	[ "$golden_extra" = "${1##*.}" ] && golden_extra=
	case $golden_extra in
	'')
		;;
	invert|with-tracks)
		golden_extra=" --$golden_extra" ;;
	*)
		golden_extra=" --metric '$golden_extra'" ;;
	esac
	case $1 in
	dump.txt)
		golden_args=dump ;;
	functions*.csv|tree*.csv|callers*.csv|lines*.csv|calls*.csv|tracks*.csv|labels*.csv|states*.csv|edges*.csv|threads*.csv|\
values*.csv|slices*.csv|info*.csv)
		golden_args="report --format csv --view ${1%%.*}$golden_extra" ;;
	functions*.json|tree*.json|callers*.json|lines*.json|calls*.json|tracks*.json|\
values*.json|slices*.json|info*.json)
		golden_args="report --format json --view ${1%%.*}$golden_extra" ;;
	functions*.txt|tree*.txt|callers*.txt|lines*.txt|calls*.txt|tracks*.txt|\
values*.txt|slices*.txt|info*.txt)
		golden_args="report --format text --view ${1%%.*}$golden_extra" ;;
	export.*)
		golden_args="export --format ${1##*.}$golden_extra" ;;
	*)
		return 1 ;;
	esac
}

# Runs the case in folder $1 on its input $2 for the expected file $3; stdout, stderr and
# exit status go to the files out (or $5), err and status of folder $4.  The file `args` of the
# case holds more arguments, for all but the dump.
golden_run()
{
	golden_arguments "$3" || return
	golden_more=
	[ -f "$1/args" ] && [ "$3" != dump.txt ] && read -r golden_more <"$1/args"
	(
		cd "$1" || exit 99
		ulimit -t 60
		eval "exec \"\$PNAV\" $golden_args $golden_more \"\$2\""
	) >"$4/${5:-out}" 2>"$4/err" </dev/null
	echo $? >"$4/status"
}

# After golden_run with results in $2: the status is that of the file `exit` in $1, else 0.
golden_exit()
{
	golden_want=0
	[ -f "$1/exit" ] && read -r golden_want <"$1/exit"
	read -r golden_got <"$2/status"
	[ "$golden_want" = "$golden_got" ] && return
	echo "expected status $golden_want, got $golden_got"
	cat "$2/err"
	return 1
}

# The same for stderr and the file `stderr`; without one, nothing may be said.
golden_stderr()
{
	if [ -f "$1/stderr" ]; then
		diff -u "$1/stderr" "$2/err"
	elif [ -s "$2/err" ]; then
		diff -u /dev/null "$2/err"
	fi
}
