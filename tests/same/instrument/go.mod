module instrument

go 1.19
