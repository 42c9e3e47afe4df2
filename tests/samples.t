#!/bin/sh
# Every truth that the samples hold against what pnav says, compared as samples/README.md
# tells: parsed rows, functions in their order, all else as sets.  And every other file
# of the samples, in whatever format, opens or is refused politely.
#
# PNAV_SAMPLES names the folder.  PNAV_SAMPLES_ONLY=text keeps the files whose path
# contains it.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -d "$PNAV_SAMPLES/seeds" ] || skip_all "there are no samples at $PNAV_SAMPLES"
[ -x "$PNAV" ] || skip_all "pnav is not built"
csvcmp=$top_builddir/tests/lib/csvcmp
seconds=120

formats=" $("$PNAV" formats 2>&1 | awk '$1 == "read" { printf "%s ", $2 }')"
line_end='
'

# Is there a decoder called $1?
readable()
{
	case $formats in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

wanted()
{
	case $1 in
	*"${PNAV_SAMPLES_ONLY:-}"*) return 0 ;;
	esac
	return 1
}

# Runs pnav with stdout, stderr and status in files of $scratch.
run()
{
	timeout $seconds "$PNAV" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
}

# truth NAME STATUS MODE EXPECTED pnav-arguments...: what is printed is EXPECTED
truth()
{
	truth_name=$1 truth_status=$2 truth_mode=$3 truth_file=$4
	shift 4
	run "$@"
	"$csvcmp" "$truth_mode" "$truth_file" "$scratch/out" >"$scratch/diff" 2>&1
	truth_same=$?
	if [ $truth_same = 0 ] && [ $status = "$truth_status" ]; then
		ok "$truth_name"
	else
		{
			echo "pnav $*"
			echo "status $status, expected $truth_status"
			cat "$scratch/diff"
			head -n 5 "$scratch/err"
		} >"$scratch/report"
		not_ok "$truth_name" "$scratch/report"
	fi
}

# The files that the index says end with exit 3, one name a line.
damaged=$line_end$(sed -n 's/^- \*\*\(.*\)\*\* .*Exit 3\..*/\1/p' "$PNAV_SAMPLES/seeds/INDEX.md" |
	sed 's/\*\*, \*\*/\n/g')$line_end

# map_of FILE: sets seed_map to the map that the index says belongs to it, where it is not found by
# its name; else to nothing
maps=$(grep '+ \*\*[^*]*\.MAP\*\*' "$PNAV_SAMPLES/seeds/INDEX.md")
map_of()
{
	seed_map=
	case $maps in
	*"**${1##*/}**"*) ;;
	*) return ;;
	esac
	[ ! -f "${1%.*}.MAP" ] || return 0
	seed_map=${1%/*}/$(echo "$maps" | grep -F "**${1##*/}**" |
		sed -n 's/.*+ \*\*\([^*]*\.MAP\)\*\*.*/\1/p')
}

# seed FORMAT FILE STEM: all truths STEM.* of one seed file
seed()
{
	seed_file=$2 seed_stem=$3 seed_name=$1/${2##*/}
	wanted "$seed_name" || return 0
	if ! readable "$1"; then
		skip "$seed_name" "the format $1 is not read yet"
		return
	fi
	map_of "$2"
	seed_status=0
	case $damaged in
	*"$line_end${2##*/}$line_end"*) seed_status=3 ;;
	esac
	for expected in "$seed_stem".*; do
		kind=${expected#"$seed_stem".}
		case $kind in
		functions.csv|functions.*.csv)
			mode=functions ;;
		values.csv)
			mode=values ;;
		*.csv)
			mode="set" ;;
		folded|*.folded)
			mode=lines ;;
		*)
			continue ;;
		esac
		case $kind in
		MAP.*)
			continue ;;
		*.*.csv)
			view=${kind%%.*} metric=${kind#*.}
			set -- report --format csv --view "$view" --metric "${metric%.csv}" ;;
		*.csv)
			set -- report --format csv --view "${kind%.csv}" ;;
		folded)
			set -- export --format folded ;;
		with-tracks.folded)
			set -- export --format folded --with-tracks ;;
		outermost-first.folded)
			set -- export --format folded --br-outermost-first ;;
		*.folded)
			set -- export --format folded --metric "${kind%.folded}" ;;
		esac
		[ -z "$seed_map" ] || set -- "$@" --map "$seed_map"
		truth "$seed_name: $kind" $seed_status $mode "$expected" "$@" "$seed_file"
	done
}

for format in br bsprof hqnplog prf text1; do
	for file in "$PNAV_SAMPLES/seeds/$format"/*; do
		stem=${file%.*}
		case $format/${file##*/} in
		hqnplog/small-*.plog)
			stem=$PNAV_SAMPLES/seeds/hqnplog/small ;;
		text1/*.txt.BIN|text1/camera-v10.bin)
			continue ;;
		*.log|*.bsprof|*.plog|*.PRF|*.OUT|*.txt|*.BIN)
			;;
		*)
			continue ;;
		esac
		seed $format "$file" "$stem"
	done
done

# An offset is part of a message: where the index gives one, stderr does.
sed -n 's/^- \*\*\([^*]*\)\*\* .*Exit 3\..*[ (]at byte \([0-9]*\).*/\1 \2/p' \
	"$PNAV_SAMPLES/seeds/INDEX.md" |
while read -r name offset; do
	file=$(ls "$PNAV_SAMPLES"/seeds/*/"$name")
	echo "$(basename "$(dirname "$file")") $file $offset"
done >"$scratch/offsets"
while read -r format file offset; do
	name="$format/${file##*/}: damage at byte $offset"
	wanted "$name" || continue
	if ! readable "$format"; then
		skip "$name" "the format $format is not read yet"
		continue
	fi
	run report "$file"
	check "$name" grep -qF "pnav: $file: at byte $offset: " "$scratch/err"
done <"$scratch/offsets"

# What perf says about the recorded perf script texts.  A sample without a frame is not
# in the folded truths, but it is the stack [unknown] here: $2 is what those weigh.
recorded()
{
	recorded_stem=$PNAV_SAMPLES/recorded/$1.perf-script
	recorded_file=$recorded_stem.txt
	[ -f "$recorded_file" ] || recorded_file=$recorded_stem.txt.gz
	wanted "recorded/$(basename "$recorded_file")" || return 0
	if ! readable perfscript; then
		skip "recorded/$1.perf-script" "the format perfscript is not read yet"
		return
	fi
	awk -v more="$2" '$0 ~ /^\[unknown\] [0-9]+$/ { $2 += more } { print }' \
		"$recorded_stem.folded" >"$scratch/folded"
	truth "recorded/$1.perf-script: folded" 0 lines "$scratch/folded" \
		export --format folded "$recorded_file"
	truth "recorded/$1.perf-script: tracks" 0 set "$recorded_stem.tracks.csv" \
		report --format csv --view tracks "$recorded_file"
}
recorded gcc-stripped 15075375 # three samples of 5025125 ns
for name in go-build lua-brew.dwarf lua-brew.zstd node-jit sqlite-orders; do
	recorded $name 0
done

# Opens, or is refused with one line and nothing else.
polite()
{
	run report --limit 5 "$1"
	case $status in
	0|3)
		[ -s "$scratch/out" ] && return
		echo "status $status, but nothing on stdout" ;;
	1)
		[ ! -s "$scratch/out" ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] &&
			grep -q '^pnav: ' "$scratch/err" && return
		echo "refused, but not with one line on stderr alone" ;;
	124)
		echo "did not end in $seconds seconds" ;;
	*)
		echo "status $status" ;;
	esac
	head -n 20 "$scratch/err"
	return 1
}

find "$PNAV_SAMPLES" -type f ! -name '*.md' ! -name '*.csv' | sort >"$scratch/all"
while read -r file; do
	name=${file#"$PNAV_SAMPLES"/}
	wanted "$name" || continue
	check "$name opens or is refused politely" polite "$file"
done <"$scratch/all"
tap_done
