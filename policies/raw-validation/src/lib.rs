//! Accepts raw requests whose user, action and resource are all listed in the settings.

use kubewarden_policy_sdk::{
    accept_request, protocol_version_guest, reject_request, settings::Validatable,
    validate_settings,
};
use serde::Deserialize;
use std::collections::HashSet;
use wapc_guest::prelude::*;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Settings {
    valid_users: HashSet<String>,
    valid_actions: HashSet<String>,
    valid_resources: HashSet<String>,
}

impl Validatable for Settings {
    fn validate(&self) -> Result<(), String> {
        for (name, list) in [
            ("validUsers", &self.valid_users),
            ("validActions", &self.valid_actions),
            ("validResources", &self.valid_resources),
        ] {
            if list.is_empty() {
                return Err(format!("{name} cannot be empty"));
            }
        }
        Ok(())
    }
}

/// The SDK's own type knows Kubernetes requests only.
#[derive(Deserialize)]
struct Review {
    request: Request,
    settings: Settings,
}

#[derive(Deserialize)]
struct Request {
    user: String,
    action: String,
    resource: String,
}

#[no_mangle]
pub extern "C" fn wapc_init() {
    register_function("validate", validate);
    register_function("validate_settings", validate_settings::<Settings>);
    register_function("protocol_version", protocol_version_guest);
}

fn validate(payload: &[u8]) -> CallResult {
    let Review { request, settings } = serde_json::from_slice(payload)?;
    if settings.valid_users.contains(&request.user)
        && settings.valid_actions.contains(&request.action)
        && settings.valid_resources.contains(&request.resource)
    {
        accept_request()
    } else {
        reject_request(Some("this request is not accepted".to_owned()), None, None, None)
    }
}
