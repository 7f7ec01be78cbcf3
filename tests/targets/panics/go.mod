module panics

go 1.15
