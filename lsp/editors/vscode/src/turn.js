import * as vscode from "vscode";

/** Asks for a turn and has the server read it with the vocabulary that is open. */
export async function tryTurn() {
  const document = vscode.window.activeTextEditor?.document;
  if (!document) return;
  const settings = vscode.workspace.getConfiguration("stalwart", document.uri);
  const text = await vscode.window.showInputBox({
    prompt: vscode.l10n.t("A turn, as a person would type it"),
  });
  if (text) {
    const language = settings.get("language") || null;
    await vscode.commands.executeCommand(
      "stalwart.tryTurn",
      document.uri.toString(),
      language,
      text,
    );
  }
}
