module copies

go 1.18
