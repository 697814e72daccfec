/** The commands of the extension. Those of the server are registered by the client while a server runs. */

import { type Disposable, type LogOutputChannel, commands, window } from "vscode";
import type { Supervisor } from "./supervisor";

export function registerCommands(supervisor: Supervisor, log: LogOutputChannel): Disposable[] {
  const table: Record<string, () => unknown> = {
    "torchlsp.restart": () => supervisor.restart(),
    "torchlsp.showLogs": () => log.show(),
    "torchlsp.fixFile": () => fixFile(supervisor),
  };
  return Object.entries(table).map(([name, run]) => commands.registerCommand(name, run));
}

async function fixFile(supervisor: Supervisor): Promise<void> {
  const client = supervisor.running;
  const document = window.activeTextEditor?.document;
  if (client === undefined || document === undefined) {
    return;
  }
  const isFixed = await client.ask<boolean>("torchlsp.fixAll", client.code2ProtocolConverter.asUri(document.uri));
  if (!isFixed) {
    window.setStatusBarMessage("torchlsp: nothing here has a safe fix", 5000);
  }
}
