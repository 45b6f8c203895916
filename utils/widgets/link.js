// The kernel's end of an explorer: it tells the page that it is there, and is never seen itself.

function initialize({ model }) {
  const links = (globalThis.attentionLinks ??= new Map());
  const link = model.get("link");
  links.set(link, model);
  document.dispatchEvent(new CustomEvent("attention-link", { detail: link }));
  return () => links.delete(link);
}

export default { initialize };
