module whirl

go 1.19
