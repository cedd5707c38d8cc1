/** Saves a file whose content was created on this page. */
export function saveFile(name: string, type: string, parts: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  clickLink(url, name);
  // Keep the object URL for a while, because some browsers start reading the content with a delay.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Downloads a file from the server without leaving the page. The server names the file. */
export function downloadFile(address: string): void {
  clickLink(address, "");
}

function clickLink(href: string, download: string) {
  const link = document.createElement("a");
  link.href = href;
  link.download = download;
  link.click();
}
