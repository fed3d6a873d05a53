// A WASI command policy: rejects objects in namespaces that lack a label, and gives objects the labels that the
// settings ask for. It reads the namespace from the cluster through a host call.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
)

type settings struct {
	// RequiredNamespaceLabel must be set on the namespace of the object; empty asks nothing of the cluster.
	RequiredNamespaceLabel string `json:"requiredNamespaceLabel"`
	// DefaultLabels are put on objects that lack them.
	DefaultLabels map[string]string `json:"defaultLabels"`
	// ValidUsers, when not empty, are the only users of raw requests.
	ValidUsers []string `json:"validUsers"`
}

type validationRequest struct {
	Request struct {
		Namespace string         `json:"namespace"`
		User      *string        `json:"user"`
		Object    map[string]any `json:"object"`
	} `json:"request"`
	Settings settings `json:"settings"`
}

type validationResponse struct {
	Accepted      bool     `json:"accepted"`
	Message       string   `json:"message,omitempty"`
	Code          int      `json:"code,omitempty"`
	MutatedObject any      `json:"mutated_object,omitempty"`
	Warnings      []string `json:"warnings,omitempty"`
}

func main() {
	if len(os.Args) != 2 {
		fail(errors.New("usage: policy.wasm validate|validate-settings"))
	}
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		fail(err)
	}
	switch os.Args[1] {
	case "validate":
		answer(validate(input))
	case "validate-settings":
		answer(validateSettings(input))
	default:
		fail(fmt.Errorf("unknown sub-command %s", os.Args[1]))
	}
}

func validate(input []byte) any {
	var request validationRequest
	if err := json.Unmarshal(input, &request); err != nil {
		fail(err)
	}
	if user := request.Request.User; user != nil {
		return judgeUser(*user, request.Settings.ValidUsers)
	}
	if label := request.Settings.RequiredNamespaceLabel; label != "" {
		labels, err := namespaceLabels(request.Request.Namespace)
		if err != nil {
			return validationResponse{Message: err.Error(), Code: 500}
		}
		if _, found := labels[label]; !found {
			return validationResponse{Message: fmt.Sprintf("namespace %s has no label %s", request.Request.Namespace, label)}
		}
	}
	return withDefaultLabels(request.Request.Object, request.Settings.DefaultLabels)
}

func judgeUser(user string, valid []string) validationResponse {
	for _, name := range valid {
		if name == user {
			return validationResponse{Accepted: true}
		}
	}
	return validationResponse{Message: fmt.Sprintf("User '%s' is not allowed", user), Code: 403}
}

func withDefaultLabels(object map[string]any, defaults map[string]string) validationResponse {
	response := validationResponse{Accepted: true}
	if object == nil || len(defaults) == 0 {
		return response
	}
	metadata := child(object, "metadata")
	labels := child(metadata, "labels")
	names := make([]string, 0, len(defaults))
	for name := range defaults {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if _, found := labels[name]; !found {
			labels[name] = defaults[name]
			response.MutatedObject = object
		}
	}
	return response
}

func child(parent map[string]any, key string) map[string]any {
	if existing, ok := parent[key].(map[string]any); ok {
		return existing
	}
	created := map[string]any{}
	parent[key] = created
	return created
}

func validateSettings(input []byte) any {
	var parsed settings
	if err := json.Unmarshal(input, &parsed); err != nil {
		return map[string]any{"valid": false, "message": err.Error()}
	}
	return map[string]any{"valid": true}
}

func answer(response any) {
	if err := json.NewEncoder(os.Stdout).Encode(response); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
