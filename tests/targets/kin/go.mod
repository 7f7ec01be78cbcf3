module kin

go 1.15
