/**
 * Loads the current version of a file. A browser never requests a module again under an address that failed once, and
 * the file may have disappeared with an older version of the server, so this requests a new address.
 */
export function loadAgain(baseUrl: string, name: string) {
  return import(/* @vite-ignore */ `${baseUrl}/widget/${name}.js?${++attempts}`);
}

let attempts = 0;
