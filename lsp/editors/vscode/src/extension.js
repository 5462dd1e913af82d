import * as vscode from "vscode";
import { Connection } from "./connection.js";
import { isOurs, languageOf } from "./documents.js";
import { ReadingLanguage } from "./reading_language.js";
import { chooseTimeline } from "./timeline.js";
import { tryTurn } from "./turn.js";

let connection;

export async function activate(context) {
  const output = vscode.window.createOutputChannel("Stalwart", { log: true });
  connection = new Connection(output);
  const language = new ReadingLanguage();
  const opened = async (document) => {
    const wanted = languageOf(document);
    if (wanted !== document.languageId) {
      // Told again, as a document that was opened, in its new language.
      await vscode.languages.setTextDocumentLanguage(document, wanted);
    } else if (isOurs(document)) {
      await connection.start();
    }
  };
  const register = vscode.commands.registerCommand;
  context.subscriptions.push(
    output,
    language,
    register("stalwart.restart", () => connection.restart()),
    register("stalwart.try", () => withServer("stalwart.tryTurn", tryTurn)),
    register("stalwart.timeline", () => withServer("stalwart.openTimeline", chooseTimeline)),
    register("stalwart.chooseLanguage", () => language.choose()),
    vscode.workspace.onDidOpenTextDocument(opened),
    vscode.workspace.onDidSaveTextDocument(opened),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("stalwart.server.path")) connection.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => connection.startAgain()),
  );
  await Promise.all(vscode.workspace.textDocuments.map(opened));
}

/** Do what needs a command of the server, where the one that runs has it. */
async function withServer(command, work) {
  if (!(await connection.start())) return;
  if (connection.can(command)) {
    await work();
  } else {
    vscode.window.showWarningMessage(
      vscode.l10n.t("Stalwart: the server that runs is older and cannot do this."),
    );
  }
}

export function deactivate() {
  return connection?.stop();
}
