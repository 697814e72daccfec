/** The user's settings as the extension reads them: variables put in, empty text read as absent. */

import * as os from "node:os";
import * as path from "node:path";
import { type ConfigurationScope, type WorkspaceFolder, workspace } from "vscode";

export const SECTION = "torchlsp";

/** Settings that are paths; the server is sent them without variables. */
const PATHS = ["configuration", "interpreter"] as const;

/** A setting that is a path, absolute unless it is a bare name; undefined where the user has set none. */
export function pathSetting(
  key: "path" | "interpreter" | "configuration",
  folder: WorkspaceFolder | undefined,
): string | undefined {
  const said = workspace.getConfiguration(SECTION, folder).get<string | null>(key);
  return absolute(said, folder);
}

/** What the editor's user has set for a scope, as the server is to see it. */
export function forServer(
  table: Record<string, unknown>,
  folder: WorkspaceFolder | undefined,
): Record<string, unknown> {
  const found: Record<string, unknown> = { ...table };
  for (const key of PATHS) {
    found[key] = absolute(found[key], folder) ?? null;
  }
  delete found.path; // what runs the server is no concern of it
  return found;
}

/** All settings of the section for a scope, nested as they are in `settings.json`. */
export function allSettings(scope: ConfigurationScope | undefined): Record<string, unknown> {
  const table = workspace.getConfiguration(undefined, scope).get<object>(SECTION) ?? {};
  return JSON.parse(JSON.stringify(table));
}

function absolute(said: unknown, folder: WorkspaceFolder | undefined): string | undefined {
  if (typeof said !== "string" || said.trim() === "") {
    return undefined;
  }
  const text = expanded(said.trim(), folder);
  if (path.isAbsolute(text) || path.basename(text) === text) {
    return text;
  }
  return path.resolve(folder?.uri.fsPath ?? os.homedir(), text);
}

function expanded(text: string, folder: WorkspaceFolder | undefined): string {
  const home = text === "~" || /^~[/\\]/.test(text) ? os.homedir() + text.slice(1) : text;
  return home.replace(/\$\{([^}:]+)(?::([^}]*))?\}/g, (whole, name: string, argument?: string) => {
    switch (name) {
      case "userHome":
        return os.homedir();
      case "env":
        return process.env[argument ?? ""] ?? "";
      case "workspaceFolder": {
        const one = argument === undefined ? folder : workspace.workspaceFolders?.find((f) => f.name === argument);
        return (one ?? workspace.workspaceFolders?.[0])?.uri.fsPath ?? whole;
      }
      default:
        return whole;
    }
  });
}
