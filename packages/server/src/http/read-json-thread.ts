import { parentPort } from "node:worker_threads";
import { readJson } from "./json-value.ts";

type Task = { id: number; bytes: Uint8Array; maxValues: number };

/** Receives `{ id, bytes, maxValues }` and responds with `{ id, read }`, one body at a time. */
parentPort?.on("message", ({ id, bytes, maxValues }: Task) => {
  const read = readJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), maxValues);
  parentPort?.postMessage({ id, read });
});
