import { queryOptions } from "@tanstack/react-query";
import { request } from "../../data/api.ts";

export const originalKey = (id: string) => ["getDocumentFile", id] as const;

/** Loads the original text, which can differ from the extracted text. */
export function askOriginal(id: string) {
  return queryOptions({
    queryKey: originalKey(id),
    queryFn: async ({ signal }) => (await request(`/documents/${encodeURIComponent(id)}/file`, { signal })).text(),
  });
}
