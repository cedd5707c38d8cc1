import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "./processes.ts";

/** Reads the heap of a process that was started with `nodeOptions`. `await using` disconnects. */
export type HeapMeter = AsyncDisposable & {
  /** what is still referenced after a garbage collection: objects and the memory of buffers, in bytes */
  retainedBytes(): Promise<number>;
};

/** The options that enable a process's inspector, and a function that connects to it once it runs. */
export async function inspectable(): Promise<{ nodeOptions: string[]; connect(): Promise<HeapMeter> }> {
  const port = await freePort();
  return {
    // Without the second option, the address is also printed.
    nodeOptions: [`--inspect=127.0.0.1:${port}`, "--inspect-publish-uid=http"],
    connect: () => connect(port),
  };
}

async function connect(port: number): Promise<HeapMeter> {
  const [target] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error("The inspector does not accept the connection."));
  });
  const calls = new Map<number, (result: Record<string, number>) => void>();
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    calls.get(id)?.(result);
    calls.delete(id);
  };
  let sent = 0;
  const call = (method: string) =>
    new Promise<Record<string, number>>((resolve) => {
      const id = ++sent;
      calls.set(id, resolve);
      socket.send(JSON.stringify({ id, method }));
    });
  return {
    async retainedBytes() {
      // Collect several times, because finalizers run between collections, and the next collection frees what they
      // release.
      for (let times = 0; times < 3; times++) {
        await call("HeapProfiler.collectGarbage");
        await wait(50);
      }
      const { usedSize = 0, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await call("Runtime.getHeapUsage");
      return usedSize + embedderHeapUsedSize + backingStorageSize;
    },
    async [Symbol.asyncDispose]() {
      socket.close();
    },
  };
}
