module portcullis.io/policies/go-namespace-labels

go 1.24
