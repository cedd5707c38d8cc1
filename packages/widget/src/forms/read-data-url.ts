/**
 * Reads a file as a base64 data URL, asynchronously. @throws if the file can no longer be read, for example because it
 * was changed or moved
 */
export function readDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error);
    reader.onload = () => {
      const text = String(reader.result);
      // Browsers differ in the prefix for an empty file and for a file of unknown type.
      resolve(`data:${readMediaType(file)};base64,${text.slice(text.indexOf(",") + 1 || text.length)}`);
    };
    reader.readAsDataURL(file);
  });
}

export function readMediaType({ type }: { type: string }): string {
  return /^[^,;]{1,200}$/.test(type) ? type : "application/octet-stream";
}
