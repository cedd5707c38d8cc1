import type { Document } from "@foyer/contract";

/**
 * Uploads a file to an agent's documents. This uses XMLHttpRequest, because `fetch` does not report how much of a body
 * was sent.
 * @param onProgress receives the share that was sent, from 0 to 1
 * @throws Error with a message for the member
 */
export function uploadFile(agentId: string, file: File, onProgress: (share: number) => void): Promise<Document> {
  const address = `/documents/upload?${new URLSearchParams({ agentId, name: file.name })}`;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const answer = parse(request.responseText);
      if (request.status === 200 || request.status === 202) resolve(answer as Document);
      else reject(new Error(findMessage(answer) ?? `The server responded with status ${request.status}.`));
    };
    request.onerror = () =>
      reject(new Error("The connection to the server was lost. Check your connection and try again."));
    request.send(file);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function findMessage(answer: unknown): string | undefined {
  const { error } = (answer ?? {}) as { error?: { message?: unknown } };
  return typeof error?.message === "string" ? error.message : undefined;
}
