import Type, { type Static } from "typebox";
import { idParams, inEnvelope, ref, stringEnum } from "../schema.ts";
import { Agent } from "./agent.ts";

const KIND_DESCRIPTION =
  "`logo` at the top of the chat, `avatar` beside the agent's replies and bubbles, `launcher` in the launcher";

const AgentImageKind = stringEnum(["logo", "avatar", "launcher"], KIND_DESCRIPTION);
export type AgentImageKind = Static<typeof AgentImageKind>;

const tags = ["Agents"];
const url = "/agents/:id/images/:kind";
const params = Type.Object({ ...idParams("agent").properties, kind: AgentImageKind });

/** Replaces the image. Responses contain its path, which changes with the content. */
export const putAgentImage = {
  method: "PUT",
  url,
  config: { access: "account" },
  schema: {
    tags,
    summary: "Upload an agent's logo, avatar or launcher image",
    params,
    body: Type.Object({
      image: Type.String({
        description:
          "A base64 data URL of a PNG, JPEG, GIF or WebP image of at most 256 KiB. SVG is refused because it can contain scripts.",
      }),
    }),
    response: { 200: inEnvelope(ref(Agent)) },
  },
} as const;

export const deleteAgentImage = {
  method: "DELETE",
  url,
  config: { access: "account" },
  schema: {
    tags,
    summary: "Remove an agent's logo, avatar or launcher image",
    params,
    response: { 200: inEnvelope(ref(Agent)) },
  },
} as const;

/** Public, because every visitor loads it. */
export const getAgentImage = {
  method: "GET",
  url,
  config: { access: "public", crossOrigin: true },
  schema: {
    tags,
    summary: "Read an agent's logo, avatar or launcher image",
    params,
    querystring: Type.Object({
      v: Type.Optional(
        Type.String({ description: "The version in the image's path. With the current one, caches keep the image." }),
      ),
    }),
    response: {
      200: {
        description: "The image",
        content: { "image/*": { schema: Type.Unsafe<unknown>({ description: "The bytes of the image" }) } },
      },
      304: Type.Unsafe<undefined>({ description: "Not modified since the version in `If-None-Match`" }),
    },
  },
} as const;
