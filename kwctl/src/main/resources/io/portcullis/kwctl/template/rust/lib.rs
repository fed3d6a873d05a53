//! The policy @NAME@: rejects pods that lack labels.

mod settings;

use kubewarden_policy_sdk::{
    accept_request, protocol_version_guest, reject_request, request::ValidationRequest,
    validate_settings,
};
use serde_json::Value;
use settings::Settings;
use wapc_guest::prelude::*;

#[no_mangle]
pub extern "C" fn wapc_init() {
    register_function("validate", validate);
    register_function("validate_settings", validate_settings::<Settings>);
    register_function("protocol_version", protocol_version_guest);
}

fn validate(payload: &[u8]) -> CallResult {
    let review: ValidationRequest<Settings> = ValidationRequest::new(payload)?;
    let missing = missing_labels(&review.request.object, &review.settings);
    if missing.is_empty() {
        return accept_request();
    }
    let message = format!("the label {} is required", missing.join(", "));
    reject_request(Some(message), None, None, None)
}

fn missing_labels<'a>(object: &Value, settings: &'a Settings) -> Vec<&'a str> {
    let labels = object.pointer("/metadata/labels");
    let lacks = |label: &&str| labels.and_then(|labels| labels.get(label)).is_none();
    settings
        .required_labels
        .iter()
        .map(String::as_str)
        .filter(lacks)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn missing(object: Value) -> usize {
        let settings = Settings {
            required_labels: vec!["owner".to_owned()],
        };
        missing_labels(&object, &settings).len()
    }

    #[test]
    fn a_pod_with_the_label_lacks_nothing() {
        assert_eq!(missing(json!({"metadata": {"labels": {"owner": "anna"}}})), 0);
    }

    #[test]
    fn a_pod_without_labels_lacks_one() {
        assert_eq!(missing(json!({"metadata": {"name": "pod"}})), 1);
    }
}
