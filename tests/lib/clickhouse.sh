# clickhouse.sh - servers of ClickHouse for a test, on 127.0.0.1, each with a folder of its own.
#
# Source it after tap.sh; it skips the script where there is no server.  Then:
#	clickhouse_ports N           free ports, in $ports
#	clickhouse_start NAME HTTP TCP   a server in the folder NAME; ends the script if it
#	                             does not begin.  Both servers of a test are the shards of
#	                             the cluster `fleet`: $shards are their TCP ports.
#	ask HTTP QUERY...            what it answers
#	middleman WHAT               from now on middleman.py at $port stands before $http and does WHAT
#	behind WHAT COMMAND...       the same, then runs the command; $scratch/broken has a line
#	                             each time that WHAT was done
# Users: default without a password, `writer` with the password of $clickhouse_password, and
# `reader`, who may change nothing.  They end with the script.

clickhouse_server=$(PATH=$PATH:/usr/sbin command -v clickhouse-server) ||
	skip_all "clickhouse-server is not installed"
command -v python3 >/dev/null 2>&1 || skip_all "python3 is not installed"
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy
no_proxy=127.0.0.1
HOME=$scratch
export no_proxy HOME
clickhouse_password="it's \\ secret"
clickhouse_pids=
trap '{ kill -KILL $clickhouse_pids; wait; } 2>/dev/null; rm -rf "$scratch"' EXIT

clickhouse_ports()
{
	ports=$(python3 -c '
import socket, sys
held = [socket.socket() for i in range(int(sys.argv[1]))]
for s in held:
	s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in held])' "$1")
}

clickhouse_start()
{
	mkdir -p "$scratch/$1" || return 1
	{
		echo "<yandex><logger><level>warning</level><log>$scratch/$1/log</log>"
		echo "<errorlog>$scratch/$1/errors</errorlog></logger>"
		echo "<http_port>$2</http_port><tcp_port>$3</tcp_port>"
		echo "<listen_host>127.0.0.1</listen_host><timezone>UTC</timezone>"
		echo "<path>$scratch/$1/data/</path><tmp_path>$scratch/$1/tmp/</tmp_path>"
		echo "<users_config>$scratch/$1/users.xml</users_config>"
		echo "<default_profile>default</default_profile>"
		echo "<default_database>default</default_database>"
		echo "<mark_cache_size>16777216</mark_cache_size><remote_servers><fleet>"
		for shard in ${shards:-}; do
			echo "<shard><replica><host>127.0.0.1</host><port>$shard</port>"
			echo "</replica></shard>"
		done
		echo "</fleet></remote_servers></yandex>"
	} >"$scratch/$1/config.xml"
	cat >"$scratch/$1/users.xml" <<-EOF
		<yandex><profiles><default/><reader><readonly>1</readonly></reader></profiles><users>
		<default><password></password><networks><ip>127.0.0.1</ip></networks>
		<profile>default</profile><quota>default</quota></default>
		<writer><password>$clickhouse_password</password><networks><ip>127.0.0.1</ip></networks>
		<profile>default</profile><quota>default</quota></writer>
		<reader><password></password><networks><ip>127.0.0.1</ip></networks>
		<profile>reader</profile><quota>default</quota></reader>
		</users><quotas><default/></quotas></yandex>
	EOF
	"$clickhouse_server" --config-file="$scratch/$1/config.xml" >"$scratch/$1/said" 2>&1 &
	clickhouse_pids="$clickhouse_pids $!"
}

# clickhouse_wait HTTP NAME: until it answers
clickhouse_wait()
{
	for _ in 1 2 3 4 5 6; do
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			for _ in 1 2 3 4 5; do
				ask "$1" "SELECT 1" >/dev/null && return
				sleep 0.1
			done
		done
	done
	skip_all "the server does not begin: $(tail -n 1 "$scratch/$2/errors" "$scratch/$2/said")"
}

# One interpreter for all queries: its start takes longer than they do.
mkfifo "$scratch/ask.in" "$scratch/ask.out" || exit 99
python3 "$top_srcdir/tests/lib/asker.py" "$scratch" &
clickhouse_pids=$!

# ask HTTP QUERY...
ask()
{
	printf '%s\0' "$@" >"$scratch/ask.in" && cat "$scratch/ask.out" &&
		return "$(cat "$scratch/ask.status")"
}

# middleman: one for the script, which reads what to do from $scratch/rule
middleman()
{
	: >"$scratch/broken"
	echo "$1" >"$scratch/rule"
	[ -n "${port:-}" ] && return
	: >port
	python3 "$top_srcdir/tests/lib/middleman.py" $http "$scratch" >port 2>middle.log &
	clickhouse_pids="$clickhouse_pids $!"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			[ -s port ] && break 2
			sleep 0.1
		done
	done
	port=$(cat port)
}

behind()
{
	middleman "$1"
	shift
	"$@"
}
