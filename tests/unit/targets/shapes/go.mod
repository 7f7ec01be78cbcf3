module shapes

go 1.18
