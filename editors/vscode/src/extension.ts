/** Where the editor enters: everything is made here, and undone when the editor leaves. */

import { type ExtensionContext, commands, window, workspace } from "vscode";
import { registerCommands } from "./commands";
import { Interpreters } from "./interpreters";
import { SECTION } from "./settings";
import { statusItem } from "./status";
import { Supervisor } from "./supervisor";

let supervisor: Supervisor | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const log = window.createOutputChannel("torchlsp", { log: true });
  const interpreters = new Interpreters(log);
  const own = new Supervisor(interpreters, log);
  supervisor = own;
  const decides = [`${SECTION}.path`, `${SECTION}.interpreter`];
  context.subscriptions.push(
    log,
    interpreters,
    own,
    statusItem(own),
    // Before the first start: restarting and the logs are wanted most where it fails.
    ...registerCommands(own, log),
    own.onDidChange(({ kind }) => commands.executeCommand("setContext", "torchlsp.ready", kind === "ready")),
    interpreters.onDidChange(() => own.ensure()),
    workspace.onDidChangeConfiguration((event) => {
      if (decides.some((key) => event.affectsConfiguration(key))) {
        void own.ensure();
      }
    }),
    workspace.onDidGrantWorkspaceTrust(() => own.restart()),
    workspace.onDidChangeWorkspaceFolders(() => own.ensure()),
  );
  await own.ensure();
}

export async function deactivate(): Promise<void> {
  await supervisor?.stop();
}
