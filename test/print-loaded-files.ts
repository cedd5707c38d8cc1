import { registerHooks } from "node:module";

/** Preloaded into the server: prints every file that it loads, on a line of its own. */
registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:")) process.stdout.write(`loads ${url}\n`);
    return next(url, context);
  },
});
