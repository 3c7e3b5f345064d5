// Between the forms of the language server protocol and those of Visual Studio Code.

'use strict';

const vscode = require('vscode');

// The editor writes its ranges as lists, so they are sent by their parts.
const toPosition = (from) => ({ line: from.line, character: from.character });
const toRange = (from) => ({ start: toPosition(from.start), end: toPosition(from.end) });

const position = (from) => new vscode.Position(from.line, from.character);
const range = (from) => new vscode.Range(position(from.start), position(from.end));
const location = (from) => new vscode.Location(vscode.Uri.parse(from.uri), range(from.range));

function diagnostic(from) {
  // The protocol counts severities from 1.
  const to = new vscode.Diagnostic(range(from.range), from.message, from.severity - 1);
  to.source = from.source;
  to.relatedInformation = (from.relatedInformation || []).map(
    (related) => new vscode.DiagnosticRelatedInformation(location(related.location), related.message));
  return to;
}

const markdown = (from) => (from && from.kind === 'markdown' ? new vscode.MarkdownString(from.value) : from && from.value);

const hover = (from) => new vscode.Hover([markdown(from.contents)], from.range && range(from.range));

function completion(from) {
  const to = new vscode.CompletionItem(from.label, from.kind - 1);
  to.detail = from.detail;
  to.documentation = markdown(from.documentation);
  to.sortText = from.sortText;
  return to;
}

const completions = (from) => from.items.map(completion);

function signatureHelp(from) {
  const to = new vscode.SignatureHelp();
  to.activeSignature = from.activeSignature;
  to.activeParameter = from.activeParameter;
  to.signatures = from.signatures.map((signature) => {
    const one = new vscode.SignatureInformation(signature.label, new vscode.MarkdownString(signature.documentation || ''));
    one.parameters = signature.parameters.map((parameter) => new vscode.ParameterInformation(parameter.label));
    return one;
  });
  return to;
}

const highlight = (from) => new vscode.DocumentHighlight(range(from.range));

function workspaceEdit(from) {
  const to = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(from.changes)) {
    to.set(vscode.Uri.parse(uri), edits.map((edit) => vscode.TextEdit.replace(range(edit.range), edit.newText)));
  }
  return to;
}

function symbol(from) {
  const to = new vscode.DocumentSymbol(from.name, from.detail || '', from.kind - 1, range(from.range), range(from.selectionRange));
  to.children = (from.children || []).map(symbol);
  return to;
}

const inlayHint = (from) => new vscode.InlayHint(position(from.position), from.label, from.kind);

const codeLens = (from) => new vscode.CodeLens(range(from.range), from.command);

function codeAction(from) {
  const to = new vscode.CodeAction(from.title, vscode.CodeActionKind.QuickFix);
  to.diagnostics = (from.diagnostics || []).map(diagnostic);
  to.isPreferred = from.isPreferred;
  to.edit = workspaceEdit(from.edit);
  return to;
}

module.exports = {
  codeAction, codeLens, completions, diagnostic, highlight, hover, inlayHint, location, range, signatureHelp, symbol, toPosition, toRange,
  workspaceEdit,
};
