module queries

go 1.19
