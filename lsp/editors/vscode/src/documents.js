import * as vscode from "vscode";

export const LANGUAGES = ["stalwart", "stalwart-agent", "stalwart-trace"];

/** How much of a document is looked at, in characters; the server looks at as much. */
const HEAD = 16384;
const VOCABULARY = /^["']?vocabulary["']?[ ]*:/m;
const AGENTS = /^["']?agents["']?[ ]*:/m;
const SPAN = /^\s*\{\s*(?:"type"\s*:\s*"(?:span|start)"|"resourceSpans"\s*:)/;

export function isOurs(document) {
  return LANGUAGES.includes(document.languageId);
}

/** The language id that a document should have: ours, where its content says so. */
export function languageOf(document) {
  const { languageId, uri } = document;
  const settings = vscode.workspace.getConfiguration("stalwart", uri);
  if (!settings.get("detect") || !["yaml", "jsonl", "plaintext"].includes(languageId)) {
    return languageId;
  }
  const range = new vscode.Range(document.positionAt(0), document.positionAt(HEAD));
  const head = document.getText(range).replace(/^\uFEFF/, "");
  if (languageId === "yaml") {
    if (!VOCABULARY.test(head)) return languageId;
    return AGENTS.test(head) ? "stalwart-agent" : "stalwart";
  }
  return uri.path.endsWith(".jsonl") && SPAN.test(head) ? "stalwart-trace" : languageId;
}
