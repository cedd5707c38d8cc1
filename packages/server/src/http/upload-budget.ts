import type { FastifyRequest } from "fastify";
import { AppError } from "../errors.ts";

const MIB = 1024 * 1024;
/**
 * The maximum number of bytes of bodies in memory: eight bodies of the maximum size in total, and four from one client.
 */
const defaults = { total: 192 * MIB, perClient: 96 * MIB };

export type UploadLimits = typeof defaults;
export type UploadBudget = { reserve(bytes: number): void; release(): void };

/**
 * Limits the bytes of bodies in memory. It counts only bytes that have arrived, so a connection that sends nothing uses
 * none of the budget.
 */
export function createUploadBudget(limits: UploadLimits = defaults) {
  const byClient = new Map<string, number>();
  let totalBytes = 0;

  return (client: string): UploadBudget => {
    let reservedBytes = 0;
    return {
      /** @throws 503 when this client, or all clients together, would exceed the budget */
      reserve(bytes: number): void {
        const current = byClient.get(client) ?? 0;
        if (totalBytes + bytes > limits.total || current + bytes > limits.perClient) {
          throw new AppError("OVERLOADED", "Too many large bodies are being processed. Try again in a moment.", {
            retryAfter: 2,
          });
        }
        reservedBytes += bytes;
        totalBytes += bytes;
        byClient.set(client, current + bytes);
      },
      release(): void {
        const remainingBytes = (byClient.get(client) ?? 0) - reservedBytes;
        if (remainingBytes > 0) byClient.set(client, remainingBytes);
        else byClient.delete(client);
        totalBytes -= reservedBytes;
        reservedBytes = 0;
      },
    };
  };
}

/** Reads a body to its end. When `onBytes` throws, reading stops and the rest is discarded. */
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
        if (size > maxBytes)
          throw new AppError("PAYLOAD_TOO_LARGE", "The request body is larger than this endpoint accepts.");
        onBytes(chunk.length);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = () => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const onBroken = () => fail(new AppError("VALIDATION_ERROR", "The request body is incomplete."));
    request.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
  });
}
