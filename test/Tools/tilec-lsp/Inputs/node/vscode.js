// As much of Visual Studio Code's module as the extension uses: plain values, and lists of what was registered.

'use strict';

class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range { constructor(start, end) { Object.assign(this, { start, end }); } toJSON() { return [this.start, this.end]; } }
class Location { constructor(uri, range) { Object.assign(this, { uri, range }); } }
class Record { constructor(...values) { this.values = values; } }
class WorkspaceEdit { constructor() { this.edits = new Map(); } set(uri, edits) { this.edits.set(uri.toString(), edits); } }

const settings = { 'tilec.server': '', 'tilec.arguments': [], 'tilec.options': [] };
const handlers = {};  // Of events of the workspace.
const providers = {}; // By the name of the function that registers them.
const commands = {};
const diagnostics = new Map();
const messages = [];
const textDocuments = [];

const Uri = { parse: (text) => ({ toString: () => text }) };
const on = (name) => (handler) => { handlers[name] = handler; };
const languages = {
  createDiagnosticCollection: () => ({
    set: (uri, list) => diagnostics.set(uri.toString(), list), clear: () => diagnostics.clear(), dispose: () => {},
  }),
  match: (selector, document) => (document.languageId === selector.language ? 10 : 0),
};
for (const name of ['Hover', 'CompletionItem', 'SignatureHelp', 'Definition', 'Reference', 'DocumentHighlight', 'Rename', 'DocumentSymbol',
  'InlayHints', 'CodeLens', 'CodeActions']) {
  languages[`register${name}Provider`] = (selector, provider) => { providers[name] = provider; };
}

module.exports = {
  Position, Range, Location, WorkspaceEdit, Uri, languages,
  Diagnostic: class { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } },
  DiagnosticRelatedInformation: Record,
  MarkdownString: class { constructor(value) { this.value = value; } },
  Hover: class { constructor(contents, range) { Object.assign(this, { contents, range }); } },
  CompletionItem: class { constructor(label, kind) { Object.assign(this, { label, kind }); } },
  SignatureHelp: class {},
  SignatureInformation: class { constructor(label, documentation) { Object.assign(this, { label, documentation }); } },
  ParameterInformation: class { constructor(label) { this.label = label; } },
  DocumentHighlight: class { constructor(range) { this.range = range; } },
  TextEdit: { replace: (range, newText) => ({ range, newText }) },
  DocumentSymbol: class { constructor(name, detail, kind) { Object.assign(this, { name, detail, kind }); } },
  InlayHint: class { constructor(position, label, kind) { Object.assign(this, { position, label, kind }); } },
  CodeLens: class { constructor(range, command) { Object.assign(this, { range, command }); } },
  EventEmitter: class {
    constructor() { this.event = (hear) => { this.hear = hear; }; }
    fire() { if (this.hear) { this.hear(); } }
    dispose() {}
  },
  CodeAction: class { constructor(title, kind) { Object.assign(this, { title, kind }); } },
  CodeActionKind: { QuickFix: 'quickfix' },
  commands: { registerCommand: (name, run) => { commands[name] = run; } },
  window: {
    createOutputChannel: () => ({ append: (text) => messages.push(text), appendLine: (text) => messages.push(text), dispose: () => {} }),
    showErrorMessage: (text) => messages.push(text),
  },
  workspace: {
    textDocuments,
    getConfiguration: (section) => ({ get: (name) => settings[`${section}.${name}`] }),
    onDidOpenTextDocument: on('open'),
    onDidChangeTextDocument: on('change'),
    onDidCloseTextDocument: on('close'),
    onDidSaveTextDocument: on('save'),
    onDidChangeConfiguration: on('settings'),
  },
  test: { settings, handlers, providers, commands, diagnostics, messages },
};
