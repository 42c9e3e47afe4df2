#!/bin/sh
# The completions of three shells against the options that each command takes: those that
# `pnav COMMAND --help` lists, which is made of the tables that read them.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
folder=$top_srcdir/data/completions

# options COMMAND: its long options, one a line
options()
{
	"$PNAV" "$1" --help | sed -n 's/^  .\{4\}--\([a-z0-9-]*\).*/\1/p'
}

commands=$("$PNAV" --help | sed -n '/^Commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ] || skip_all "the help lists no commands"
for command in $commands; do
	grep -q -- "-a $command " "$folder/fish/pnav.fish" && grep -q "'$command:" "$folder/zsh/_pnav" &&
		grep -q "commands='.*\\b$command\\b" "$folder/bash/pnav"
	check "$command is known to the three" test $? = 0
	# profile(1) has its own letters
	[ "$command" = profile ] || options "$command"
done | tee "$scratch/all" | grep -v '^[a-z0-9-]*$' >"$scratch/lines"
cat "$scratch/lines"
tap_count=$(wc -l <"$scratch/lines")
grep '^[a-z0-9-]*$' "$scratch/all" | sort -u >"$scratch/options"
[ -s "$scratch/options" ]
check "there are options" test $? = 0
sed -n '/^set /d; s/.* -l \([a-z0-9-]*\).*/\1/p' "$folder/fish/pnav.fish" | sort -u >"$scratch/fish"
grep -o -e '--[a-z][a-z0-9-]*' "$folder/zsh/_pnav" | sed 's/^--//' | sort -u >"$scratch/zsh"
for shell in fish zsh; do
	comm -23 "$scratch/options" "$scratch/$shell" >"$scratch/missing"
	[ -s "$scratch/missing" ] && not_ok "$shell: no option is missing" "$scratch/missing" ||
		ok "$shell: no option is missing"
	comm -13 "$scratch/options" "$scratch/$shell" | grep -vx -e help -e version >"$scratch/more"
	[ -s "$scratch/more" ] && not_ok "$shell: and none is made up" "$scratch/more" ||
		ok "$shell: and none is made up"
done

# bash asks the program, so it is run.
if command -v bash >/dev/null 2>&1; then
	for command in browse report export diff dump record formats; do
		options "$command" | sed 's/^/--/' | grep -vx -e --help | sort -u >"$scratch/want"
		bash -c '
			pnav() { "$PNAV" "$@"; }
			. "$1"
			COMP_WORDS=(pnav "$2" -) COMP_CWORD=2
			_pnav
			printf "%s\n" "${COMPREPLY[@]}"' bash "$folder/bash/pnav" "$command" |
			grep '^--' | sort -u >"$scratch/got"
		comm -23 "$scratch/want" "$scratch/got" >"$scratch/missing"
		[ -s "$scratch/missing" ] && not_ok "bash: $command" "$scratch/missing" ||
			ok "bash: $command"
	done
	# the list of views is the report's own
	"$PNAV" report --view none - 2>&1 </dev/null | sed -n 's/.*--view takes \(.*\), not .*/\1/p' |
		sed 's/ or / /; s/,//g' >"$scratch/want"
	bash -c 'pnav() { :; }; . "$1"; COMP_WORDS=(pnav report --view "") COMP_CWORD=3; _pnav; echo "${COMPREPLY[*]}"' \
		bash "$folder/bash/pnav" >"$scratch/got" 2>&1
	check "bash: --view of report has the report's views" cmp "$scratch/want" "$scratch/got"
	for shell in fish/pnav.fish zsh/_pnav; do
		check "$shell: --view of report has them" grep -qF "$(cat "$scratch/want")" "$folder/$shell"
	done
	bash -c 'pnav() { :; }; . "$1"; COMP_WORDS=(pnav --view ti) COMP_CWORD=2; _pnav; echo "${COMPREPLY[*]}"' \
		bash "$folder/bash/pnav" >"$scratch/got" 2>&1
	check "bash: --view of the browser has the browser's views" grep -qx timeline "$scratch/got"
	for pair in call-graph:fp sampler:ptrace; do
		bash -c 'pnav() { :; }; . "$1"
			COMP_WORDS=(pnav record "--$2" "") COMP_CWORD=3; _pnav; echo "${COMPREPLY[*]}"' \
			bash "$folder/bash/pnav" "${pair%:*}" >"$scratch/got" 2>&1
		check "bash: --${pair%:*} has values" grep -qw "${pair#*:}" "$scratch/got"
	done
else
	skip "bash" "there is no bash"
fi
tap_done
