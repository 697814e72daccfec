/** What the user sees of the server's health, in the language status of Python files. Each line has one way on. */

import { type Command, type Disposable, LanguageStatusSeverity, languages, window, workspace } from "vscode";
import { type Client, DOCUMENTS } from "./client";
import { environmentName } from "./finding";
import { activeFolder } from "./folders";
import { DEBUG_INFORMATION } from "./server_commands";
import type { Health, Supervisor } from "./supervisor";

const RESTART: Command = { title: "Restart", command: "torchlsp.restart" };
const LOGS: Command = { title: "Show Logs", command: "torchlsp.showLogs" };
const INSTALL: Command = { title: "Install", command: "torchlsp.install" };
const TRUST: Command = { title: "Manage Trust", command: "workbench.trust.manage" };
const SELECT: Command = { title: "Select Interpreter", command: "torchlsp.selectInterpreter" };
const PATH_SETTING: Command = {
  title: "Open Setting",
  command: "workbench.action.openSettings",
  arguments: ["torchlsp.path"],
};

/** A folder's Python and its torch, as the server sees them. */
interface Environment {
  readonly folder: string | null;
  readonly python: string;
  readonly torch: string | null;
}

export function status(supervisor: Supervisor): Disposable[] {
  const server = languages.createLanguageStatusItem("torchlsp.server", DOCUMENTS);
  server.name = "torchlsp";
  const torch = new TorchStatus();
  let logs: Disposable | undefined;

  const show = (health: Health) => {
    server.busy = health.kind === "starting";
    server.severity = LanguageStatusSeverity.Information;
    server.detail = undefined;
    server.command = LOGS;
    logs?.dispose();
    logs = undefined;
    switch (health.kind) {
      case "starting":
        server.text = "torchlsp is starting";
        break;
      case "ready":
        server.text = `torchlsp ${health.client.version}`;
        server.detail = workspace.isTrusted ? undefined : "limited, as the workspace is not trusted";
        break;
      case "missing":
        server.text = health.cause;
        server.severity = LanguageStatusSeverity.Warning;
        server.command = wayOut(health);
        break;
      case "failed":
        server.text = "torchlsp does not run";
        server.detail = health.cause;
        server.severity = LanguageStatusSeverity.Error;
        server.command = RESTART;
        logs = logsItem();
    }
    if (health.kind === "ready") {
      torch.follow(health.client);
    } else {
      torch.leave(health);
    }
  };
  show(supervisor.health);
  return [server, torch, { dispose: () => logs?.dispose() }, supervisor.onDidChange(show)];
}

function wayOut(health: Health & { kind: "missing" }): Command {
  if (health.isSetting) {
    return PATH_SETTING;
  }
  if (!workspace.isTrusted) {
    return TRUST;
  }
  return health.interpreter === undefined ? SELECT : INSTALL;
}

/** A line of its own: an item has one command. */
function logsItem(): Disposable {
  const item = languages.createLanguageStatusItem("torchlsp.logs", DOCUMENTS);
  item.name = "torchlsp: logs";
  item.text = "Logs of torchlsp";
  item.command = LOGS;
  return item;
}

/** Whose torch is meant in the active editor's folder. */
class TorchStatus implements Disposable {
  private readonly item = languages.createLanguageStatusItem("torchlsp.torch", DOCUMENTS);
  private environments: readonly Environment[] = [];
  private readonly editors: Disposable;
  private followed: Client | undefined;
  private configuration: Disposable | undefined;

  constructor() {
    this.item.name = "torchlsp: torch";
    this.item.command = SELECT;
    this.editors = window.onDidChangeActiveTextEditor(() => this.followed && this.show());
  }

  follow(client: Client): void {
    this.configuration?.dispose();
    this.configuration = client.onDidConfigure(() => this.ask(client));
    this.followed = client;
    this.item.text = "torch";
    this.item.detail = undefined;
  }

  leave(health: Health): void {
    this.configuration?.dispose();
    this.followed = undefined;
    const interpreter = "interpreter" in health ? health.interpreter : undefined;
    this.item.text = interpreter ? environmentName(interpreter.path) : "Interpreter";
    this.item.detail = interpreter?.source;
  }

  dispose(): void {
    this.configuration?.dispose();
    this.editors.dispose();
    this.item.dispose();
  }

  private async ask(client: Client): Promise<void> {
    const said = await client.ask<{ environments?: Environment[] }>(DEBUG_INFORMATION).catch(() => undefined);
    if (this.followed === client && said?.environments !== undefined) {
      this.environments = said.environments;
      this.show();
    }
  }

  private show(): void {
    const folder = activeFolder()?.uri.fsPath ?? null;
    const meant = this.environments.find((one) => one.folder === folder) ?? this.environments[0];
    if (meant === undefined) {
      return;
    }
    const place = environmentName(meant.python);
    this.item.text = meant.torch === null ? "no torch to prove findings in" : `torch ${meant.torch}`;
    this.item.detail = place; // a longer text would not fit beside it
  }
}
