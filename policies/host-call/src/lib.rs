//! Calls the host capability that its settings name and reports what came back, always as a rejection: the message is
//! `ok: <answer>` or `error: <text>`. A tester of host capabilities and their grants.

use kubewarden_policy_sdk::{
    protocol_version_guest, reject_request, request::ValidationRequest, settings::Validatable,
    validate_settings,
};
use serde::Deserialize;
use serde_json::Value;
use wapc_guest::prelude::*;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Settings {
    binding: Option<String>,
    namespace: String,
    operation: String,
    /// Sent as JSON; a string under `rawPayload` is sent as it is.
    payload: Value,
    #[serde(rename = "rawPayload")]
    raw_payload: Option<String>,
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
    let settings = review.settings;
    let binding = settings.binding.as_deref().unwrap_or("kubewarden");
    let message = match settings.raw_payload {
        Some(text) => text.into_bytes(),
        None => serde_json::to_vec(&settings.payload)?,
    };
    let report = match host_call(binding, &settings.namespace, &settings.operation, &message) {
        Ok(answer) => format!("ok: {}", String::from_utf8_lossy(&answer)),
        Err(error) => format!("error: {error}"),
    };
    reject_request(Some(report), None, None, None)
}
