// Runs the extension for Visual Studio Code in a module that stands in for the editor: drive-vscode.js EXTENSION SERVER

'use strict';

const vscode = require('vscode');
const [folder, server] = process.argv.slice(2);
const extension = require(`${folder}/extension.js`);
const { settings, handlers, providers, commands, diagnostics, messages } = vscode.test;

const TEXT = `import triton
import triton.language as tl


@triton.jit
def k(x, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(x + lanes, lanes)
`;

function documentOf(name, text) {
  return { uri: vscode.Uri.parse(`file:///${name}`), languageId: 'python', version: 1, text, getText() { return this.text; } };
}

/// Replaces the only `old` of a document, as the editor tells it.
function replace(document, old, text) {
  const at = document.text.indexOf(old);
  const place = (offset) => {
    const lines = document.text.slice(0, offset).split('\n');
    return new vscode.Position(lines.length - 1, lines[lines.length - 1].length);
  };
  const range = new vscode.Range(place(at), place(at + old.length));
  document.text = document.text.replace(old, () => text);
  document.version += 1;
  handlers.change({ document, contentChanges: [{ range, text }] });
}

async function until(condition) {
  for (let tries = 0; !condition(); ++tries) {
    if (tries === 500) {
      throw new Error(`nothing has happened: ${condition}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function main() {
  settings['tilec.server'] = server;
  settings['tilec.options'] = ['--sig=k:x=*i32', '-DBLOCK=64'];
  const document = documentOf('kernel.py', TEXT), other = documentOf('other.py', 'print(1)\n'), uri = document.uri.toString();
  vscode.workspace.textDocuments.push(document, other);
  await extension.activate({ subscriptions: [] });
  await until(() => diagnostics.has(uri));
  console.log('opened', diagnostics.get(uri).length, diagnostics.has(other.uri.toString()));
  const at = new vscode.Position(6, 6);
  console.log('hover', (await providers.Hover.provideHover(document, at)).contents[0].value.split('\n')[1]);
  console.log('hover elsewhere', await providers.Hover.provideHover(other, at), await providers.Hover.provideHover(document, new vscode.Position(2, 0)));
  console.log('hints', (await providers.InlayHints.provideInlayHints(document, new vscode.Range(new vscode.Position(0, 0), new vscode.Position(8, 0))))[0].label);
  let lenses = await providers.CodeLens.provideCodeLenses(document);
  for (let tries = 0; !lenses.length && tries < 500; ++tries) {
    await new Promise((resolve) => providers.CodeLens.onDidChangeCodeLenses(resolve)); // The server says when there are some.
    lenses = await providers.CodeLens.provideCodeLenses(document);
  }
  console.log('lenses', lenses.map((lens) => [lens.range.start.line, lens.command.title.split(';')[0]]));
  console.log('symbols', (await providers.DocumentSymbol.provideDocumentSymbols(document)).map((one) => [one.name, one.kind]));
  console.log('definition', (await providers.Definition.provideDefinition(document, new vscode.Position(7, 18)))[0].range.start.line);
  console.log('references', (await providers.Reference.provideReferences(document, at, { includeDeclaration: false })).length);
  console.log('highlights', (await providers.DocumentHighlight.provideDocumentHighlights(document, at)).length);
  console.log('rename', (await providers.Rename.provideRenameEdits(document, at, 'ids')).edits.get(uri).map((edit) => edit.newText));
  await providers.Rename.prepareRename(document, new vscode.Position(6, 16)).catch((error) => console.log('refused:', error.message));
  const items = await providers.CompletionItem.provideCompletionItems(document, new vscode.Position(6, 15));
  console.log('completion', items.filter((item) => item.label.startsWith('ar')).map((item) => [item.label, item.kind]));
  const help = await providers.SignatureHelp.provideSignatureHelp(document, new vscode.Position(6, 25));
  console.log('signature', help.signatures[0].label, help.activeParameter);
  replace(document, '0, BLOCK)', '0, BLOKC)');
  await until(() => diagnostics.get(uri).length);
  const found = diagnostics.get(uri)[0];
  console.log('changed', found.message, found.severity, found.range.start.line, found.range.start.character);
  const [action] = await providers.CodeActions.provideCodeActions(document, found.range);
  console.log('action', action.title, action.edit.edits.get(uri)[0].newText);
  settings['tilec.options'] = [];
  handlers.settings({ affectsConfiguration: (name) => name === 'tilec.options' });
  await until(() => !diagnostics.get(uri).length);
  replace(other, 'print(1)', 'import triton\n@triton.jit\ndef f(:\n    pass');
  await until(() => diagnostics.has(other.uri.toString()));
  console.log('became one', diagnostics.get(other.uri.toString()).length);
  handlers.save(other);
  handlers.close(other);
  await until(() => diagnostics.get(other.uri.toString()).length === 0);
  await commands['tilec.restart']();
  await until(() => diagnostics.has(uri));
  console.log('restarted');
  await extension.deactivate();
  settings['tilec.server'] = '/no/such/server';
  await extension.activate({ subscriptions: [] });
  await until(() => messages.length);
  console.log(messages[messages.length - 1]);
  console.log(await providers.Hover.provideHover(document, at));
}

main().catch((error) => {
  console.log(error);
  process.exit(1); // The server may still run.
});
