import Type, { type Static } from "typebox";
import { nullable, Timestamp } from "../schema.ts";

/** The body of a form's webhook, and of a `webhook` post action without its own payload. */
export const FormWebhook = Type.Object(
  {
    submissionId: Type.String({
      description: "Stays the same when the webhook is retried. Use it to ignore duplicates.",
    }),
    toolId: Type.String({ description: "Id of the form tool" }),
    toolName: Type.String({ description: "Name of the form tool" }),
    conversationId: nullable(Type.String({ description: "The conversation in which the form was submitted" })),
    formData: Type.Unsafe<Record<string, unknown>>({
      type: "object",
      additionalProperties: true,
      description: "Field name to value, as submitted. Files and images are base64 data URLs.",
    }),
    submittedAt: Timestamp,
    changedByVisitor: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Names of read-only fields whose value the visitor could have changed. Only present if there are any.",
      }),
    ),
  },
  {
    $id: "FormWebhook",
    description: "The request that a form tool sends to its `formWebhookUrl`",
    examples: [
      {
        submissionId: "sub_01jd3v7k9hf0mtb8s6wxq2zy4c",
        toolId: "tool_01jd3v6p5n2e8r7a4d1k9c3m0x",
        toolName: "book_test_ride",
        conversationId: "conv_01jd3v7b2q5s8w1y4h7k0m3p6t",
        formData: { email: "ada@example.com", bike: "city" },
        submittedAt: "2026-01-31T09:30:00.000Z",
      },
    ],
  },
);
export type FormWebhook = Static<typeof FormWebhook>;
