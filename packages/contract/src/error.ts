import Type from "typebox";

/** Every error code with its HTTP status. */
export const errorStatus = {
  VALIDATION_ERROR: 400,
  DUPLICATE_TOOL_NAME: 400,
  FILE_TOO_LARGE: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  TOOL_LIMIT_REACHED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  MODEL_NOT_CONFIGURED: 503,
  OVERLOADED: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

export const ErrorDetail = Type.Object({
  path: Type.String({ description: "Dotted path of the field, e.g. `messages.0.role`; empty for the body itself" }),
  message: Type.String(),
});

/** The body of every error, on every endpoint. */
export const ErrorBody = Type.Object(
  {
    data: Type.Null(),
    error: Type.Object({
      code: Type.String({ description: "One of the codes listed in the introduction" }),
      message: Type.String({ description: "For the person who will fix the call" }),
      details: Type.Optional(Type.Array(ErrorDetail)),
    }),
  },
  { $id: "Error" },
);
