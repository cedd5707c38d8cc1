import Type, { type Static, type TSchema } from "typebox";
import { type FieldRule, type FieldType, fieldTypes } from "./rules/field-types.ts";
import { nullable, stringEnum } from "./schema.ts";

export type { FieldType } from "./rules/field-types.ts";

export const executionModes = ["webhook", "client", "both"] as const;

const message = Type.Optional(Type.String({ maxLength: 500, description: "The error message that the visitor sees" }));
const lengthRule = Type.Object({ value: Type.Integer({ minimum: 0, maximum: 1_000_000 }), message });
const boundRule = Type.Object({
  value: Type.Unsafe<number | string>({
    type: ["number", "string"],
    description: "A number, or a date for date fields",
  }),
  message,
});

const rules = {
  required: Type.Optional(
    Type.Object({ value: Type.Boolean({ description: "A required `checkbox` has to be ticked." }), message }),
  ),
  minLength: Type.Optional(lengthRule),
  maxLength: Type.Optional(lengthRule),
  min: Type.Optional(boundRule),
  max: Type.Optional(boundRule),
  pattern: Type.Optional(Type.Object({ value: Type.String({ minLength: 1, maxLength: 1_000 }), message })),
} satisfies Record<FieldRule | "required", TSchema>;

export const FieldValidation = Type.Object(rules);
export type FieldValidation = Static<typeof FieldValidation>;

export const FormField = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100, pattern: "\\S" }),
  label: Type.String({
    maxLength: 500,
    description: "Plain text. The label of a `checkbox` may contain links: `I accept the [privacy policy](https://…)`.",
  }),
  type: stringEnum(Object.keys(fieldTypes) as FieldType[]),
  placeholder: Type.Optional(Type.String({ maxLength: 500 })),
  defaultValue: Type.Optional(
    Type.String({ maxLength: 5_000, description: "A value, or a template such as `{{user.email}}`" }),
  ),
  disabled: Type.Optional(Type.Boolean()),
  validation: Type.Optional(FieldValidation),
  options: Type.Optional(
    Type.Array(Type.Object({ label: Type.String({ maxLength: 500 }), value: Type.String({ maxLength: 500 }) }), {
      minItems: 1,
      maxItems: 500,
    }),
  ),
});
export type FormField = Static<typeof FormField>;

export const formFields = Type.Array(FormField, { minItems: 1, maxItems: 100 });

export const FormSchema = Type.Object({
  fields: formFields,
  submitLabel: Type.Optional(Type.String({ maxLength: 200 })),
  successMessage: Type.Optional(Type.String({ maxLength: 2_000 })),
  errorMessage: Type.Optional(Type.String({ maxLength: 2_000 })),
});
export type FormSchema = Static<typeof FormSchema>;

/**
 * What happens after the form's webhook. `url`/`webhookUrl` and `messageTemplate`/`message` are two spellings of one
 * field.
 */
export const PostAction = Type.Object({
  type: stringEnum(["webhook", "team_chat", "slack", "email"]),
  url: Type.Optional(nullable(Type.String({ format: "uri", maxLength: 2_000 }))),
  webhookUrl: Type.Optional(nullable(Type.String({ format: "uri", maxLength: 2_000 }))),
  headers: Type.Optional(
    Type.Unsafe<Record<string, string> | null>({
      type: ["object", "null"],
      additionalProperties: { type: "string" },
    }),
  ),
  payload: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({ type: ["object", "null"], additionalProperties: true }),
  ),
  messageTemplate: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))),
  message: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))),
  recipientIds: Type.Optional(nullable(Type.Array(Type.String(), { maxItems: 50 }))),
  to: Type.Optional(
    nullable(
      Type.Array(Type.String({ format: "email", maxLength: 254 }), {
        maxItems: 50,
        description: "Email addresses of confirmed recipients (`/mail-recipients`), in addition to `recipientIds`",
      }),
    ),
  ),
  subject: Type.Optional(nullable(Type.String({ maxLength: 500 }))),
});
export type PostAction = Static<typeof PostAction>;

/** The email that a visitor receives after submitting a form. Templates are the same as in post actions. */
export const FormConfirmation = Type.Object({
  emailField: Type.String({ minLength: 1, maxLength: 100, description: "Name of the `email` field to send it to" }),
  subject: Type.String({ minLength: 1, maxLength: 500, pattern: "\\S" }),
  message: Type.String({ minLength: 1, maxLength: 10_000, pattern: "\\S", description: "Plain text" }),
});
export type FormConfirmation = Static<typeof FormConfirmation>;

/** A form as a visitor receives it: in a `tool_result`, and from the public endpoint. */
export const VisitorForm = Type.Object({
  toolId: Type.String(),
  toolName: Type.String(),
  label: nullable(Type.String({ description: "The form's title. `null` means the name of the tool." })),
  formSchema: FormSchema,
  executionMode: stringEnum(executionModes),
  clientHandler: nullable(Type.String()),
});
export type VisitorForm = Static<typeof VisitorForm>;
