"""Programs that torchlsp generated, run in a locked process under the user's torch."""
