import type { UserEntry } from "../conversation/conversation-state.ts";
import type { PanelContext } from "../panel/panel-context.ts";

/** Loads the content of attachments, each once. */
export function createContentLoader({ core: { visitor }, chat, request }: PanelContext) {
  const contents = new Map<string, Promise<Blob>>();
  /** The content of the uploads of this page. */
  const own = new Map<string, Blob>();

  /** The request contains the conversation's token, so an image's URL could not load it. */
  async function fetchContent(id: string): Promise<Blob> {
    const { current } = visitor;
    return (await request(`/conversations/${current?.id}/attachments/${id}`, { token: current?.token })).blob();
  }

  /** Resolves when a message with the attachment was sent and the reply to it has ended. */
  function untilSent(id: string): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        const { entries, running } = chat.store.get();
        const isSent = entries.some((entry) => entry.type === "user" && hasAttachment(entry, id));
        if (!isSent || running !== null || !visitor.current) return;
        stop();
        resolve();
      };
      const stop = chat.store.watch(check);
    });
  }

  function keep(id: string, content: Promise<Blob>): void {
    contents.set(id, content);
    content.catch(() => contents.delete(id));
  }

  return {
    /** Keeps the content of an upload, which the server can only send once a message has it. */
    keep(id: string, content: Blob): void {
      own.set(id, content);
      keep(id, Promise.resolve(content));
    },
    /** The content of an attachment whose message the server has refused. It may be part of another message. */
    reload: async (id: string): Promise<Blob> => own.get(id) ?? fetchContent(id),
    /** Loads the content of an upload of an earlier page as soon as the server can send it. */
    keepUploaded: (id: string): void =>
      keep(
        id,
        untilSent(id).then(() => fetchContent(id)),
      ),
    load(id: string): Promise<Blob> {
      const known = contents.get(id);
      if (known) return known;
      const loading = fetchContent(id);
      keep(id, loading);
      return loading;
    },
  };
}

const hasAttachment = ({ attachments }: UserEntry, id: string) =>
  attachments?.some((attachment) => attachment.id === id) ?? false;
