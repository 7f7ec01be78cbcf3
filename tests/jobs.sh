# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# jobs.sh - run the steps of a test run, two at a time, and add up what they say
#
# Sourced by bash scripts that have sourced tests/vm/common.sh.  A step's output goes to build/log/NAME, its counts to
# build/report.md.  Its tests are what its last line counts, "N passed, N failed, N skipped", or one, for a step that
# counts nothing.

LOG=$TREE/build/log
WIDTH=${JOBS:-2}
mkdir -p "$LOG"

REPORT=$TREE/build/report.md
{
	printf '# %s\n\n' "${0##*/} $*"
	printf '%s, commit %s, %s processors, %s\n\n' "$(date -u '+%F %T UTC')" \
		"$(git -C "$TREE" describe --always --dirty 2>/dev/null || echo unknown)" "$(nproc)" "$(uname -r)"
	printf '| step | passed | failed | skipped | seconds |\n|---|---|---|---|---|\n'
} >"$REPORT"

# What failed, one line each, for the end.
FAILURES=$LOG/failures
: >"$FAILURES"

# Of steps that passed: the digest of their inputs, and their counts.
BEFORE=$TREE/build/passed
mkdir -p "$BEFORE"
declare -A digests=()

passed=0 failed=0 skipped=0
names=()                # steps that run, by pid
started=()

note()
{
	printf '[%2d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"
}

# build_targets VERSION - build all that the end-to-end cases trace with that release of Go
build_targets()
{
	local goroot

	goroot=$(tests/vm/go "$1")
	MODES="exe pie" tests/targets/build "$goroot" "go$1"
	MODES="exe pie stripped pie-stripped" tests/targets/build "$goroot" "go$1" zoo ccalls checked
	MODES=shared tests/targets/build "$goroot" "go$1" ccalls
	# The case that has Delve look on finds it in the cache.
	tests/delve/dlv 1.24 >/dev/null
}

# tally NAME STATUS - add up one step, and show what failed
tally()
{
	local name=$1 status=$2 log=$LOG/$1 last took
	local p=0 f=0 s=0

	took=$((SECONDS - ${started[$3]}))
	last=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped' "$log" | tail -n 1)
	if [ -n "$last" ]; then
		read -r p _ f _ s _ <<<"$last"
		# It counts no failure and yet failed: a kernel's complaint, a timeout.
		[ "$status" = 0 ] || [ "$f" -gt 0 ] || f=1
	elif [ "$status" = 0 ]; then
		p=1
	else
		f=1
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	printf '| %s | %s | %s | %s | %s |\n' "$name" "$p" "$f" "$s" "$took" >>"$REPORT"
	rm -f "$BEFORE/$name"
	[ "$f" != 0 ] || [ -z "${digests[$name]:-}" ] || echo "${digests[$name]} $p $s" >"$BEFORE/$name"
	if [ "$f" = 0 ]; then
		[ "$s" = 0 ] && s= || s=", $s skipped"
		note "ok      $name: $p passed$s (${took} s)"
	else
		note "FAILED  $name: $p passed, $f failed, $s skipped, exit status $status (${took} s)"
	fi
	grep -E '^skip ' "$log" | sed 's/^/          /' || :
	[ "$f" = 0 ] || {
		grep -E '^(not ok|FAILED) ' "$log" | cut -c1-400 | sed "s/^/$name: /" >>"$FAILURES" || :
		tail -n 1 "$FAILURES" | grep -q "^$name: " || echo "$name: exit status $status, $(tail -n 1 "$log" | cut -c1-300)" >>"$FAILURES"
		grep "^$name: " "$FAILURES" | sed 's/^/          /'
		tail -n 15 "$log" | cut -c1-200 | sed 's/^/        | /'
		echo "          all of it: build/log/$name"
	}
}

# reap - wait until one step ends, saying every half minute where things stand
reap()
{
	local pid status next=$((SECONDS + 30))

	while :; do
		for pid in "${!names[@]}"; do
			kill -0 "$pid" 2>/dev/null && continue
			status=0
			wait "$pid" || status=$?
			tally "${names[$pid]}" "$status" "$pid"
			unset "names[$pid]"
			return
		done
		if [ "$SECONDS" -ge "$next" ]; then
			next=$((SECONDS + 30))
			for pid in "${!names[@]}"; do
				note "  ...   ${names[$pid]}: $(tail -n 1 "$LOG/${names[$pid]}" | cut -c1-90)"
			done
		fi
		sleep 0.3
	done
}

# step NAME COMMAND... - run it as soon as a job slot is free
step()
{
	local name=$1
	shift

	while [ ${#names[@]} -ge "$WIDTH" ]; do
		reap
	done
	note "start   $name"
	# A process group of its own, so that it can be stopped with all it started.
	set -m
	"$@" >"$LOG/$name" 2>&1 </dev/null &
	set +m
	names[$!]=$name
	started[$!]=$SECONDS
}

# step_of NAME "PATH..." COMMAND... - the same, unless NAME passed in this tree before, and nothing has changed since in these
# paths. FRESH=1 runs it in any case.
step_of()
{
	local name=$1 paths=$2 digest before p s
	shift 2

	# shellcheck disable=SC2086 # words
	digest=$(inputs tests/vm $paths)
	if [ -z "${FRESH:-}" ] && [ -n "$digest" ] && read -r before p s 2>/dev/null <"$BEFORE/$name" && [ "$before" = "$digest" ]; then
		passed=$((passed + p)) skipped=$((skipped + s))
		printf '| %s, as before | %s | 0 | %s | 0 |\n' "$name" "$p" "$s" >>"$REPORT"
		note "ok      $name: $p passed before, and nothing has changed since"
		return
	fi
	digests[$name]=$digest
	step "$name" "$@"
}

# leave_out NAME WHY - count a step as skipped
leave_out()
{
	skipped=$((skipped + 1))
	printf '| %s | 0 | 0 | 1 | 0 |\n' "$1" >>"$REPORT"
	note "skip    $1: $2"
}

# settle - wait for all steps
settle()
{
	while [ ${#names[@]} -gt 0 ]; do
		reap
	done
}

# go_on - is there any sense in further steps?
go_on()
{
	settle
	[ "$failed" = 0 ] || finish
}

# finish - the last line, and the exit status
finish()
{
	settle
	trap - EXIT
	printf '| all | %s | %s | %s | %s |\n' "$passed" "$failed" "$skipped" "$SECONDS" >>"$REPORT"
	cat "$FAILURES"
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] || exit 1
	exit 0
}

# Stop the steps of this run, and no other processes.
stop_steps()
{
	local pid

	for pid in "${!names[@]}"; do
		kill -- "-$pid" 2>/dev/null || :
	done
}
trap stop_steps EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
