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
