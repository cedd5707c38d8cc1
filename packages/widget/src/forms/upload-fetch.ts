/**
 * A `fetch` for one upload that reports its progress from 0 to 1, which the browser's own `fetch` cannot do. It
 * implements only what the SDK uses.
 */
export function createUploadFetch(onProgress: (share: number) => void): typeof fetch {
  return (address, { method = "GET", headers, body } = {}) =>
    new Promise((resolve, reject) => {
      const upload = new XMLHttpRequest();
      upload.open(method, String(address));
      new Headers(headers).forEach((value, name) => {
        upload.setRequestHeader(name, value);
      });
      upload.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
      upload.onload = () => {
        const answer = new Headers();
        for (const line of upload.getAllResponseHeaders().trim().split("\r\n")) {
          const at = line.indexOf(":");
          if (at > 0) answer.append(line.slice(0, at), line.slice(at + 1).trim());
        }
        resolve(new Response(upload.responseText || null, { status: upload.status, headers: answer }));
      };
      upload.onerror = () => reject(new TypeError("The upload failed."));
      upload.send(body as string);
    });
}
