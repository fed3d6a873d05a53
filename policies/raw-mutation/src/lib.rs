//! Replaces forbidden resources in raw requests by a harmless one.

use kubewarden_policy_sdk::{
    accept_request, mutate_request, protocol_version_guest, settings::Validatable,
    validate_settings,
};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashSet;
use wapc_guest::prelude::*;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Settings {
    forbidden_resources: HashSet<String>,
    default_resource: String,
}

impl Validatable for Settings {
    fn validate(&self) -> Result<(), String> {
        if self.forbidden_resources.is_empty() {
            return Err("forbiddenResources cannot be empty".to_owned());
        }
        if self.default_resource.is_empty() {
            return Err("defaultResource cannot be empty".to_owned());
        }
        if self.forbidden_resources.contains(&self.default_resource) {
            return Err("defaultResource cannot be forbidden".to_owned());
        }
        Ok(())
    }
}

/// The SDK's own type knows Kubernetes requests only.
#[derive(Deserialize)]
struct Review {
    request: Map<String, Value>,
    settings: Settings,
}

#[no_mangle]
pub extern "C" fn wapc_init() {
    register_function("validate", validate);
    register_function("validate_settings", validate_settings::<Settings>);
    register_function("protocol_version", protocol_version_guest);
}

fn validate(payload: &[u8]) -> CallResult {
    let Review { mut request, settings } = serde_json::from_slice(payload)?;
    let resource = request.get("resource").and_then(Value::as_str);
    if resource.is_some_and(|name| settings.forbidden_resources.contains(name)) {
        request.insert("resource".to_owned(), Value::String(settings.default_resource));
        return mutate_request(Value::Object(request));
    }
    accept_request()
}
