module ccalls

go 1.15
