import type { Forms } from "./panel-context.ts";

/**
 * Loads the forms. A browser never requests a module again under an address that failed once, and the file may have
 * disappeared with an older version of the server. Both cases load the current file under a new address.
 */
export function loadForms(baseUrl: string): Promise<Forms> {
  return import("../forms/mount-form.tsx").catch(
    () => import(/* @vite-ignore */ `${baseUrl}/widget/mount-form.js?${++attempts}`),
  );
}

let attempts = 0;
