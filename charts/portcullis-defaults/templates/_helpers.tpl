{{- define "defaults.labels" -}}
app.kubernetes.io/part-of: kubewarden
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* What all recommended policies share. */}}
{{- define "defaults.policy" -}}
policyServer: default
mode: {{ .Values.recommendedPolicies.defaultPolicyMode }}
failurePolicy: {{ eq .Values.recommendedPolicies.defaultPolicyMode "protect" | ternary "Fail" "Ignore" }}
namespaceSelector:
  matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values:
        {{- toYaml .Values.global.skipNamespaces | nindent 8 }}
{{- end }}
