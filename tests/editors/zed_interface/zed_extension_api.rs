//! The signatures of Zed's extension interface 0.7 that the extension uses, so that its code can be compiled without it.

#![allow(unused)]

pub type Result<T, E = String> = core::result::Result<T, E>;

pub struct LanguageServerId(String);

pub struct Worktree;

impl Worktree {
    pub fn which(&self, binary_name: &str) -> Option<String> {
        None
    }

    pub fn shell_env(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

pub struct Command {
    pub command: String,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
}

pub mod serde_json {
    pub struct Value;

    #[macro_export]
    macro_rules! json_of_the_interface {
        ({ $key:ident : $value:expr }) => {
            ($key as &str, $value as $crate::serde_json::Value, $crate::serde_json::Value).2
        };
    }
    pub use json_of_the_interface as json;
}

pub mod settings {
    use std::collections::HashMap;

    pub struct CommandSettings {
        pub path: Option<String>,
        pub arguments: Option<Vec<String>>,
        pub env: Option<HashMap<String, String>>,
    }

    pub struct LspSettings {
        pub binary: Option<CommandSettings>,
        pub initialization_options: Option<crate::serde_json::Value>,
        pub settings: Option<crate::serde_json::Value>,
    }

    impl LspSettings {
        pub fn for_worktree(language_server_name: &str, worktree: &crate::Worktree) -> crate::Result<Self> {
            Err(String::new())
        }
    }
}

pub trait Extension: Send + Sync {
    fn new() -> Self
    where
        Self: Sized;

    fn language_server_command(&mut self, id: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        Err(String::new())
    }

    fn language_server_workspace_configuration(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        Ok(None)
    }
}

pub fn register_extension(build: fn() -> Box<dyn Extension>) {}

#[macro_export]
macro_rules! register_extension {
    ($extension_type:ty) => {
        pub fn init_extension() {
            zed_extension_api::register_extension(|| {
                Box::new(<$extension_type as zed_extension_api::Extension>::new())
            });
        }
    };
}
