/**
 * A file as a base64 data URL, read by the browser beside the page's own work.
 * @throws when the file cannot be read (any more), for instance because it was changed or moved
 */
export function readDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error);
    reader.onload = () => {
      const text = String(reader.result);
      // Browsers do not agree on how an empty file, or one of no known type, begins.
      resolve(`data:${mediaTypeOf(file)};base64,${text.slice(text.indexOf(",") + 1 || text.length)}`);
    };
    reader.readAsDataURL(file);
  });
}

export function mediaTypeOf({ type }: { type: string }): string {
  return /^[^,;]{1,200}$/.test(type) ? type : "application/octet-stream";
}
