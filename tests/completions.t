#!/bin/sh
# The completions of three shells against the options that each command takes: those that
# `pnav COMMAND --help` lists, which is made of the tables that read them.
forked=yes
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
	built_with HAVE_RECORDER || {
		skip "$shell: and none is made up" "built without the recorder, which has options"
		continue
	}
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
	"$PNAV" report --view none - 2>&1 </dev/null | sed -n 's/.*: choose from \(functions.*\) (see .*/\1/p' |
		sed 's/,//g' >"$scratch/want"
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

# Names in a profile come from strangers: what Tab puts on the line is the name, quoted, and no
# word of it runs.
cat >"$scratch/names" <<'END'
$(touch${IFS}PWNED)
`touch${IFS}PWNED`
;touch${IFS}PWNED;
a"$(touch${IFS}PWNED)"b
it's$(touch${IFS}PWNED)'
<(touch${IFS}PWNED)
*
~
{a,b}
!touch
plain
END
while IFS= read -r name; do
	printf 'prog 1/1 [000] 1.000000: 1 %s: \n\t1000 f+0x1 (/bin/p)\n\n' "$name"
done <"$scratch/names" >"$scratch/hostile.perfscript"
"$PNAV" report --view info --format csv "$scratch/hostile.perfscript" >"$scratch/info" 2>&1
check "a profile may have such names" grep -qF '$(touch' "$scratch/info"

# hostile_bash OPTION FILE: the replies, each taken as the shell would take it
cat >"$scratch/hostile.bash" <<'END'
pnav() { [[ -n $HOSTILE ]] && cat "$HOSTILE" || "$PNAV" "$@"; }
. "$1"
option=$2 file=$3
for typed in "" '$' '\$' '`' "'" '"' a; do
	COMP_WORDS=(pnav report "$file" "$option" "$typed") COMP_CWORD=4
	_pnav
	for reply in "${COMPREPLY[@]}"; do
		eval "set -- $reply"
		[[ $# -eq 1 ]] || echo "no one word: $reply"
		echo "$1"
	done
done
END
mkdir "$scratch/hostile"
if command -v bash >/dev/null 2>&1; then
	(cd "$scratch/hostile" && HOSTILE= bash "$scratch/hostile.bash" "$folder/bash/pnav" --metric \
		"$scratch/hostile.perfscript") >"$scratch/got" 2>&1
	check "bash: a hostile metric is a word on the line" grep -qxF '$(touch${IFS}PWNED)' "$scratch/got"
	check "bash: with quotes in it, too" grep -qxF "it's\$(touch\${IFS}PWNED)'" "$scratch/got"
	! grep '^no one word' "$scratch/got" >"$scratch/bad"
	check "bash: and one word" test $? = 0
	sed 's/^/read /' "$scratch/names" >"$scratch/formats"
	(cd "$scratch/hostile" && HOSTILE=$scratch/formats bash "$scratch/hostile.bash" \
		"$folder/bash/pnav" --input none) >"$scratch/got" 2>&1
	check "bash: names of formats likewise" grep -qxF '$(touch${IFS}PWNED)' "$scratch/got"
else
	skip "bash: hostile names" "there is no bash"
fi
sed 's/^/read /' "$scratch/names" >"$scratch/formats"
sed 1q "$scratch/formats" >"$scratch/first"
if command -v fish >/dev/null 2>&1; then
	(cd "$scratch/hostile" && HOME=$scratch FORMATS=$scratch/formats fish --no-config -c '
		function pnav; cat $FORMATS; end
		source $argv[1]; complete -C "pnav --input "' "$folder/fish/pnav.fish") >"$scratch/got" 2>&1
	check "fish: hostile names are words" grep -qF '$(touch${IFS}PWNED)' "$scratch/got"
else
	skip "fish: hostile names" "there is no fish"
fi
if command -v zsh >/dev/null 2>&1; then
	cat >"$scratch/hostile.zsh" <<'END'
zmodload zsh/zpty || exit 77
# await PATTERN: reads what the shell says until it has said that, or for five seconds
await() {
	local out i
	for i in {1..50}; do
		zpty -r -t shell out && [[ $out = *$1* ]] && return
		[[ -s $ANSWER ]] && return
		sleep .1
	done
}
zpty -b shell "TERM=dumb zsh -f -i"
zpty -w shell 'pnav() { [[ $1 = formats ]] && cat $FORMATS || print -rl -- "$@" >$ANSWER; }'
zpty -w shell 'autoload -Uz compinit; compinit -u -D; fpath=('$1' $fpath); autoload -Uz _pnav'
zpty -w shell 'compdef _pnav pnav; setopt menu_complete; print READY$((40 + 2))'
await READY42
zpty -n -w shell $'pnav --input \t'
await PWNED
zpty -n -w shell $'\n'
await nothing
END
	(cd "$scratch/hostile" && ANSWER=$scratch/answer FORMATS=$scratch/first HOME=$scratch ZDOTDIR=$scratch \
		timeout 60 zsh -f "$scratch/hostile.zsh" "$folder/zsh") >"$scratch/got" 2>&1
	check "zsh: a hostile name that is entered is a word" grep -qxF '$(touch${IFS}PWNED)' \
		"$scratch/answer"
else
	skip "zsh: hostile names" "there is no zsh"
fi
check "none of them ran anything" test ! -e "$scratch/hostile/PWNED"
tap_done
