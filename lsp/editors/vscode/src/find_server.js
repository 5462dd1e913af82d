import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import * as vscode from "vscode";

const WINDOWS = process.platform === "win32";
const NAME = WINDOWS ? "stalwart.exe" : "stalwart";

/** The command that starts the server, or why there is none: `{command}` or `{why}`. */
export async function findServer() {
  const set = vscode.workspace.getConfiguration("stalwart").get("server.path").trim();
  if (set) {
    const command = fromSetting(set);
    if (await isProgram(command)) return { command };
    return { why: vscode.l10n.t("stalwart.server.path is {0}, which is no program.", command) };
  }
  const places = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
  if (vscode.workspace.isTrusted) places.unshift(...(await chosenPython()), ...environments());
  for (const place of places) {
    const command = join(place, NAME);
    if (await isProgram(command)) return { command };
  }
  return {
    why: vscode.l10n.t(
      "The command stalwart was not found. Install it with pip install stalwart-lang, or say where it is in stalwart.server.path.",
    ),
  };
}

function fromSetting(set) {
  const home = set.replace(/^~(?=[/\\])/, homedir());
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir();
  const path = home.replaceAll("${workspaceFolder}", folder);
  return isAbsolute(path) ? path : join(folder, path);
}

/** The folder of the interpreter that the Python extension has chosen. */
async function chosenPython() {
  const extension = vscode.extensions.getExtension("ms-python.python");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  try {
    const { environments: known } = (await extension?.activate()) ?? {};
    const chosen = await known?.resolveEnvironment(known.getActiveEnvironmentPath(folder));
    const python = chosen?.executable.uri?.fsPath;
    return python ? [dirname(python)] : [];
  } catch {
    return []; // another version of that extension; there are other places
  }
}

function environments() {
  return (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) =>
    [".venv", "venv"].map((name) => join(uri.fsPath, name, WINDOWS ? "Scripts" : "bin")),
  );
}

async function isProgram(path) {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
