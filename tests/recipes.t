#!/bin/sh
# The recipes of pnav(1) and pnav-report(1): MANY MACHINES, git, A gate for tests, as they are printed
# there: builds of a program that differ are compared, and what mappers and a reducer
# make of three profiles is what the profiles give when they are opened together.  GNU parallel
# has this machine as its only host, Slurm a cluster of this test's own on 127.0.0.1.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
cd "$scratch" || exit 99
mkdir bin play home
cp "$PNAV_ALONE" bin/pnav || exit 99
PATH=$scratch/bin:$PATH
HOME=$scratch/home
export PATH HOME
cd play || exit 99

# The display number $1 of the section
display()
{
	awk -v which="$1" '
		/^\.Sh / { here = /^\.Sh MANY MACHINES$/ }
		here && /^\.Bd -literal/ { n++; inside = n == which; next }
		/^\.Ed/ { inside = 0 }
		inside { gsub(/\\e/, "\\"); print }' "$top_srcdir/man/pnav.1"
}

for i in 1 2 3; do
	pnav export --format folded --from $((i * 20))% "$top_srcdir/data/sample.perfscript.gz" 2>/dev/null |
		awk '{ n = $NF; sub(/ [0-9]*$/, ""); gsub(/ /, "_"); frames = split($0, f, ";")
			printf "program 1 %d.000000: %d cpu-clock:\n", NR, n
			for (i = frames; i; i--)
				printf "\t%x %s (/usr/bin/made)\n", 4096 + i, f[i]
			print "" }' | gzip >part$i.perfscript.gz
done

# what FILES...: the functions and what they cost
what() { pnav report --format csv --columns function,self,total "$@" 2>/dev/null; }
what part?.perfscript.gz >wanted
check "three profiles to add up" [ "$(wc -l <wanted)" -gt 100 ]

display 1 >recipe
check "sort and merge" eval '{ sh -e recipe 2>out || { cat out; false; }; } &&
	what all.folded | cmp - wanted'

# ---- GNU parallel ----

if command -v parallel >/dev/null 2>&1 && parallel --version 2>/dev/null | grep -q "GNU parallel"; then
	display 2 | sed 's/--sshlogin web1,web2,:/--sshlogin :/' >recipe
	check "GNU parallel" eval 'grep -q "sshlogin : " recipe &&
		{ timeout 60 sh -e recipe >out 2>&1 </dev/null || { cat out; false; }; } &&
		what all.pb.gz | cmp - wanted'
else
	skip "GNU parallel" "it is not installed"
fi
rm -f all.pb.gz ./*.gz.pb.gz

# ---- Slurm ----

# A cluster of one node, in a folder of its own; a socket's path may not be long.
slurm=$(mktemp -d /tmp/pnav-slurm.XXXXXX) || exit 99
stop_slurm()
{
	for daemon in slurmd slurmctld munged; do
		[ -s "$slurm/$daemon.pid" ] && kill -9 "$(cat "$slurm/$daemon.pid")" 2>/dev/null
	done
	rm -rf "$slurm"
}
trap 'stop_slurm; rm -rf "$scratch"' EXIT

slurm_conf()
{
	host=$(hostname -s)
	cat <<-CONF
	ClusterName=recipes
	SlurmctldHost=$host(127.0.0.1)
	SlurmctldPort=$1
	SlurmdPort=$2
	SlurmUser=root
	AuthType=auth/munge
	AuthInfo=socket=$slurm/munge.socket
	StateSaveLocation=$slurm/state
	SlurmdSpoolDir=$slurm/spool
	SlurmctldPidFile=$slurm/slurmctld.pid
	SlurmdPidFile=$slurm/slurmd.pid
	SlurmctldLogFile=$slurm/slurmctld.log
	SlurmdLogFile=$slurm/slurmd.log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	MpiDefault=none
	JobAcctGatherType=jobacct_gather/none
	AccountingStorageType=accounting_storage/none
	JobCompType=jobcomp/none
	ReturnToService=2
	SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
	NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
	PartitionName=all Nodes=ALL Default=YES State=UP
	CONF
}

start_slurm()
{
	mkdir "$slurm/state" "$slurm/spool" &&
	head -c 1024 /dev/urandom >"$slurm/key" && chmod 400 "$slurm/key" &&
	munged --force --key-file="$slurm/key" --socket="$slurm/munge.socket" \
		--pid-file="$slurm/munged.pid" --log-file="$slurm/munged.log" \
		--seed-file="$slurm/seed" || return
	port=$(awk -v pid=$$ 'BEGIN { print 20000 + pid * 2 % 10000 }')
	slurm_conf "$port" $((port + 1)) >"$slurm/slurm.conf"
	SLURM_CONF=$slurm/slurm.conf
	export SLURM_CONF
	slurmctld -i && slurmd
}

PATH=$PATH:/usr/sbin
if ! command -v slurmctld >/dev/null 2>&1 || ! command -v slurmd >/dev/null 2>&1 ||
	! command -v munged >/dev/null 2>&1; then
	skip "a Slurm job array" "Slurm is not installed"
elif [ "$(id -u)" != 0 ]; then
	skip "a Slurm job array" "its daemons begin as root alone"
elif [ -z "$(hostname -I 2>/dev/null | tr -d ' ')" ]; then
	skip "a Slurm job array" "without a network Slurm does not find this host"
elif ! start_slurm >"$slurm/out" 2>&1; then
	skip "a Slurm job array" "a cluster does not begin here: $(tail -n 1 "$slurm/out")"
else
	display 3 >map.sh
	display 4 >recipe
	check "a Slurm job array" eval '{ timeout 60 sh -e recipe >out 2>&1 </dev/null ||
			{ cat out map.*.log; tail -n 5 "$slurm"/slurm*.log; false; }; } &&
		what all.pb.gz | cmp - wanted'
fi

# ---- continuous integration ----

# The commands of A gate for tests, of GitHub's step and of GitLab's job
recipe_of() { awk -v start="$1" '
	/^\.Ss A gate for tests/ { here = 1 }
	/^\.Sh / { here = 0 }
	here && index($0, start) { sub(/^ *- (run: )?/, ""); gsub(/\\e/, "\\"); print }' \
	"$top_srcdir/man/pnav-report.1"; }
recipe_of '- run: for' >../gate-records
recipe_of '- run: pnav diff' >../gate-compares
recipe_of '    - for' >../lab-records
recipe_of '    - pnav diff' >../lab-compares

# Three builds of one program, each in a folder of its own: as it was; edited, so that lines and
# addresses are others and there is a function more; and with twice the work in one function.
gate_source()
{
	cat <<-'END'
	volatile unsigned sink;
	#ifdef EDITED
	__attribute__((noinline)) void checks(unsigned n)
	{
		if (n == 4711)
			sink = n;
	}
	#endif
	#define WORK(name, more) __attribute__((noinline)) static void name(unsigned n) \
	{ unsigned s = n; for (unsigned i = 0; i < n * (more); i++) s = s * 31 + i; sink = s; }
	#ifndef PARSE
	#define PARSE 1
	#endif
	WORK(parse, PARSE)
	WORK(render, 1)
	WORK(pack, 1)
	int main(void)
	{
		for (int i = 0; i < 100; i++) {
	#ifdef EDITED
			checks(i);
	#endif
			parse(300000);
			render(500000);
			pack(200000);
		}
		return 0;
	}
	END
}
gate_build() { mkdir -p "../gate/$1" && gate_source >"../gate/$1/bench.c" &&
	(cd "../gate/$1" && shift && ${CC:-cc} -O1 -g "$@" -o bench bench.c); }
# gate_run FOLDER AGAINST: the recipe there, with AGAINST's recordings as the main branch's
gate_run()
{
	(cd "../gate/$1" && rm -f ./*.data && sh -e "$scratch/gate-records" >out 2>&1 </dev/null &&
		for i in 1 2 3 4 5; do cp "../$2/new$i.data" old$i.data 2>/dev/null || :; done
		[ -z "$2" ] || sh "$scratch/gate-compares" >out 2>err)
}
if ! { gate_build main && gate_build edited -DEDITED -fno-pie -no-pie &&
		gate_build slower -DEDITED -DPARSE=2; } >out 2>&1; then
	skip "continuous integration" "nothing can be built"
elif ! gate_run main ""; then
	skip "continuous integration" "$(tail -n 1 ../gate/main/out)"
else
	check "GitHub's step and GitLab's job are the same commands" eval '
		[ -s ../gate-records ] && [ -s ../gate-compares ] &&
		cmp ../gate-records ../lab-records && cmp ../gate-compares ../lab-compares'
	# the machine may have become slower between both sides: not five times in a row
	passes()
	{
		for turn in 1 2 3 4 5; do
			gate_run main "" && gate_run edited main && return
			cat ../gate/edited/err
		done
		false
	}
	check "the gate lets another build of the same pass" passes
	found()
	{
		pnav diff --format csv --columns function,self,base_self \
			--old ../gate/edited/old*.data --new ../gate/edited/new*.data >rows 2>/dev/null
		for f in parse render pack; do
			[ "$(awk -F, -v f=$f '$1 == f && $2 > 0 && $3 > 0' rows | wc -l)" = 1 ] || return
		done
	}
	check "... whose functions are found by name, none is new" found
	# nor so busy that the change may be chance, or that other functions take longer, too
	stops()
	{
		for turn in 1 2 3 4 5; do
			gate_run main ""
			gate_run slower main
			[ $? -eq 4 ] && grep -q "over self>1%: parse" ../gate/slower/err &&
				! grep -q "over self>1%: \(render\|pack\)" ../gate/slower/err && return
			cat ../gate/slower/err
		done
		false
	}
	check "the gate stops a function that has twice the work" stops
fi

# ---- git ----

# The recipe of EXAMPLES, in a repository whose profile changes from 3 to 9 in `a`
if command -v git >/dev/null; then
	awk '/^\.Bd -literal/ { text = ""; inside = 1; next }
		/^\.Ed/ { if (text ~ /textconv/) printf "%s", text; inside = 0 }
		inside { gsub(/\\e/, "\\"); text = text $0 "\n" }' "$top_srcdir/man/pnav.1" >git-recipe
	mkdir repository && cd repository || exit 99
	GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat
	export GIT_CONFIG_NOSYSTEM GIT_PAGER
	{ git init -q . && git config user.name tester && git config user.email t@example.org &&
		sh -e ../git-recipe; } >../out 2>&1
	printf 'main;a 3\nmain;b 5\n' | pnav export --format pprof -o cpu.pb.gz - 2>/dev/null
	git add . && git commit -qm first
	printf 'main;a 9\nmain;b 5\n' | pnav export --format pprof -o cpu.pb.gz - 2>/dev/null
	git diff cpu.pb.gz >../shown 2>&1
	cd .. || exit 99
	check "git diff shows which function changed" eval 'cat shown; grep -qE "^-a +3" shown &&
		grep -qE "^[+]a +9" shown && grep -qE "^ b +5" shown'
	check "git difftool compares both sides" eval '(cd repository &&
		git difftool -y -t pnav cpu.pb.gz </dev/null) >shown 2>&1; cat shown
		grep -E "^.*[+]6" shown | grep -q "a"'
else
	skip "git diff shows which function changed" "no git"
	skip "git difftool compares both sides" "no git"
fi
tap_done
