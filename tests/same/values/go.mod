module values

go 1.19

require google.golang.org/protobuf v0.0.0

replace google.golang.org/protobuf => ./protobuf
