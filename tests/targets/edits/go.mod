module edits

go 1.19
