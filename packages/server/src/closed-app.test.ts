import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { startServer } from "../../../test/server.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** The variables of this function are gone when it returns, so that only the program can keep the app. */
async function useAndStop(): Promise<WeakRef<object>> {
  const server = await startServer();
  const { call } = await server.createAccount();
  await call("POST", "/agents", { name: "Harbour" });
  await server.stop();
  return new WeakRef(server.app);
}

it("a closed app leaves nothing in memory that refers to it", async () => {
  const app = await useAndStop();
  await expect
    .poll(() => {
      collectGarbage();
      return app.deref() === undefined;
    })
    .toBe(true);
});
