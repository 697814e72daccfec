// Which Python and which server are meant.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { environment, log, program } = require("./program.js");
const { EventEmitter, Uri, fake, installed } = require("./vscode.js");

const ENVIRONMENTS = "ms-python.vscode-python-envs";
const PYTHON = "ms-python.python";

function environmentsExtension(selected, changed = new EventEmitter()) {
  const exports = {
    getEnvironment: async (uri) => ({ execInfo: { run: { executable: selected(uri) } } }),
    onDidChangeEnvironment: changed.event,
  };
  return { isActive: false, activate: async () => exports, exports: undefined };
}

function pythonExtension(selected, changed = new EventEmitter()) {
  const environments = {
    getActiveEnvironmentPath: (uri) => ({ id: "", path: selected(uri) }),
    resolveEnvironment: async ({ path: file }) => file && { executable: { uri: Uri.file(file) } },
    onDidChangeActiveEnvironmentPath: changed.event,
  };
  return { isActive: true, exports: { environments }, activate: async () => assert.fail("it is active") };
}

test("variables stand for what they say", ({ settings }, home) => {
  const folder = fake.folder(home);
  process.env.TORCHLSP_PLACE = "/somewhere";
  const meant = {
    "~/bin/torchlsp": path.join(os.homedir(), "bin/torchlsp"),
    "${userHome}/torchlsp": path.join(os.homedir(), "torchlsp"),
    "${workspaceFolder}/.venv/bin/torchlsp": path.join(home, ".venv/bin/torchlsp"),
    [`\${workspaceFolder:${folder.name}}/a`]: path.join(home, "a"),
    "${env:TORCHLSP_PLACE}/torchlsp": "/somewhere/torchlsp",
    "tools/torchlsp": path.join(home, "tools/torchlsp"),
    "  torchlsp ": "torchlsp",
    "  ": undefined,
  };
  for (const [said, expected] of Object.entries(meant)) {
    fake.settings = { path: said };
    assert.equal(settings.pathSetting("path", folder), expected, said);
  }
});

test("the server is told paths without variables, and nothing of what runs it", ({ settings }, home) => {
  const folder = fake.folder(home);
  const table = { path: "x", interpreter: "", configuration: "${workspaceFolder}/a.toml", lint: { run: "onSave" } };
  assert.deepEqual(settings.forServer(table, folder), {
    interpreter: null,
    configuration: path.join(home, "a.toml"),
    lint: { run: "onSave" },
  });
});

test("without trust nothing in the workspace may be started, by name or by link", ({ programs }, home) => {
  const work = path.join(home, "work");
  const inside = program(path.join(work, "bin", "torchlsp"));
  const outside = program(path.join(home, "elsewhere", "torchlsp"));
  const linkOut = path.join(home, "elsewhere", "link");
  fs.symlinkSync(inside, linkOut);
  const linkedFolder = path.join(home, "linked");
  fs.symlinkSync(path.join(work, "bin"), linkedFolder);
  fake.folder(work);
  const ways = [inside, linkOut, path.join(linkedFolder, "torchlsp"), path.join(home, "elsewhere", "..", "work", "x")];
  assert.ok(ways.every((way) => programs.isAllowed(way)));
  fake.trusted = false;
  assert.deepEqual(ways.filter((way) => programs.isAllowed(way)), []);
  assert.ok(programs.isAllowed(outside));
  assert.ok(programs.isAllowed(program(path.join(home, "work-2", "torchlsp"))));
});

test("a relative entry of the PATH is no place to look", ({ programs }, home) => {
  program(path.join(home, "torchlsp"));
  process.env.PATH = path.relative(process.cwd(), home);
  assert.equal(programs.onPath("torchlsp"), undefined);
  process.env.PATH = home;
  assert.equal(programs.onPath("torchlsp"), path.join(home, "torchlsp"));
});

test("an interpreter is looked for in the order that the README gives", async ({ interpreters }, home) => {
  const folder = fake.folder(path.join(home, "work"));
  const [set, first, second, own, last] = ["set", "first", "second", "work/.venv", "last"].map((name) =>
    environment(path.join(home, name), false),
  );
  process.env.PATH = path.dirname(last);
  fake.settings = { interpreter: path.dirname(path.dirname(set)) };
  fake.extensions = { [ENVIRONMENTS]: environmentsExtension(() => first), [PYTHON]: pythonExtension(() => second) };
  const of = async () => (await new interpreters.Interpreters(log).of(folder))?.path;
  assert.equal(await of(), set);
  fake.settings = {};
  assert.equal(await of(), first);
  delete fake.extensions[ENVIRONMENTS];
  assert.equal(await of(), second);
  delete fake.extensions[PYTHON];
  assert.equal(await of(), own);
  fs.rmSync(path.join(home, "work"), { recursive: true });
  assert.equal(await of(), last);
  process.env.PATH = "";
  assert.equal(await of(), undefined);
});

test("an extension that fails or is switched off is done without", async ({ interpreters }, home) => {
  const python = environment(path.join(home, "second"), false);
  fake.extensions = {
    [ENVIRONMENTS]: { isActive: false, activate: async () => Promise.reject(new Error("broken")) },
    [PYTHON]: pythonExtension(() => python),
  };
  assert.equal((await new interpreters.Interpreters(log).of(undefined))?.path, python);
  fake.extensions[ENVIRONMENTS] = { isActive: true, exports: undefined };
  assert.equal((await new interpreters.Interpreters(log).of(undefined))?.path, python);
  fake.extensions[PYTHON] = pythonExtension(() => path.join(home, "gone", "bin", "python"));
  process.env.PATH = path.dirname(python);
  assert.equal((await new interpreters.Interpreters(log).of(undefined))?.source, "the PATH");
});

test("without trust the extensions are not asked", async ({ interpreters }, home) => {
  fake.trusted = false;
  const folder = fake.folder(path.join(home, "work"));
  environment(path.join(home, "work", ".venv"), false);
  const elsewhere = environment(path.join(home, "elsewhere"), false);
  fake.extensions = { [PYTHON]: pythonExtension(() => elsewhere) };
  process.env.PATH = "";
  assert.equal(await new interpreters.Interpreters(log).of(folder), undefined);
  fake.trusted = true;
  assert.equal((await new interpreters.Interpreters(log).of(folder)).path, elsewhere);
});

test("another choice in an extension is heard, and an extension that comes", async ({ interpreters }, home) => {
  const python = environment(path.join(home, "one"), false);
  const changed = new EventEmitter();
  const found = new interpreters.Interpreters(log);
  let heard = 0;
  found.onDidChange(() => (heard += 1));
  process.env.PATH = "";
  assert.equal(await found.of(undefined), undefined);
  fake.extensions = { [PYTHON]: pythonExtension(() => python, changed) };
  installed.fire();
  assert.equal(heard, 1);
  assert.equal((await found.of(undefined)).path, python);
  changed.fire();
  assert.equal(heard, 2);
  found.dispose();
  changed.fire();
  assert.equal(heard, 2);
});

test("the server of the setting goes before all, and a wrong setting is said", async ({ finding, interpreters }, home) => {
  const folder = fake.folder(path.join(home, "work"));
  const set = program(path.join(home, "tools", "torchlsp"));
  fake.settings = { path: set, interpreter: environment(path.join(home, "env")) };
  const find = () => finding.findServer(new interpreters.Interpreters(log));
  assert.equal((await find()).command, set);
  fs.chmodSync(set, 0o644);
  const wrong = await find();
  assert.ok(wrong.isSetting && wrong.cause.includes(set) && !finding.isServer(wrong));
  fake.settings.path = program(path.join(folder.uri.fsPath, "torchlsp"));
  assert.equal((await find()).command, fake.settings.path);
  fake.trusted = false;
  assert.match((await find()).cause, /not trusted/);
});

test("the first folder whose environment has the server decides", async ({ finding, interpreters }, home) => {
  const [one, two] = ["one", "two"].map((name) => fake.folder(path.join(home, name)));
  const without = environment(path.join(one.uri.fsPath, ".venv"), false);
  environment(path.join(two.uri.fsPath, ".venv"));
  process.env.PATH = "";
  const find = () => finding.findServer(new interpreters.Interpreters(log));
  assert.equal((await find()).command, path.join(two.uri.fsPath, ".venv", "bin", "torchlsp"));
  fs.rmSync(path.join(two.uri.fsPath, ".venv"), { recursive: true });
  const none = await find();
  assert.equal(none.cause, "torchlsp is not installed in .venv");
  assert.equal(none.interpreter.path, without);
  const anywhere = program(path.join(home, "bin", "torchlsp"));
  process.env.PATH = path.dirname(anywhere);
  assert.equal((await find()).command, anywhere);
});

test("a broken environment is named and not passed over for the Python of the PATH", async ({ finding, interpreters }, home) => {
  const folder = fake.folder(path.join(home, "work"));
  const environmentFolder = path.join(folder.uri.fsPath, ".venv");
  const python = environment(environmentFolder);
  fs.rmSync(python);
  fs.symlinkSync("/opt/gone/python3.9", python);
  process.env.PATH = path.join(home, "bin");
  program(path.join(home, "bin", "python3"));
  const known = new interpreters.Interpreters(log);
  const broken = await known.of(folder);
  assert.deepEqual([broken.path, broken.broken], [python, "its bin/python leads to /opt/gone/python3.9, which does not exist"]);
  const none = await finding.findServer(known);
  assert.equal(none.cause, `The environment .venv is broken: ${broken.broken}`);
  const anywhere = program(path.join(home, "bin", "torchlsp"));
  assert.equal((await finding.findServer(known)).command, anywhere);
  environment(path.join(folder.uri.fsPath, "venv"));
  assert.equal((await known.of(folder)).source, "venv in the folder");
});

test("a folder that is no environment is not called broken", async ({ interpreters }, home) => {
  const folder = fake.folder(home);
  fs.mkdirSync(path.join(home, "venv", "bin"), { recursive: true });
  process.env.PATH = "";
  assert.equal(await new interpreters.Interpreters(log).of(folder), undefined);
});

test("the environment that was made for the server is the last that is looked into", async ({ finding, interpreters }, home) => {
  const own = path.join(home, "storage", "environment");
  environment(own);
  process.env.PATH = "";
  const find = () => finding.findServer(new interpreters.Interpreters(log, own));
  assert.equal((await find()).command, path.join(own, "bin", "torchlsp"));
  const anywhere = program(path.join(home, "bin", "torchlsp"));
  process.env.PATH = path.dirname(anywhere);
  assert.equal((await find()).command, anywhere);
});

test("without any Python it says so", async ({ finding, interpreters }) => {
  process.env.PATH = "";
  const none = await finding.findServer(new interpreters.Interpreters(log));
  assert.deepEqual(none, { cause: "No Python was found", isSetting: false, interpreter: undefined });
});
