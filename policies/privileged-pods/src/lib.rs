//! Rejects pods, and workloads that make pods, with a privileged container.

use kubewarden_policy_sdk::{
    accept_request, protocol_version_guest, reject_request, request::ValidationRequest,
    settings::Validatable, validate_settings,
};
use serde::Deserialize;
use serde_json::Value;
use wapc_guest::prelude::*;

/// Which lists of containers are looked at besides `containers`.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    skip_init_containers: bool,
    skip_ephemeral_containers: bool,
}

impl Validatable for Settings {
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

#[no_mangle]
pub extern "C" fn wapc_init() {
    register_function("validate", validate);
    register_function("validate_settings", validate_settings::<Settings>);
    register_function("protocol_version", protocol_version_guest);
}

fn validate(payload: &[u8]) -> CallResult {
    let review: ValidationRequest<Settings> = ValidationRequest::new(payload)?;
    let Some(spec) = pod_spec(&review.request.object) else {
        return reject("Cannot parse validation request");
    };
    if lists(&review.settings).any(|list| has_privileged(spec, list)) {
        return reject("Privileged container is not allowed");
    }
    accept_request()
}

fn reject(message: &str) -> CallResult {
    reject_request(Some(message.to_owned()), None, None, None)
}

fn lists(settings: &Settings) -> impl Iterator<Item = &'static str> {
    let init = (!settings.skip_init_containers).then_some("initContainers");
    let ephemeral = (!settings.skip_ephemeral_containers).then_some("ephemeralContainers");
    ["containers"].into_iter().chain(init).chain(ephemeral)
}

/// The pod's own spec, or that of the template inside a workload; `None` for anything that holds no pod.
fn pod_spec(object: &Value) -> Option<&Value> {
    let path = match object.get("kind")?.as_str()? {
        "Pod" => "/spec",
        "CronJob" => "/spec/jobTemplate/spec/template/spec",
        _ => "/spec/template/spec",
    };
    object.pointer(path)
}

fn has_privileged(spec: &Value, list: &str) -> bool {
    let containers = spec.get(list).and_then(Value::as_array);
    containers.is_some_and(|all| all.iter().any(is_privileged))
}

fn is_privileged(container: &Value) -> bool {
    container.pointer("/securityContext/privileged") == Some(&Value::Bool(true))
}
