# Rejects an ingress whose host is already taken by an ingress of another namespace or name.
package policy

violation contains {"msg": message} if {
	some rule in input.review.object.spec.rules
	some namespace, versions in data.inventory.namespace
	some name, other in versions["networking.k8s.io/v1"].Ingress
	some taken in other.spec.rules
	taken.host == rule.host
	[namespace, name] != [input.review.namespace, input.review.object.metadata.name]
	message := sprintf("host %s is already taken by ingress %s/%s", [rule.host, namespace, name])
}
