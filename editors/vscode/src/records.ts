/** Recording a run: a task in the terminal, and a line of the language status that says what is recorded of a file. */

import * as path from "node:path";
import {
  type Command,
  type Disposable,
  type LanguageStatusItem,
  ProcessExecution,
  Task,
  TaskPanelKind,
  TaskRevealKind,
  TaskScope,
  languages,
  tasks,
  window,
  workspace,
} from "vscode";
import type { Client } from "./client";
import { folderOf } from "./folders";
import { RECORD_COMMAND, RECORD_STATUS } from "./server_commands";
import { SECTION } from "./settings";
import type { Supervisor } from "./supervisor";

const RECORD: Command = { title: "Record a Run", command: "torchlsp.recordRun" };
/** So long (milliseconds) what the command says stands in the status bar. */
const SHOWN = 5000;

/** Of the newest run that has called functions of a file; the time in seconds since 1970. */
interface Recorded {
  readonly started: number;
  readonly command: readonly string[];
  readonly functions: number;
  readonly changed: number;
}

/** Runs the file of the active editor in the terminal. The server notices the end of the run by itself. */
export async function recordRun(supervisor: Supervisor): Promise<void> {
  const client = supervisor.running;
  const document = window.activeTextEditor?.document;
  if (client === undefined || document === undefined || !workspace.isTrusted) {
    return;
  }
  // What is run is what is on disk.
  if (document.isDirty && !document.isUntitled && !(await document.save())) {
    return;
  }
  const uri = client.code2ProtocolConverter.asUri(document.uri);
  const found = await client.ask<{ command: string[]; folder: string } | null>(RECORD_COMMAND, uri);
  const [program, ...rest] = found?.command ?? [];
  if (found === null || program === undefined) {
    window.setStatusBarMessage("torchlsp: this file has neither a main block nor tests", SHOWN);
    return;
  }
  const file = document.uri.fsPath;
  const execution = new ProcessExecution(program, rest, { cwd: found.folder });
  const scope = folderOf(document.uri) ?? TaskScope.Workspace;
  const task = new Task({ type: SECTION, file }, scope, `record ${path.basename(file)}`, SECTION, execution, []);
  task.presentationOptions = { reveal: TaskRevealKind.Always, panel: TaskPanelKind.Dedicated, showReuseMessage: false };
  await tasks.executeTask(task);
}

/** What is recorded of the file in the active editor. It is there while a server runs that can say it. */
export class RecordStatus implements Disposable {
  private item: LanguageStatusItem | undefined;
  private client: Client | undefined;
  private news: Disposable | undefined;
  /** The files whose runs go on. */
  private readonly running = new Set<string>();
  private readonly subscriptions: Disposable[];

  constructor(private readonly supervisor: Supervisor) {
    this.subscriptions = [
      supervisor.onDidChange(() => this.follow()),
      window.onDidChangeActiveTextEditor(() => this.ask()),
      workspace.onDidSaveTextDocument(() => this.ask()),
      tasks.onDidStartTask(({ execution }) => this.goes(execution.task, true)),
      tasks.onDidEndTask(({ execution }) => this.goes(execution.task, false)),
    ];
    this.follow();
  }

  dispose(): void {
    this.leave();
    this.subscriptions.forEach((one) => one.dispose());
  }

  private follow(): void {
    this.leave();
    const client = this.supervisor.running;
    if (client?.offers.includes(RECORD_STATUS)) {
      this.client = client;
      this.item = languages.createLanguageStatusItem("torchlsp.records", { scheme: "file", language: "python" });
      this.item.name = "torchlsp: recorded runs";
      this.item.command = workspace.isTrusted ? RECORD : undefined;
      this.news = client.onDidChangeRecords(() => this.ask());
      this.show(null);
      void this.ask();
    }
  }

  private leave(): void {
    this.news?.dispose();
    this.item?.dispose();
    this.item = this.client = this.news = undefined;
  }

  private goes({ definition }: Task, isRunning: boolean): void {
    if (definition.type !== SECTION || typeof definition.file !== "string") {
      return;
    }
    if (isRunning) {
      this.running.add(definition.file);
    } else {
      this.running.delete(definition.file);
    }
    void this.ask();
  }

  private async ask(): Promise<void> {
    const { client } = this;
    const document = window.activeTextEditor?.document;
    if (client === undefined || document?.languageId !== "python" || document.uri.scheme !== "file") {
      return;
    }
    const uri = client.code2ProtocolConverter.asUri(document.uri);
    const recorded = await client.ask<Recorded | null>(RECORD_STATUS, uri).catch(() => null);
    if (this.client === client && window.activeTextEditor?.document === document) {
      this.show(recorded);
    }
  }

  private show(recorded: Recorded | null): void {
    const { item } = this;
    if (item === undefined) {
      return;
    }
    const [runs] = this.running;
    item.busy = runs !== undefined;
    if (runs !== undefined) {
      item.text = `recording ${path.basename(runs)}`;
      item.detail = undefined;
    } else if (recorded === null) {
      item.text = "no recorded run";
      item.detail = undefined;
    } else {
      const changed = recorded.changed > 0 ? `, ${recorded.changed} of ${recorded.functions} functions changed since` : "";
      item.text = `recorded ${timeOf(recorded.started)}`;
      item.detail = `${recorded.command.at(-1)}${changed}`;
    }
  }
}

/** The clock's time if it is of today, else the date too. */
function timeOf(seconds: number): string {
  const then = new Date(seconds * 1000);
  const two = (number: number) => String(number).padStart(2, "0");
  const clock = `${two(then.getHours())}:${two(then.getMinutes())}`;
  const isToday = then.toDateString() === new Date().toDateString();
  return isToday ? clock : `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())} ${clock}`;
}
