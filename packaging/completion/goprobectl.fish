# fish completion of goprobectl: commands, options, their values, processes, functions
function __goprobectl_complete
	set -l words (commandline -opc)
	goprobectl complete $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c goprobectl -a '(__goprobectl_complete)'
