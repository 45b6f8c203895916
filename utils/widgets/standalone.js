// An explorer in a page without a kernel: on the reading site, and in the tests.

/** What an explorer asks of its host: the state that a kernel would keep. */
class State {
  #values;
  #listeners = new Map();

  constructor(values) { this.#values = { ...values }; }

  get(name) { return this.#values[name]; }

  set(name, value) {
    this.#values[name] = value;
    this.#tell(`change:${name}`);
    this.#tell("change");
  }

  save_changes() {}

  on(event, listener) {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  }

  off(event, listener) {
    this.#listeners.set(event, (this.#listeners.get(event) ?? []).filter((one) => one !== listener));
  }

  #tell(event) { for (const listener of this.#listeners.get(event) ?? []) listener(); }
}

/** Show an explorer in `el`, given its module's default export and its state. */
export function mount(explorer, state, el) {
  const model = new State(state);
  explorer.render({ model, el });
  return model;
}
