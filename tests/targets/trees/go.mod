module trees

go 1.15
