import { isDeepStrictEqual } from "node:util";
import type { ClientResult } from "@foyer/contract";
import type { AgentService } from "../../agents/service.ts";
import type { Config } from "../../config.ts";
import { AppError, notFound } from "../../errors.ts";
import { isId } from "../../ids.ts";
import type { SubmissionStore } from "../submission-store.ts";
import type { AttemptRecords } from "./attempt-records.ts";

const MAX_RESULT_BYTES = 100 * 1024;

type Parts = { store: SubmissionStore; records: AttemptRecords; agents: AgentService };

/**
 * Creates the function that accepts a result from the page's own handler for a submission. The first result is final:
 * an identical report succeeds, and a different one gets 409. `origin` is the page's origin. If the agent does not
 * allow it, the report gets 403.
 */
export function createClientResults({ baseUrl }: Pick<Config, "baseUrl">, { store, records, agents }: Parts) {
  const ownOrigin = new URL(baseUrl).origin;
  return async (report: ClientResult, origin: string | undefined): Promise<void> => {
    const { submissionId, success, message = null, data = null } = report;
    const json = JSON.stringify({ success, message, data });
    if (Buffer.byteLength(json) > MAX_RESULT_BYTES) {
      throw new AppError("PAYLOAD_TOO_LARGE", "The result is larger than 100 KiB.");
    }
    // Convert the value to JSON and back, like the stored result, so that both can be compared: JSON has neither -0 nor
    // infinite numbers.
    const result = JSON.parse(json);
    const submission = isId("sub", submissionId) ? await store.getPublic(submissionId) : undefined;
    if (submission) agents.checkOrigin(await agents.getPublic(submission.agentId), origin, ownOrigin);
    const stored = submission
      ? await records.change(submissionId, async (trx, { clientResult }) => {
          if (clientResult === null) await store.setClientResult(trx, submissionId, JSON.stringify(result));
          return clientResult === null ? result : JSON.parse(clientResult);
        })
      : undefined;
    if (!stored) throw notFound("Submission");
    if (!isDeepStrictEqual(stored, result))
      throw new AppError("CONFLICT", "A different result has already been reported for this submission.");
  };
}
