/** The server's commands, and what the editor puts around them. */

import { type Uri, ProgressLocation, commands, window } from "vscode";

/** Those that the extension calls or wraps; the server's README lists all. */
export const EXPLAIN = "torchlsp.explain";
export const PROBE = "torchlsp.probe";
export const FIX_ALL = "torchlsp.fixAll";
export const RULES = "torchlsp.rules";
export const CHECK_WORKSPACE = "torchlsp.checkWorkspace";
export const DEBUG_INFORMATION = "torchlsp.debugInformation";
export const RECORD_COMMAND = "torchlsp.recordCommand";
export const RECORD_STATUS = "torchlsp.recordStatus";

/** Context keys that hold while the server offers a command, for what is shown only then. */
export const OFFERS: Readonly<Record<string, string>> = {
  "torchlsp.offersExplain": EXPLAIN,
  "torchlsp.offersRules": RULES,
  "torchlsp.offersProbe": PROBE,
  "torchlsp.offersCheckWorkspace": CHECK_WORKSPACE,
  "torchlsp.offersRecord": RECORD_COMMAND,
};

type Execute = (command: string, args: unknown[]) => PromiseLike<unknown> | unknown;

/** Every way to a command of the server leads through here: the palette, quick fixes, our own commands. */
export async function execute(command: string, args: unknown[], next: Execute): Promise<unknown> {
  switch (command) {
    case PROBE:
      return probe(args, next);
    case CHECK_WORKSPACE:
      return checkWorkspace(args, next);
    default:
      return next(command, args);
  }
}

/** The first program of a session waits for torch to be imported. The server says what came of it. */
async function probe(args: unknown[], next: Execute): Promise<unknown> {
  const [, rule] = args;
  const title = `torchlsp: putting ${rule} to the test in torch`;
  const verdict = await window.withProgress({ location: ProgressLocation.Notification, title }, async () =>
    next(PROBE, args),
  );
  if (verdict === null) {
    void window.showInformationMessage(`torchlsp: the text has changed, and ${rule} is no longer there.`);
  }
  return verdict;
}

async function checkWorkspace(args: unknown[], next: Execute): Promise<unknown> {
  const found = (await next(CHECK_WORKSPACE, args)) as { files: number; findings: number } | null;
  if (found) {
    const show = "Show Problems";
    const text = `torchlsp: ${counted(found.findings, "finding")} in ${counted(found.files, "file")}`;
    void window.showInformationMessage(text, ...(found.findings ? [show] : [])).then((chosen) => {
      if (chosen === show) {
        void commands.executeCommand("workbench.panel.markers.view.focus");
      }
    });
  }
  return found;
}

function counted(number: number, what: string): string {
  return `${number === 0 ? "no" : number} ${what}${number === 1 ? "" : "s"}`;
}

/** Whether a file is a page to be read, not one to be edited. */
export function isPage(uri: Uri): boolean {
  return uri.scheme === "file" && uri.path.endsWith(".md");
}

/** Shows a rule's page as it is meant to be read. */
export async function showPage(uri: Uri): Promise<void> {
  await commands.executeCommand("markdown.showPreview", uri);
}
