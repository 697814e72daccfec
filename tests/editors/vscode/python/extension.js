// In the place of the Python extension, which cannot be had without its marketplace. `choose` is for the tests: it selects
// an environment (the path of its interpreter, or nothing) and tells of it as the extension does.
"use strict";

const vscode = require("vscode");

exports.activate = () => {
  const changed = new vscode.EventEmitter();
  let selected = "";

  function environment(path) {
    return { id: path, path, executable: { uri: vscode.Uri.file(path) } };
  }

  return {
    ready: Promise.resolve(),
    environments: {
      getActiveEnvironmentPath: () => ({ id: selected, path: selected }),
      resolveEnvironment: async (asked) => {
        const path = typeof asked === "string" ? asked : asked.path;
        return path ? environment(path) : undefined;
      },
      onDidChangeActiveEnvironmentPath: changed.event,
      known: [],
    },
    settings: {
      onDidChangeExecutionDetails: changed.event,
      getExecutionDetails: () => ({ execCommand: selected ? [selected] : undefined }),
    },
    choose: (path) => {
      selected = path;
      changed.fire({ id: path, path, resource: vscode.workspace.workspaceFolders?.[0] });
    },
  };
};
