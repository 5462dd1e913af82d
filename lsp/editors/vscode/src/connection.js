import * as vscode from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";
import { LANGUAGES } from "./documents.js";
import { findServer } from "./find_server.js";
import { showTimeline } from "./timeline.js";

/** The server and its client: started when the first of our documents is open. */
export class Connection {
  #output;
  #client;
  #started;

  constructor(output) {
    this.#output = output;
  }

  /** Start the server once; resolves to whether it runs. */
  start() {
    this.#started ??= this.#start();
    return this.#started;
  }

  /** Start the server where an attempt has failed. */
  async startAgain() {
    if (this.#started && !(await this.#started)) await this.restart();
  }

  /** Whether the server that runs carries out a command; an older one may lack it. */
  can(command) {
    const capabilities = this.#client?.initializeResult?.capabilities;
    return capabilities?.executeCommandProvider?.commands.includes(command) ?? false;
  }

  async restart() {
    await this.stop();
    return this.start();
  }

  async stop() {
    await this.#started;
    const client = this.#client;
    this.#client = this.#started = undefined;
    await client?.dispose();
  }

  async #start() {
    const found = await findServer();
    if (!found.command) {
      this.#say(found.why);
      return false;
    }
    this.#output.info(`${found.command} lsp`);
    const server = { command: found.command, args: ["lsp"], transport: TransportKind.stdio };
    const client = new LanguageClient("stalwart", "Stalwart", server, {
      documentSelector: LANGUAGES.flatMap((language) => [
        { scheme: "file", language },
        { scheme: "untitled", language },
      ]),
      outputChannel: this.#output,
      middleware: { window: { showDocument: showTimeline } },
    });
    try {
      await client.start();
    } catch (error) {
      this.#output.error(String(error));
      await client.dispose().catch(() => {});
      this.#say(vscode.l10n.t("{0} could not be started as a language server.", found.command));
      return false;
    }
    this.#client = client;
    return true;
  }

  async #say(message) {
    const settings = vscode.l10n.t("Open the setting");
    const again = vscode.l10n.t("Try again");
    const chosen = await vscode.window.showErrorMessage(`Stalwart: ${message}`, settings, again);
    if (chosen === settings) {
      vscode.commands.executeCommand("workbench.action.openSettings", "stalwart.server.path");
    } else if (chosen === again) {
      this.restart();
    }
  }
}
