/**
 * Which Python the user means in a folder: the setting, what the Python extensions have selected, a virtual environment
 * in the folder, the PATH. The extensions are asked for only when somebody wants to know, and need not be there.
 */

import {
  type Disposable,
  type Event,
  EventEmitter,
  type LogOutputChannel,
  Uri,
  type WorkspaceFolder,
  extensions,
  workspace,
} from "vscode";
import { isAllowed, isProgram, onPath, pythonOf, whyBroken } from "./programs";
import { pathSetting } from "./settings";

/** `source` says in words why it is this one. */
export interface Interpreter {
  readonly path: string;
  readonly source: string;
  /** Why it cannot be started, of an environment that is not passed over for another Python. */
  readonly broken?: string;
}

/** What of the Python extensions' interfaces is used. */
interface Selector {
  readonly source: string;
  selected(folder: Uri | undefined): Promise<string | undefined>;
  readonly onDidChange: Event<unknown>;
}

interface EnvironmentsApi {
  getEnvironment(
    scope: Uri | undefined,
  ): Promise<{ readonly execInfo?: { readonly run?: { readonly executable?: string } } } | undefined>;
  readonly onDidChangeEnvironment: Event<unknown>;
}

interface PythonApi {
  readonly ready?: Promise<void>;
  readonly environments: {
    getActiveEnvironmentPath(resource?: Uri): { readonly id: string; readonly path: string };
    resolveEnvironment(
      environment: unknown,
    ): Promise<{ readonly executable: { readonly uri: Uri | undefined } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: Event<unknown>;
  };
}

export const ENVIRONMENTS_EXTENSION = "ms-python.vscode-python-envs";
export const PYTHON_EXTENSION = "ms-python.python";
/** An extension that has not answered after this long (milliseconds) is done without; its next event is heard. */
const PATIENCE = 20_000;

export class Interpreters implements Disposable {
  private readonly changed = new EventEmitter<void>();
  /** Another interpreter may be selected, or another extension may select it. */
  readonly onDidChange = this.changed.event;
  private selector: Promise<Selector | undefined> | undefined;
  private subscription: Disposable | undefined;
  private readonly coming: Disposable;

  /** `ownEnvironment` is the folder of the environment that is made for torchlsp where the selected Python refuses it. */
  constructor(
    private readonly log: LogOutputChannel,
    readonly ownEnvironment?: string,
  ) {
    this.coming = extensions.onDidChange(() => {
      this.forget();
      this.changed.fire();
    });
  }

  /** Of a folder of the workspace, or of a window without one. */
  async of(folder: WorkspaceFolder | undefined): Promise<Interpreter | undefined> {
    const setting = pathSetting("interpreter", folder);
    if (setting !== undefined) {
      const path = pythonOf(setting) ?? onPathUnlessFile(setting);
      return { path, source: "the setting torchlsp.interpreter" };
    }
    return (await this.selected(folder)) ?? inFolder(folder) ?? fromPath();
  }

  dispose(): void {
    this.forget();
    this.coming.dispose();
    this.changed.dispose();
  }

  private async selected(folder: WorkspaceFolder | undefined): Promise<Interpreter | undefined> {
    if (!workspace.isTrusted) {
      return undefined; // the folder's own settings may have chosen it
    }
    this.selector ??= this.find();
    try {
      const selector = await within(this.selector, "the Python extension did not start");
      const asked = selector?.selected(folder?.uri);
      const path = asked && (await within(asked, "the Python extension did not say which interpreter is selected"));
      return path && isProgram(path) && isAllowed(path) && selector ? { path, source: selector.source } : undefined;
    } catch (failure) {
      this.log.warn(String(failure));
      return undefined;
    }
  }

  private async find(): Promise<Selector | undefined> {
    for (const make of [fromEnvironmentsExtension, fromPythonExtension]) {
      try {
        const selector = await make();
        if (selector !== undefined) {
          this.subscription?.dispose();
          this.subscription = selector.onDidChange(() => this.changed.fire());
          this.log.info(`interpreters come from ${selector.source}`);
          return selector;
        }
      } catch (failure) {
        this.log.warn(`an extension for Python could not be asked: ${failure}`);
      }
    }
    return undefined;
  }

  private forget(): void {
    this.subscription?.dispose();
    this.subscription = undefined;
    this.selector = undefined;
  }
}

async function api<T>(id: string): Promise<T | undefined> {
  const extension = extensions.getExtension<T>(id);
  return extension?.isActive ? extension.exports : extension?.activate();
}

async function fromEnvironmentsExtension(): Promise<Selector | undefined> {
  const found = await api<EnvironmentsApi>(ENVIRONMENTS_EXTENSION);
  if (typeof found?.getEnvironment !== "function") {
    return undefined; // it is installed and switched off: then it offers nothing
  }
  return {
    source: "the Python Environments extension",
    onDidChange: found.onDidChangeEnvironment,
    selected: async (folder) => (await found.getEnvironment(folder))?.execInfo?.run?.executable,
  };
}

async function fromPythonExtension(): Promise<Selector | undefined> {
  const found = await api<PythonApi>(PYTHON_EXTENSION);
  if (found?.environments === undefined) {
    return undefined;
  }
  const { environments } = found;
  return {
    source: "the Python extension",
    onDidChange: environments.onDidChangeActiveEnvironmentPath,
    selected: async (folder) => {
      const active = environments.getActiveEnvironmentPath(folder);
      return (await environments.resolveEnvironment(active))?.executable.uri?.fsPath;
    },
  };
}

function inFolder(folder: WorkspaceFolder | undefined): Interpreter | undefined {
  if (folder === undefined || !workspace.isTrusted) {
    return undefined;
  }
  const names = [".venv", "venv"];
  for (const name of names) {
    const path = pythonOf(Uri.joinPath(folder.uri, name).fsPath);
    if (path !== undefined) {
      return { path, source: `${name} in the folder` };
    }
  }
  for (const name of names) {
    const environment = Uri.joinPath(folder.uri, name);
    const broken = whyBroken(environment.fsPath);
    if (broken !== undefined) {
      return { path: Uri.joinPath(environment, "bin", "python").fsPath, source: `${name} in the folder`, broken };
    }
  }
  return undefined;
}

function fromPath(): Interpreter | undefined {
  const path = onPath("python3") ?? onPath("python");
  return path === undefined ? undefined : { path, source: "the PATH" };
}

/** A bare name is a command's; what cannot be found stays, so that it can be named. */
function onPathUnlessFile(setting: string): string {
  return /[/\\]/.test(setting) ? setting : (onPath(setting) ?? setting);
}

async function within<T>(promise: Promise<T>, otherwise: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(otherwise)), PATIENCE);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
