// One server at a time, and what becomes of it; installing one.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { setImmediate: turn } = require("node:timers/promises");
const { clients } = require("./client.js");
const { calls, environment, log, program } = require("./program.js");
const { fake } = require("./vscode.js");

function begun({ interpreters, supervisor }, home) {
  clients.length = 0;
  fake.settings = { path: program(path.join(home, "torchlsp")) };
  return new supervisor.Supervisor(new interpreters.Interpreters(log), log);
}

async function until(look) {
  for (let turns = 0; turns < 10_000; turns += 1) {
    const value = look();
    if (value) {
      return value;
    }
    await turn();
  }
  return assert.fail(`never came: ${look}`);
}

test("what stays the same is not started anew, but told of its settings", async (modules, home) => {
  const own = begun(modules, home);
  const first = own.ensure();
  (await until(() => clients[0])).resolve();
  await first;
  assert.equal(own.running, clients[0]);
  await own.ensure();
  assert.equal(clients.length, 1);
  assert.equal(clients[0].told, 1);
  fake.settings.path = program(path.join(home, "other"));
  const second = own.ensure();
  (await until(() => clients[1])).resolve();
  await second;
  assert.ok(clients[0].left);
  assert.equal(own.running.server.command, fake.settings.path);
});

test("many wishes at once are one start more", async (modules, home) => {
  const own = begun(modules, home);
  const wishes = [own.ensure()];
  await until(() => clients[0]);
  wishes.push(own.ensure(), own.ensure(), own.ensure());
  clients[0].resolve();
  await Promise.all(wishes);
  assert.equal(clients.length, 1);
  assert.equal(clients[0].told, 1);
  const again = [own.restart(), own.restart(), own.ensure()];
  (await until(() => clients[1])).resolve();
  await Promise.all(again);
  assert.equal(clients.length, 2);
});

test("restarting does not wait for a server that never answers", async (modules, home) => {
  const own = begun(modules, home);
  const first = own.ensure();
  await until(() => clients[0]);
  const second = own.restart();
  (await until(() => clients[1])).resolve();
  await Promise.all([first, second]);
  assert.ok(clients[0].left);
  assert.equal(own.running, clients[1]);
});

test("a start that fails is told with the server's last words", async (modules, home) => {
  const own = begun(modules, home);
  const seen = [];
  own.onDidChange(({ kind }) => seen.push(kind));
  const start = own.ensure();
  const client = await until(() => clients[0]);
  client.words = "ModuleNotFoundError: No module named 'pygls'";
  client.reject(new Error("write EPIPE"));
  await start;
  assert.deepEqual(seen, ["starting", "failed"]);
  assert.equal(own.health.cause, client.words);
  assert.ok(client.left);
  assert.equal(own.running, undefined);
});

test("what a server that was replaced says is not listened to", async (modules, home) => {
  const own = begun(modules, home);
  const first = own.ensure();
  (await until(() => clients[0])).resolve();
  await first;
  const second = own.restart();
  (await until(() => clients[1])).resolve();
  await second;
  clients[0].reports.ended("an old story");
  assert.equal(own.health.kind, "ready");
  clients[1].reports.crashed();
  assert.equal(own.health.kind, "starting");
  clients[1].reports.ready(clients[1]);
  assert.equal(own.running, clients[1]);
  clients[1].reports.ended("it ended 3 times");
  assert.deepEqual(own.health, { kind: "failed", cause: "it ended 3 times" });
});

test("a server that is missing is told once, and found when it has come", async (modules, home) => {
  const own = begun(modules, home);
  fake.settings = { interpreter: environment(path.join(home, "env"), false) };
  process.env.PATH = "";
  const seen = [];
  own.onDidChange(({ kind }) => seen.push(kind));
  await own.ensure();
  await own.ensure();
  assert.deepEqual(seen, ["starting", "missing"]);
  environment(path.join(home, "env"));
  const found = own.ensure();
  (await until(() => clients[0])).resolve();
  await found;
  assert.equal(own.health.kind, "ready");
});

test("trust starts the server anew, as it is told of trust only then", async (modules, home) => {
  const own = begun(modules, home);
  fake.trusted = false;
  const first = own.ensure();
  (await until(() => clients[0])).resolve();
  await first;
  fake.trusted = true;
  const second = own.ensure();
  (await until(() => clients[1])).resolve();
  await second;
  assert.ok(clients[0].left);
});

test("nothing is started once the editor closes", async (modules, home) => {
  const own = begun(modules, home);
  const first = own.ensure();
  await until(() => clients[0]);
  await Promise.all([own.stop(), first]);
  assert.ok(clients[0].left);
  await own.restart();
  assert.equal(clients.length, 1);
});

/** Installs with this Python, and gives what the user saw. `known` is what pip is given.*/
async function installed({ interpreters, install }, python, { own, known = "torchlsp" } = {}) {
  fake.settings = { interpreter: python };
  const health = { kind: "ready", client: { version: "9.9" } };
  const supervisor = { restarts: 0, health, restart: async () => void (supervisor.restarts += 1) };
  await install.install(supervisor, new interpreters.Interpreters(log, own), log, known);
  return { shown: fake.shown, restarts: supervisor.restarts };
}

const PIP = "-I -m pip install --disable-pip-version-check --upgrade torchlsp";

test("nothing is installed without consent", async (modules, home) => {
  const python = environment(path.join(home, "env"), false);
  const { shown, restarts } = await installed(modules, python);
  assert.equal(shown.length, 1);
  assert.ok(shown[0].detail.includes(`${python} ${PIP}`));
  assert.deepEqual(calls(python), [`${python} -I -m pip --version`]);
  assert.equal(restarts, 0);
});

test("with consent it is installed and started", async (modules, home) => {
  const python = environment(path.join(home, "env"), false);
  fake.answer = () => "Install";
  const { shown, restarts } = await installed(modules, python);
  assert.equal(calls(python)[1], `${python} ${PIP}`);
  assert.equal(restarts, 1);
  assert.match(shown.at(-1).text, /torchlsp 9\.9 is installed in .*env and runs/);
});

test("while torchlsp is not published, a copy of its repository is asked for and installed", async (modules, home) => {
  const python = environment(path.join(home, "env"), false);
  fake.answer = () => "Install";
  const { restarts } = await installed(modules, python, { known: "" });
  assert.equal(restarts, 0);
  assert.deepEqual(calls(python), []);
  const copy = path.join(home, "copy");
  fs.mkdirSync(copy);
  fake.chosen = [{ fsPath: copy }];
  for (const text of [undefined, '[project]\nname = "mine"\n']) {
    if (text !== undefined) {
      fs.writeFileSync(path.join(copy, "pyproject.toml"), text);
    }
    const { shown } = await installed(modules, python, { known: "" });
    assert.match(shown.at(-1).text, /copy is no copy of torchlsp's repository/);
    assert.deepEqual(calls(python), []);
  }
  fs.writeFileSync(path.join(copy, "pyproject.toml"), '[project]\nname = "torchlsp"\n');
  await installed(modules, python, { known: "" });
  assert.equal(calls(python)[1], `${python} ${PIP.replace(/torchlsp$/, copy)}`);
});

test("without trust nothing is run, and the way to trust is offered", async (modules, home) => {
  const python = environment(path.join(home, "env"), false);
  fake.trusted = false;
  fake.answer = (_text, [first]) => first;
  await installed(modules, python);
  assert.deepEqual(calls(python), []);
  assert.deepEqual(fake.ran, ["workbench.trust.manage"]);
});

test("what pip says of its failure is told", async (modules, home) => {
  const body = 'case "$*" in *install*) echo "ERROR: No matching distribution found" >&2; echo "[notice] a new pip" >&2; exit 1;; esac';
  const python = program(path.join(home, "env", "bin", "python"), body);
  fake.answer = (_text, items) => (items.includes("Install") ? "Install" : "Show Logs");
  const { shown, restarts } = await installed(modules, python);
  assert.match(shown.at(-1).text, /could not be installed into .*env: ERROR: No matching distribution found$/);
  assert.equal(restarts, 0);
  assert.deepEqual(fake.ran, ["torchlsp.showLogs"]);
});

const REFUSING = `case "$*" in
*"-m venv"*) mkdir -p "$5/bin" && cp "$0" "$5/bin/python" && sed -i '/externally/d' "$5/bin/python";;
*"pip install"*) echo "error: externally-managed-environment" >&2; echo "hint: See PEP 668" >&2; exit 1;;
esac`;

test("where the system refuses packages, an environment is made after asking", async (modules, home) => {
  const python = program(path.join(home, "usr", "bin", "python"), REFUSING);
  const own = path.join(home, "storage", "environment");
  fake.answer = (_text, [first]) => first;
  const { shown, restarts } = await installed(modules, python, { own });
  const question = shown.find(({ items }) => items?.includes("Make an Environment"));
  assert.match(question.text, /^Install torchlsp into an environment of its own\?$/);
  assert.ok(question.detail.includes(`${python} -I -m venv --clear ${own}`));
  const inside = path.join(own, "bin", "python");
  const ran = calls(python).filter((call) => call.startsWith(inside)); // a copy writes to the same file
  assert.deepEqual(ran, [`${inside} -I -m pip --version`, `${inside} ${PIP}`]);
  assert.equal(restarts, 1);
  assert.match(shown.at(-1).text, /torchlsp 9\.9 is installed in an environment of its own and runs/);
});

test("no environment is made without consent", async (modules, home) => {
  const python = program(path.join(home, "usr", "bin", "python"), REFUSING);
  fake.answer = (_text, items) => (items.includes("Install") ? "Install" : undefined);
  const own = path.join(home, "environment");
  const { shown, restarts } = await installed(modules, python, { own });
  assert.ok(shown.at(-1).items.includes("Make an Environment"));
  assert.ok(!fs.existsSync(own));
  assert.equal(restarts, 0);
});

test("an environment that cannot be made is said with its reason", async (modules, home) => {
  const body = 'case "$*" in *venv*) echo "ensurepip is not available" >&2; exit 1;; *install*) echo "error: externally managed" >&2; exit 1;; esac';
  const python = program(path.join(home, "usr", "bin", "python"), body);
  fake.answer = (_text, [first]) => first;
  const { shown, restarts } = await installed(modules, python, { own: path.join(home, "environment") });
  assert.match(shown.at(-1).text, /could not be made in .*environment: ensurepip is not available$/);
  assert.equal(restarts, 0);
});

test("an environment without pip is served by uv, where there is one", async (modules, home) => {
  const python = program(path.join(home, "env", "bin", "python"), "exit 1");
  process.env.PATH = path.join(home, "bin");
  const { shown } = await installed(modules, python);
  assert.match(shown[0].text, /it has no pip, and there is no uv/);
  const uv = program(path.join(home, "bin", "uv"));
  fake.answer = () => "Install";
  process.env.PATH = `${path.join(home, "bin")}:/usr/bin:/bin`;
  await installed(modules, python);
  assert.deepEqual(calls(uv), [`${uv} pip install --python ${python} --upgrade torchlsp`]);
});

test("a broken environment is said to be broken, and nothing is installed elsewhere", async (modules, home) => {
  const folder = fake.folder(home);
  fs.mkdirSync(path.join(home, ".venv", "bin"), { recursive: true });
  fs.symlinkSync("/opt/gone/python3.9", path.join(home, ".venv", "bin", "python"));
  const elsewhere = program(path.join(home, "bin", "python3"));
  process.env.PATH = path.dirname(elsewhere);
  fake.settings = {};
  const supervisor = { health: {}, restart: async () => assert.fail("nothing was installed") };
  await modules.install.install(supervisor, new modules.interpreters.Interpreters(log), log);
  assert.equal(fake.shown[0].text, "torchlsp: The environment .venv is broken: its bin/python leads to /opt/gone/python3.9, which does not exist.");
  assert.deepEqual(calls(elsewhere), []);
  assert.equal(folder.index, 0);
});

test("a Python that is not there is said, and another one offered", async (modules, home) => {
  fake.answer = (_text, [first]) => first;
  const { shown } = await installed(modules, path.join(home, "gone", "bin", "python"));
  assert.match(shown[0].text, /There is no Python at .*gone/);
  assert.deepEqual(fake.ran, ["torchlsp.selectInterpreter"]);
});

test("a probe shows that it is under way, and says when the finding has gone", async ({ server_commands }) => {
  const asked = [];
  const next = async (command, args) => {
    asked.push([command, args]);
    return null;
  };
  await server_commands.execute("torchlsp.probe", ["file:///a.py", "TL101", 3], next);
  assert.deepEqual(asked, [["torchlsp.probe", ["file:///a.py", "TL101", 3]]]);
  assert.deepEqual(fake.shown.map(({ kind }) => kind), ["progress", "information"]);
  assert.match(fake.shown[1].text, /TL101 is no longer there/);
});

test("a check of the workspace says what it found", async ({ server_commands }) => {
  fake.answer = (_text, items) => items[0];
  const answers = [{ files: 3, findings: 1 }, { files: 1, findings: 0 }];
  for (const answer of answers) {
    assert.equal(await server_commands.execute("torchlsp.checkWorkspace", [], async () => answer), answer);
  }
  assert.deepEqual(fake.shown.map(({ text }) => text), ["torchlsp: 1 finding in 3 files", "torchlsp: no findings in 1 file"]);
  await turn();
  assert.deepEqual(fake.ran, ["workbench.panel.markers.view.focus"]);
});
