// What a user does with VS Code in a browser, and what is then to be seen. Everything polls for its condition, within a
// limit of its own.
"use strict";

const fs = require("node:fs");
const net = require("node:net");
const path = require("node:path");
const { setTimeout: pause } = require("node:timers/promises");
const { chromium } = require("playwright-core");

const LIMIT = 60_000;

async function until(what, look, limit = LIMIT) {
  const end = Date.now() + limit;
  for (;;) {
    const value = await look();
    if (value) {
      return value;
    }
    if (Date.now() > end) {
      throw new Error(`never came: ${what}`);
    }
    await pause(50);
  }
}

/** What is the same when it is looked at twice. */
async function settled(what, look) {
  let before = "";
  return until(`${what}, unmoved`, async () => {
    const value = await look();
    const text = JSON.stringify(value);
    const isSame = text === before;
    before = text;
    return isSame && value;
  });
}

async function openBrowser(plan) {
  const context = await chromium.launchPersistentContext(path.join(plan.home, "browser"), {
    executablePath: plan.browser,
    headless: true,
    viewport: { width: 1280, height: 800 },
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const outside = [];
  await context.route("**/*", (route) => {
    const { hostname, protocol, href } = new URL(route.request().url());
    if (!protocol.startsWith("http") || hostname === "127.0.0.1") {
      return route.continue();
    }
    outside.push(href);
    return route.abort();
  });
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(LIMIT);
  return { context, page, outside };
}

/** A window on a folder with one of its files open, once the extension host runs. */
async function openFolder(page, plan, folder, file) {
  fs.rmSync(plan.socket, { force: true });
  const { host } = new URL(plan.origin);
  const address = new URL(plan.origin);
  address.searchParams.set("folder", folder);
  if (file) {
    address.searchParams.set("payload", JSON.stringify([["openFile", `vscode-remote://${host}${path.join(folder, file)}`]]));
  }
  await page.goto(String(address));
  await page.waitForSelector(".monaco-workbench");
  await until("the extension host", () => fs.existsSync(plan.socket));
}

/** Runs a function (its text is sent) in the extension host, with `vscode` and one argument that JSON can carry. */
function inHost(plan, body, argument = null) {
  return new Promise((resolve, reject) => {
    const connection = net.connect(plan.socket);
    const parts = [];
    connection.setTimeout(LIMIT, () => connection.destroy(new Error(`the extension host was asked for too long: ${body}`)));
    connection.on("error", reject);
    connection.on("data", (part) => parts.push(part));
    connection.on("end", () => {
      const { value, error } = JSON.parse(Buffer.concat(parts).toString());
      error === undefined ? resolve(value) : reject(new Error(error));
    });
    connection.end(JSON.stringify({ body: String(body), argument }));
  });
}

/** Where a piece of one line's text stands in the picture, hints left in: their text is part of the line. */
async function boxOf(page, part) {
  return page.evaluate((wanted) => {
    for (const line of document.querySelectorAll(".editor-instance .view-line, .cell .view-line")) {
      const nodes = [];
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        nodes.push(walker.currentNode);
      }
      // The editor shows spaces as no-break spaces.
      const text = nodes.map((node) => node.data).join("").replaceAll("\u00a0", " ");
      const start = text.indexOf(wanted);
      if (start < 0) {
        continue;
      }
      const range = document.createRange();
      let before = 0;
      for (const node of nodes) {
        const after = before + node.data.length;
        if (start >= before && start < after) {
          range.setStart(node, start - before);
        }
        if (start + wanted.length > before && start + wanted.length <= after) {
          range.setEnd(node, start + wanted.length - before);
        }
        before = after;
      }
      const { left, right, top, bottom } = range.getBoundingClientRect();
      return { left, right, top, bottom };
    }
    return null;
  }, part);
}

async function awaitBox(page, part) {
  return until(`the text ${part}`, () => boxOf(page, part));
}

/** The text of the open editor's lines as they are shown. */
async function shownLines(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll(".editor-instance .view-line")]
      .map((line) => ({ top: line.getBoundingClientRect().top, text: line.textContent.replaceAll("\u00a0", " ") }))
      .sort((a, b) => a.top - b.top)
      .map((line) => line.text),
  );
}

async function squiggles(page, severity) {
  return page.evaluate(
    (kind) =>
      [...document.querySelectorAll(`.squiggly-${kind}`)].map((mark) => {
        const { left, right, top, bottom } = mark.getBoundingClientRect();
        return { left, right, top, bottom };
      }),
    severity,
  );
}

async function awaitSquiggle(page, severity = "error") {
  return until(`a squiggle (${severity})`, async () => (await squiggles(page, severity))[0]);
}

/** The hover over the middle of a text, as text and as HTML, once it says something. */
async function hoverOver(page, part, says, limit = LIMIT) {
  const box = await awaitBox(page, part);
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  let moved = 0;
  return until(`a hover over ${part} that says ${says}`, async () => {
    // What is shown stays as it is while the pointer is there: it leaves and comes again.
    if (Date.now() - moved > 5000) {
      await leaveHover(page);
      await page.mouse.move(x - 3, y - 1, { steps: 4 });
      await page.mouse.move(x, y, { steps: 2 });
      moved = Date.now();
    }
    return page.evaluate((wanted) => {
      for (const content of document.querySelectorAll(".monaco-hover:not(.hidden)")) {
        const text = content.innerText.replaceAll("\u00a0", " ");
        if (text.includes(wanted)) {
          const { left, right, top, bottom } = content.getBoundingClientRect();
          return { text, html: content.innerHTML, box: { left, right, top, bottom } };
        }
      }
      return null;
    }, says);
  }, limit);
}

async function leaveHover(page) {
  await page.mouse.move(640, 795);
  await until("the hover to go", () =>
    page.evaluate(() => ![...document.querySelectorAll(".monaco-editor .monaco-hover:not(.hidden)")].some((one) => one.offsetHeight)),
  );
}

async function clickOn(page, part) {
  const box = await awaitBox(page, part);
  await page.mouse.click(box.left + 3, (box.top + box.bottom) / 2);
}

/** Runs a command by its title, from the palette; it `leaves` the palette's place empty unless it asks something there. */
async function command(page, title, { leaves = true } = {}) {
  await page.keyboard.press("F1");
  await page.waitForSelector(".quick-input-widget input");
  await page.keyboard.insertText(title);
  await page.waitForSelector(`.quick-input-list .monaco-list-row.focused:has-text("${title}")`);
  await page.keyboard.press("Enter");
  if (leaves) {
    await page.waitForSelector(".quick-input-widget", { state: "hidden" });
  }
}

/** The mark of a walkthrough's step that is done. */
const DONE = ".codicon-getting-started-step-checked";

async function openWalkthrough(page, plan) {
  await inHost(plan, (vscode) =>
    vscode.commands.executeCommand("workbench.action.openWalkthrough", "torchlsp.torchlsp#start", false).then(() => null),
  );
  await page.locator(".getting-started-step .step-title").first().waitFor();
}

async function closeWalkthrough(page, plan) {
  await inHost(plan, (vscode) => vscode.commands.executeCommand("workbench.action.closeActiveEditor").then(() => null));
  await page.locator(".getting-started-step").first().waitFor({ state: "hidden" });
}

/** The servers started so far: process numbers, and which program it was. */
function starts(plan) {
  if (!fs.existsSync(plan.notes)) {
    return [];
  }
  const rows = fs.readFileSync(plan.notes, "utf8").split("\n").slice(0, -1);
  return rows.map((row) => ({ pid: Number(row.split(" ")[0]), program: row.split(" ")[1] }));
}

async function awaitStarts(plan, count) {
  return until(`start ${count} of a server`, () => starts(plan).length >= count && starts(plan));
}

async function setting(plan, name, value) {
  await inHost(
    plan,
    (vscode, [key, wanted]) =>
      vscode.workspace.getConfiguration().update(key, wanted ?? undefined, vscode.ConfigurationTarget.Global),
    [name, value],
  );
}

/** All that has popped up and is still there. */
async function notifications(page) {
  return page.locator(".notifications-toasts .notification-list-item").allInnerTexts();
}

/** A part of the window, larger where a box does not fit. */
function around(box, clip) {
  const y = box.top < clip.y ? Math.floor(box.top) - 2 : clip.y;
  const width = Math.max(clip.width, Math.ceil(box.right) + 20 - clip.x);
  const height = Math.max(clip.y + clip.height, Math.ceil(box.bottom) + 20) - y;
  return { x: clip.x, y, width: Math.min(width, 1280 - clip.x), height: Math.min(height, 800 - y) };
}

/** What the language status of the open file says, once it contains a text, with the titles of its links. */
async function languageStatus(page, says) {
  const button = page.locator("#status\\.languageStatus");
  await button.waitFor();
  return until(`a status that says ${says}`, async () => {
    await page.mouse.move(640, 400);
    await button.hover();
    const rows = page.locator(".hover-language-status");
    await rows.first().waitFor();
    const text = (await rows.allInnerTexts()).join("\n").replaceAll("\u00a0", " ");
    return text.includes(says) && { text, links: (await rows.locator("a").allInnerTexts()).filter(Boolean) };
  });
}

async function leaveStatus(page) {
  const status = page.locator(".hover-language-status").first();
  await until("the status to go", async () => {
    await page.mouse.move(640, 400, { steps: 4 });
    const isGone = await status.waitFor({ state: "hidden", timeout: 2000 }).then(() => true, () => false);
    if (!isGone) {
      // Its button was drawn anew below the pointer, and has not seen it leave.
      await page.locator("#status\\.languageStatus").hover();
    }
    return isGone;
  });
}

/** A picture of the window, or of one part of it, when nothing moves any more. */
async function picture(page, plan, name, clip) {
  const file = path.join(plan.screenshots, `${name}.png`);
  await page.screenshot({ path: file, animations: "disabled", caret: "hide", ...(clip ? { clip } : {}) });
  return file;
}

/** Opens the menu of quick fixes of a text; what arrives from the server while it opens closes it again. */
async function openFixes(page, text) {
  const rows = page.locator(".action-widget .monaco-list-row.action");
  await until("the menu of quick fixes", async () => {
    await clickOn(page, text);
    await page.keyboard.press("Control+.");
    return rows.first().waitFor({ timeout: 5000 }).then(() => true, () => false);
  });
  return rows;
}

module.exports = {
  DONE,
  around,
  awaitBox,
  awaitSquiggle,
  awaitStarts,
  boxOf,
  clickOn,
  closeWalkthrough,
  command,
  hoverOver,
  inHost,
  languageStatus,
  leaveHover,
  leaveStatus,
  notifications,
  openBrowser,
  openFixes,
  openFolder,
  openWalkthrough,
  picture,
  setting,
  settled,
  shownLines,
  squiggles,
  starts,
  until,
};
