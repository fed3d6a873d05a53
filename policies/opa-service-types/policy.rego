# Rejects services of the types that the settings name; the settings are the data document.
# Raw requests are judged by the same rule: whatever has no service type passes.
package policy

main := {"response": {
	"uid": uid,
	"allowed": count(messages) == 0,
	"status": {"message": concat(", ", sort(messages))},
}} if {
	count(messages) > 0
} else := {"response": {"uid": uid, "allowed": true}}

default uid := ""

uid := input.request.uid

types := {type | some type in data.types}

messages contains message if {
	type := input.request.object.spec.type
	type in types
	message := sprintf("Service of type %s are not allowed", [type])
}

# With context: no service may select pods of a namespace that is marked as closed.
messages contains message if {
	namespace := data.kubernetes.namespaces[input.request.namespace]
	namespace.metadata.labels.closed == "true"
	message := sprintf("namespace %s is closed for services", [input.request.namespace])
}
