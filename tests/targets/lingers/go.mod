module lingers

go 1.19
