import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import process from "node:process";

/** Newer than the types. */
type Permission = { drop(scope: string): void };

/** What sends signals. Signals can end the server, and SIGUSR1 opens its debugger. */
const senders = ["kill", "_kill", "_debugProcess", "_debugEnd"] as const;

/**
 * Takes from the extraction process what its flags cannot take: sending signals to the server, and changing the
 * server's priority. Threads would have both again, so no thread can be started from now on. Call it before the first
 * hostile file is read.
 */
export function dropPrivileges(): void {
  for (const sender of senders) Reflect.deleteProperty(process, sender);
  Reflect.deleteProperty(os, "setPriority");
  syncBuiltinESMExports();
  (process as unknown as { permission: Permission }).permission.drop("worker");
}
