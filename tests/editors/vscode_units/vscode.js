// What of VS Code's interface the modules under test use, in memory. `fake` is what a test sets and reads.
"use strict";

const path = require("node:path");

const fake = {
  /** Everything as in a new window on nothing. */
  reset() {
    Object.assign(fake, { settings: {}, folders: [], trusted: true, extensions: {}, shown: [], answer: () => undefined, ran: [] });
  },
  folder(fsPath) {
    const folder = { uri: Uri.file(fsPath), name: path.basename(fsPath), index: fake.folders.length };
    fake.folders.push(folder);
    return folder;
  },
};

class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener) => {
      this.listeners.add(listener);
      return { dispose: () => this.listeners.delete(listener) };
    };
  }
  fire(value) {
    this.listeners.forEach((listener) => listener(value));
  }
  dispose() {
    this.listeners.clear();
  }
}

const Uri = {
  file: (fsPath) => ({ scheme: "file", path: fsPath, fsPath, toString: () => `file://${fsPath}` }),
  joinPath: (uri, ...parts) => Uri.file(path.join(uri.fsPath, ...parts)),
};

const installed = new EventEmitter();

function show(kind) {
  return async (text, ...rest) => {
    const items = rest.filter((one) => typeof one === "string");
    const detail = rest.find((one) => one?.detail)?.detail;
    fake.shown.push({ kind, text, items, detail });
    return fake.answer(text, items);
  };
}

module.exports = {
  EventEmitter,
  Uri,
  ProgressLocation: { Notification: 15 },
  fake,
  installed,
  extensions: {
    getExtension: (id) => fake.extensions[id],
    onDidChange: installed.event,
  },
  workspace: {
    get isTrusted() {
      return fake.trusted;
    },
    get workspaceFolders() {
      return fake.folders;
    },
    getConfiguration: (_section, scope) => ({
      get: (key) => ({ ...fake.settings, ...fake.settings[scope?.name] })[key],
    }),
    getWorkspaceFolder: (uri) => fake.folders.find(({ uri: { fsPath } }) => uri.fsPath.startsWith(fsPath + path.sep)),
  },
  window: {
    showInformationMessage: show("information"),
    showWarningMessage: show("warning"),
    showErrorMessage: show("error"),
    showOpenDialog: async () => fake.chosen,
    withProgress: async ({ title }, run) => {
      fake.shown.push({ kind: "progress", text: title });
      return run({}, { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) });
    },
  },
  commands: {
    executeCommand: async (name) => void fake.ran.push(name),
  },
};
fake.reset();
