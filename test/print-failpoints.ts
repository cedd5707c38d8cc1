import { subscribe } from "node:diagnostics_channel";
import { writeSync } from "node:fs";

/** Preloaded into a server: prints the name of every failpoint it reaches to standard output, one per line. */
subscribe("foyer.failpoint", (name) => void writeSync(1, `${name}\n`));
