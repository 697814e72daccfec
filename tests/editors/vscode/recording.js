// A user records a run of a program and changes a line of the library that it calls.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const w = require("./workbench.js");

async function show(plan, name) {
  await w.inHost(
    plan,
    (vscode, file) => vscode.window.showTextDocument(vscode.Uri.file(file)).then(() => null),
    path.join(plan.folder, name),
  );
}

/** Puts one text in the place of another in the editor in front. */
async function replace(plan, before, after) {
  await w.inHost(
    plan,
    async (vscode, [old, text]) => {
      const editor = vscode.window.activeTextEditor;
      const start = editor.document.getText().indexOf(old);
      const range = new vscode.Range(editor.document.positionAt(start), editor.document.positionAt(start + old.length));
      await editor.edit((edit) => edit.replace(range, text));
    },
    [before, after],
  );
}

/** What the pointer would show on the first parameter called `values`, and the findings of the text as it stands. */
function seenOf(vscode) {
  const { document } = vscode.window.activeTextEditor;
  const place = document.positionAt(document.getText().indexOf("values)"));
  return vscode.commands.executeCommand("vscode.executeHoverProvider", document.uri, place).then((hovers) => ({
    hover: hovers.flatMap(({ contents }) => contents.map((one) => one.value ?? one)).join("\n"),
    found: vscode.languages
      .getDiagnostics(document.uri)
      .map((one) => ({ code: one.code?.value, message: one.message, severity: one.severity })),
  }));
}

const steps = {
  async open(page, plan) {
    await w.openFolder(page, plan, plan.folder, "model.py");
    await w.awaitBox(page, plan.line);
  },

  async before(page, plan) {
    await w.until("the server", () =>
      w.inHost(plan, async (vscode) => (await vscode.commands.getCommands(true)).includes("torchlsp.recordCommand")),
    );
    await replace(plan, plan.line, plan.changed);
    const seen = await w.inHost(plan, seenOf);
    await replace(plan, plan.changed, plan.line);
    const { text } = await w.languageStatus(page, "no recorded run");
    await w.leaveStatus(page);
    return { ...seen, status: text };
  },

  async refused(page, plan) {
    await w.command(page, "torchlsp: Record a Run");
    const said = page.locator(".statusbar-item", { hasText: "neither" }).first();
    await said.waitFor();
    await w.picture(page, plan, "refused");
    return (await said.innerText()).trim();
  },

  async record(page, plan) {
    await show(plan, "train.py");
    await w.awaitBox(page, "attended(");
    await page.keyboard.press("Control+End");
    await page.keyboard.type("# saved before it is run");
    await w.inHost(plan, (vscode) => {
      globalThis.torchlspRun = new Promise((resolve) =>
        vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => execution.task.source === "torchlsp" && resolve(exitCode)),
      );
      return null;
    });
    await w.command(page, "torchlsp: Record a Run");
    const exit = await w.inHost(plan, () => globalThis.torchlspRun);
    const program = fs.readFileSync(path.join(plan.folder, "train.py"), "utf8");
    const status = await w.languageStatus(page, "recorded ");
    await w.picture(page, plan, "recorded");
    await w.leaveStatus(page);
    return { exit, status, program };
  },

  async observed(page, plan) {
    await show(plan, "model.py");
    const { text } = await w.hoverOver(page, "values", "observed in the run of");
    await w.picture(page, plan, "observed");
    await w.leaveHover(page);
    const lines = await w.until("hints of what was observed", async () => {
      const shown = await w.shownLines(page);
      return shown.some((line) => line.includes("turned: f32")) && shown;
    });
    return { hover: text, lines };
  },

  async finding(page, plan) {
    await replace(plan, plan.line, plan.changed);
    const seen = await w.until("the finding", async () => {
      const now = await w.inHost(plan, seenOf);
      return now.found.length > 0 && now;
    });
    await w.awaitSquiggle(page, "warning");
    const lines = await w.until("a hint that has aged", async () => {
      const shown = await w.shownLines(page);
      return shown.some((line) => line.includes("turned: ~")) && shown;
    });
    await w.picture(page, plan, "finding-of-a-run");
    return { ...seen, lines };
  },

  async aged(page, plan) {
    await page.keyboard.press("Control+s");
    const { text } = await w.languageStatus(page, "changed since");
    await w.picture(page, plan, "aged");
    await w.leaveStatus(page);
    return text;
  },

  notifications: w.notifications,
};

module.exports = { steps };
