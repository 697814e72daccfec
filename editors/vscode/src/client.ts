/** The language client: how the server is started, spoken with, and given up after crashes. */

import * as readline from "node:readline";
import { EventEmitter, type LogOutputChannel, type WorkspaceFolder, workspace } from "vscode";
import {
  CloseAction,
  type CloseHandlerResult,
  DidChangeConfigurationNotification,
  ErrorAction,
  type ExecuteCommandParams,
  ExecuteCommandRequest,
  LanguageClient,
  RevealOutputChannelOn,
  State,
} from "vscode-languageclient/node";
import type { Server } from "./finding";
import type { Interpreters } from "./interpreters";
import { execute, isPage, showPage } from "./server_commands";
import { SECTION, allSettings, forServer } from "./settings";

/** What the server checks, and the configuration files on whose codes it answers hovers. */
export const DOCUMENTS = [
  { scheme: "file", language: "python" },
  { scheme: "untitled", language: "python" },
  { notebook: "jupyter-notebook", language: "python" },
  { notebook: "interactive", language: "python" },
  { scheme: "file", pattern: "**/{torchlsp,pyproject}.toml" },
];

const CRASHES = 3;
const WITHIN = 3 * 60_000;
/** So many of the last rows on stderr are kept, to say why a server ended. */
const LAST_ROWS = 20;
/** And so long (milliseconds) they are waited for. */
const HEARING = 1000;

export interface Reports {
  /** It runs; also after a crash. */
  ready(client: Client): void;
  /** It crashed and is being started again. */
  crashed(): void;
  /** It is not started again. */
  ended(cause: string): void;
}

export class Client extends LanguageClient {
  private readonly configured = new EventEmitter<void>();
  /** The server has been told its settings; what it is asked now, it answers with them. */
  readonly onDidConfigure = this.configured.event;
  private readonly recordsChanged = new EventEmitter<void>();
  /** Another record of an open file is used now. */
  readonly onDidChangeRecords = this.recordsChanged.event;
  private readonly crashes: number[] = [];
  private isLeft = false;
  /** Whether the process that runs now has answered. */
  private hasAnswered = false;
  /** What the server last wrote on stderr. */
  private readonly lastRows: string[] = [];
  private silence: Promise<void> = Promise.resolve();

  constructor(
    readonly server: Server,
    interpreters: Interpreters,
    initializationOptions: object,
    private readonly log: LogOutputChannel,
    private readonly reports: Reports,
  ) {
    super(
      SECTION,
      "torchlsp",
      { command: server.command, args: ["server"] },
      {
        documentSelector: DOCUMENTS,
        outputChannel: log,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        initializationOptions,
        initializationFailedHandler: () => false,
        errorHandler: {
          error: (_error, _message, count) => ({
            action: (count ?? 0) <= CRASHES ? ErrorAction.Continue : ErrorAction.Shutdown,
            handled: true,
          }),
          closed: () => this.closed(),
        },
        stdioOptions: {
          stdout: () => undefined, // it is the protocol's
          stderr: (input, output) => {
            const rows = readline.createInterface({ input }).on("line", (row) => {
              output.error(row);
              this.lastRows.push(row);
              this.lastRows.splice(0, this.lastRows.length - LAST_ROWS);
            });
            this.silence = new Promise((resolve) => rows.on("close", resolve));
          },
        },
        middleware: {
          workspace: {
            configuration: async (params, token, next) => {
              const answers = await next(params, token);
              if (!Array.isArray(answers)) {
                return answers;
              }
              const found = params.items.map(({ scopeUri }, number) => {
                const scope = scopeUri === undefined ? undefined : this.protocol2CodeConverter.asUri(scopeUri);
                return settingsFor(answers[number], scope && workspace.getWorkspaceFolder(scope), interpreters);
              });
              const told = await Promise.all(found);
              // When the answer is on its way.
              setTimeout(() => this.configured.fire(), 0);
              return told;
            },
          },
          window: {
            showDocument: async (params, token, next) => {
              const uri = this.protocol2CodeConverter.asUri(params.uri);
              if (params.external || !isPage(uri)) {
                return next(params, token);
              }
              await showPage(uri);
              return { success: true };
            },
          },
          executeCommand: execute,
        },
      },
    );
    this.onNotification("torchlsp/recordsChanged", () => this.recordsChanged.fire());
    this.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.hasAnswered = true;
        this.reports.ready(this);
      }
    });
  }

  get version(): string {
    return this.initializeResult?.serverInfo?.version ?? "";
  }

  /** The commands that the server offers; none while it does not run. */
  get offers(): readonly string[] {
    return this.isRunning() ? (this.initializeResult?.capabilities.executeCommandProvider?.commands ?? []) : [];
  }

  /** Ask the server for something, past what the editor's own commands do around it. */
  ask<T>(command: string, ...args: unknown[]): Promise<T> {
    const params: ExecuteCommandParams = { command, arguments: args as ExecuteCommandParams["arguments"] };
    return this.sendRequest(ExecuteCommandRequest.type, params) as Promise<T>;
  }

  /** Have the server ask for its settings anew. */
  async configurationChanged(): Promise<void> {
    await this.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
  }

  /** End it for good, whatever state it is in. */
  async leave(): Promise<void> {
    this.isLeft = true;
    this.configured.dispose();
    this.recordsChanged.dispose();
    try {
      await this.dispose();
    } catch (failure) {
      // One that is still starting cannot be asked to stop; its process is ended all the same.
      this.log.debug(`the server was ended before it ran: ${failure}`);
    }
  }

  /** The last of what the server said before it ended; a traceback's rows are indented, what was raised is not. */
  async lastWords(): Promise<string | undefined> {
    // Its end is often known before its words have arrived.
    await Promise.race([this.silence, new Promise((resolve) => setTimeout(resolve, HEARING))]);
    return this.lastRows.findLast((row) => /^\S/.test(row));
  }

  /** Failures are shown in the status, not in a pop-up each. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  private async closed(): Promise<CloseHandlerResult> {
    if (this.isLeft) {
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    // What ends before it has answered would do so again. Of the first start its caller is told.
    if (!this.hasAnswered) {
      if (this.crashes.length > 0) {
        this.reports.ended((await this.lastWords()) ?? "it ended before it answered");
      }
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    this.hasAnswered = false;
    const now = Date.now();
    this.crashes.push(now);
    const recent = this.crashes.filter((time) => now - time < WITHIN);
    this.crashes.splice(0, this.crashes.length, ...recent);
    if (recent.length < CRASHES) {
      this.reports.crashed();
      return { action: CloseAction.Restart, handled: true, message: "The server ended and is started again." };
    }
    const often = `ended ${CRASHES} times within ${WITHIN / 60_000} minutes`;
    const words = await this.lastWords();
    this.reports.ended(words === undefined ? `it ${often}` : `it ${often}: ${words}`);
    return { action: CloseAction.DoNotRestart, handled: true, message: `The server ${often} and is not started again.` };
  }
}

/** What a server is told with `initialize`: settings for texts that are opened before it has asked, trust, and that it is to
 * tell of new records. */
export async function initialOptions(interpreters: Interpreters): Promise<object> {
  const folder = workspace.workspaceFolders?.[0];
  const settings = await settingsFor(allSettings(folder), folder, interpreters);
  return { settings, trusted: workspace.isTrusted, recordsChanged: true };
}

async function settingsFor(
  table: Record<string, unknown> | null,
  folder: WorkspaceFolder | undefined,
  interpreters: Interpreters,
): Promise<Record<string, unknown>> {
  const interpreter = await interpreters.of(folder ?? workspace.workspaceFolders?.[0]);
  return { ...forServer(table ?? {}, folder), interpreter: interpreter?.path ?? null };
}
