// tilec's language server in Visual Studio Code: opens and changes of files go to the server, and questions of the editor are
// answered by it. convert.js has the forms of both sides.

'use strict';

const vscode = require('vscode');
const { Client } = require('./client');
const convert = require('./convert');

const SELECTOR = { language: 'python', scheme: 'file' };

let session = null; // Of the server that runs; null without one.
let output = null;  // What it logs.
let collection = null;
let lensesChanged = null; // The editor asks for them again.

/// A server and the files that it knows.
class Session {
  constructor() {
    const settings = vscode.workspace.getConfiguration('tilec');
    this.files = new Set();
    this.client = new Client(settings.get('server'), settings.get('arguments'), {
      onNotification: (method, params) => this.hear(method, params),
      onLog: (text) => output.append(text),
      onEnd: (reason) => this.ended(reason),
    });
    this.ready = this.client
      .request('initialize', {
        processId: process.pid, rootUri: null, capabilities: { workspace: { codeLens: { refreshSupport: true } } },
        initializationOptions: { options: settings.get('options') },
      })
      .then(() => {
        this.client.notify('initialized', {});
        vscode.workspace.textDocuments.forEach((document) => this.open(document));
      })
      .catch(() => {}); // `ended` has said it.
  }

  ended(reason) {
    if (session !== this) {
      return; // It was to end.
    }
    session = null;
    collection.clear();
    output.appendLine(reason);
    vscode.window.showErrorMessage(`${reason}; the setting tilec.server names the language server`);
  }

  hear(method, params) {
    if (method === 'textDocument/publishDiagnostics') {
      collection.set(vscode.Uri.parse(params.uri), params.diagnostics.map(convert.diagnostic));
    } else if (method === 'window/showMessage') {
      vscode.window.showErrorMessage(params.message);
    } else if (method === 'workspace/codeLens/refresh') {
      lensesChanged.fire();
    }
  }

  /// Kernel files are Python files that have to do with triton.
  open(document) {
    const key = document.uri.toString();
    if (this.files.has(key) || !vscode.languages.match(SELECTOR, document) || !/\btriton\b/.test(document.getText())) {
      return;
    }
    this.files.add(key);
    this.client.notify('textDocument/didOpen', {
      textDocument: { uri: key, languageId: 'python', version: document.version, text: document.getText() },
    });
  }

  change(event) {
    const key = event.document.uri.toString();
    if (!this.files.has(key)) {
      this.open(event.document); // It may have become one.
      return;
    }
    if (event.contentChanges.length) {
      this.client.notify('textDocument/didChange', {
        textDocument: { uri: key, version: event.document.version },
        contentChanges: event.contentChanges.map((change) => ({ range: convert.toRange(change.range), text: change.text })),
      });
    }
  }

  close(document) {
    if (this.files.delete(document.uri.toString())) {
      this.client.notify('textDocument/didClose', { textDocument: { uri: document.uri.toString() } });
    }
  }

  save(document) {
    if (vscode.languages.match(SELECTOR, document)) {
      this.client.notify('textDocument/didSave', { textDocument: { uri: document.uri.toString() } });
    }
  }

  /// The answer to a question about a file that the server knows, in the editor's form; null otherwise.
  async ask(method, document, params, form) {
    await this.ready;
    if (!this.files.has(document.uri.toString())) {
      return null;
    }
    const answer = await this.client.request(method, { textDocument: { uri: document.uri.toString() }, ...params });
    return answer === null || answer === undefined ? null : form(answer);
  }
}

function ask(method, document, params, form) {
  return session ? session.ask(`textDocument/${method}`, document, params, form) : null;
}

const at = (position) => ({ position: convert.toPosition(position) });

function registerProviders() {
  const all = (form) => (list) => list.map(form);
  const { languages } = vscode;
  return [
    languages.registerHoverProvider(SELECTOR, {
      provideHover: (document, position) => ask('hover', document, at(position), convert.hover),
    }),
    languages.registerCompletionItemProvider(SELECTOR, {
      provideCompletionItems: (document, position) => ask('completion', document, at(position), convert.completions),
    }, '.'),
    languages.registerSignatureHelpProvider(SELECTOR, {
      provideSignatureHelp: (document, position) => ask('signatureHelp', document, at(position), convert.signatureHelp),
    }, '(', ','),
    languages.registerDefinitionProvider(SELECTOR, {
      provideDefinition: (document, position) => ask('definition', document, at(position), all(convert.location)),
    }),
    languages.registerReferenceProvider(SELECTOR, {
      provideReferences: (document, position, context) => ask(
        'references', document,
        { ...at(position), context: { includeDeclaration: context.includeDeclaration } }, all(convert.location)),
    }),
    languages.registerDocumentHighlightProvider(SELECTOR, {
      provideDocumentHighlights: (document, position) => ask('documentHighlight', document, at(position), all(convert.highlight)),
    }),
    languages.registerRenameProvider(SELECTOR, {
      prepareRename: (document, position) => ask('prepareRename', document, at(position), convert.range),
      provideRenameEdits: (document, position, newName) => ask('rename', document, { ...at(position), newName }, convert.workspaceEdit),
    }),
    languages.registerDocumentSymbolProvider(SELECTOR, {
      provideDocumentSymbols: (document) => ask('documentSymbol', document, {}, all(convert.symbol)),
    }),
    languages.registerInlayHintsProvider(SELECTOR, {
      provideInlayHints: (document, range) => ask('inlayHint', document, { range: convert.toRange(range) }, all(convert.inlayHint)),
    }),
    languages.registerCodeLensProvider(SELECTOR, {
      onDidChangeCodeLenses: lensesChanged.event,
      provideCodeLenses: (document) => ask('codeLens', document, {}, all(convert.codeLens)),
    }),
    languages.registerCodeActionsProvider(SELECTOR, {
      provideCodeActions: (document, range) => ask(
        'codeAction', document, { range: convert.toRange(range), context: { diagnostics: [] } }, all(convert.codeAction)),
    }),
  ];
}

async function restart() {
  const old = session;
  session = null;
  collection.clear();
  if (old) {
    await old.client.stop();
  }
  session = new Session();
  await session.ready;
}

function changeSettings(event) {
  if (event.affectsConfiguration('tilec.server') || event.affectsConfiguration('tilec.arguments')) {
    restart();
  } else if (event.affectsConfiguration('tilec.options') && session) {
    const options = vscode.workspace.getConfiguration('tilec').get('options');
    session.client.notify('workspace/didChangeConfiguration', { settings: { tilec: { options } } });
  }
}

async function activate(context) {
  output = vscode.window.createOutputChannel('tilec');
  collection = vscode.languages.createDiagnosticCollection('tilec');
  lensesChanged = new vscode.EventEmitter();
  const { workspace } = vscode;
  context.subscriptions.push(
    output, collection, lensesChanged, ...registerProviders(),
    workspace.onDidOpenTextDocument((document) => session && session.ready.then(() => session && session.open(document))),
    workspace.onDidChangeTextDocument((event) => session && session.change(event)),
    workspace.onDidCloseTextDocument((document) => session && session.close(document)),
    workspace.onDidSaveTextDocument((document) => session && session.save(document)),
    workspace.onDidChangeConfiguration(changeSettings),
    vscode.commands.registerCommand('tilec.restart', restart),
  );
  await restart();
}

async function deactivate() {
  const old = session;
  session = null;
  if (old) {
    await old.client.stop();
  }
}

module.exports = { activate, deactivate };
