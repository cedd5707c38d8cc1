import { queryOptions } from "@tanstack/react-query";
import { request } from "../../data/api.ts";

export const originalKey = (id: string) => ["getDocumentFile", id] as const;

/** A text as it was entered, which can differ from the text as understood. */
export function askOriginal(id: string) {
  return queryOptions({
    queryKey: originalKey(id),
    queryFn: async ({ signal }) => (await request(`/documents/${encodeURIComponent(id)}/file`, { signal })).text(),
  });
}
