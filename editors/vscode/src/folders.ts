/** The folder of the workspace that the user is in. */

import { type Uri, type WorkspaceFolder, window, workspace } from "vscode";

/** The one with a file, or with the notebook of a cell. A cell's address differs from its file's in more than its end,
 * so it is compared by path. */
export function folderOf(uri: Uri): WorkspaceFolder | undefined {
  const own = workspace.getWorkspaceFolder(uri);
  return own ?? workspace.getWorkspaceFolder(uri.with({ scheme: "file", authority: "", fragment: "", query: "" }));
}

/** The one with the active editor, else the first. */
export function activeFolder(): WorkspaceFolder | undefined {
  const uri = window.activeTextEditor?.document.uri ?? window.activeNotebookEditor?.notebook.uri;
  return (uri && folderOf(uri)) ?? workspace.workspaceFolders?.[0];
}
