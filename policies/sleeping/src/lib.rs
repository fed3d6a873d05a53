//! Sleeps, then accepts. The time comes from the object's annotation `kubewarden.sleep_duration_milliseconds`, else
//! from the settings. A tester of deadlines: the sleep is WASI's, `spin` in the settings burns CPU instead.

use kubewarden_policy_sdk::{
    accept_request, protocol_version_guest, request::ValidationRequest, settings::Validatable,
    validate_settings,
};
use serde::Deserialize;
use serde_json::Value;
use std::time::{Duration, Instant};
use wapc_guest::prelude::*;

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Settings {
    sleep_milliseconds: u64,
    spin: bool,
}

impl Validatable for Settings {
    fn validate(&self) -> Result<(), String> {
        if self.sleep_milliseconds == 0 {
            return Err("sleep_milliseconds must be set and be major than 0".to_owned());
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
    let annotation = review
        .request
        .object
        .pointer("/metadata/annotations/kubewarden.sleep_duration_milliseconds");
    let milliseconds = match annotation.and_then(Value::as_str) {
        Some(text) => text.parse()?,
        None => review.settings.sleep_milliseconds,
    };
    wait(Duration::from_millis(milliseconds), review.settings.spin);
    accept_request()
}

fn wait(time: Duration, spin: bool) {
    if !spin {
        return std::thread::sleep(time);
    }
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}
