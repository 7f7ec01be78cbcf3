module divided

go 1.15
