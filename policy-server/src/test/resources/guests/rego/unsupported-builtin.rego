# OPA: needs a builtin that no policy server offers.
package policy

main := {"response": {"uid": input.request.uid, "allowed": http.send({"method": "get", "url": "http://localhost"}).status_code == 200}}
