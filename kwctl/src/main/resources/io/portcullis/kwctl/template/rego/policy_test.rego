package policy_test

import data.policy

test_allows_a_pod_with_the_label if {
	review := {"request": {"object": {"metadata": {"labels": {"owner": "anna"}}}}}
	response := policy.main.response with input as review with data.requiredLabels as ["owner"]
	response.allowed
}

test_rejects_a_pod_without_the_label if {
	review := {"request": {"object": {"metadata": {}}}}
	response := policy.main.response with input as review with data.requiredLabels as ["owner"]
	not response.allowed
	response.status.message == "the label owner is required"
}
