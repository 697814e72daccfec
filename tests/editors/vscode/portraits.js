// The pictures of the extension's README: a program as users write them, its finding, a hover, the verdict and the fixes.
"use strict";

const path = require("node:path");
const w = require("./workbench.js");

const FILE = "attention.py";
const HINT = "q: f32[4, 8, 16, 64] noncontig grad";
const CALL = "q.view(batch, steps, width)";
const LAST = "out: f32";

const steps = {
  async open(page, plan) {
    await w.openFolder(page, plan, plan.folder, FILE);
    await w.awaitBox(page, CALL);
  },

  async portraits(page, plan) {
    await w.inHost(
      plan,
      async (vscode, file) => {
        await vscode.commands.executeCommand("workbench.action.closeSidebar");
        await vscode.window.showTextDocument(vscode.Uri.file(file));
      },
      path.join(plan.folder, FILE),
    );
    await w.until("a verdict", () =>
      w.inHost(plan, (vscode) =>
        vscode.languages
          .getDiagnostics(vscode.window.activeTextEditor.document.uri)
          .some(({ message }) => message.includes("confirmed")),
      ),
    );
    // Hints come later and move what stands behind them.
    await w.awaitBox(page, HINT);
    const last = await w.settled("the finding", async () => (await w.squiggles(page, "error")).length > 0 && w.boxOf(page, LAST));
    // No line is cut: from the first to the last.
    const editor = { x: 54, y: 93 };
    const whole = { ...editor, width: 1000, height: Math.ceil(last.bottom) + 2 - editor.y };
    await w.picture(page, plan, "squiggle", whole);
    // The documentation of torch is in the making since the first hover.
    const hover = await w.hoverOver(page, "transpose", "manual of torch", 120_000);
    await w.picture(page, plan, "hover", w.around(hover.box, whole));
    await w.leaveHover(page);
    const verdict = await w.hoverOver(page, "view(batch, steps, width", "Quick Fix");
    await w.picture(page, plan, "verdict", w.around(verdict.box, whole));
    await w.leaveHover(page);
    await w.openFixes(page, "view(batch, steps, width");
    const menu = await w.settled("the menu", () => page.locator(".action-widget").first().boundingBox());
    await w.picture(page, plan, "quickfix", w.around({ right: menu.x + menu.width, bottom: menu.y + menu.height }, whole));
    await page.keyboard.press("Escape");
    return { hover: hover.text, verdict: verdict.text };
  },
};

module.exports = { steps };
