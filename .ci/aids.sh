# aids.sh - what ./run and ./check share.  Sourced with $top set, in that folder.

# needed SECTION: the lines of a section of packages.debian, first word alone
needed()
{
	awk -v section="[$1]" '
		/^\[/ { inside = $1 == section; next }
		inside && NF && !/^#/ { print $1 }' "$top/packages.debian"
}

is_installed()
{
	dpkg-query -W -f '${Status}\n' "$1" 2>/dev/null | grep -q '^install ok installed'
}

# missing SECTION...: lines whose packages are not installed
missing()
{
	for section in "$@"; do
		needed "$section" | while read -r names; do
			there=no
			for name in $(echo "$names" | tr '|' ' '); do
				is_installed "$name" && there=yes && break
			done
			[ $there = yes ] || echo "$names"
		done
	done
}

# install_missing SECTION...: apt is asked only when something is missing
install_missing()
{
	if ! command -v dpkg-query >/dev/null 2>&1; then
		echo "${0##*/}: no dpkg here; packages.debian lists what pnav needs" >&2
		return 0
	fi
	absent=$(missing "$@")
	[ -n "$absent" ] || return 0
	echo "${0##*/}: missing packages:" $absent >&2
	as_root=
	if [ "$(id -u)" -ne 0 ]; then
		as_root=sudo
		if ! command -v sudo >/dev/null 2>&1; then
			echo "${0##*/}: they need root to install; trying without them" >&2
			return 0
		fi
	fi
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "${0##*/}: no apt-get here; trying without them" >&2
		return 0
	fi
	# The lists of packages may be old or, in a container, absent.
	$as_root apt-get -qq update </dev/null >&2 ||
		echo "${0##*/}: apt-get update failed; trying with what it knows" >&2
	chosen=
	for names in $absent; do
		for name in $(echo "$names" | tr '|' ' '); do
			if apt-cache show "$name" >/dev/null 2>&1; then
				chosen="$chosen $name"
				break
			fi
		done
	done
	echo "${0##*/}: installing$chosen" >&2
	# One by one the packages are words.
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
		--no-install-recommends install $chosen </dev/null >&2 || {
		echo "${0##*/}: apt-get failed; trying without them" >&2
		return 0
	}
}

processors()
{
	nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2
}

# quietly LOG COMMAND...: output to a file; the end of it is shown when it fails
quietly()
{
	log=$1
	shift
	"$@" >"$log" 2>&1 </dev/null || {
		tail -n 40 "$log" >&2
		echo "${0##*/}: failed: $* (all of it: $log)" >&2
		return 1
	}
}

# bootstrapped: bootstraps the tree if that has not been done
bootstrapped()
{
	mkdir -p "$top/build"
	[ -x "$top/configure" ] && [ -f "$top/Makefile.in" ] ||
		quietly "$top/build/bootstrap.log" "$top/bootstrap"
}

# configured FOLDER OPTIONS...: bootstraps the tree and configures FOLDER where that has
# not been done; make itself renews both when their sources change
configured()
{
	folder=$1
	shift
	mkdir -p "$folder"
	bootstrapped || return 1
	if [ -f "$top/config.status" ]; then
		echo "${0##*/}: the source tree itself is configured: make distclean first" >&2
		return 1
	fi
	[ -f "$folder/Makefile" ] ||
		(cd "$folder" && quietly configure.log "$top/configure" "$@")
}

# build FOLDER OPTIONS...: the options are configure's
build()
{
	configured "$@" &&
	quietly "$1/make.log" make -C "$1" -j"$(processors)"
}
