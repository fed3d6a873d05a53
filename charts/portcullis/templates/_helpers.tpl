{{/* Fixed: the controller and Kubewarden's tools find these objects by name. */}}
{{- define "portcullis.name" -}}kubewarden-controller{{- end }}

{{- define "portcullis.labels" -}}
app.kubernetes.io/name: {{ include "portcullis.name" . }}
app.kubernetes.io/part-of: kubewarden
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- with .Values.additionalLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "portcullis.annotations" -}}
{{- with .Values.additionalAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* dict "image" "context" */}}
{{- define "portcullis.image" -}}
{{- with .context.Values.global.cattle.systemDefaultRegistry }}{{ . }}/{{ end -}}
{{ .image.repository }}:{{ .image.tag | default .context.Chart.AppVersion }}
{{- end }}

{{- define "portcullis.scheduling" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.global.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with (concat .Values.global.tolerations .Values.tolerations) }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with (.Values.affinity | default .Values.global.affinity) }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* For pods that push to telemetry.custom.endpoint: how to reach it, and with which certificates. */}}
{{- define "portcullis.otel.env" -}}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ .Values.telemetry.custom.endpoint | quote }}
- name: OTEL_EXPORTER_OTLP_INSECURE
  value: {{ .Values.telemetry.custom.insecure | quote }}
{{- if .Values.telemetry.custom.otelCollectorCertificateSecret }}
- name: OTEL_EXPORTER_OTLP_CERTIFICATE
  value: /otel/certificate/ca.crt
{{- end }}
{{- if .Values.telemetry.custom.otelCollectorClientCertificateSecret }}
- name: OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE
  value: /otel/client-certificate/tls.crt
- name: OTEL_EXPORTER_OTLP_CLIENT_KEY
  value: /otel/client-certificate/tls.key
{{- end }}
{{- end }}

{{- define "portcullis.otel.mounts" -}}
{{- if .Values.telemetry.custom.otelCollectorCertificateSecret }}
- {name: otel-certificate, mountPath: /otel/certificate, readOnly: true}
{{- end }}
{{- if .Values.telemetry.custom.otelCollectorClientCertificateSecret }}
- {name: otel-client-certificate, mountPath: /otel/client-certificate, readOnly: true}
{{- end }}
{{- end }}

{{- define "portcullis.otel.volumes" -}}
{{- with .Values.telemetry.custom.otelCollectorCertificateSecret }}
- name: otel-certificate
  secret: {secretName: {{ . }}}
{{- end }}
{{- with .Values.telemetry.custom.otelCollectorClientCertificateSecret }}
- name: otel-client-certificate
  secret: {secretName: {{ . }}}
{{- end }}
{{- end }}

{{/* CEL: whether pod is a replica of server. A StatefulSet with a long name is cut to 43 characters and a hash. */}}
{{- define "portcullis.identity.variables" -}}
- name: workload
  expression: "'policy-server-' + variables.server"
- name: isOwn
  expression: |-
    variables.server != '' && (size(variables.workload) <= 52
      ? variables.pod.startsWith(variables.workload + '-') && variables.pod.substring(size(variables.workload) + 1).matches('^[0-9]{1,6}$')
      : variables.pod.startsWith(variables.workload.substring(0, 43) + '-') && variables.pod.substring(44).matches('^[0-9a-f]{8}-[0-9]{1,6}$'))
{{- end }}

{{/* Egress that every pod of ours needs: names and API servers, which are outside of the pod network. */}}
{{- define "portcullis.egress" -}}
- ports:
    - {protocol: UDP, port: 53}
    - {protocol: TCP, port: 53}
- ports:
    {{- range (.Values.networkPolicy.apiServerPorts | default (list 443 6443)) }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- if and (or .Values.telemetry.metrics .Values.telemetry.tracing) (eq .Values.telemetry.mode "custom") }}
- ports:
    - {protocol: TCP, port: {{ regexFind ":[0-9]+(/|$)" .Values.telemetry.custom.endpoint | trimPrefix ":" | trimSuffix "/" | default "4317" }}}
{{- end }}
# Policy servers, on whichever port they listen.
- to:
    - podSelector:
        matchLabels:
          app.kubernetes.io/component: policy-server
          app.kubernetes.io/part-of: kubewarden
{{- end }}
