// A part of the page as a picture: its words and lines are drawn anew, where they stand on the screen.

const SVG = "http://www.w3.org/2000/svg";
const AROUND = 24; // pixels
const LINE = 24; // of the caption

function add(parent, tag, attributes, text = null) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== null) node.textContent = text;
  parent.append(node);
  return node;
}

/** Draw what is behind a word: its colour, and the wave under one that is wrong. */
function ground(drawing, node, style, { x, y, width, height }) {
  if (style.backgroundColor !== "rgba(0, 0, 0, 0)") {
    add(drawing, "rect", { x, y, width, height, rx: Number.parseFloat(style.borderRadius) || 0,
      fill: style.backgroundColor });
  }
  if (style.textDecorationLine !== "underline") return;
  const waves = Array.from({ length: Math.ceil(width / 4) }, (_, n) => `q1 ${n % 2 ? 3 : -3} 4 0`).join("");
  add(drawing, "path", { d: `M${x} ${y + height - 2}${waves}`, fill: "none", stroke: style.textDecorationColor,
    "stroke-width": 1.5 });
}

function word(drawing, node, style, { x, y, height }) {
  const size = Number.parseFloat(style.fontSize);
  add(drawing, "text", { x, y: y + height / 2 + size * 0.33, fill: style.color, "font-size": style.fontSize,
    "font-family": style.fontFamily, "font-weight": style.fontWeight }, node.textContent.trim());
}

/** Copy a drawing of the page into ours, with the colours that the page's style gives it. */
function wires(drawing, svg, { x, y }) {
  const copy = svg.cloneNode(true);
  const originals = svg.querySelectorAll("path, rect, text");
  copy.querySelectorAll("path, rect, text").forEach((node, n) => {
    const style = getComputedStyle(originals[n]);
    for (const name of ["fill", "stroke", "stroke-width", "opacity", "font-size", "font-family", "font-weight",
      "text-anchor", "paint-order"]) node.setAttribute(name, style.getPropertyValue(name));
    node.removeAttribute("style");
  });
  add(drawing, "g", { transform: `translate(${x} ${y})` }).append(...copy.childNodes);
}

/** Lines of a text, each at most so many letters long. */
function folded(text, letters) {
  return text.split(" ").reduce((lines, next) => {
    if (`${lines.at(-1)} ${next}`.length > letters) return [...lines, next];
    return [...lines.slice(0, -1), `${lines.at(-1)} ${next}`.trim()];
  }, [""]);
}

/** A PNG of an element on the background of its frame, with a caption below. */
export async function pictureOf(element, caption) {
  const base = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const lines = folded(caption, Math.floor(base.width / 7.6));
  const [width, height] = [base.width + 2 * AROUND, base.height + (lines.length + 1.5) * LINE + AROUND];
  const drawing = add(document.createDocumentFragment(), "svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  add(drawing, "rect", { width, height, fill: getComputedStyle(element.closest(".frame")).backgroundColor });
  const placed = (box) => ({ x: box.x - base.x + AROUND, y: box.y - base.y + AROUND, width: box.width,
    height: box.height });
  const all = [...element.querySelectorAll("*")].filter((node) => {
    const seen = node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    return seen && node.getClientRects().length;
  });
  for (const svg of all.filter((node) => node.matches("svg"))) wires(drawing, svg, placed(svg.getBoundingClientRect()));
  for (const node of all.filter((one) => one.namespaceURI !== SVG && one.parentElement.closest("svg") === null)) {
    const own = [...node.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
    if (!own.length) continue;
    ground(drawing, node, getComputedStyle(node), placed(node.getBoundingClientRect()));
    for (const text of own) {
      const range = document.createRange();
      range.selectNodeContents(text);
      word(drawing, text, getComputedStyle(node), placed(range.getBoundingClientRect()));
    }
  }
  lines.forEach((text, n) => add(drawing, "text", { x: AROUND, y: AROUND + base.height + (n + 1.2) * LINE,
    fill: style.color, "font-size": 15, "font-family": style.fontFamily }, text));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(drawing))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height]; // sharp on any screen
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}
