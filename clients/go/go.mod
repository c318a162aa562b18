module klieg

go 1.19
