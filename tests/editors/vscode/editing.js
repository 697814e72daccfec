// A user edits: squiggle, hovers, hints, Problems, quick fix, fixes on save, a notebook, a verdict, a restart.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const w = require("./workbench.js");

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
    await w.picture(page, plan, "squiggle");
    return seen;
  },
};

module.exports = { steps };
