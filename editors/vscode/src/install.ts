/** Installs the server into the selected environment, if the user says so. */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import * as readline from "node:readline";
import { type CancellationToken, type LogOutputChannel, ProgressLocation, commands, window, workspace } from "vscode";
import { environmentName } from "./finding";
import { activeFolder } from "./folders";
import type { Interpreters } from "./interpreters";
import { isProgram, onPath, pythonOf } from "./programs";
import type { Supervisor } from "./supervisor";

/** What pip is given; empty while torchlsp is neither on PyPI nor in a repository that is known. */
const PACKAGE: string = "";

interface Installer {
  readonly command: string;
  readonly args: readonly string[];
}

export async function install(supervisor: Supervisor, interpreters: Interpreters, log: LogOutputChannel, known = PACKAGE): Promise<void> {
  if (!workspace.isTrusted) {
    const trust = "Manage Workspace Trust";
    const text = "torchlsp installs nothing while the workspace is not trusted.";
    if ((await window.showWarningMessage(text, trust)) === trust) {
      await commands.executeCommand("workbench.trust.manage");
    }
    return;
  }
  const interpreter = await interpreters.of(activeFolder());
  const python = interpreter?.path;
  if (python === undefined || !isProgram(python)) {
    const select = "Select Interpreter";
    const broken = interpreter?.broken && `The environment ${environmentName(interpreter.path)} is broken: ${interpreter.broken}.`;
    const text = broken ?? (python === undefined ? "No Python was found." : `There is no Python at ${python}.`);
    if ((await window.showErrorMessage(`torchlsp: ${text}`, select)) === select) {
      await commands.executeCommand("torchlsp.selectInterpreter");
    }
    return;
  }
  const place = environmentName(python);
  const source = known !== "" ? known : await copyOfRepository();
  if (source === undefined) {
    return;
  }
  const installer = await installerFor(python, source, log);
  if (installer === undefined) {
    const text = `torchlsp cannot be installed into ${place}: it has no pip, and there is no uv on the PATH.`;
    await window.showErrorMessage(text);
    return;
  }
  const yes = "Install";
  const detail = `This runs\n\n${written(installer)}\n\nThe server needs no torch.`;
  if ((await window.showInformationMessage(`Install torchlsp into ${place}?`, { modal: true, detail }, yes)) !== yes) {
    return;
  }
  const failure = await shown(`Installing torchlsp into ${place}`, [async () => installer], log);
  if (failure === "cancelled") {
    return;
  }
  if (failure === undefined) {
    await started(supervisor, place);
  } else if (EXTERNALLY_MANAGED.test(failure) && interpreters.ownEnvironment !== undefined) {
    await installApart(python, interpreters.ownEnvironment, source, supervisor, log);
  } else {
    await offerLogs(`torchlsp could not be installed into ${place}: ${failure}`);
  }
}

/** What pip and uv say of a Python whose packages the system's own installer looks after (PEP 668). */
const EXTERNALLY_MANAGED = /externally[- ]managed/i;

/** Makes an environment for torchlsp alone, if the user says so, where the selected Python takes no packages. */
async function installApart(
  python: string,
  folder: string,
  source: string,
  supervisor: Supervisor,
  log: LogOutputChannel,
): Promise<void> {
  const make = "Make an Environment";
  const maker = environmentMaker(python, folder);
  const detail =
    `${environmentName(python)} is managed by the system and refuses packages. This makes an environment for torchlsp ` +
    `alone, and changes nothing else:\n\n${written(maker)}\n\nThe torch of your own environments is used as before.`;
  const text = "Install torchlsp into an environment of its own?";
  if ((await window.showInformationMessage(text, { modal: true, detail }, make)) !== make) {
    return;
  }
  const steps = [
    async () => maker,
    async () => {
      const own = pythonOf(folder);
      return own === undefined ? undefined : installerFor(own, source, log);
    },
  ];
  const failure = await shown("Installing torchlsp into an environment of its own", steps, log);
  if (failure === undefined) {
    await started(supervisor, "an environment of its own");
  } else if (failure !== "cancelled") {
    await offerLogs(`The environment could not be made in ${folder}: ${failure}`);
  }
}

/** uv where there is one: the system's Python may lack what `venv` needs. */
function environmentMaker(python: string, folder: string): Installer {
  const uv = onPath("uv");
  return uv === undefined
    ? { command: python, args: [...isolated, "venv", "--clear", folder] }
    : { command: uv, args: ["venv", "--allow-existing", "--python", python, folder] };
}

/** Runs one program after the other, and shows that. Answers what went wrong. */
async function shown(
  title: string,
  steps: readonly (() => Promise<Installer | undefined>)[],
  log: LogOutputChannel,
): Promise<string | undefined> {
  return window.withProgress(
    { location: ProgressLocation.Notification, title, cancellable: true },
    async (_progress, token) => {
      for (const step of steps) {
        const installer = await step();
        const failure = installer === undefined ? "it has no pip" : await run(installer, log, token);
        if (failure !== undefined) {
          return failure;
        }
      }
      return undefined;
    },
  );
}

async function started(supervisor: Supervisor, place: string): Promise<void> {
  await supervisor.restart();
  const { health } = supervisor;
  if (health.kind === "ready") {
    await window.showInformationMessage(`torchlsp ${health.client.version} is installed in ${place} and runs.`);
  } else if (health.kind === "missing" || health.kind === "failed") {
    await offerLogs(`torchlsp is installed in ${place} and does not run: ${health.cause}`);
  }
}

function written({ command, args }: Installer): string {
  return [command, ...args].join(" ");
}

/** The folder of torchlsp's repository on this machine, if the user knows one. */
async function copyOfRepository(): Promise<string | undefined> {
  const title = "torchlsp is not published yet: choose a copy of its repository";
  const chosen = await window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    openLabel: "Install from Here",
    title,
  });
  const folder = chosen?.[0]?.fsPath;
  if (folder !== undefined && !isCopy(folder)) {
    await window.showErrorMessage(`${folder} is no copy of torchlsp's repository.`);
    return undefined;
  }
  return folder;
}

/** Whether the folder is torchlsp's own: pip would run what any other one says. */
function isCopy(folder: string): boolean {
  try {
    return /^name = "torchlsp"$/m.test(readFileSync(path.join(folder, "pyproject.toml"), "utf8"));
  } catch {
    return false;
  }
}

/** pip of the environment, else uv, whose environments have none. */
async function installerFor(python: string, source: string, log: LogOutputChannel): Promise<Installer | undefined> {
  const pip = [...isolated, "pip"];
  if ((await run({ command: python, args: [...pip, "--version"] }, log)) === undefined) {
    return { command: python, args: [...pip, "install", "--disable-pip-version-check", "--upgrade", source] };
  }
  const uv = onPath("uv");
  if (uv === undefined) {
    return undefined;
  }
  return { command: uv, args: ["pip", "install", "--python", python, "--upgrade", source] };
}

/** Nothing of the project, or of the user's own folder, is imported in place of pip. */
const isolated = ["-I", "-m"];

async function offerLogs(text: string): Promise<void> {
  const logs = "Show Logs";
  if ((await window.showErrorMessage(text, logs)) === logs) {
    await commands.executeCommand("torchlsp.showLogs");
  }
}

/** Runs to its end, its rows in the log. Answers what went wrong in its own last words. */
function run(installer: Installer, log: LogOutputChannel, token?: CancellationToken): Promise<string | undefined> {
  const { command, args } = installer;
  log.info(`> ${written(installer)}`);
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: path.dirname(command),
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      readline.createInterface({ input: stream }).on("line", (row) => {
        log.info(row);
        // An error is what counts; hints and notices come after it.
        if (row.trim() !== "" && (!/^error/i.test(said) || /^error/i.test(row))) {
          said = row.trim();
        }
      });
    }
    token?.onCancellationRequested(() => child.kill());
    child.on("error", (failure) => resolve(failure.message));
    child.on("close", (code) => {
      if (token?.isCancellationRequested) {
        resolve("cancelled");
      } else {
        resolve(code === 0 ? undefined : said || `it ended with ${code}`);
      }
    });
  });
}
