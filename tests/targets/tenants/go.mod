module tenants

go 1.19
