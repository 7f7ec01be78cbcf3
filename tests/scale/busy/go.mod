module busy

go 1.16
