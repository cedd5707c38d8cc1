/** The maximum size of a message's text in an event, in UTF-8 bytes. */
const MAX_TEXT_BYTES = 16_384;

type EventText = { content: string } | { contentRef: { url: string; bytes: number } };

/**
 * The text of a message as an event contains it. A larger one is not repeated in every event, which is stored for 30
 * days; the event says where to read it.
 */
export function toEventText(conversationId: string, content: string): EventText {
  const bytes = Buffer.byteLength(content);
  if (bytes <= MAX_TEXT_BYTES) return { content };
  return { contentRef: { url: `/conversations/${conversationId}`, bytes } };
}
