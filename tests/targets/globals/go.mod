module globals

go 1.18
