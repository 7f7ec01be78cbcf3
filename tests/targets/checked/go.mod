module checked

go 1.19
