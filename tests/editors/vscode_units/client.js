// In the place of the language client: servers that start when a test says so.
"use strict";

const clients = [];

class Client {
  constructor(server, _interpreters, options, _log, reports) {
    Object.assign(this, { server, options, reports, left: false, told: 0, words: undefined });
    this.started = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
    clients.push(this);
  }
  async start() {
    await this.started;
    this.reports.ready(this);
  }
  async configurationChanged() {
    this.told += 1;
  }
  async leave() {
    this.left = true;
  }
  async lastWords() {
    return this.words;
  }
}

module.exports = { Client, clients, initialOptions: async () => ({}) };
