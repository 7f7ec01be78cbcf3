module many

go 1.15
