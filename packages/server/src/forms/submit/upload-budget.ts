import type { FastifyRequest } from "fastify";
import { AppError } from "../../errors.ts";

const MIB = 1024 * 1024;
/** Of bodies in memory at once: four of the largest from one client, eight in all. */
const defaults = { total: 192 * MIB, perClient: 96 * MIB };

export type UploadLimits = typeof defaults;
export type UploadBudget = { take(bytes: number): void; release(): void };

/** Counts the bytes of bodies that have arrived. A connection that sends nothing holds nothing, and blocks nobody. */
export function createUploadBudget(limits: UploadLimits = defaults) {
  const byClient = new Map<string, number>();
  let total = 0;

  return (client: string): UploadBudget => {
    let held = 0;
    return {
      /** @throws 503 when this client, or all of them together, would have too much in memory */
      take(bytes: number): void {
        const own = byClient.get(client) ?? 0;
        if (total + bytes > limits.total || own + bytes > limits.perClient) {
          throw new AppError("OVERLOADED", "Too many large submissions at once. Try again.", { retryAfter: 2 });
        }
        held += bytes;
        total += bytes;
        byClient.set(client, own + bytes);
      },
      release(): void {
        const left = (byClient.get(client) ?? 0) - held;
        if (left > 0) byClient.set(client, left);
        else byClient.delete(client);
        total -= held;
        held = 0;
      },
    };
  };
}

/** Reads a body to its end. `onBytes` may throw; what follows is then left to be discarded. */
export function readBody(
  request: FastifyRequest["raw"],
  maxBytes: number,
  onBytes: (bytes: number) => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = () => request.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken);
    const fail = (error: unknown) => {
      stop();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      try {
        if (size > maxBytes) throw new AppError("PAYLOAD_TOO_LARGE", "The body is larger than this endpoint accepts.");
        onBytes(chunk.length);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = () => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const onBroken = () => fail(new AppError("VALIDATION_ERROR", "The body did not arrive completely."));
    request.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
  });
}
