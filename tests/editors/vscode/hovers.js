// What a reader sees of hovers: each place of the plan is pointed at in turn, and a picture is made of it.
"use strict";

const path = require("node:path");
const { setTimeout: pause } = require("node:timers/promises");
const w = require("./workbench.js");

/** Opens a file with one of its rows in the upper third of the window. */
async function show(plan, file, row) {
  await w.inHost(
    plan,
    async (vscode, [name, line]) => {
      const editor = await vscode.window.showTextDocument(vscode.Uri.file(name));
      const place = new vscode.Position(Math.max(line - 2, 0), 0);
      editor.selection = new vscode.Selection(place, place);
      editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.AtTop);
    },
    [path.join(plan.folder, file), row],
  );
}

/** A hover once it is whole, since documentation is read when it is first asked for; null where none comes. */
async function whole(page, part) {
  let before = "";
  for (let looked = 0; looked < 8; looked += 1) {
    const hover = await w.hoverOver(page, part, "", 12_000).catch(() => null);
    if (hover === null || (hover.text === before && !hover.text.includes("Loading"))) {
      return hover;
    }
    before = hover.text;
    await pause(700);
    await w.leaveHover(page);
  }
  return w.hoverOver(page, part, "");
}

const steps = {
  async open(page, plan) {
    await w.openFolder(page, plan, plan.folder, plan.places[0].file);
    for (const { file, row } of plan.places) {
      await show(plan, file, row);
    }
    // Callers are followed, and what needs a moment of rest.
    await pause(plan.rest);
    return null;
  },

  async hovers(page, plan) {
    const said = {};
    for (const { name, file, row, part } of plan.places) {
      await w.leaveHover(page);
      await show(plan, file, row);
      await w.settled(`the text ${part}`, () => w.boxOf(page, part));
      const hover = await whole(page, part);
      const line = await w.boxOf(page, part);
      const box = hover === null ? line : hover.box;
      const bottom = Math.max(box.bottom, line.bottom) + 12;
      const clip = { x: 54, y: 60, width: 900, height: Math.min(bottom, 798) - 60 };
      await w.picture(page, plan, name, w.around(box, clip));
      said[name] = hover === null ? "" : hover.text;
    }
    return said;
  },
};

module.exports = { steps };
