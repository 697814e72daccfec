// Programs that tests put on disk.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

/** A shell script that can be run; it writes its arguments into `calls` beside it. */
function program(file, body = "exit 0") {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `#!/bin/sh\necho "$0 $@" >> "${file}.calls"\n${body}\n`);
  fs.chmodSync(file, 0o755);
  return file;
}

/** What a program was called with, one row a call. */
function calls(file) {
  const notes = `${file}.calls`;
  return fs.existsSync(notes) ? fs.readFileSync(notes, "utf8").trim().split("\n") : [];
}

/** An environment's Python, with torchlsp beside it or not. */
function environment(folder, has = true) {
  if (has) {
    program(path.join(folder, "bin", "torchlsp"));
  }
  return program(path.join(folder, "bin", "python"));
}

const log = { info() {}, warn() {}, error() {}, debug() {} };

module.exports = { calls, environment, log, program };
