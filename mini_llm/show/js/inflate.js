/** The bytes that Python deflated. */
async function inflated(view) {
  const packed = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
