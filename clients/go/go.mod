module goprobe/clients/go

go 1.19
