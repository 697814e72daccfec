/** Keeps one server running: finds it, starts it, starts another one when another is meant. */

import { type Disposable, EventEmitter, type LogOutputChannel, workspace } from "vscode";
import { Client, initialOptions } from "./client";
import { type NoServer, type Server, findServer, isServer } from "./finding";
import type { Interpreters } from "./interpreters";

export type Health =
  | { readonly kind: "starting" }
  | { readonly kind: "ready"; readonly client: Client }
  | ({ readonly kind: "missing" } & NoServer)
  | { readonly kind: "failed"; readonly cause: string };

/** A server that has not answered after this long (milliseconds) will not. */
const START_LIMIT = 60_000;

export class Supervisor implements Disposable {
  private readonly changed = new EventEmitter<Health>();
  readonly onDidChange = this.changed.event;
  health: Health = { kind: "starting" };
  /** What was found to be run, whether or not it runs. */
  server: Server | undefined;
  private client: Client | undefined;
  private launch = "";
  private turn: Promise<void> = Promise.resolve();
  private waiting: { force: boolean; done: Promise<void> } | undefined;
  private abort: ((reason: Error) => void) | undefined;
  private isOver = false;

  constructor(
    private readonly interpreters: Interpreters,
    private readonly log: LogOutputChannel,
  ) {}

  /** The client while its server runs. */
  get running(): Client | undefined {
    return this.health.kind === "ready" ? this.health.client : undefined;
  }

  /** End the server, if one runs, and start the one that is meant now. */
  restart(): Promise<void> {
    this.abort?.(new Error("it was started anew"));
    return this.request(true);
  }

  /** Something has changed that may mean another server; without that, the one that runs learns its settings anew. */
  ensure(): Promise<void> {
    return this.request(false);
  }

  async stop(): Promise<void> {
    this.isOver = true;
    this.abort?.(new Error("the editor closes"));
    await this.turn;
    await this.client?.leave();
  }

  dispose(): void {
    this.changed.dispose();
  }

  /** One at a time, and of those that wait all are the same. */
  private request(force: boolean): Promise<void> {
    if (this.waiting !== undefined) {
      this.waiting.force ||= force;
      return this.waiting.done;
    }
    const wish = { force, done: Promise.resolve() };
    wish.done = this.turn.then(async () => {
      this.waiting = undefined;
      try {
        await this.bringUp(wish.force);
      } catch (failure) {
        this.log.error(failure instanceof Error ? failure : String(failure));
        this.tell({ kind: "failed", cause: String(failure) });
      }
    });
    this.waiting = wish;
    this.turn = wish.done;
    return wish.done;
  }

  private async bringUp(force: boolean): Promise<void> {
    if (this.isOver) {
      return;
    }
    const found = await findServer(this.interpreters);
    const launch = JSON.stringify([found, workspace.isTrusted]);
    const before = this.client;
    if (!force && before !== undefined && launch === this.launch && this.running === before) {
      await before.configurationChanged();
      return;
    }
    if (!force && launch === this.launch && this.health.kind === "missing") {
      return;
    }
    this.client = undefined;
    this.tell({ kind: "starting" });
    await before?.leave();
    this.launch = launch;
    this.server = isServer(found) ? found : undefined;
    if (isServer(found)) {
      await this.start(found);
      return;
    }
    this.log.warn(`No server was started: ${found.cause}.`);
    this.tell({ kind: "missing", ...found });
  }

  private async start(server: Server): Promise<void> {
    this.log.info(`Starting ${server.command} server (${server.source})`);
    const options = await initialOptions(this.interpreters);
    const client: Client = new Client(server, this.interpreters, options, this.log, {
      ready: (it) => this.isCurrent(it) && this.tell({ kind: "ready", client: it }),
      crashed: () => this.isCurrent(client) && this.tell({ kind: "starting" }),
      ended: (cause) => this.isCurrent(client) && this.tell({ kind: "failed", cause }),
    });
    this.client = client;
    let timer: NodeJS.Timeout | undefined;
    const given_up = new Promise<never>((_, reject) => {
      this.abort = reject;
      timer = setTimeout(() => reject(new Error("it did not answer")), START_LIMIT);
    });
    try {
      await Promise.race([client.start(), given_up]);
    } catch (failure) {
      const said = failure instanceof Error ? failure.message : String(failure);
      this.log.error(`The server could not be started: ${said}`);
      const words = await client.lastWords();
      await client.leave();
      this.tell({ kind: "failed", cause: words ?? said });
    } finally {
      clearTimeout(timer);
      this.abort = undefined;
    }
  }

  private isCurrent(client: Client): boolean {
    return this.client === client;
  }

  private tell(health: Health): void {
    this.health = health;
    this.changed.fire(health);
  }
}
