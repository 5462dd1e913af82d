// Writes the licences of the packages that esbuild has bundled, as its metafile tells:
// `node notices.mjs METAFILE NOTICES`.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [metafile, notices] = process.argv.slice(2);
const { inputs } = JSON.parse(readFileSync(metafile, "utf8"));
const packages = new Set();
for (const path of Object.keys(inputs)) {
  const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path);
  if (found) packages.add(found[0]);
}
const parts = [...packages].sort().map((folder) => {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
  if (!files.length) throw new Error(`${name} has no licence`);
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  return [`${name} ${version}`, ...texts].join("\n\n");
});
writeFileSync(notices, `${parts.join("\n\n---\n\n")}\n`);
