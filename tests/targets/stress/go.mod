module stress

go 1.19
