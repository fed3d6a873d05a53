# Rejects privileged containers, in the shape that Gatekeeper's library uses.
package policy

violation contains {"msg": message} if {
	some container in containers
	container.securityContext.privileged
	not container.name in {name | some name in input.parameters.exempt}
	message := sprintf("Privileged container is not allowed: %v, securityContext: %v", [container.name, container.securityContext])
}

containers contains container if some container in input.review.object.spec.containers

containers contains container if some container in input.review.object.spec.initContainers
