/** How long the browser may take to start a download, in milliseconds. */
const START_MS = 60_000;

/** Saves content as a file. */
export function downloadBlob(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), START_MS);
}
