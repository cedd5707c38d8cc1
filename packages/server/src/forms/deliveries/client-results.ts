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
 * Takes what the page's own handler reports of a submission. The first result stands: reporting the same again is fine,
 * another one is 409. `origin` is the page's, which the agent must allow (403).
 */
export function createClientResults({ baseUrl }: Pick<Config, "baseUrl">, { store, records, agents }: Parts) {
  const ownOrigin = new URL(baseUrl).origin;
  return async (report: ClientResult, origin: string | undefined): Promise<void> => {
    const { submissionId, success, message = null, data = null } = report;
    const json = JSON.stringify({ success, message, data });
    if (Buffer.byteLength(json) > MAX_RESULT_BYTES) {
      throw new AppError("PAYLOAD_TOO_LARGE", "The result is too large: it takes 100 KiB.");
    }
    // As it will be read again: JSON knows no -0, and no number too large for one.
    const result = JSON.parse(json);
    const submission = isId("sub", submissionId) ? await store.getPublic(submissionId) : undefined;
    if (submission) agents.checkOrigin(await agents.getPublic(submission.agentId), origin, ownOrigin);
    const known = submission
      ? await records.change(submissionId, async (trx, { clientResult }) => {
          if (clientResult === null) await store.setClientResult(trx, submissionId, JSON.stringify(result));
          return clientResult === null ? result : JSON.parse(clientResult);
        })
      : undefined;
    if (!known) throw notFound("Submission");
    if (!isDeepStrictEqual(known, result)) throw new AppError("CONFLICT", "Another result was reported before.");
  };
}
