/** Gives the viewer a file that was made here. */
export function saveFile(name: string, type: string, parts: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers begin to read it a little later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
