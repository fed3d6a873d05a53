# Rejects pods that lack a label of the settings. The document `data` is the settings.
package policy

main := {"response": {
	"allowed": false,
	"status": {"message": sprintf("the label %s is required", [concat(", ", sort(missing))])},
}} if {
	count(missing) > 0
} else := {"response": {"allowed": true}}

missing contains label if {
	some label in data.requiredLabels
	not input.request.object.metadata.labels[label]
}
