{{- define "defaults.labels" -}}
app.kubernetes.io/part-of: kubewarden
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- with .Values.additionalLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "defaults.annotations" -}}
{{- with .Values.additionalAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Values of Kubewarden's charts that have no meaning here. */}}
{{- define "defaults.check" -}}
{{- if ne (.Values.crdVersion | default "policies.kubewarden.io/v1") "policies.kubewarden.io/v1" }}
{{- fail (printf "crdVersion is %s, but only policies.kubewarden.io/v1 is served. Remove crdVersion from the values." .Values.crdVersion) }}
{{- end }}
{{- range .Values.policyServer.permissions }}
{{- if or (has "*" .resources) (has "*" (.verbs | default list)) }}
{{- fail "policyServer.permissions names * among its resources or verbs, which would let policies read every Secret. Name the resources and verbs that your policies need." }}
{{- end }}
{{- end }}
{{- if regexMatch "(^|/)kubewarden/" (.Values.policyServer.image.repository | default "") }}
{{- fail (printf "policyServer.image.repository is %s, which is Kubewarden's policy server. Remove policyServer.image from the values, or name a copy of portcullis/policy-server." .Values.policyServer.image.repository) }}
{{- end }}
{{- end }}

{{/* Authorities as a mapping of URI to certificates. Takes also a list of {uri, certs}, as in Kubewarden's chart. */}}
{{- define "defaults.sourceAuthorities" -}}
{{- if kindIs "slice" .Values.policyServer.sourceAuthorities }}
{{- $authorities := dict }}
{{- range .Values.policyServer.sourceAuthorities }}
{{- if .certs }}
{{- $authorities = set $authorities .uri (concat (index $authorities .uri | default list) .certs) }}
{{- end }}
{{- end }}
{{- toJson $authorities }}
{{- else }}
{{- toJson (.Values.policyServer.sourceAuthorities | default dict) }}
{{- end }}
{{- end }}

{{/* What all recommended policies share. */}}
{{- define "defaults.policy" -}}
policyServer: default
mode: {{ .Values.recommendedPolicies.defaultPolicyMode }}
failurePolicy: {{ eq .Values.recommendedPolicies.defaultPolicyMode "protect" | ternary "Fail" "Ignore" }}
{{- with (concat (.Values.global.skipNamespaces | default list) (.Values.recommendedPolicies.skipAdditionalNamespaces | default list) | uniq) }}
namespaceSelector:
  matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values:
        {{- toYaml . | nindent 8 }}
{{- end }}
{{- end }}
