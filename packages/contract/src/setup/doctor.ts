import Type, { type Static } from "typebox";
import { nullable, stringEnum } from "../schema.ts";

/** `off`: the feature is not used, which needs no action. */
export const checkStates = ["ok", "off", "warning", "failure"] as const;

export const checkIds = [
  ...(["model", "replies", "embeddings", "deliveries", "notifications", "origins", "encryption"] as const),
  ...(["mail", "address", "https", "client-ip", "secret", "database", "disk"] as const),
] as const;

export const Check = Type.Object({
  id: stringEnum(checkIds),
  state: stringEnum(checkStates),
  title: Type.String(),
  detail: Type.String({ description: "The result of the check" }),
  fix: nullable(Type.String({ description: "How to fix it. `null` if there is nothing to fix." })),
});
export type Check = Static<typeof Check>;

const tags = ["Doctor"];
const config = { access: "session" } as const;

export const getDoctor = {
  method: "GET",
  url: "/doctor",
  config,
  schema: {
    tags,
    summary: "Check the configuration",
    description:
      "Checks of the organization and, for members of the server's first organization and the user of FOYER_ADMIN_EMAIL, of the server.",
    response: { 200: Type.Object({ checks: Type.Array(Check) }) },
  },
} as const;

/** The event `tick`, which `/doctor/stream` sends five times, 200 ms apart. */
export const DoctorTick = Type.Object({
  type: Type.Literal("tick"),
  number: Type.Integer(),
  at: Type.Number({ description: "When the event was sent, in milliseconds since 1970" }),
});
export type DoctorTick = Static<typeof DoctorTick>;

export const streamDoctor = {
  method: "GET",
  url: "/doctor/stream",
  config,
  schema: {
    tags,
    summary: "Test whether a proxy buffers streams: five events, sent 200 ms apart",
    response: {
      200: {
        description: "A stream of five `tick` events",
        content: {
          "text/event-stream": {
            schema: Type.String({ contentMediaType: "text/event-stream", contentSchema: DoctorTick }),
          },
        },
      },
    },
  },
} as const;
