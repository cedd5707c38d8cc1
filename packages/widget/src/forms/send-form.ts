import { createRequest, type FormSubmit, FoyerError, type Request, type SubmitResult, submitForm } from "@foyer/sdk";
import { readDataUrl } from "./read-data-url.ts";
import { createUploadFetch } from "./upload-fetch.ts";

/**
 * The time after which a silent connection counts as dead, in milliseconds. The server responds within 8 s. Uploads
 * have no limit.
 */
const TIMEOUT_MS = 30_000;

export type Outgoing = {
  submission: Omit<FormSubmit, "formData">;
  /** Combines the files' data URLs with the other answers. */
  formData: (files: Record<string, string>) => Record<string, unknown>;
  files: Readonly<Record<string, File>>;
  idempotencyKey: string;
  /** The conversation token, which lets the agent see the submission. */
  token: string | undefined;
  /** Receives the upload progress from 0 to 1. */
  onProgress: (share: number) => void;
};

/** Names a field whose file was changed or removed after it was chosen. */
export type UnreadableFile = { unreadable: string };

/** Reads the files and submits the form once. @throws FoyerError, or an UnreadableFile with the name of its field */
export async function sendForm(
  request: Request,
  baseUrl: string,
  { submission, formData, files, idempotencyKey, token, onProgress }: Outgoing,
): Promise<{ result: SubmitResult; formData: Record<string, unknown> }> {
  const read = await Promise.all(
    Object.entries(files).map(async ([field, file]) => {
      const dataUrl = await readDataUrl(file).catch(() =>
        Promise.reject({ unreadable: field } satisfies UnreadableFile),
      );
      return [field, dataUrl] as const;
    }),
  );
  const data = formData(Object.fromEntries(read));
  const body = { ...submission, formData: data };
  if (read.length > 0) {
    const upload = createRequest({ baseUrl, fetch: createUploadFetch(onProgress) });
    const fileNames = Object.fromEntries(Object.entries(files).map(([field, file]) => [field, file.name]));
    return { result: await submitForm(upload, { ...body, fileNames }, { idempotencyKey, token }), formData: data };
  }
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const result = await submitForm(request, body, { idempotencyKey, token, signal }).catch((error) => {
    throw signal.aborted ? new FoyerError("UNREACHABLE", "The server did not answer.", { cause: error }) : error;
  });
  return { result, formData: data };
}

export const isUnreadable = (error: unknown): error is UnreadableFile =>
  (error as Partial<UnreadableFile> | null)?.unreadable !== undefined;
