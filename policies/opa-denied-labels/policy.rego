# Rejects objects that carry a label which the settings deny; the settings are the data document.
package policy

main := {"response": {
	"allowed": false,
	"status": {"message": sprintf(
		"Resource must not have any of the labels specified in the validation rule. The following invalid labels were found: %s",
		[concat(", ", sort(found))],
	)},
}} if {
	count(found) > 0
} else := {"response": {"allowed": true}}

found contains label if {
	some label, _ in input.request.object.metadata.labels
	label in data.denied
}
