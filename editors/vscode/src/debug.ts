/** What a report of a mistake should say, ready to be pasted. */

import * as os from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { env, extensions, version as editor, workspace } from "vscode";
import { ENVIRONMENTS_EXTENSION, PYTHON_EXTENSION } from "./interpreters";
import { DEBUG_INFORMATION } from "./server_commands";
import { SECTION } from "./settings";
import type { Supervisor } from "./supervisor";

/** So long (milliseconds) the server is waited for. */
const PATIENCE = 5000;

export async function debugInformation(supervisor: Supervisor, version: string): Promise<string> {
  const { health } = supervisor;
  const own = {
    extension: version,
    editor: `${env.appName} ${editor}`,
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    remote: env.remoteName ?? null,
    trusted: workspace.isTrusted,
    folders: workspace.workspaceFolders?.length ?? 0,
    extensions: Object.fromEntries(
      [ENVIRONMENTS_EXTENSION, PYTHON_EXTENSION].map((id) => [id, versionOf(id)]),
    ),
    server: supervisor.server ?? null,
    state: health.kind,
    cause: "cause" in health ? health.cause : null,
    settings: changedSettings(),
  };
  const theirs = await answerOf(supervisor);
  const parts = [
    "<!-- Paste this below what went wrong, after looking for what you would rather not tell. -->",
    block("The extension", own),
    block("The server", theirs),
  ];
  return `${parts.join("\n\n").replaceAll(os.homedir(), "~")}\n`;
}

/** A server that has hung is worth a report, too. */
async function answerOf({ running }: Supervisor): Promise<unknown> {
  if (running === undefined) {
    return "The server does not run.";
  }
  const late = pause(PATIENCE, "The server does not answer.");
  return Promise.race([running.ask(DEBUG_INFORMATION).catch(String), late]);
}

function block(title: string, content: unknown): string {
  return `### ${title}\n\n\`\`\`json\n${JSON.stringify(content, undefined, 2)}\n\`\`\``;
}

function versionOf(id: string): string | null {
  return extensions.getExtension(id)?.packageJSON.version ?? null;
}

/** What is set otherwise than by default, and where. */
function changedSettings(): Record<string, unknown> {
  const configuration = workspace.getConfiguration(SECTION);
  const found: Record<string, unknown> = {};
  const visit = (table: object, prefix: string) => {
    for (const [name, value] of Object.entries(table)) {
      const key = `${prefix}${name}`;
      const said = configuration.inspect(key);
      if (said === undefined || said.defaultValue === undefined) {
        if (value !== null && typeof value === "object") {
          visit(value, `${key}.`);
        }
        continue;
      }
      const { globalValue, workspaceValue, workspaceFolderValue } = said;
      if ([globalValue, workspaceValue, workspaceFolderValue].some((one) => one !== undefined)) {
        found[key] = { user: globalValue, workspace: workspaceValue, folder: workspaceFolderValue };
      }
    }
  };
  visit(JSON.parse(JSON.stringify(workspace.getConfiguration().get(SECTION) ?? {})), "");
  return found;
}
