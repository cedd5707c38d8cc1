import { subscribe } from "node:diagnostics_channel";

/**
 * Preloaded into a server: kills the process, like a power failure, when it reaches the failpoint that `FOYER_FAULT_AT`
 * names. `name:3` waits for the third time.
 */
const [failpoint, times = "1"] = (process.env.FOYER_FAULT_AT ?? "").split(":");
let left = Number(times);

subscribe("foyer.failpoint", (name) => {
  if (name === failpoint && --left === 0) process.kill(process.pid, "SIGKILL");
});
