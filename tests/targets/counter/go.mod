module counter

go 1.19
