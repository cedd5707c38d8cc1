/** Limits of pictures and files in the chat. */
export const attachmentLimits = {
  fileBytes: 10 * 1024 * 1024,
  messageBytes: 20 * 1024 * 1024,
  perMessage: 4,
  nameCharacters: 200,
} as const;
