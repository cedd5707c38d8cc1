import type { PanelContext } from "../panel/panel-context.ts";

/** Loads the content of attachments, each once. */
export function createContentLoader({ core: { visitor }, request }: PanelContext) {
  const contents = new Map<string, Promise<Blob>>();
  return {
    /** Keeps the content of an upload, which the server can only send once a message has it. */
    keep: (id: string, content: Blob): void => void contents.set(id, Promise.resolve(content)),
    /** The request contains the conversation's token, so an image's URL could not load it. */
    load(id: string): Promise<Blob> {
      const { current } = visitor;
      const loading =
        contents.get(id) ??
        request(`/conversations/${current?.id}/attachments/${id}`, { token: current?.token }).then((answer) =>
          answer.blob(),
        );
      contents.set(id, loading);
      loading.catch(() => contents.delete(id));
      return loading;
    },
  };
}
