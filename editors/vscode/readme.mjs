// The README as it is packed. VS Code shows no picture of an extension's own files, so there they are left out.
import { readFileSync, writeFileSync } from "node:fs";

const text = readFileSync("README.md", "utf8");
writeFileSync("dist/README.md", text.replaceAll(/^!\[.*\]\(.*\)\n\n?/gm, ""));
