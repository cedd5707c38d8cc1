import type { APICallError } from "@ai-sdk/provider";

/** Whether a content filter has refused the prompt, such as Azure's or Alibaba's. */
export function isFiltered({ message, responseBody = "" }: APICallError): boolean {
  return /content[_ -]?(?:filter|policy|management)|DataInspectionFailed|data_inspection_failed|ResponsibleAI|safety (?:filter|system)|moderation/i.test(
    `${message}\n${responseBody.slice(0, 4_000)}`,
  );
}
