import Type, { type Static } from "typebox";
import { stringEnum } from "./schema.ts";

/** Every error code with its HTTP status. */
export const errorStatus = {
  VALIDATION_ERROR: 400,
  DUPLICATE_TOOL_NAME: 400,
  FILE_TOO_LARGE: 400,
  UNSUPPORTED_ATTACHMENT: 400,
  UNAUTHORIZED: 401,
  INVALID_USER_TOKEN: 401,
  IDENTITY_REQUIRED: 401,
  FORBIDDEN: 403,
  CONSENT_REQUIRED: 403,
  AGENT_LIMIT_REACHED: 403,
  TOOL_LIMIT_REACHED: 403,
  DOCUMENT_LIMIT_REACHED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  TESTS_RUNNING: 409,
  CONVERSATION_TOO_LONG: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  MODEL_NOT_CONFIGURED: 503,
  OVERLOADED: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** Every value of `details[].code` and its meaning. Clients can use them to translate messages. */
export const detailCodes = {
  required: "A required value is missing or empty.",
  type: "The value has the wrong JSON type.",
  min_length: "The text is too short.",
  max_length: "The text is too long.",
  min: "The number or date is below the minimum.",
  max: "The number or date is above the maximum.",
  pattern: "The text does not match the required pattern.",
  format: "The text is not a valid email address, URL, date, host name or the like.",
  enum: "The value is not one of the allowed values.",
  min_items: "The list or object has too few entries.",
  max_items: "The list or object has too many entries.",
  duplicate: "The value must be unique, but another one is the same.",
  unknown_reference: "The value is the id or name of something that does not exist or belongs to another organization.",
  file_type: "The file is not of an accepted type.",
  file_size: "The file is too large.",
  not_allowed: "The value does not apply here, or is not allowed.",
  invalid: "Any other problem. The message explains it.",
} as const;
export type DetailCode = keyof typeof detailCodes;

export const ErrorDetail = Type.Object({
  path: Type.String({
    description: "Dotted path of the field, such as `messages.0.role`. Empty if the problem concerns the whole body.",
  }),
  code: stringEnum(Object.keys(detailCodes) as DetailCode[], "Machine-readable reason. More codes can be added later."),
  message: Type.String({ description: "The error message, in English. For form fields, the message set in the form." }),
});
export type ErrorDetail = Static<typeof ErrorDetail>;

/** The body of every error, on every endpoint. */
export const ErrorBody = Type.Object(
  {
    data: Type.Null(),
    error: Type.Object({
      code: Type.String({
        description: "One of the error codes listed in the introduction. More codes can be added later.",
      }),
      message: Type.String({ description: "The problem and how to fix it, in English" }),
      details: Type.Optional(Type.Array(ErrorDetail, { description: "One entry per invalid field, where known" })),
    }),
  },
  { $id: "Error" },
);
