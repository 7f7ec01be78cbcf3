module goprobe.test/allocs

go 1.19
