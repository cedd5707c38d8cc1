/** What is loaded when the first form is shown. */
export type Forms = typeof import("../forms/mount-form.tsx");

/**
 * Fetches what forms need. A file that failed once is never fetched again under the same address, and may be gone with
 * an older version of the server: then the current one is taken.
 */
export function loadForms(baseUrl: string): Promise<Forms> {
  return import("../forms/mount-form.tsx").catch(
    () => import(/* @vite-ignore */ `${baseUrl}/widget/mount-form.js?${++attempts}`),
  );
}

let attempts = 0;
