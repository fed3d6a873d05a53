# Gatekeeper: a violation whose message is no text.
package policy

violation contains {"msg": 7} if input.review
