module goprobe.example/collector

go 1.27

require go.opentelemetry.io/collector/receiver/otlpreceiver v0.165.0
