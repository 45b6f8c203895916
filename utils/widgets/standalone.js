// What keeps an explorer's state: the page alone, or the page and a kernel that shares it.

/** What an explorer asks of its host. */
class State {
  #values;
  #answer;
  #kernel = null;
  #changed = new Set(); // in the page, before there was a kernel
  #listeners = new Map();

  constructor(values, answer) {
    this.#values = { ...values };
    this.#answer = answer;
  }

  get(name) { return this.#values[name]; }

  set(name, value) {
    this.#put(name, value);
    if (this.#kernel) this.#kernel.set(name, value);
    else this.#changed.add(name);
  }

  save_changes() { this.#kernel?.save_changes(); }

  /** A message for the kernel; without one, `answer` may give another message, and buffers. */
  async send(content) {
    if (this.#kernel) this.#kernel.send(content);
    else if (this.#answer) this.#tell("msg:custom", ...await this.#answer(content));
  }

  /** From now on share all values with a kernel: it hears what the reader changed before it came. */
  join(kernel) {
    if (this.#kernel === kernel) return;
    this.#kernel = kernel;
    for (const name of Object.keys(this.#values)) {
      const take = () => this.#put(name, kernel.get(name));
      kernel.on(`change:${name}`, take);
      if (this.#changed.has(name)) kernel.set(name, this.#values[name]);
      else take();
    }
    if (this.#changed.size) kernel.save_changes();
    this.#changed.clear();
    kernel.on("msg:custom", (...news) => this.#tell("msg:custom", ...news));
    this.#tell("joined");
  }

  get hasKernel() { return this.#kernel !== null; }

  on(event, listener) {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  }

  off(event, listener) {
    this.#listeners.set(event, (this.#listeners.get(event) ?? []).filter((one) => one !== listener));
  }

  #put(name, value) {
    if (this.#values[name] === value) return;
    this.#values[name] = value;
    this.#tell(`change:${name}`);
    this.#tell("change");
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

/** Put the explorer of a notebook's output in the place of its picture, and join it to its kernel. */
export function enliven(place, explorer) {
  const state = JSON.parse(place.dataset.state);
  const [model, stage] = [new State(state), document.createElement("div")];

  function meet() {
    const kernel = globalThis.attentionLinks?.get(state.link);
    if (kernel) model.join(kernel);
    if (stage.isConnected || (state.needs_kernel && !kernel)) return;
    explorer.render({ model, el: stage });
    place.replaceChildren(stage);
  }
  if (state.link) document.addEventListener("attention-link", meet);
  meet();
}
