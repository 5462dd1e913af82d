import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import * as vscode from "vscode";

const MADE = /[/\\]stalwart-timeline-[^/\\]+[/\\][^/\\]+\.html$/;
const CHOICES = 1000;

/**
 * Shows a timeline beside the editor. A browser cannot open a file of a remote machine; the page
 * has no script and asks for nothing from outside.
 */
export async function showTimeline(params, next) {
  const path = vscode.Uri.parse(params.uri).fsPath;
  if (!params.external || !MADE.test(path)) return next(params);
  const panel = vscode.window.createWebviewPanel(
    "stalwart.timeline",
    basename(path, ".html"),
    vscode.ViewColumn.Beside,
    { enableScripts: false, enableFindWidget: true, localResourceRoots: [] },
  );
  panel.webview.html = await readFile(path, "utf8");
  return { success: true };
}

/** Opens the timeline of the trace that is open, or of one to choose. */
export async function chooseTimeline() {
  const shown = vscode.window.activeTextEditor?.document;
  const trace = shown?.languageId === "stalwart-trace" ? shown.uri : await chooseTrace();
  if (trace) await vscode.commands.executeCommand("stalwart.openTimeline", trace.toString(), "");
}

async function chooseTrace() {
  const globs = vscode.workspace.getConfiguration("stalwart").get("traces");
  const wanted = globs.filter((one) => !one.startsWith("!"));
  const left = globs.filter((one) => one.startsWith("!")).map((one) => one.slice(1));
  const without = left.length ? `{${left.join(",")}}` : undefined;
  const found = await Promise.all(
    wanted.map((one) => vscode.workspace.findFiles(one, without, CHOICES)),
  );
  const paths = new Map(found.flat().map((uri) => [vscode.workspace.asRelativePath(uri), uri]));
  if (!paths.size) {
    vscode.window.showInformationMessage(vscode.l10n.t("Stalwart: there is no trace here."));
    return undefined;
  }
  const placeHolder = vscode.l10n.t("A trace");
  const chosen = await vscode.window.showQuickPick([...paths.keys()].sort(), { placeHolder });
  return chosen && paths.get(chosen);
}
