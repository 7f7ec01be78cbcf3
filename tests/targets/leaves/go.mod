module leaves

go 1.19
