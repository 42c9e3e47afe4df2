# mux.sh - what the tests in a real terminal share: a shell under tmux, keys for it, and its
# screen.  Everything that is waited for is on the screen at last, or the test fails: there
# are no fixed times.
#
# Source it after tap.sh.  It ends the script where pnav is not built or tmux is not there.
#	mux_start [COLUMNS LINES]   the shell, in $scratch, 80 by 24
#	send KEYS...                as tmux names them
#	shows TEXT                  within ten seconds the screen holds TEXT; $scratch/screen
#	shows_like REGEX            the same for an extended regular expression
#	gone TEXT                   within ten seconds it no longer does
#	shell_again                 the shell asks for a command: what is typed before it does may
#	                            go with the program that ends
#	expect PROMISE TEXT         that is a test
#	expect_like PROMISE REGEX   so is this

[ -x "$PNAV" ] || skip_all "pnav is not built"
command -v tmux >/dev/null 2>&1 || skip_all "there is no tmux"
unset TMUX TMUX_PANE
TMUX_TMPDIR=$scratch
export TMUX_TMPDIR
mux=${mux:-tmux -L pnav -f /dev/null}
trap '$mux kill-server 2>/dev/null; rm -rf "$scratch"' EXIT

mux_start()
{
	$mux new-session -d -s t -c "$scratch" -x "${1:-80}" -y "${2:-24}" \
		"env PS1='$ ' LC_ALL=C.UTF-8 sh -i" 2>"$scratch/err" ||
		skip_all "tmux does not start: $(head -n 1 "$scratch/err")"
}

# comes GREP-OPTION TEXT
comes()
{
	tries=0
	while [ $tries -lt 100 ]; do
		$mux capture-pane -p -t t >"$scratch/screen" 2>&1
		grep -q "$1" -e "$2" "$scratch/screen" && return 0
		sleep 0.1
		tries=$((tries + 1))
	done
	return 1
}

gone()
{
	tries=0
	while [ $tries -lt 100 ]; do
		$mux capture-pane -p -t t | grep -qF -e "$1" || return 0
		sleep 0.1
		tries=$((tries + 1))
	done
	return 1
}

shows() { comes -F "$1"; }
shows_like() { comes -E "$1"; }
shell_again() { shows_like '^\$ *$'; }
expect() { check_screen "$1" shows "$2"; }
expect_like() { check_screen "$1" shows_like "$2"; }

check_screen()
{
	if "$2" "$3"; then
		ok "$1"
	else
		not_ok "$1" "$scratch/screen"
	fi
}

send()
{
	$mux send-keys -t t "$@"
}
