//! Gives pods and their containers a user and groups to run as, where they name none.

use kubewarden_policy_sdk::{
    accept_request, mutate_request, protocol_version_guest, reject_request,
    request::ValidationRequest, settings::Validatable, validate_settings,
};
use serde::Deserialize;
use serde_json::{json, Map, Value};
use wapc_guest::prelude::*;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Settings {
    run_as_user: i64,
    run_as_group: i64,
    supplemental_groups: Vec<i64>,
}

/// User and group `nobody`.
impl Default for Settings {
    fn default() -> Self {
        Settings { run_as_user: 65534, run_as_group: 65534, supplemental_groups: vec![] }
    }
}

impl Validatable for Settings {
    fn validate(&self) -> Result<(), String> {
        let groups = self.supplemental_groups.iter();
        if groups.chain([&self.run_as_group]).any(|id| *id < 0) || self.run_as_user < 1 {
            return Err("the user must be above 0, groups must not be negative".to_owned());
        }
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
    let mut object = review.request.object;
    let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else {
        let message = "Cannot parse validation request".to_owned();
        return reject_request(Some(message), None, None, None);
    };
    if complete(spec, &review.settings) {
        mutate_request(object)
    } else {
        accept_request()
    }
}

/// Fills what is missing; whether anything was.
fn complete(spec: &mut Map<String, Value>, settings: &Settings) -> bool {
    let mut changed = run_as(spec, settings);
    if !settings.supplemental_groups.is_empty() {
        changed |= default_to(spec, "supplementalGroups", json!(settings.supplemental_groups));
    }
    for list in ["containers", "initContainers"] {
        for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(container) = container.as_object_mut() {
                changed |= run_as(container, settings);
            }
        }
    }
    changed
}

fn run_as(holder: &mut Map<String, Value>, settings: &Settings) -> bool {
    let user = default_to(holder, "runAsUser", json!(settings.run_as_user));
    let group = default_to(holder, "runAsGroup", json!(settings.run_as_group));
    user || group
}

fn default_to(holder: &mut Map<String, Value>, key: &str, value: Value) -> bool {
    let context = holder.entry("securityContext").or_insert(json!({}));
    match context.as_object_mut() {
        Some(context) if !context.contains_key(key) => {
            context.insert(key.to_owned(), value);
            true
        }
        _ => false,
    }
}
