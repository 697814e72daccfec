// Runs functions of the tests inside VS Code's extension host: each connection to the socket carries the text of one
// function and its argument, and gets back what the function returned.
"use strict";

const fs = require("node:fs");
const net = require("node:net");
const vscode = require("vscode");

async function answer(text) {
  try {
    const { body, argument } = JSON.parse(text);
    const run = new Function("vscode", "argument", `return (${body})(vscode, argument);`);
    return { value: await run(vscode, argument) };
  } catch (error) {
    return { error: String(error?.stack ?? error) };
  }
}

exports.activate = (context) => {
  const path = process.env.TORCHLSP_TEST_SOCKET;
  if (!path) {
    return;
  }
  fs.rmSync(path, { force: true });
  const server = net.createServer({ allowHalfOpen: true }, (connection) => {
    const parts = [];
    connection.on("data", (part) => parts.push(part));
    connection.on("end", async () => connection.end(JSON.stringify(await answer(Buffer.concat(parts).toString()))));
    connection.on("error", () => connection.destroy());
  });
  server.listen(path);
  context.subscriptions.push({ dispose: () => server.close() });
};
