use kubewarden_policy_sdk::settings::Validatable;
use serde::Deserialize;

/// What users of the policy configure. Unknown settings are rejected, because a misspelt one would otherwise be ignored.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Settings {
    pub required_labels: Vec<String>,
}

impl Validatable for Settings {
    fn validate(&self) -> Result<(), String> {
        if self.required_labels.is_empty() {
            return Err("requiredLabels is empty".to_owned());
        }
        Ok(())
    }
}
