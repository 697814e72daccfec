// Nothing runs at first; a server is installed, is killed three times, is started by hand, and is replaced by one that ends
// at once.
"use strict";

const fs = require("node:fs");
const w = require("./workbench.js");

async function kill(plan, number) {
  const { pid } = (await w.awaitStarts(plan, number)).at(-1);
  // A server that is killed before it has answered did not crash: it never ran.
  await w.until("findings of the server", () => w.inHost(plan, (vscode) => vscode.languages.getDiagnostics(vscode.window.activeTextEditor.document.uri).length));
  process.kill(pid, "SIGKILL");
}

/** What the stand-in of pip was asked to do. */
function pip(plan) {
  return fs.existsSync(plan.pip) ? fs.readFileSync(plan.pip, "utf8").split("\n").slice(0, -1) : [];
}

/** Chooses the copy of the repository, where one is asked for because torchlsp is not published. */
async function chooseCopy(page, plan) {
  if (plan.copy) {
    const box = page.locator(".quick-input-widget", { hasText: "choose a copy of its repository" });
    const input = box.locator("input[type=text]");
    await w.until("the copy in the box", async () => {
      // While the box lists its first folder it puts that folder back.
      await input.fill(`${plan.copy}/`);
      await page.waitForTimeout(300);
      return (await input.inputValue()) === `${plan.copy}/`;
    });
    await box.locator(".monaco-button", { hasText: "Install from Here" }).click();
  }
}

async function answerDialog(page, plan, button, name) {
  const dialog = page.locator(".monaco-dialog-box");
  await dialog.waitFor();
  const asked = await dialog.innerText();
  if (name) {
    await w.picture(page, plan, name);
  }
  await dialog.locator(".monaco-button", { hasText: button }).click();
  await dialog.waitFor({ state: "hidden" });
  return asked;
}

const steps = {
  async open(page, plan) {
    await w.openFolder(page, plan, plan.folder, "train.py");
    await w.awaitBox(page, plan.call);
  },

  async missing(page, plan) {
    const toast = page.locator(".notifications-toasts .notification-list-item", { hasText: "torchlsp is not installed" });
    await toast.waitFor();
    const said = await w.languageStatus(page, "torchlsp is not installed");
    await w.picture(page, plan, "missing");
    await w.leaveStatus(page);
    return { ...said, toast: await toast.innerText(), marks: await w.squiggles(page, "error") };
  },

  async install_refused(page, plan) {
    await page.locator(".notifications-toasts .monaco-button", { hasText: "Install" }).first().click();
    await chooseCopy(page, plan);
    const asked = await answerDialog(page, plan, "Cancel", "install");
    return { asked, pip: pip(plan), starts: w.starts(plan) };
  },

  async install(page, plan) {
    await w.openWalkthrough(page, plan);
    const before = await page.locator(w.DONE).count();
    await w.picture(page, plan, "walkthrough-missing");
    await w.closeWalkthrough(page, plan);
    await w.languageStatus(page, "torchlsp is not installed");
    await page.locator(".hover-language-status a", { hasText: "Install" }).click();
    await chooseCopy(page, plan);
    const asked = await answerDialog(page, plan, "Install");
    await w.awaitStarts(plan, 1);
    await w.awaitSquiggle(page);
    await w.openWalkthrough(page, plan);
    const installed = page.locator(".getting-started-step", { hasText: "Install the server" });
    const marked = await w.until("the mark of its first step", async () => (await installed.locator(w.DONE).count()) === 1);
    await w.picture(page, plan, "walkthrough-installed");
    await w.closeWalkthrough(page, plan);
    await w.awaitSquiggle(page);
    return { asked, pip: pip(plan), starts: w.starts(plan), walkthrough: { before, marked } };
  },

  async crashes(page, plan) {
    for (const number of [1, 2, 3]) {
      await kill(plan, number);
      // The findings of a server go with it: those that come are of the next one.
      await w.until("the findings to go", async () => (await w.squiggles(page, "error")).length === 0);
    }
    const said = await w.languageStatus(page, "does not run");
    await w.picture(page, plan, "crashed");
    await w.leaveStatus(page);
    return { ...said, starts: w.starts(plan) };
  },

  async restart_by_hand(page, plan) {
    await w.command(page, "torchlsp: Restart Server");
    const starts = await w.awaitStarts(plan, 4);
    await w.awaitSquiggle(page);
    return starts;
  },

  async ends_at_once(page, plan) {
    await w.setting(plan, "torchlsp.path", plan.failing);
    const said = await w.languageStatus(page, plan.why);
    await w.picture(page, plan, "ends-at-once");
    await w.leaveStatus(page);
    return { ...said, starts: w.starts(plan) };
  },

  async no_program(page, plan) {
    await w.setting(plan, "torchlsp.path", `${plan.program}-that-is-not-there`);
    const said = await w.languageStatus(page, "is no program that can be run");
    await w.leaveStatus(page);
    return said;
  },

  async setting_of_a_program(page, plan) {
    await w.setting(plan, "torchlsp.path", plan.program);
    await w.awaitStarts(plan, 6);
    await w.awaitSquiggle(page);
    return w.starts(plan);
  },

  async fails_after_a_crash(page, plan) {
    fs.copyFileSync(plan.failing, plan.program);
    await kill(plan, 6);
    const said = await w.languageStatus(page, plan.why);
    await w.leaveStatus(page);
    return { ...said, starts: w.starts(plan) };
  },

  notifications: w.notifications,
};

module.exports = { steps };
