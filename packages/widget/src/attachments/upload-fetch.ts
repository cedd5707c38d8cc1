/** A `fetch` for one upload that reports its progress from 0 to 1. It implements only what the SDK uses. */
export function createUploadFetch(onProgress: (share: number) => void): typeof fetch {
  return (address, { method = "POST", headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const upload = new XMLHttpRequest();
      upload.open(method, String(address));
      new Headers(headers).forEach((value, name) => {
        upload.setRequestHeader(name, value);
      });
      upload.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
      upload.onload = () => {
        const retryAfter = upload.getResponseHeader("retry-after");
        const answer = { status: upload.status, headers: retryAfter ? { "retry-after": retryAfter } : {} };
        resolve(new Response(upload.responseText || null, answer));
      };
      upload.onerror = () => reject(new TypeError("The upload failed."));
      signal?.addEventListener("abort", () => {
        upload.abort();
        reject(signal.reason);
      });
      upload.send(body instanceof Blob ? body : null);
    });
}
