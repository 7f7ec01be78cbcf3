module limits

go 1.15
