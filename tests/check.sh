# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# check.sh - checks in shell: one line each, with the end of the output of one that fails, and the closing line
#
# Sourced by tests that have a directory $tmp.
passed=0 failed=0

# check NAME COMMAND... - run the command with set -e, and print "ok NAME" or "not ok NAME"
check()
{
	local status

	# Not as a condition, in which set -e has no effect.
	set +e
	(set -e; "${@:2}") >"$tmp/check.log" 2>&1
	status=$?
	set -e
	if [ "$status" = 0 ]; then
		echo "ok $1"
		passed=$((passed + 1))
	else
		tail -n 20 "$tmp/check.log" | sed 's/^/    /'
		echo "not ok $1"
		failed=$((failed + 1))
	fi
}

# end_checks - print the closing line; fails if a check has failed
end_checks()
{
	echo "$passed passed, $failed failed, 0 skipped"
	[ "$failed" = 0 ]
}

# committed - the commit to build, with changes of tracked files; without changes there is nothing to stash
committed()
{
	local commit

	commit=$(git stash create)
	echo "${commit:-HEAD}"
}
