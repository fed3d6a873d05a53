package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"unsafe"
)

// The host's answer, or its error text, is appended to standard input; the result says which of the two it is.
//
//go:wasmimport host call
func hostCall(
	binding unsafe.Pointer, bindingLength uint32,
	namespace unsafe.Pointer, namespaceLength uint32,
	operation unsafe.Pointer, operationLength uint32,
	payload unsafe.Pointer, payloadLength uint32,
) uint32

func namespaceLabels(name string) (map[string]string, error) {
	payload, err := json.Marshal(map[string]any{
		"api_version":   "v1",
		"kind":          "Namespace",
		"name":          name,
		"disable_cache": false,
		"field_masks":   []string{"metadata.labels"},
	})
	if err != nil {
		return nil, err
	}
	answer, err := callHost("kubernetes", "get_resource", payload)
	if err != nil {
		return nil, err
	}
	var namespace struct {
		Metadata struct {
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
	}
	err = json.Unmarshal(answer, &namespace)
	return namespace.Metadata.Labels, err
}

func callHost(namespace, operation string, payload []byte) ([]byte, error) {
	binding := "kubewarden"
	failed := hostCall(
		unsafe.Pointer(unsafe.StringData(binding)), uint32(len(binding)),
		unsafe.Pointer(unsafe.StringData(namespace)), uint32(len(namespace)),
		unsafe.Pointer(unsafe.StringData(operation)), uint32(len(operation)),
		unsafe.Pointer(unsafe.SliceData(payload)), uint32(len(payload)),
	)
	answer, err := io.ReadAll(os.Stdin)
	if err != nil {
		return nil, err
	}
	if failed != 0 {
		return nil, errors.New(string(answer))
	}
	return answer, nil
}
