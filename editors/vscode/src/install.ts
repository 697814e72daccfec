/** Installs the server into the selected environment, if the user says so. */

import { spawn } from "node:child_process";
import * as path from "node:path";
import * as readline from "node:readline";
import { type CancellationToken, type LogOutputChannel, ProgressLocation, commands, window, workspace } from "vscode";
import { environmentName } from "./finding";
import { activeFolder } from "./folders";
import type { Interpreters } from "./interpreters";
import { isProgram, onPath } from "./programs";
import type { Supervisor } from "./supervisor";

const PACKAGE = "torchlsp";

interface Installer {
  readonly command: string;
  readonly args: readonly string[];
}

export async function install(supervisor: Supervisor, interpreters: Interpreters, log: LogOutputChannel): Promise<void> {
  if (!workspace.isTrusted) {
    const trust = "Manage Workspace Trust";
    const text = "torchlsp installs nothing while the workspace is not trusted.";
    if ((await window.showWarningMessage(text, trust)) === trust) {
      await commands.executeCommand("workbench.trust.manage");
    }
    return;
  }
  const python = (await interpreters.of(activeFolder()))?.path;
  if (python === undefined || !isProgram(python)) {
    const select = "Select Interpreter";
    const text = python === undefined ? "No Python was found." : `There is no Python at ${python}.`;
    if ((await window.showErrorMessage(`torchlsp: ${text}`, select)) === select) {
      await commands.executeCommand("torchlsp.selectInterpreter");
    }
    return;
  }
  const place = environmentName(python);
  const installer = await installerFor(python, log);
  if (installer === undefined) {
    const text = `torchlsp cannot be installed into ${place}: it has no pip, and there is no uv on the PATH.`;
    await window.showErrorMessage(text);
    return;
  }
  const yes = "Install";
  const detail = `This runs\n\n${[installer.command, ...installer.args].join(" ")}\n\nThe server needs no torch.`;
  if ((await window.showInformationMessage(`Install torchlsp into ${place}?`, { modal: true, detail }, yes)) !== yes) {
    return;
  }
  const failure = await window.withProgress(
    { location: ProgressLocation.Notification, title: `Installing torchlsp into ${place}`, cancellable: true },
    (_progress, token) => run(installer, log, token),
  );
  if (failure === "cancelled") {
    return;
  }
  if (failure !== undefined) {
    await offerLogs(`torchlsp could not be installed into ${place}: ${failure}`);
    return;
  }
  await supervisor.restart();
  const { health } = supervisor;
  if (health.kind === "ready") {
    await window.showInformationMessage(`torchlsp ${health.client.version} is installed in ${place} and runs.`);
  } else if (health.kind === "missing" || health.kind === "failed") {
    await offerLogs(`torchlsp is installed in ${place} and does not run: ${health.cause}`);
  }
}

/** pip of the environment, else uv, whose environments have none. */
async function installerFor(python: string, log: LogOutputChannel): Promise<Installer | undefined> {
  const pip = [...isolated, "pip"];
  if ((await run({ command: python, args: [...pip, "--version"] }, log)) === undefined) {
    return { command: python, args: [...pip, "install", "--disable-pip-version-check", "--upgrade", PACKAGE] };
  }
  const uv = onPath("uv");
  if (uv === undefined) {
    return undefined;
  }
  return { command: uv, args: ["pip", "install", "--python", python, "--upgrade", PACKAGE] };
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
  log.info(`> ${[command, ...args].join(" ")}`);
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
