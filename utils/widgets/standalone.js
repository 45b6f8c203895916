// An explorer in a page without a kernel: on the reading site, and in the tests.

/** What an explorer asks of its host: the state that a kernel would keep. */
class State {
  #values;
  #answer;
  #listeners = new Map();

  constructor(values, answer) {
    this.#values = { ...values };
    this.#answer = answer;
  }

  get(name) { return this.#values[name]; }

  set(name, value) {
    this.#values[name] = value;
    this.#tell(`change:${name}`);
    this.#tell("change");
  }

  save_changes() {}

  /** A message as a kernel would get it, and answer with another and with buffers. */
  async send(content) {
    if (this.#answer) this.#tell("msg:custom", ...await this.#answer(content));
  }

  on(event, listener) {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  }

  off(event, listener) {
    this.#listeners.set(event, (this.#listeners.get(event) ?? []).filter((one) => one !== listener));
  }

  #tell(event, ...news) {
    for (const listener of this.#listeners.get(event) ?? []) listener(...news);
  }
}

/**
 * Show an explorer in `el`, given its module's default export and its state.
 *
 * Some ask for more: `answer(content)` gets what they send, and promises [content, buffers]. For the
 * translator, content is { want: name }, and the answer [{ have: name }, [the file as a DataView]].
 */
export function mount(explorer, state, el, answer) {
  const model = new State(state, answer);
  explorer.render({ model, el });
  return model;
}
