import Type, { type Static } from "typebox";
import { nullable, Timestamp } from "../schema.ts";

/** The latest error of a tool in a chat, for members who can fix it. Tests of a tool do not count. */
export const ToolFailure = Type.Object({
  at: Timestamp,
  message: Type.String({ description: "At most 500 characters" }),
  recoveredAt: nullable(
    Type.String({ format: "date-time", description: "When the tool next succeeded. `null` if it has not." }),
  ),
});
export type ToolFailure = Static<typeof ToolFailure>;

export const listToolErrors = {
  method: "GET",
  url: "/tools/errors",
  config: { access: "account" },
  schema: {
    tags: ["Tools"],
    summary: "List the latest error of each of an agent's tools, by tool id",
    querystring: Type.Object({ agentId: Type.String({ minLength: 1, description: "Id of the agent" }) }),
    response: {
      200: Type.Unsafe<Record<string, ToolFailure>>({ type: "object", additionalProperties: ToolFailure }),
    },
  },
} as const;
