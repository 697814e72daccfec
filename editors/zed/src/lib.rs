//! Tells Zed how the server is started, and hands it the settings of `lsp.torchlsp`.

use zed_extension_api::{self as zed, serde_json, settings::LspSettings, LanguageServerId, Result};

const NAME: &str = "torchlsp";

struct Torchlsp;

impl zed::Extension for Torchlsp {
    fn new() -> Self {
        Torchlsp
    }

    fn language_server_command(
        &mut self,
        _id: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<zed::Command> {
        let binary = LspSettings::for_worktree(NAME, worktree)
            .ok()
            .and_then(|settings| settings.binary);
        let (path, arguments) = match binary {
            Some(binary) => (binary.path, binary.arguments),
            None => (None, None),
        };
        let command = path.or_else(|| worktree.which(NAME)).ok_or_else(|| {
            "torchlsp is not on the PATH of this project: install it there, or say where it is in lsp.torchlsp.binary.path"
                .to_string()
        })?;
        Ok(zed::Command {
            command,
            args: arguments.unwrap_or_else(|| vec!["server".to_string()]),
            env: worktree.shell_env(),
        })
    }

    fn language_server_workspace_configuration(
        &mut self,
        _id: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<Option<serde_json::Value>> {
        let settings = LspSettings::for_worktree(NAME, worktree)?.settings;
        Ok(settings.map(|own| serde_json::json!({ NAME: own })))
    }
}

zed::register_extension!(Torchlsp);
