/** Which `torchlsp` is run. */

import * as path from "node:path";
import { workspace } from "vscode";
import type { Interpreter, Interpreters } from "./interpreters";
import { beside, isAllowed, isProgram, onPath, pythonOf } from "./programs";
import { pathSetting } from "./settings";

export interface Server {
  readonly command: string;
  readonly source: string;
}

/** Why there is none. `cause` is one sentence for the user; `isSetting` when a setting names what is not there. */
export interface NoServer {
  readonly cause: string;
  readonly isSetting: boolean;
  readonly interpreter: Interpreter | undefined;
}

export function isServer(found: Server | NoServer): found is Server {
  return "command" in found;
}

/** One server serves all folders; the first folder whose environment has it decides. */
export async function findServer(interpreters: Interpreters): Promise<Server | NoServer> {
  const folders = workspace.workspaceFolders?.length ? workspace.workspaceFolders : [undefined];
  const set = pathSetting("path", folders[0]);
  if (set !== undefined) {
    return fromSetting(set);
  }
  let first: Interpreter | undefined;
  for (const folder of folders) {
    const interpreter = await interpreters.of(folder);
    const command =
      interpreter && interpreter.broken === undefined ? beside(interpreter.path, "torchlsp") : undefined;
    if (command !== undefined) {
      return { command, source: `beside the Python of ${interpreter?.source}` };
    }
    first ??= interpreter;
  }
  const command = onPath("torchlsp");
  if (command !== undefined) {
    return { command, source: "on the PATH" };
  }
  const own = interpreters.ownEnvironment && pythonOf(interpreters.ownEnvironment);
  const inOwn = own ? beside(own, "torchlsp") : undefined;
  if (inOwn !== undefined) {
    return { command: inOwn, source: "in the environment that was made for it" };
  }
  return { cause: whyMissing(first), isSetting: false, interpreter: first };
}

function whyMissing(interpreter: Interpreter | undefined): string {
  if (interpreter === undefined) {
    return "No Python was found";
  }
  const place = environmentName(interpreter.path);
  return interpreter.broken === undefined
    ? `torchlsp is not installed in ${place}`
    : `The environment ${place} is broken: ${interpreter.broken}`;
}

/** How an environment is called to its user: by its folder. */
export function environmentName(python: string): string {
  const folder = path.dirname(python);
  const isInner = ["bin", "scripts"].includes(path.basename(folder).toLowerCase());
  const environment = isInner ? path.dirname(folder) : folder;
  const workspaces = workspace.workspaceFolders ?? [];
  const owner = workspaces.find(({ uri }) => environment.startsWith(uri.fsPath + path.sep));
  return owner ? path.relative(owner.uri.fsPath, environment) : environment;
}

function fromSetting(set: string): Server | NoServer {
  const command = path.isAbsolute(set) ? set : onPath(set);
  const wrong = (why: string) => ({ cause: `torchlsp.path: ${set} ${why}`, isSetting: true, interpreter: undefined });
  if (command === undefined || !isProgram(command)) {
    return wrong("is no program that can be run");
  }
  return isAllowed(command)
    ? { command, source: "the setting torchlsp.path" }
    : wrong("lies in the workspace, which is not trusted");
}
