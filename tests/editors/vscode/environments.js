// A folder that is not trusted, then is; and the environments that the (stand-in of the) Python extension selects.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const w = require("./workbench.js");

async function choose(plan, path) {
  await w.inHost(
    plan,
    async (vscode, wanted) => {
      const extension = vscode.extensions.getExtension("ms-python.python");
      (await extension.activate()).choose(wanted);
    },
    path,
  );
}

/** The server of this program, the ones before it gone, and its findings there. */
async function another(page, plan, program) {
  const started = await w.until(`a start of ${program}`, () => {
    const starts = w.starts(plan);
    return starts.at(-1)?.program === program && starts;
  });
  for (const { pid } of started.slice(0, -1)) {
    await w.until("the end of the server before", () => !fs.existsSync(`/proc/${pid}`));
  }
  await w.awaitSquiggle(page);
  return started.map((one) => one.program);
}

const steps = {
  async open(page, plan) {
    await w.openFolder(page, plan, plan.folder, "train.py");
    await w.awaitBox(page, plan.call);
    return w.inHost(plan, (vscode) => vscode.workspace.isTrusted);
  },

  async untrusted(page, plan) {
    await choose(plan, plan.inside);
    const said = await w.languageStatus(page, "torchlsp is not installed");
    await w.picture(page, plan, "untrusted-missing");
    await w.leaveStatus(page);
    return { ...said, starts: w.starts(plan) };
  },

  async limited(page, plan) {
    // The user's own setting; the folder's names a program in the folder.
    await w.setting(plan, "torchlsp.path", plan.program);
    const programs = await another(page, plan, "torchlsp");
    const said = await w.languageStatus(page, "limited");
    await w.picture(page, plan, "untrusted-limited");
    await w.leaveStatus(page);
    return { ...said, programs };
  },

  async trusted(page, plan) {
    await w.command(page, "Workspaces: Manage Workspace Trust");
    await page.locator(".workspace-trust-buttons-row .monaco-button", { hasText: "Trust" }).first().click();
    await w.until("trust", () => w.inHost(plan, (vscode) => vscode.workspace.isTrusted));
    await page.keyboard.press("Control+w");
    return another(page, plan, ".venv");
  },

  async found(page, plan) {
    await w.setting(plan, "torchlsp.path", null);
    fs.rmSync(path.join(plan.folder, ".vscode", "settings.json"));
    await choose(plan, plan.first);
    return another(page, plan, "first");
  },

  async changed(page, plan) {
    const before = w.starts(plan).length;
    await choose(plan, plan.second);
    const programs = await another(page, plan, "second");
    const said = await w.languageStatus(page, `torch ${plan.torch}`);
    await w.picture(page, plan, "environment");
    await w.leaveStatus(page);
    return { ...said, programs: programs.slice(before) };
  },

  async same_again(page, plan) {
    const before = w.starts(plan).length;
    await choose(plan, plan.second);
    // The event has been dealt with when the one after it has.
    await choose(plan, plan.without_torch);
    return (await another(page, plan, "without-torch")).slice(before);
  },

  async torch_missing(page, plan) {
    const said = await w.languageStatus(page, "no torch");
    await w.picture(page, plan, "torch-missing");
    await w.leaveStatus(page);
    return said;
  },

  async none(page, plan) {
    // Without a choice of the extension's, the folder's own environment is meant.
    await choose(plan, "");
    return (await another(page, plan, ".venv")).at(-1);
  },

  async without_torchlsp(page, plan) {
    await choose(plan, plan.bare);
    const said = await w.languageStatus(page, "torchlsp is not installed");
    await w.picture(page, plan, "install");
    await w.leaveStatus(page);
    await w.until("no squiggle without a server", async () => (await w.squiggles(page, "error")).length === 0);
    return said;
  },
};

module.exports = { steps };
