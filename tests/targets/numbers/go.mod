module numbers

go 1.19
