// Builds the modules of the extension with `vscode` and the language client replaced, runs the tests in this folder, and
// prints what came of each as JSON: null, or why it failed.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { createRequire } = require("node:module");

const [extension, home] = process.argv.slice(2);
const { build } = createRequire(path.join(extension, "package.json"))("esbuild");
const REPLACED = { vscode: path.join(__dirname, "vscode.js"), "./client": path.join(__dirname, "client.js") };

async function main() {
  const outfile = path.join(home, "modules.js");
  const names = ["settings", "programs", "interpreters", "finding", "supervisor", "install", "server_commands"];
  await build({
    stdin: {
      contents: names.map((name) => `export * as ${name} from "./${name}";`).join("\n"),
      resolveDir: path.join(extension, "src"),
    },
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile,
    logLevel: "silent",
    plugins: [
      {
        name: "replaced",
        setup(one) {
          one.onResolve({ filter: /^(vscode|\.\/client)$/ }, ({ path: name }) => ({ path: REPLACED[name], external: true }));
        },
      },
    ],
  });
  const modules = require(outfile);
  const { fake } = require("./vscode.js");
  const found = {};
  const tests = [];
  global.test = (name, run) => tests.push([name, run]);
  fs.readdirSync(__dirname)
    .filter((file) => file.endsWith(".test.js"))
    .forEach((file) => require(path.join(__dirname, file)));
  const environment = { ...process.env };
  for (const [name, run] of tests) {
    fake.reset();
    process.env = { ...environment };
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(home, "test-")));
    try {
      await run(modules, folder);
      found[name] = null;
    } catch (error) {
      found[name] = String(error?.stack ?? error);
    }
  }
  console.log(JSON.stringify(found));
  process.exit(0);
}

main();
