// A client of the language server protocol: messages to and from a process. Knows nothing of editors.

'use strict';

const child_process = require('child_process');

class Client {
  /// Starts the server. `onNotification(method, params)` is called for what it says or wants unasked, `onLog(text)` for what it logs, and
  /// `onEnd(reason)` once, when it has ended.
  constructor(command, args, { onNotification, onLog, onEnd }) {
    this.onNotification = onNotification;
    this.onEnd = onEnd;
    this.pending = new Map();
    this.nextId = 1;
    this.buffer = Buffer.alloc(0);
    this.ended = false;
    this.process = child_process.spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.process.on('error', (error) => this.end(`${command}: ${error.message}`));
    this.process.on('exit', (code, signal) => this.end(`${command} has ended with ${signal || `status ${code}`}`));
    this.process.stdin.on('error', () => {}); // Its end is reported as such.
    this.process.stdout.on('data', (data) => this.receive(data));
    this.process.stderr.on('data', (data) => onLog(data.toString()));
  }

  end(reason) {
    if (this.ended) {
      return;
    }
    this.ended = true;
    for (const { reject } of this.pending.values()) {
      reject(new Error(reason));
    }
    this.pending.clear();
    this.onEnd(reason);
  }

  send(message) {
    if (this.ended) {
      return;
    }
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }

  notify(method, params) {
    this.send({ method, params });
  }

  /// The answer; an error of the server or its end is an exception.
  request(method, params) {
    if (this.ended) {
      return Promise.reject(new Error('the server has ended'));
    }
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  receive(data) {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (;;) {
      const header = this.buffer.indexOf('\r\n\r\n');
      const length = header < 0 ? null : /content-length: *(\d+)/i.exec(this.buffer.toString('latin1', 0, header));
      if (!length) {
        return;
      }
      const end = header + 4 + Number(length[1]);
      if (this.buffer.length < end) {
        return;
      }
      const message = JSON.parse(this.buffer.toString('utf8', header + 4, end));
      this.buffer = this.buffer.subarray(end);
      this.handle(message);
    }
  }

  handle(message) {
    if (message.method !== undefined) {
      this.onNotification(message.method, message.params);
      if (message.id !== undefined) {
        this.send({ id: message.id, result: null }); // It asks for nothing but attention.
      }
      return;
    }
    const waiting = this.pending.get(message.id);
    if (!waiting) {
      return;
    }
    this.pending.delete(message.id);
    if (message.error) {
      waiting.reject(new Error(message.error.message));
    } else {
      waiting.resolve(message.result);
    }
  }

  async stop() {
    if (this.ended) {
      return;
    }
    try {
      await this.request('shutdown', null);
      this.notify('exit', null);
    } catch {
      // It has ended by itself.
    }
  }
}

module.exports = { Client };
