module tiny

go 1.15
