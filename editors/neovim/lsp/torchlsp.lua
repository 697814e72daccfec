-- How Neovim 0.11 and later start torchlsp: vim.lsp.enable("torchlsp").
-- What vim.lsp.config("torchlsp", { ... }) says goes before this.
return {
  cmd = { "torchlsp", "server" },
  filetypes = { "python" },
  root_markers = { "torchlsp.toml", "pyproject.toml", "setup.py", ".git" },
}
