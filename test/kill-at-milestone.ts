import { subscribe } from "node:diagnostics_channel";

/**
 * Loaded into a server before everything else: kills it, as a power cut would, at the milestone that `FOYER_FAULT_AT`
 * names, the first time it is reached or with `name:3` the third time.
 */
const [milestone, times = "1"] = (process.env.FOYER_FAULT_AT ?? "").split(":");
let left = Number(times);

subscribe("foyer.milestone", (reached) => {
  if (reached === milestone && --left === 0) process.kill(process.pid, "SIGKILL");
});
