# SPDX-License-Identifier: GPL-2.0
#
# common.sh - what the scripts of tests/ share: messages, the cache, apt without touching the host, module builds.
#
# Sourced by bash scripts that have set -eu and have set $0 meaningfully.  Everything that is downloaded goes through
# apt, which checks Debian's signatures and hashes, with an apt configuration of our own: foreign suites never enter the
# host's sources, lists or package database.

TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
CACHE=${XDG_CACHE_HOME:-${HOME:?goprobe: HOME is not set, so there is no place for the cache; set HOME}/.cache}/goprobe
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
# Where suites go that mirrors no longer have.
ARCHIVE=http://archive.debian.org

# Version of the cache's layout: entries stamped with another one are fetched again.
LAYOUT=4

say()
{
	echo "${0##*/}: $*" >&2
}

die()
{
	say "$@"
	exit 2
}

need()
{
	command -v "$1" >/dev/null || die "$1 is missing; run tests/setup (as root) to install what the tests need"
}

# inputs PATH... - a digest of what git knows or would add of these, and of the compiler; nothing where there is no git
inputs()
{
	git -C "$TREE" rev-parse --git-dir >/dev/null 2>&1 || return 0
	{
		"${CC:-gcc}" --version
		cd "$TREE" && git ls-files -z --cached --others --exclude-standard -- "$@" | sort -zu | xargs -0r sha256sum 2>&1 || :
	} | sha256sum | cut -d' ' -f1
}

# exclusive NAME - hold the lock NAME of the cache until the script ends
exclusive()
{
	local fd

	mkdir -p "$CACHE/lock"
	exec {fd}>"$CACHE/lock/$1"
	flock -n "$fd" && return
	say "waiting for another run that prepares $1"
	flock "$fd"
}

# mirror_of SUITE - the URI this machine's own apt configuration uses for SUITE's family
mirror_of()
{
	local codename uri

	case $1 in
	*-security) codename=bookworm-security ;;
	*)          codename=bookworm ;;
	esac
	uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $codename" | head -n 1)
	[ -n "$uri" ] || die "apt on this machine has no source for $codename, so the mirror is unknown;" \
		"add $codename to /etc/apt/sources.list.d and run apt-get update"
	echo "$uri"
}

# has_suite URI SUITE - can it be had there?
has_suite()
{
	local file status=0

	file=$(mktemp)
	/usr/lib/apt/apt-helper -qq -oAPT::Sandbox::User=root -oAcquire::Retries=1 download-file "${1%/}/dists/$2/InRelease" "$file" \
		>/dev/null 2>&1 || status=1
	rm -f "$file"
	return $status
}

# uri_of SUITE - mirror_of SUITE, or Debian's archive once the mirror has dropped the suite
uri_of()
{
	local uri archive=$ARCHIVE/debian

	uri=$(mirror_of "$1")
	[[ $1 != *-security ]] || archive=$ARCHIVE/debian-security
	if ! has_suite "$uri" "$1" && has_suite "$archive" "$1"; then
		say "$uri has no $1 any more: taking it from $archive"
		uri=$archive
	fi
	echo "$uri"
}

# apt_open SUITE... - point apt() at exactly these suites; refreshes lists older than a day
apt_open()
{
	local suite dir uri lock

	need apt-get
	[ -r "$KEYRING" ] || die "$KEYRING is missing; run tests/setup to install debian-archive-keyring"
	dir=$CACHE/apt/$(echo "$*" | tr ' ' '+')
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	# Two that open the same suites for the first time would take each other's files away.
	exec {lock}>"$dir/lock"
	flock "$lock"
	for suite; do
		mirror_of "$suite"
	done >"$dir/mirrors.new"
	cmp -s "$dir/mirrors.new" "$dir/mirrors" || rm -f "$dir/fresh"
	mv "$dir/mirrors.new" "$dir/mirrors"
	APT=(-oDir::Etc::SourceList="$dir/sources" -oDir::Etc::SourceParts=/dev/null
		-oDir::State::Lists="$dir/lists" -oDir::Cache="$dir/cache" -oDir::State::Status=/dev/null
		-oAPT::Architecture=amd64 -oAPT::Architectures=amd64 -oAPT::Sandbox::User=root
		-oAcquire::Languages=none -oAcquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
		# An archived suite's Release file is past its date but signed all the same.
		-oAcquire::Check-Valid-Until=false -oAcquire::Retries=3)
	if [ -z "$(find "$dir/fresh" -mtime -1 2>/dev/null)" ]; then
		for suite; do
			uri=$(uri_of "$suite")
			echo "deb [arch=amd64 signed-by=$KEYRING] $uri $suite main"
		done >"$dir/sources.new"
		mv "$dir/sources.new" "$dir/sources"
		apt-get "${APT[@]}" -qq --error-on=any update >&2 ||
			die "cannot read the package lists of $*; this needs the network once: check apt-get update, then try again"
		touch "$dir/fresh"
	fi
	exec {lock}>&-
}

# suites VERSION - the suites of Debian that hold this kernel
suites()
{
	case $1 in
	5.10)     echo bullseye ;;
	6.1|6.12) echo bookworm bookworm-security ;;
	*)        echo trixie-backports ;;
	esac
}

apt_names()
{
	apt-cache "${APT[@]}" pkgnames
}

# apt_unpack DIR PACKAGE... - download and unpack into DIR, without installing anything
apt_unpack()
{
	local dir=$1 deb tmp
	shift

	mkdir -p "$dir"
	tmp=$(mktemp -d "$CACHE/debs.XXXXXX")
	(cd "$tmp" && apt-get "${APT[@]}" -qq download "$@" >&2) || {
		rm -rf "$tmp"
		die "cannot download $*; this needs the network once: check apt-get update, then try again"
	}
	for deb in "$tmp"/*.deb; do
		dpkg -x "$deb" "$dir"
		rm "$deb"
	done
	rmdir "$tmp"
}

# merge_usr ROOT - some packages still use /lib, others /usr/lib: one place for both, as on an installed system
merge_usr()
{
	if [ -d "$1/lib" ] && [ ! -L "$1/lib" ]; then
		mkdir -p "$1/usr/lib"
		cp -al "$1/lib/." "$1/usr/lib/"
		rm -r "${1:?}/lib"
	fi
	[ -L "$1/lib" ] || ln -s usr/lib "$1/lib"
}

# link_headers NEW DIR RELEASE - make NEW/headers what KDIR= wants, out of packages unpacked in NEW/root, for use as DIR
link_headers()
{
	local new=$1 dir=$2 release=$3 f

	ln -s "root/usr/src/linux-headers-$release" "$new/headers"
	# The packages find each other by absolute path.
	grep -rlE --include=Makefile --include=.kernelvariables --include=Kbuild '/usr/(src|lib)/linux-' "$new/root/usr/src/linux-headers-$release" \
		"$new"/root/usr/src/linux-headers-*common* 2>/dev/null | while read -r f; do
		sed -i -E "s,([^.[:alnum:]]|^)/usr/(src|lib)/linux-,\1$dir/root/usr/\2/linux-,g" "$f"
	done
}

# apt_depends PATTERN PACKAGE... - the packages and what they depend on, transitively, as far as names match PATTERN and
# Debian still has them
apt_depends()
{
	local pattern=$1 p record
	local -a todo
	local -A seen=()
	shift

	todo=("$@")
	while [ ${#todo[@]} -gt 0 ]; do
		p=${todo[0]}
		todo=("${todo[@]:1}")
		[ -z "${seen[$p]:-}" ] || continue
		seen[$p]=1
		record=$(apt-cache "${APT[@]}" show --no-all-versions "$p" 2>/dev/null) && [ -n "$record" ] || continue
		echo "$p"
		# shellcheck disable=SC2207 # package names hold no blanks
		todo+=($(echo "$record" | sed -n 's/^Depends: //p' | tr '|,' '\n\n' | sed 's/ //g; s/(.*//; s/:any//' |
			grep -E "^($pattern)" || :))
	done
}

# apt_closure PACKAGE... - all packages that a system with nothing installed would get, recommendations left out
apt_closure()
{
	apt-get "${APT[@]}" -qq --no-install-recommends --simulate install "$@" | sed -n 's/^Inst \([^ ]*\).*/\1/p'
}

# suite_root NAME SUITE STAMP PACKAGES OPTION... - a root of that suite in the cache; a new STAMP makes it again; OPTIONs are
# mmdebstrap's
suite_root()
{
	local name=$1 suite=$2 stamp=$3 packages=$4 uri dir=$CACHE/$1
	shift 4

	if [ "$(cat "$dir/.goprobe" 2>/dev/null)" != "$stamp" ]; then
		need mmdebstrap
		[ "$(id -u)" = 0 ] || die "this needs a $suite root; run once as root"
		exclusive "$name"
		[ "$(cat "$dir/.goprobe" 2>/dev/null)" != "$stamp" ] || { echo "$dir"; return; }
		say "making a $suite root (once, a minute) ..."
		rm -rf "$dir" "$dir.new"
		uri=$(uri_of "$suite")
		mmdebstrap --quiet --variant=apt --keyring="$KEYRING" --include="$packages" \
			--aptopt='Apt::Install-Recommends "false"' --aptopt='Acquire::Check-Valid-Until "false"' "$@" \
			"$suite" "$dir.new" "deb $uri $suite main" >"$dir.log" 2>&1 </dev/null || {
			grep -h '^[EW]:' "$dir.log" | cut -c1-300 | tail -n 5 >&2
			die "cannot make the $suite root; this needs the network once: check apt-get update, then try again" \
				"(everything it said: $dir.log)"
		}
		rm -rf "$dir.new"/var/cache/apt "$dir.new"/var/lib/apt/lists
		echo "$stamp" >"$dir.new/.goprobe"
		mv "$dir.new" "$dir"
	fi
	echo "$dir"
}

# toolroot SUITE - a root of that suite with a compiler, for kernels whose build tools are linked against a newer libc than ours
toolroot()
{
	local packages

	# The compiler that this suite's kernels are built with; what kernel-doc, which W=1 runs, is written in.
	case $1 in
	trixie) packages=gcc-14,libssl3t64 ;;
	*) packages=gcc-16,libssl3t64 ;;
	esac
	suite_root "toolroot-$1" "$1" 2 "$packages,make,libc6-dev,libelf1t64,kmod,perl,python3-minimal" \
		--dpkgopt=path-exclude='/usr/share/doc/*' --dpkgopt=path-exclude='/usr/share/man/*' --dpkgopt=path-exclude='/usr/share/locale/*'
}

# packageroot SUITE - a root of that suite with what goprobe's packages, their build and their tests need, and headers of a kernel
packageroot()
{
	local packages

	packages=man-db,dkms,kmod,linux-headers-amd64,build-essential,fakeroot,debhelper,dh-dkms$(
		sed '1,/^Build-Depends/!{/^ /!Q}' "$TREE/debian/control" | grep -oE ' [a-z0-9-]+-dev| pkg-config' | tr ' ' , | tr -d '\n')
	suite_root "packageroot-$1" "$1" "$packages" "$packages"
}

# mirror DIR NAME... - bring DIR up to date with these parts of the tree, build products in DIR left alone; prints what changed
#
# By content, and with the time of the copy: a file that is edited while its old content is being compiled would else be
# older than the object, and never be compiled.
mirror()
{
	local dir=$1
	shift

	(cd "$TREE" && rsync -a -i -c -R --delete --no-times \
		--filter='P *.mod.c' --filter='+ */' --filter='+ *.[chS]' --filter='+ Kbuild' --filter='+ Makefile' --filter='- *' \
		"$@" "$dir/") | grep -v '^\.' || :
}

# kmake KERNELDIR SRCDIR ARG... - run kbuild for the module in SRCDIR against a kernel that tests/vm/kernel fetched
kmake()
{
	local kernel=$1 src=$2 root cc
	shift 2

	# BTF of the module is nobody's need, and making it takes pahole.
	set -- CONFIG_DEBUG_INFO_BTF_MODULES= "$@"
	[ -d "$kernel/headers" ] || die "$(basename "$kernel") has no headers in Debian any more; it can only be booted with --no-module"
	if [ -e "$kernel/foreign" ]; then
		root=$(cat "$kernel/foreign")
		root=$(toolroot "${root:-trixie}") || exit
		[ "$(id -u)" = 0 ] || die "building for $(basename "$kernel") works in a chroot, so only as root"
		# A mount namespace of its own: whatever happens, no mount is left behind.
		unshare --mount --propagation private bash -eu -c '
			root=$1 kernel=$2 src=$3
			shift 3
			mount --bind "$root" "$root"
			mount -t proc proc "$root/proc"
			mount -t devtmpfs dev "$root/dev" 2>/dev/null || mount --bind /dev "$root/dev"
			for dir in "$kernel" "$src"; do
				mkdir -p "$root$dir"
				mount --bind "$dir" "$root$dir"
			done
			cd "$root$src"
			exec chroot "$root" env -C "$src" PATH=/usr/sbin:/usr/bin LC_ALL=C "$@"
		' kmake "$root" "$kernel" "$src" make -C "$kernel/headers/" M="$src" "$@"
	else
		# Debian 12's compiler also builds for bullseye's 5.10, whose own (gcc-10) is not in Debian 12.
		cc=gcc-12
		need $cc
		make -C "$kernel/headers/" M="$src" CC=$cc "$@"
	fi
}
