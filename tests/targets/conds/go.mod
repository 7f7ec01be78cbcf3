module conds

go 1.19
