module pairs

go 1.19
