# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# lib.sh - what scripts of bench/ share: builds, and the comparison with figures that are in the tree
#
# Sourced by bash scripts that have sourced tests/vm/common.sh.

BENCH=$TREE/bench
OUT=$TREE/build/bench
mkdir -p "$OUT"

# go_program NAME FILE - build bench/NAME with Go 1.19
go_program()
{
	local goroot

	goroot=$("$TREE/tests/vm/go" 1.19)
	(
		cd "$BENCH/$1" || exit
		unset GOEXPERIMENT GOAMD64 GODEBUG
		export GOROOT="$goroot" GOENV=off GOPROXY=off GOFLAGS='' GOWORK=off GO111MODULE=on CGO_ENABLED=0 GOOS=linux GOARCH=amd64
		export GOPATH="$TREE/build/gopath" GOCACHE="$TREE/build/gocache"
		"$goroot/bin/go" build -buildvcs=false -o "$2" .
	)
}

# plugin NAME FILE - build bench/NAME.c, a plugin of QEMU
plugin()
{
	need cc
	cc -std=gnu11 -O2 -Wall -Wextra -Werror -shared -fPIC -o "$2" "$BENCH/$1.c"
}

# judge FIGURES UNIT MORE SPACE - compare lines "figure ROW VALUE" of standard input with the rows of FIGURES
#
# More than MORE percent and SPACE above the figure of the tree is a failure. Ends with "N passed, N failed, N skipped".
judge()
{
	local figures=$1 unit=$2 more=$3 space=$4 out row was now passed=0 failed=0

	out=$(cat)
	while read -r row was; do
		now=$(sed -n "s/^figure $row //p" <<<"$out")
		if [ -z "$now" ]; then
			echo "not ok $row: it was not measured"
			failed=$((failed + 1))
		elif [ $((now * 100)) -gt $((was * (100 + more) + space * 100)) ]; then
			echo "not ok $row: $now $unit, more than $more % above the $was of bench/${figures##*/}"
			failed=$((failed + 1))
		else
			echo "ok $row: $now $unit, $was in bench/${figures##*/}"
			passed=$((passed + 1))
		fi
	done <"$figures"
	echo "$passed passed, $failed failed, 0 skipped"
	[ "$failed" = 0 ]
}
