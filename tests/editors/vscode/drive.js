// Runs one scenario (a file beside this one) in a browser that shows VS Code, and writes what was seen as JSON. The plan
// names everything: the address of the running VS Code, folders, where pictures go. A step that fails is told with a
// picture, and the steps after it are tried all the same.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const workbench = require("./workbench.js");

// Each failure may have waited for a minute; after so many the rest would only wait too.
const PATIENCE = 2;

async function main() {
  const plan = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
  const { steps } = require(path.join(__dirname, `${plan.scenario}.js`));
  const { context, page, outside } = await workbench.openBrowser(plan);
  let failed = 0;
  const report = { steps: {}, outside };
  for (const [name, run] of Object.entries(steps)) {
    const began = Date.now();
    try {
      report.steps[name] = { value: (await run(page, plan)) ?? null };
    } catch (error) {
      const shot = await workbench.picture(page, plan, `failed-${name}`).catch((reason) => String(reason));
      report.steps[name] = { error: String(error?.stack ?? error), picture: shot };
    }
    report.steps[name].seconds = (Date.now() - began) / 1000;
    fs.writeFileSync(plan.report, JSON.stringify(report));
    failed += report.steps[name].error === undefined ? 0 : 1;
    if (failed > PATIENCE || (failed > 0 && name === "open")) {
      break;
    }
  }
  await context.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
