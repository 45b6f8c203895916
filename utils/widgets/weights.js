// What a page that stands without a kernel fetches beside it.

/** A model's weights, of a file that is deflated since servers compress texts only, as a DataView. */
export async function fetchWeights(url) {
  const file = await fetch(url);
  if (!file.ok) throw new Error("A model could not be loaded.");
  const whole = file.body.pipeThrough(new DecompressionStream("deflate"));
  return new DataView(await new Response(whole).arrayBuffer());
}
