/** What the user sees of the server's health, in the language status of Python files. */

import { type Disposable, LanguageStatusSeverity, languages } from "vscode";
import { DOCUMENTS } from "./client";
import type { Health, Supervisor } from "./supervisor";

export function statusItem(supervisor: Supervisor): Disposable {
  const item = languages.createLanguageStatusItem("torchlsp.server", DOCUMENTS);
  item.name = "torchlsp";
  const show = (health: Health) => {
    item.busy = health.kind === "starting";
    item.severity = LanguageStatusSeverity.Information;
    item.detail = undefined;
    item.command = { title: "Show Logs", command: "torchlsp.showLogs" };
    switch (health.kind) {
      case "starting":
        item.text = "torchlsp is starting";
        break;
      case "ready":
        item.text = `torchlsp ${health.client.version}`;
        break;
      case "missing":
        item.text = health.cause;
        item.severity = LanguageStatusSeverity.Warning;
        break;
      case "failed":
        item.text = "torchlsp does not run";
        item.detail = health.cause;
        item.severity = LanguageStatusSeverity.Error;
        item.command = { title: "Restart", command: "torchlsp.restart" };
    }
  };
  show(supervisor.health);
  supervisor.onDidChange(show);
  return item;
}
