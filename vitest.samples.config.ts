import { defineConfig } from "vitest/config";

/** `npm run test:samples`: runs the sample code in PHP and Python. Its runtimes take 81 MB, so `npm ci` leaves them out. */
export default defineConfig({
  ssr: { resolve: { conditions: ["foyer-source"] } },
  test: { include: ["test/samples/*.sample.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
});
