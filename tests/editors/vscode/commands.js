// What a user asks for by name: a rule's page, a finding's test, a report of what runs, the walkthrough. The file that is open
// has one finding, and the server may put it to the test.
"use strict";

const w = require("./workbench.js");

/** The text that some frame of the page shows: what an extension renders stands in frames of its own. */
async function framedText(page, says) {
  return w.until(`a page that says ${says}`, async () => {
    for (const frame of page.frames()) {
      const text = await frame.evaluate(() => document.body?.innerText ?? "").catch(() => "");
      if (frame !== page.mainFrame() && text.includes(says)) {
        return text;
      }
    }
    return null;
  });
}

function activeText(vscode) {
  const document = vscode.window.activeTextEditor?.document;
  return document && { text: document.getText(), language: document.languageId, isUntitled: document.isUntitled };
}

async function closeEditor(plan) {
  await w.inHost(plan, (vscode) => vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor").then(() => null));
}

const steps = {
  async explain_rule(page, plan) {
    await w.clickOn(page, "view(");
    await w.command(page, "torchlsp: Explain a Rule", { leaves: false });
    const rows = page.locator(".quick-input-list .monaco-list-row");
    await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: "TL101" }).waitFor();
    const offered = await rows.allInnerTexts();
    await w.picture(page, plan, "rules");
    await page.keyboard.press("Enter");
    const text = await framedText(page, "TL101");
    const tab = await w.inHost(plan, (vscode) => {
      const { label, input } = vscode.window.tabGroups.activeTabGroup.activeTab;
      return { label, kind: input?.viewType };
    });
    await w.picture(page, plan, "page-of-a-rule");
    await closeEditor(plan);
    return { offered, text, tab };
  },

  async probe_here(page, plan) {
    await w.awaitSquiggle(page);
    await w.clickOn(page, "view(");
    await w.command(page, "torchlsp: Probe the Finding Here in torch");
    const toast = page.locator(".notifications-toasts .notification-list-item", { hasText: "confirmed by torch" });
    await toast.waitFor();
    await w.picture(page, plan, "probed");
    const said = await toast.innerText();
    await w.command(page, "Notifications: Clear All Notifications");
    await toast.waitFor({ state: "hidden" });
    return said;
  },

  async debug_information(page, plan) {
    await w.command(page, "torchlsp: Show Debug Information");
    const seen = await w.until("the report", async () => {
      const shown = await w.inHost(plan, activeText);
      return shown?.language === "markdown" && shown;
    });
    await w.awaitBox(page, "torchlsp");
    await w.picture(page, plan, "debug-information");
    // It stays open: a text without a file that comes after one that was closed may get that one's name, and its text.
    return seen;
  },

  async walkthrough(page, plan) {
    await w.openWalkthrough(page, plan);
    const titles = await page.locator(".getting-started-step .step-title").allInnerTexts();
    const step = (title) => page.locator(".getting-started-step", { hasText: title });
    const press = async (title, button) => {
      if (!(await step(title).getAttribute("class")).includes("expanded")) {
        await step(title).locator(".step-title").click();
      }
      await step(title).locator(".monaco-button", { hasText: button }).click();
      await w.until(`the mark of ${title}`, () => step(title).locator(w.DONE).count());
      await w.picture(page, plan, `walkthrough-${title.split(" ")[0].toLowerCase()}`);
    };
    const seen = { titles };
    await press(titles[1], "Open an example");
    seen.example = await w.until("the example with its findings", () =>
      w.inHost(plan, (vscode) => {
        const { document } = vscode.window.visibleTextEditors.find((one) => one.document.isUntitled) ?? {};
        const found = document ? vscode.languages.getDiagnostics(document.uri) : [];
        return found.length === 2 && { text: document.getText(), codes: found.map((one) => one.code?.value).sort() };
      }),
    );
    const hover = page.locator(".monaco-editor .monaco-hover:not(.hidden)", { hasText: "cannot be viewed" });
    await w.until("the hover of the next finding", async () => {
      // Anything that moves in the window (a message, the layout) takes a hover away again: its user presses again.
      await press(titles[2], "Go to the next finding");
      return hover.first().waitFor({ timeout: 10_000 }).then(() => true, () => false);
    });
    await w.picture(page, plan, "walkthrough-hover");
    seen.hover = await hover.first().innerText();
    // The key is the editor's only while the editor has the focus: in the walkthrough it goes back to the list of all of them.
    await w.inHost(plan, async (vscode) => {
      const { document, viewColumn } = vscode.window.visibleTextEditors.find((one) => one.document.isUntitled);
      await vscode.window.showTextDocument(document, viewColumn);
    });
    await page.locator(".monaco-editor.focused").waitFor();
    await page.keyboard.press("Escape");
    await hover.first().waitFor({ state: "hidden" });
    await press(titles[3], "Probe the finding at the cursor");
    const toast = page.locator(".notifications-toasts .notification-list-item", { hasText: "confirmed by torch" });
    await toast.waitFor();
    await w.picture(page, plan, "walkthrough-proven");
    seen.verdict = await toast.innerText();
    await w.command(page, "Notifications: Clear All Notifications");
    await toast.waitFor({ state: "hidden" });
    await w.inHost(plan, async (vscode) => {
      await vscode.window.showTextDocument(vscode.window.visibleTextEditors.find((one) => one.document.isUntitled).document);
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    });
    await w.closeWalkthrough(page, plan);
    return seen;
  },
};

module.exports = { steps };
