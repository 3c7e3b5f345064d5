// Prints for each query what the search of a site finds first: node search.js SITE QUERY ..
//
// The script is the site's, search/worker.js; here is what a browser has for it.

const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [site, ...queries] = process.argv.slice(2);
const read = name => fs.readFileSync(path.join(site, "search", name), "utf8");

class XMLHttpRequest {
  open(method, name) { this.responseText = read(name); }
  addEventListener(event, listener) { this.listener = listener; }
  send() { this.listener(); }
}

const worker = vm.createContext({
  XMLHttpRequest,
  console: { log() {}, error: console.error },
  importScripts(...names) { names.forEach(name => vm.runInContext(read(name), worker)); },
  postMessage(message) {
    if (message.results)
      console.log(message.results.length ? message.results[0].location : "nothing");
  },
});
vm.runInContext(read("worker.js"), worker);
worker.onmessage({ data: { init: true } });
queries.forEach(query => worker.onmessage({ data: { query } }));
