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

{{/*
Values of Kubewarden's charts that have no meaning here. A default of Kubewarden's is accepted, because a values file may hold all
of them; anything else would be a setting without an effect.
*/}}
{{- define "portcullis.check" -}}
{{- range $key := list "nameOverride" "fullnameOverride" }}
{{- if not (has (index $.Values $key | default "") (list "" "kubewarden-controller")) }}
{{- fail (printf "%s is %s, but the names of our objects are fixed: policy servers and tools find them by name. Remove %s from the values." $key (index $.Values $key) $key) }}
{{- end }}
{{- end }}
{{- range $key, $image := dict "image" .Values.image "auditScanner.image" .Values.auditScanner.image }}
{{- if regexMatch "(^|/)kubewarden/" $image.repository }}
{{- fail (printf "%s.repository is %s, an image of Kubewarden. Remove %s.repository and %s.tag from the values, or name a copy of our image." $key $image.repository $key $key) }}
{{- end }}
{{- end }}
{{- $job := ((.Values.preDeleteJob | default dict).image | default dict).repository | default "rancher/kuberlr-kubectl" }}
{{- if not (hasSuffix "rancher/kuberlr-kubectl" $job) }}
{{- fail (printf "preDeleteJob.image.repository is %s, but the job that runs before an uninstallation uses the controller's image. Remove preDeleteJob from the values." $job) }}
{{- end }}
{{- with .Values.resources.postInstallJob }}
{{- if ne (toJson .) (toJson (include "portcullis.kubewardenJob" $ | fromYaml)) }}
{{- fail "resources.postInstallJob is set, but there is no job after an installation. Remove resources.postInstallJob from the values." }}
{{- end }}
{{- end }}
{{- if .Values.auditScanner.policyReporter }}
{{- fail "auditScanner.policyReporter is true, but this chart does not contain policy-reporter. Install policy-reporter by its own chart; it reads our reports. Remove auditScanner.policyReporter and policy-reporter from the values." }}
{{- end }}
{{- end }}

{{/* Resources of both jobs by default in Kubewarden's chart. */}}
{{- define "portcullis.kubewardenJob" -}}
{limits: {cpu: 100m, memory: 128Mi}, requests: {cpu: 50m, memory: 64Mi}}
{{- end }}

{{/*
Resources of a container whose memory limit must be at least so many Mi: dict "name" "resources" "least" "standard"
"ofKubewarden". Kubewarden's default limits are too small for a Java process; they count as not set, because a values file may hold all defaults.
*/}}
{{- define "portcullis.resources" -}}
{{- $resources := deepCopy (.resources | default dict) }}
{{- $limit := toString (($resources.limits | default dict).memory | default "") }}
{{- if eq $limit .ofKubewarden }}
{{- $_ := set $resources.limits "memory" .standard }}
{{- else if regexMatch "^[0-9]+(Mi|M)$" $limit }}
{{- if lt (atoi (regexFind "^[0-9]+" $limit)) (int .least) }}
{{- fail (printf "%s.limits.memory is %s, but this process needs %dMi or more. Remove the value, or raise it." .name $limit (int .least)) }}
{{- end }}
{{- end }}
{{- toYaml $resources }}
{{- end }}

{{- define "portcullis.scheduling" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ kindIs "string" . | ternary . (get (kindIs "string" . | ternary dict .) "name") }}
  {{- end }}
{{- end }}
{{- with .Values.global.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with (concat (.Values.global.tolerations | default list) (.Values.tolerations | default list)) }}
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
# Policy servers, on all their ports.
- to:
    - podSelector:
        matchLabels:
          app.kubernetes.io/component: policy-server
          app.kubernetes.io/part-of: kubewarden
{{- end }}
