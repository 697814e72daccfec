/** Where the editor enters: everything is made here, and undone when the editor leaves. */

import { join } from "node:path";
import { type ExtensionContext, commands, window, workspace } from "vscode";
import { registerCommands } from "./commands";
import { Interpreters } from "./interpreters";
import { RecordStatus } from "./records";
import { OFFERS } from "./server_commands";
import { SECTION } from "./settings";
import { status } from "./status";
import { type Health, Supervisor } from "./supervisor";

/** Settings that decide which server is run. */
const DECIDING = [`${SECTION}.path`, `${SECTION}.interpreter`];
const TOLD = "told that the server is missing";

let supervisor: Supervisor | undefined;

export function activate(context: ExtensionContext): void {
  const log = window.createOutputChannel("torchlsp", { log: true });
  const interpreters = new Interpreters(log, join(context.globalStorageUri.fsPath, "environment"));
  const own = new Supervisor(interpreters, log);
  supervisor = own;
  context.subscriptions.push(
    log,
    interpreters,
    own,
    ...status(own),
    new RecordStatus(own),
    // Before the first start: restarting and the logs are wanted most where it fails.
    ...registerCommands(own, interpreters, log, context.extension.packageJSON.version),
    own.onDidChange((health) => {
      setContexts(health);
      void tellOnce(context, health);
    }),
    interpreters.onDidChange(() => own.ensure()),
    workspace.onDidChangeConfiguration((event) => {
      if (DECIDING.some((key) => event.affectsConfiguration(key))) {
        void own.ensure();
      }
    }),
    workspace.onDidGrantWorkspaceTrust(() => own.restart()),
    workspace.onDidChangeWorkspaceFolders(() => own.ensure()),
    // Whoever has installed it in a terminal comes back to an editor.
    window.onDidChangeActiveTextEditor(() => own.health.kind === "missing" && own.ensure()),
    window.onDidChangeWindowState(({ focused }) => focused && own.health.kind === "missing" && own.ensure()),
  );
  // Not waited for: commands wait for the end of this, and those that help a server that does not start must not.
  void own.ensure();
}

export async function deactivate(): Promise<void> {
  await supervisor?.stop();
}

function setContexts(health: Health): void {
  const offers = health.kind === "ready" ? health.client.offers : [];
  void commands.executeCommand("setContext", "torchlsp.ready", health.kind === "ready");
  for (const [key, command] of Object.entries(OFFERS)) {
    void commands.executeCommand("setContext", key, offers.includes(command));
  }
}

/** Once on a machine; from then on the status says it. */
async function tellOnce(context: ExtensionContext, health: Health): Promise<void> {
  if (health.kind !== "missing" || health.isSetting || !workspace.isTrusted || context.globalState.get(TOLD)) {
    return;
  }
  await context.globalState.update(TOLD, true);
  const [install, select] = ["Install", "Select Interpreter"];
  const offered = health.interpreter === undefined ? [select] : [install, select];
  const chosen = await window.showWarningMessage(`${health.cause}.`, ...offered);
  if (chosen === install) {
    await commands.executeCommand("torchlsp.install");
  } else if (chosen === select) {
    await commands.executeCommand("torchlsp.selectInterpreter");
  }
}
