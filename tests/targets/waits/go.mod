module waits

go 1.19
