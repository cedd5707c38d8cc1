import Type, { type Static } from "typebox";
import { maxNameLength } from "../rules/plain-name.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { ref } from "../schema.ts";

/** The name of a person or an organization. The server also refuses URLs and line breaks: see `rules/plain-name.ts`. */
export const plainName = Type.String({
  minLength: 1,
  maxLength: maxNameLength,
  pattern: textPatterns.notBlank,
  description: "Without URLs and line breaks",
});

export const Organization = Type.Object(
  { id: Type.String(), name: Type.String(), plan: Type.String() },
  { $id: "Organization" },
);
export type Organization = Static<typeof Organization>;

export const updateOrganization = {
  method: "PATCH",
  url: "/organization",
  config: { access: "session" },
  schema: {
    tags: ["Members"],
    summary: "Rename the organization. Requires the admin role.",
    body: Type.Object({ name: plainName }),
    response: { 200: ref(Organization) },
  },
} as const;
