import { setTimeout as wait } from "node:timers/promises";

/** Uses a share of one core, such as 0.7, with nothing but arithmetic. */
const share = Number(process.argv[2]);
const SLICE_MS = 1;
const PAUSE_MS = 2;

process.once("disconnect", () => process.exit(0));
process.once("SIGTERM", () => process.exit(0));
process.send?.({ port: 0 });
const startedAt = performance.now();
const before = process.cpuUsage();
for (;;) {
  const { user, system } = process.cpuUsage(before);
  if ((user + system) / 1_000 >= share * (performance.now() - startedAt)) await wait(PAUSE_MS);
  else burn();
}

function burn(): void {
  const until = performance.now() + SLICE_MS;
  let sum = 0;
  while (performance.now() < until) sum += Math.sqrt(sum + 1);
}
