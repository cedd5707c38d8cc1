import Type from "typebox";
import { stringEnum } from "../schema.ts";

/** Requests can send the template as a string of JSON text. Responses never contain such a string. */
type BodyTemplate = Record<string, unknown> | unknown[] | string;

export const sendVisitorToken = Type.Boolean({
  description:
    "Send the header `Foyer-Visitor` to an HTTP tool: a JWT that is valid for 60 s and for the tool's host alone, signed with the agent's identity secret. It is sent only for visitors whose identity is proven.",
});

export const httpBody = Type.Unsafe<BodyTemplate>({
  type: ["object", "array", "string"],
  additionalProperties: true,
  description:
    "Template of the JSON body of a POST or PUT, as an object, a list or JSON text. Values may contain `{name}`, `{{NAME}}`, and values that the server fills in: `{{visitor.id}}`, `{{visitor.email}}`, `{{visitor.name}}`, `{{visitor.claims.<path>}}`, `{{conversation.id}}` and `{{page.url}}`. Without a template, the inputs are the body.",
});

export const requires = stringEnum(
  ["verified"],
  "`verified`: the model may use the tool only for visitors whose identity is proven by a `userToken` or `userHash`.",
);
