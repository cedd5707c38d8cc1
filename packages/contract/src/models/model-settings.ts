import Type, { type Static } from "typebox";
import { inEnvelope, nullable, ref, Timestamp } from "../schema.ts";

export const ModelSetting = Type.Object(
  {
    model: Type.String({ description: "Id of the model" }),
    supportsImages: nullable(
      Type.Boolean({
        description:
          "Whether pictures are sent to the model. `null`: Foyer decides by a list of known models, and tries others.",
      }),
    ),
    updatedAt: nullable(Timestamp),
  },
  { $id: "ModelSetting", description: "What an organization has set for a model" },
);
export type ModelSetting = Static<typeof ModelSetting>;

const tags = ["Models"];
const config = { access: "account" } as const;

export const listModelSettings = {
  method: "GET",
  url: "/models/settings",
  config,
  schema: {
    tags,
    summary: "List the settings of models",
    response: { 200: inEnvelope(Type.Array(ref(ModelSetting))) },
  },
} as const;

export const putModelSetting = {
  method: "PUT",
  url: "/models/settings/:model",
  config,
  schema: {
    tags,
    summary: "Set whether a model can see pictures",
    description:
      "A model that cannot see receives the names of pictures, and visitors are told that it does not see them. A model that rejects pictures is not sent any for 24 hours; setting `supportsImages` ends this time.",
    params: Type.Object({
      model: Type.String({
        minLength: 1,
        maxLength: 200,
        description: "Id of the model, URL-encoded: `openai%2Fgpt-5`",
      }),
    }),
    body: Type.Object({
      supportsImages: nullable(Type.Boolean({ description: "`null` removes the setting" })),
    }),
    response: { 200: inEnvelope(ref(ModelSetting)) },
  },
} as const;
