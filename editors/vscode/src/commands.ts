/** The commands of the extension. Those of the server are registered by the client while a server runs. */

import {
  type Diagnostic,
  type Disposable,
  type LogOutputChannel,
  type TextEditor,
  ConfigurationTarget,
  Range,
  Uri,
  ViewColumn,
  commands,
  extensions,
  languages,
  window,
  workspace,
} from "vscode";
import { debugInformation } from "./debug";
import { EXAMPLE } from "./example";
import { activeFolder } from "./folders";
import { install } from "./install";
import { ENVIRONMENTS_EXTENSION, type Interpreters, PYTHON_EXTENSION } from "./interpreters";
import { recordRun } from "./records";
import { EXPLAIN, FIX_ALL, PROBE, RULES } from "./server_commands";
import { SECTION } from "./settings";
import type { Supervisor } from "./supervisor";

export function registerCommands(
  supervisor: Supervisor,
  interpreters: Interpreters,
  log: LogOutputChannel,
  version: string,
): Disposable[] {
  const table: Record<string, (...args: never[]) => unknown> = {
    "torchlsp.restart": () => supervisor.restart(),
    "torchlsp.showLogs": () => log.show(),
    "torchlsp.install": () => install(supervisor, interpreters, log),
    "torchlsp.selectInterpreter": selectInterpreter,
    "torchlsp.selectConfiguration": selectConfiguration,
    "torchlsp.fixFile": () => fixFile(supervisor),
    "torchlsp.explainRule": () => explainRule(supervisor),
    "torchlsp.probeHere": probeHere,
    "torchlsp.nextFinding": nextFinding,
    "torchlsp.recordRun": () => recordRun(supervisor),
    "torchlsp.showDebugInformation": () => showText("markdown", () => debugInformation(supervisor, version)),
    // Beside the walkthrough, which is not to be covered by it.
    "torchlsp.openExample": () => showText("python", () => EXAMPLE, isTextInFront() ? ViewColumn.Active : ViewColumn.Beside),
  };
  return Object.entries(table).map(([name, run]) => commands.registerCommand(name, run));
}

async function fixFile(supervisor: Supervisor): Promise<void> {
  const client = supervisor.running;
  const document = window.activeTextEditor?.document;
  if (client === undefined || document === undefined) {
    return;
  }
  if (!(await client.ask<boolean>(FIX_ALL, client.code2ProtocolConverter.asUri(document.uri)))) {
    window.setStatusBarMessage("torchlsp: nothing here has a safe fix", 5000);
  }
}

/** The rule of the finding at the cursor comes first, then those of the file, then all others. */
async function explainRule(supervisor: Supervisor): Promise<void> {
  const client = supervisor.running;
  if (!client?.offers.includes(RULES)) {
    return;
  }
  const all = await client.ask<{ code: string; name: string; summary: string }[]>(RULES);
  const here = findingsHere().map(({ code }) => code);
  const uri = codeEditor()?.document.uri;
  const inFile = uri === undefined ? [] : findings(uri).map(codeOf);
  const order = (code: string) => (here.includes(code) ? 0 : inFile.includes(code) ? 1 : 2);
  const items = all
    .map(({ code, name, summary }) => ({ label: `${code} ${name}`, detail: summary, code, order: order(code) }))
    .sort((a, b) => a.order - b.order)
    .map((one) => ({ ...one, description: ["here", "in this file"][one.order] }));
  const chosen = await window.showQuickPick(items, {
    title: "Explain a rule of torchlsp",
    matchOnDetail: true,
    placeHolder: "A code, a name, or words of what goes wrong",
  });
  if (chosen !== undefined) {
    await commands.executeCommand(EXPLAIN, chosen.code);
  }
}

async function probeHere(): Promise<void> {
  const found = findingsHere();
  const [first] = found;
  if (first === undefined) {
    window.setStatusBarMessage("torchlsp: no finding stands at the cursor", 5000);
    return;
  }
  const items = found.map((one) => ({ label: one.code, detail: one.message, one }));
  const title = "Which finding is to be put to the test?";
  const chosen = found.length === 1 ? first : (await window.showQuickPick(items, { title }))?.one;
  if (chosen !== undefined) {
    await commands.executeCommand(PROBE, chosen.uri, chosen.code, chosen.line);
  }
}

/** Our next finding after the cursor, or the first, with what is known there. */
async function nextFinding(): Promise<void> {
  const editor = codeEditor();
  const places = editor === undefined ? [] : findings(editor.document.uri).map(({ range }) => range.start);
  places.sort((a, b) => a.compareTo(b));
  const next = places.find((place) => place.isAfter(editor!.selection.active)) ?? places[0];
  if (editor === undefined || next === undefined) {
    window.setStatusBarMessage("torchlsp: no finding is in sight", 5000);
    return;
  }
  const { document, viewColumn } = editor;
  await window.showTextDocument(document, { viewColumn, selection: new Range(next, next) });
  await commands.executeCommand("editor.action.showHover");
}

/** The editor that the user is in, else one in sight: whoever follows the walkthrough has the code beside it. Cells of a
 * notebook in another tab count as visible; they have no column. */
function codeEditor(): TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = window;
  const isCode = ({ document, viewColumn }: TextEditor) => document.languageId === "python" && viewColumn !== undefined;
  return activeTextEditor ?? visibleTextEditors.find(isCode);
}

/** Our findings at the cursor, else on its line. */
function findingsHere(): { uri: string; code: string; line: number; message: string }[] {
  const editor = codeEditor();
  if (editor === undefined) {
    return [];
  }
  const { document, selection } = editor;
  const all = findings(document.uri);
  const under = all.filter(({ range }) => range.contains(selection.active));
  const onLine = all.filter(({ range }) => range.start.line <= selection.active.line && selection.active.line <= range.end.line);
  return (under.length > 0 ? under : onLine).map((one) => ({
    uri: document.uri.toString(),
    code: codeOf(one),
    line: one.range.start.line,
    message: one.message,
  }));
}

function findings(uri: Uri): Diagnostic[] {
  return languages.getDiagnostics(uri).filter(({ source }) => source === SECTION);
}

function codeOf({ code }: Diagnostic): string {
  return String(typeof code === "object" ? code.value : code);
}

/** The Python extensions' own choice where there is one, else the setting. */
async function selectInterpreter(): Promise<void> {
  const offered = await commands.getCommands(true);
  const theirs = extensions.getExtension(PYTHON_EXTENSION)
    ? "python.setInterpreter"
    : extensions.getExtension(ENVIRONMENTS_EXTENSION) && "python-envs.set";
  if (theirs && offered.includes(theirs)) {
    await commands.executeCommand(theirs);
  } else {
    await commands.executeCommand("workbench.action.openSettings", `${SECTION}.interpreter`);
  }
}

async function selectConfiguration(): Promise<void> {
  const folder = activeFolder();
  const found = await workspace.findFiles("**/{torchlsp,pyproject}.toml", undefined, 100);
  const files = found.map((uri) => ({
    label: workspace.asRelativePath(uri),
    choose: async (): Promise<string | undefined | null> => uri.fsPath,
  }));
  const nearest = {
    label: "$(discard) The nearest above each file",
    description: "the default",
    choose: async (): Promise<string | undefined | null> => null,
  };
  const other = { label: "$(folder-opened) Another file…", choose: browse };
  const items = [nearest, ...files.sort((a, b) => a.label.localeCompare(b.label)), other];
  const title = "The configuration file that torchlsp uses for all projects";
  const chosen = await (await window.showQuickPick(items, { title }))?.choose();
  if (chosen === undefined) {
    return;
  }
  const target = folder ? ConfigurationTarget.Workspace : ConfigurationTarget.Global;
  await workspace.getConfiguration(SECTION).update("configuration", chosen ?? undefined, target);
}

async function browse(): Promise<string | undefined> {
  const [file] = (await window.showOpenDialog({ filters: { TOML: ["toml"] }, title: "A configuration file" })) ?? [];
  return file?.fsPath;
}

/** Whether the editor in front is one of text, or there is none. */
function isTextInFront(): boolean {
  return window.activeTextEditor !== undefined || window.tabGroups.activeTabGroup.activeTab === undefined;
}

async function showText(
  language: string,
  make: () => string | Promise<string>,
  viewColumn = ViewColumn.Active,
): Promise<void> {
  const document = await workspace.openTextDocument({ language, content: await make() });
  await window.showTextDocument(document, { viewColumn });
}
