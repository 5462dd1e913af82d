import * as vscode from "vscode";

const NAMES = { en: "English", "pt-BR": "Português" };
const SETTINGS = /^settings[ ]*:(.*(?:\n(?:[ \t].*|[ \t]*#.*|[ \t\r]*))*)/m;
const LANGUAGE = /(?:^|[\s{,])language[ ]*:[ ]*["']?(en|pt-BR)\b/;

/** Shows in the status bar which language turns are read in, and lets one choose another. */
export class ReadingLanguage {
  #item = vscode.window.createStatusBarItem("language", vscode.StatusBarAlignment.Right, 100);
  #listening;

  constructor() {
    this.#item.name = vscode.l10n.t("Stalwart: reading language");
    this.#item.command = "stalwart.chooseLanguage";
    const { workspace, window } = vscode;
    const isShown = (document) => document === window.activeTextEditor?.document;
    this.#listening = vscode.Disposable.from(
      window.onDidChangeActiveTextEditor(() => this.#show()),
      workspace.onDidOpenTextDocument(() => this.#show()),
      workspace.onDidChangeTextDocument(({ document }) => isShown(document) && this.#show()),
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("stalwart.language")) this.#show();
      }),
    );
    this.#show();
  }

  async choose() {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const settings = vscode.workspace.getConfiguration("stalwart", uri);
    const own = { label: vscode.l10n.t("The vocabulary's own"), value: undefined };
    const others = Object.entries(NAMES).map(([value, label]) => ({ label, value }));
    const placeHolder = vscode.l10n.t("The language to read turns in");
    const chosen = await vscode.window.showQuickPick([own, ...others], { placeHolder });
    if (chosen) {
      const inFolder = vscode.workspace.workspaceFolders !== undefined;
      const where = inFolder
        ? vscode.ConfigurationTarget.Workspace
        : vscode.ConfigurationTarget.Global;
      await settings.update("language", chosen.value, where);
    }
  }

  dispose() {
    this.#listening.dispose();
    this.#item.dispose();
  }

  #show() {
    const document = vscode.window.activeTextEditor?.document;
    if (!document || !["stalwart", "stalwart-agent"].includes(document.languageId)) {
      this.#item.hide();
      return;
    }
    const settings = vscode.workspace.getConfiguration("stalwart", document.uri);
    const set = settings.get("language");
    const language = set || ownLanguage(document.getText());
    this.#item.text = `$(comment-discussion) ${NAMES[language]}`;
    this.#item.tooltip = set
      ? vscode.l10n.t("Stalwart reads turns in {0}, which is set here.", NAMES[language])
      : vscode.l10n.t("Stalwart reads turns in {0}, the vocabulary's own.", NAMES[language]);
    this.#item.show();
  }
}

/** What a vocabulary's settings say; `en` where they say nothing, as the server has it. */
function ownLanguage(text) {
  return LANGUAGE.exec(SETTINGS.exec(text)?.[1] ?? "")?.[1] ?? "en";
}
