/** Programs on disk. Nothing here starts one. */

import * as fs from "node:fs";
import * as path from "node:path";
import { workspace } from "vscode";

const WINDOWS = process.platform === "win32";

export function isProgram(file: string): boolean {
  try {
    if (!fs.statSync(file).isFile()) {
      return false;
    }
    fs.accessSync(file, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether a file may be started: in a workspace that is not trusted, nothing that lies in it by name or by link. */
export function isAllowed(file: string): boolean {
  if (workspace.isTrusted) {
    return true;
  }
  const ways = [path.resolve(file), real(path.dirname(file)), real(file)];
  const folders = (workspace.workspaceFolders ?? []).flatMap(({ uri }) => [uri.fsPath, real(uri.fsPath)]);
  return !ways.some((way) => folders.some((folder) => isInside(way, folder)));
}

/** A program of this name in a folder of the PATH. Relative entries would mean a folder of the project. */
export function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return firstProgram(folders.map((folder) => path.join(folder, executable(name))));
}

/** A program that an environment has beside its Python. */
export function beside(python: string, name: string): string | undefined {
  const folder = path.dirname(python);
  const folders = WINDOWS ? [folder, path.join(folder, "Scripts")] : [folder];
  return firstProgram(folders.map((one) => path.join(one, executable(name))));
}

/** The Python of an environment's folder. */
export function pythonOf(environment: string): string | undefined {
  const names = WINDOWS
    ? [path.join("Scripts", "python.exe"), "python.exe"]
    : [path.join("bin", "python"), path.join("bin", "python3")];
  return firstProgram(names.map((name) => path.join(environment, name)));
}

/** Why the Python of an environment in a folder cannot be started; undefined where it can, and for what is no environment. */
export function whyBroken(environment: string): string | undefined {
  if (pythonOf(environment) !== undefined) {
    return undefined;
  }
  for (const name of [path.join("bin", "python"), path.join("bin", "python3")]) {
    const target = linkTarget(path.join(environment, name));
    if (target !== undefined && !fs.existsSync(target)) {
      return `its ${name} leads to ${target}, which does not exist`;
    }
  }
  return fs.existsSync(path.join(environment, "pyvenv.cfg")) ? "there is no Python in it" : undefined;
}

function linkTarget(file: string): string | undefined {
  try {
    return path.resolve(path.dirname(file), fs.readlinkSync(file));
  } catch {
    return undefined;
  }
}

function executable(name: string): string {
  return WINDOWS ? `${name}.exe` : name;
}

function firstProgram(files: string[]): string | undefined {
  return files.find((file) => isProgram(file) && isAllowed(file));
}

function real(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

function isInside(file: string, folder: string): boolean {
  const way = path.relative(folder, file);
  return way === "" || (!way.startsWith(`..${path.sep}`) && way !== ".." && !path.isAbsolute(way));
}
