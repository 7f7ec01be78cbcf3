# bash completion of goprobectl: commands, options, their values, processes, functions
_goprobectl()
{
	mapfile -t COMPREPLY < <(goprobectl complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)
	# bash quotes what a shell would read in names of files, and so in names of functions.
	compopt -o filenames
	# A package or a type: the name goes on.
	if [[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} = *[./] ]]; then compopt -o nospace; fi
}
complete -o default -F _goprobectl goprobectl
