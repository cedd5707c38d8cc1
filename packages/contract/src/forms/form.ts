import Type, { type Static, type TSchema } from "typebox";
import { chatFormatNames } from "../rules/chat-formats.ts";
import { type FieldRule, type FieldType, fieldTypes } from "../rules/field-types.ts";
import { formDeliveryLimits, formTextLimits, maxEmailLength } from "../rules/limits.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { nullable, stringEnum, withDescription } from "../schema.ts";

export type { FieldType } from "../rules/field-types.ts";

export const executionModes = ["webhook", "client", "both"] as const;

const message = Type.Optional(
  Type.String({ maxLength: formTextLimits.ruleMessage, description: "The error message that the visitor sees" }),
);
const lengthRule = (description: string) =>
  Type.Optional(
    Type.Object(
      { value: Type.Integer({ minimum: 0, maximum: 1_000_000, description: "Number of characters" }), message },
      { description },
    ),
  );
const boundValue = Type.Unsafe<number | string>({
  type: ["number", "string"],
  description: "A number, or a date for date fields",
});
const boundRule = (description: string) => Type.Optional(Type.Object({ value: boundValue, message }, { description }));

const rules = {
  required: Type.Optional(
    Type.Object(
      { value: Type.Boolean({ description: "A required `checkbox` has to be ticked." }), message },
      { description: "Whether the visitor has to fill in the field. Defaults to false." },
    ),
  ),
  minLength: lengthRule("Minimum length of text"),
  maxLength: lengthRule("Maximum length of text"),
  min: boundRule("Smallest number or earliest date that is accepted"),
  max: boundRule("Largest number or latest date that is accepted"),
  pattern: Type.Optional(
    Type.Object(
      {
        value: Type.String({
          minLength: 1,
          maxLength: formTextLimits.pattern,
          description: "Regular expression in JavaScript syntax, without backreferences and lookarounds",
        }),
        message,
      },
      { description: "Pattern that the text has to match" },
    ),
  ),
} satisfies Record<FieldRule | "required", TSchema>;

export const FieldValidation = Type.Object(rules);
export type FieldValidation = Static<typeof FieldValidation>;

export const FormField = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: formTextLimits.fieldName,
    pattern: textPatterns.notBlank,
    description: "Key of the answer in `formData`. Unique within the form.",
  }),
  label: Type.String({
    maxLength: formTextLimits.label,
    description: "Plain text. The label of a `checkbox` may contain links: `I accept the [privacy policy](https://…)`.",
  }),
  type: stringEnum(Object.keys(fieldTypes) as FieldType[], "Kind of the field, which decides what its value may be"),
  placeholder: Type.Optional(
    Type.String({ maxLength: formTextLimits.placeholder, description: "Text shown while the field is empty" }),
  ),
  defaultValue: Type.Optional(
    Type.String({
      maxLength: formTextLimits.defaultValue,
      description: "A value, or a template such as `{{user.email}}`",
    }),
  ),
  disabled: Type.Optional(Type.Boolean({ description: "Whether the field is read-only. Defaults to false." })),
  validation: Type.Optional(
    withDescription(FieldValidation, { description: "Rules for the value. Each applies only to some field types." }),
  ),
  options: Type.Optional(
    Type.Array(
      Type.Object({
        label: Type.String({ maxLength: formTextLimits.option, description: "What the visitor reads" }),
        value: Type.String({
          maxLength: formTextLimits.option,
          description: "What is submitted. Unique among the options.",
        }),
      }),
      {
        minItems: 1,
        maxItems: 500,
        description: "Choices of a `select` or `multiselect` field, which require them. Not allowed in other fields.",
      },
    ),
  ),
});
export type FormField = Static<typeof FormField>;

export const formFields = Type.Array(FormField, {
  minItems: 1,
  maxItems: 100,
  description: "Fields of the form, in the order in which they are shown",
});

const translated = "The widget translates the default.";

export const FormSchema = Type.Object({
  fields: formFields,
  submitLabel: Type.Optional(
    Type.String({
      maxLength: formTextLimits.submitLabel,
      description: `Text of the button. Defaults to \`Submit\`. ${translated}`,
    }),
  ),
  successMessage: Type.Optional(
    Type.String({
      maxLength: formTextLimits.resultMessage,
      description: `Shown after submitting. Defaults to \`Submitted\`. ${translated}`,
    }),
  ),
  errorMessage: Type.Optional(
    Type.String({
      maxLength: formTextLimits.resultMessage,
      description: `Shown when submitting fails. Defaults to \`Error\`. ${translated}`,
    }),
  ),
});
export type FormSchema = Static<typeof FormSchema>;

const actionUrl = (description: string) =>
  Type.Optional(nullable(Type.String({ format: "uri", maxLength: formDeliveryLimits.url, description })));
const actionText = (description: string) =>
  Type.Optional(nullable(Type.String({ maxLength: formDeliveryLimits.message, description })));

/**
 * What happens after the form's webhook. `url`/`webhookUrl` and `messageTemplate`/`message` are two spellings of one
 * field.
 */
export const PostAction = Type.Object({
  type: stringEnum(
    ["webhook", "team_chat", "slack", "email"],
    "What the action sends: a POST request, a team-chat message (`slack` means the same as `team_chat`), or emails",
  ),
  url: actionUrl("URL that a `webhook` action calls"),
  webhookUrl: actionUrl(
    "Incoming-webhook URL of a `team_chat` action. For a `webhook` action another spelling of `url`.",
  ),
  format: Type.Optional(
    nullable(
      stringEnum(
        chatFormatNames,
        "The team chat whose format a `team_chat` message has. `null`, the default, decides by the host of the address, and takes `mattermost` for unknown hosts.",
      ),
    ),
  ),
  headers: Type.Optional(
    Type.Unsafe<Record<string, string> | null>({
      type: ["object", "null"],
      additionalProperties: { type: "string" },
      description: "Headers of a `webhook` action's request, at most 50",
    }),
  ),
  payload: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({
      type: ["object", "null"],
      additionalProperties: true,
      description:
        "JSON body of a `webhook` action, at most 20,000 characters. Texts can contain `{{<fieldName>}}` and `{{_toolName}}`. Defaults to the body of the form's webhook.",
    }),
  ),
  messageTemplate: actionText(
    "Text of a `team_chat` message. `{{<fieldName>}}` inserts an answer, and `{{_toolName}}` the name of the form tool.",
  ),
  message: actionText("Another spelling of `messageTemplate`"),
  recipientIds: Type.Optional(
    nullable(
      Type.Array(Type.String(), {
        maxItems: 50,
        description: "Ids of the members who receive an `email` action (`GET /members`)",
      }),
    ),
  ),
  to: Type.Optional(
    nullable(
      Type.Array(Type.String({ format: "email", maxLength: maxEmailLength }), {
        maxItems: 50,
        description: "Email addresses of confirmed recipients (`/mail-recipients`), in addition to `recipientIds`",
      }),
    ),
  ),
  subject: Type.Optional(
    nullable(
      Type.String({
        maxLength: formDeliveryLimits.subject,
        description:
          "Subject of an `email` action, with the same placeholders. Defaults to `New submission of {{_toolName}}`.",
      }),
    ),
  ),
});
export type PostAction = Static<typeof PostAction>;

/** The email that a visitor receives after submitting a form. Templates are the same as in post actions. */
export const FormConfirmation = Type.Object({
  emailField: Type.String({
    minLength: 1,
    maxLength: formTextLimits.fieldName,
    description: "Name of the `email` field to send it to",
  }),
  subject: Type.String({
    minLength: 1,
    maxLength: formDeliveryLimits.subject,
    pattern: textPatterns.notBlank,
    description: "Subject of the email. `{{<fieldName>}}` inserts an answer.",
  }),
  message: Type.String({
    minLength: 1,
    maxLength: formDeliveryLimits.message,
    pattern: textPatterns.notBlank,
    description: "Plain text",
  }),
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
