// A user edits: squiggle, hovers, hints, Problems, quick fix, fixes on save, a notebook, a verdict, a restart.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const commands = require("./commands.js");
const portraits = require("./portraits.js");
const w = require("./workbench.js");

/** What the editor knows of the findings of the text that is shown. */
function diagnosticsOf(vscode) {
  return vscode.languages.getDiagnostics(vscode.window.activeTextEditor.document.uri).map((one) => ({
    start: [one.range.start.line, one.range.start.character],
    end: [one.range.end.line, one.range.end.character],
    message: one.message,
    severity: one.severity,
    source: one.source,
    code: one.code?.value,
    page: one.code?.target?.toString(),
    because: (one.relatedInformation ?? []).map(({ message, location }) => [message, location.range.start.line]),
  }));
}

async function awaitDiagnostics(plan, what, accept) {
  return w.until(what, async () => {
    const found = await w.inHost(plan, diagnosticsOf);
    return accept(found) && found;
  });
}

const steps = {
  async open(page, plan) {
    await w.openFolder(page, plan, plan.folder, "train.py");
    await w.awaitBox(page, plan.call);
  },

  async squiggle(page, plan) {
    await w.awaitSquiggle(page);
    // Hints come later and move what stands behind them.
    await w.awaitBox(page, plan.hint);
    const seen = await w.settled("the squiggle and its word", async () => ({
      marks: await w.squiggles(page, "error"),
      word: await w.boxOf(page, plan.call),
    }));
    await w.picture(page, plan, "window");
    await w.command(page, "View: Toggle Primary Side Bar Visibility");
    return seen;
  },

  async diagnostics(_page, plan) {
    return w.inHost(plan, diagnosticsOf);
  },

  async hints(page, plan) {
    const told = await w.inHost(plan, async (vscode) => {
      const { uri, lineCount } = vscode.window.activeTextEditor.document;
      const all = new vscode.Range(0, 0, lineCount, 0);
      const found = await vscode.commands.executeCommand("vscode.executeInlayHintProvider", uri, all);
      return found.map((one) => [
        one.position.line,
        one.position.character,
        typeof one.label === "string" ? one.label : one.label.map((part) => part.value).join(""),
      ]);
    });
    return { told, shown: await w.shownLines(page) };
  },

  async hover_of_finding(page, plan) {
    const hover = await w.hoverOver(page, "view(", plan.hover);
    await w.picture(page, plan, "hover-of-finding");
    await w.leaveHover(page);
    return hover;
  },

  async hover_of_tensor(page, plan) {
    const hover = await w.hoverOver(page, "y]", "f32[2, 12]");
    await w.picture(page, plan, "hover-of-tensor");
    await w.leaveHover(page);
    return hover;
  },

  async problems(page, plan) {
    await page.keyboard.press("Control+Shift+M");
    const row = page.locator(".markers-panel .monaco-list-row", { hasText: "TL101" });
    await row.first().waitFor();
    await w.picture(page, plan, "problems");
    const text = await row.first().innerText();
    await page.keyboard.press("Control+Shift+M");
    await page.waitForSelector(".markers-panel", { state: "hidden" });
    return text;
  },

  async quick_fix(page, plan) {
    const rows = await w.openFixes(page, "view(");
    const offered = await rows.allInnerTexts();
    await w.picture(page, plan, "quick-fixes");
    await page.locator(".action-widget .monaco-list-row", { hasText: plan.fix }).first().click();
    const lines = await w.until("the fix", async () => {
      const shown = await w.shownLines(page);
      return shown.some((line) => line.includes("x.reshape(2, 12)")) && shown;
    });
    await w.until("no squiggle after the fix", async () => (await w.squiggles(page, "error")).length === 0);
    await page.keyboard.press("Control+z");
    await w.awaitBox(page, plan.call);
    await w.awaitSquiggle(page);
    return { offered, lines };
  },

  async fix_on_save(page, plan) {
    await w.inHost(plan, (vscode) =>
      vscode.workspace
        .getConfiguration("editor", { languageId: "python" })
        .update("codeActionsOnSave", { "source.fixAll.torchlsp": "explicit" }, vscode.ConfigurationTarget.Workspace, true),
    );
    const file = path.join(plan.folder, "train.py");
    const before = fs.readFileSync(file, "utf8");
    await w.clickOn(page, "view(");
    // Something must have changed for the editor to save.
    await page.keyboard.press("Control+End");
    await page.keyboard.type("# saved");
    await page.keyboard.press("Control+s");
    const saved = await w.until("the fixed text on disk", () => {
      const text = fs.readFileSync(file, "utf8");
      return text !== before && text;
    });
    await w.until("no squiggle after saving", async () => (await w.squiggles(page, "error")).length === 0);
    return { before, saved };
  },

  async notebook(page, plan) {
    await w.inHost(
      plan,
      async (vscode, file) => {
        const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(file));
        await vscode.window.showNotebookDocument(notebook);
      },
      path.join(plan.folder, "cells.ipynb"),
    );
    await page.waitForSelector(".notebookOverlay .squiggly-error", { state: "attached" });
    const seen = await w.settled("the squiggle in its cell", async () => ({
      marks: await w.squiggles(page, "error"),
      word: await w.boxOf(page, plan.call),
    }));
    const cells = await w.inHost(plan, (vscode) =>
      vscode.window.activeNotebookEditor.notebook.getCells().map((cell) =>
        vscode.languages.getDiagnostics(cell.document.uri).map((one) => ({
          code: one.code?.value,
          start: [one.range.start.line, one.range.start.character],
          text: cell.document.getText(one.range),
          because: (one.relatedInformation ?? []).map(({ message, location }) => [message, location.uri.fragment]),
        })),
      ),
    );
    await w.picture(page, plan, "notebook");
    return { ...seen, cells };
  },

  async verdict(page, plan) {
    await w.inHost(
      plan,
      async (vscode, file) => {
        await vscode.window.showTextDocument(vscode.Uri.file(file));
      },
      path.join(plan.folder, "proven.py"),
    );
    const before = await awaitDiagnostics(plan, "the finding without a verdict", (found) => found.length === 1);
    await w.setting(plan, "torchlsp.probe.enable", true);
    const after = await awaitDiagnostics(plan, "a verdict", ([one]) => one?.because.some(([said]) => said.includes("confirmed")) || one?.message.includes("confirmed"));
    const hover = await w.hoverOver(page, "view(", "confirmed by torch");
    await w.picture(page, plan, "verdict-arrived");
    await w.leaveHover(page);
    return { before, after, hover };
  },

  async hover_of_symbol(page, plan) {
    // The documentation of torch has been in the making since the first hover.
    const hover = await w.hoverOver(page, "cat(", "Concatenates", 120_000);
    await w.picture(page, plan, "hover-of-symbol");
    await w.leaveHover(page);
    return hover;
  },

  async status(page, plan) {
    const said = await w.languageStatus(page, "torchlsp");
    await w.picture(page, plan, "status");
    await w.leaveStatus(page);
    return said;
  },

  async restart(page, plan) {
    const before = w.starts(plan);
    await w.command(page, "torchlsp: Restart Server");
    const after = await w.awaitStarts(plan, before.length + 1);
    await w.until("the end of the first server", () => !fs.existsSync(`/proc/${before.at(-1).pid}`));
    await awaitDiagnostics(plan, "the finding after the restart", (found) => found.length === 1);
    await w.awaitSquiggle(page);
    return { before, after };
  },

  ...commands.steps,

  portraits: portraits.steps.portraits,

  notifications: w.notifications,
};

module.exports = { steps };
