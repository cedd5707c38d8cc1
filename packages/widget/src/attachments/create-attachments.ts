import { attachmentLimits } from "@foyer/contract/rules/attachment-limits";
import { attach, createRequest, FoyerError } from "@foyer/sdk";
import { errorMessageFor } from "../conversation/error-messages.ts";
import { sendableIdentity } from "../loader/page-values.ts";
import { randomId } from "../loader/random-id.ts";
import type { Messages } from "../locales/en.ts";
import type { PanelContext } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { createStore } from "../store.ts";
import { createReattachment } from "./attach-again.ts";
import { createContentLoader } from "./content-loader.ts";
import { type Draft, toDraft } from "./draft.ts";
import { createFileCheck } from "./file-check.ts";
import { isHeic, isPicture, preparePicture } from "./prepare-picture.ts";
import { createSavedUploads } from "./saved-uploads.ts";
import type { AttachmentTexts } from "./texts/load-texts.ts";
import { createUploadFetch } from "./upload-fetch.ts";

export type AttachmentController = ReturnType<typeof createAttachments>;

/** The types that file dialogs offer. */
const accepted = {
  images: ["image/*", ".heic", ".heif"],
  files: [".pdf", ".docx", ".txt", ".csv"],
};

/** Prepares and uploads what the visitor adds to the next message. */
export function createAttachments(panel: PanelContext, panelState: PanelState, texts: AttachmentTexts) {
  const { core, chat, messages } = panel;
  const { visitor, agent, options, signal } = core;
  const { images, files, handoffOnly } = agent.attachments;
  const store = createStore<{ drafts: readonly Draft[]; hasTooMany: boolean }>({ drafts: [], hasTooMany: false });
  const contents = createContentLoader(panel);
  const saved = createSavedUploads(panel);
  const uploads = new Map<string, AbortController>();
  /** The value that this code has published last. Another one means that the message was sent or discarded. */
  let published = panelState.get().attached;
  /** Pictures are decoded one at a time, because each takes up to 200 MB of memory until it is reduced. */
  let decoding: Promise<unknown> = Promise.resolve();
  let isRestored = false;

  function set(drafts: readonly Draft[], hasTooMany = false): void {
    store.set({ drafts, hasTooMany });
    const attached = drafts.flatMap(({ attachment }) => (attachment ? [attachment] : []));
    if (attached.length !== published.length) saved.write(attached);
    published = attached;
    const isUploading = drafts.some(({ state }) => state !== "done" && state !== "refused");
    panelState.patch({ attached: published, isUploading });
  }

  const edit = (key: string, changes: Partial<Draft>) =>
    set(
      store.get().drafts.map((draft) => (draft.key === key ? { ...draft, ...changes } : draft)),
      store.get().hasTooMany,
    );

  function clear(): void {
    for (const upload of uploads.values()) upload.abort();
    uploads.clear();
    set([]);
  }

  /** Forgets the drafts of a message that was sent or discarded, and attaches the files of one that is back again. */
  function follow(): void {
    if (panelState.get().attached !== published) clear();
    const { returned } = panelState.get();
    if (returned.length === 0) return;
    panelState.patch({ returned: [] });
    void attachAgain(returned);
  }

  /** The bytes of the message's other files. Those of a picture are known once it is reduced. */
  const bytesBeside = (key?: string) =>
    store
      .get()
      .drafts.filter((draft) => draft.key !== key && draft.state !== "refused")
      .reduce((sum, { attachment, content }) => sum + ((attachment ?? content)?.size ?? 0), 0);
  const findProblem = createFileCheck(panel, texts);

  async function prepare(key: string, file: File): Promise<void> {
    try {
      const picture = decoding.then(() => preparePicture(file));
      decoding = picture.catch(() => {});
      await accept(key, await picture);
    } catch {
      edit(key, { state: "refused", problem: isHeic(file) ? texts.heic : texts.unreadable });
    }
  }

  async function accept(key: string, content: File): Promise<void> {
    const problem = findProblem.ofSize(content, bytesBeside(key));
    edit(key, problem ? { state: "refused", problem } : { content });
    if (!problem) await upload(key);
  }

  async function upload(key: string): Promise<void> {
    const content = store.get().drafts.find((draft) => draft.key === key)?.content;
    if (!content) return;
    const abort = new AbortController();
    uploads.set(key, abort);
    edit(key, { state: "uploading", progress: 0, problem: null });
    const request = createRequest({
      baseUrl: options.baseUrl,
      fetch: createUploadFetch((progress) => edit(key, { progress })),
      identity: () => sendableIdentity(visitor),
    });
    const { current, sessionId } = visitor;
    // While only people accept files, the server has to know the conversation.
    const owner = handoffOnly && current ? { conversation: current } : { sessionId };
    try {
      const attachment = await attach(request, content, { agentId: agent.id, ...owner, signal: abort.signal });
      contents.keep(attachment.id, content);
      edit(key, { state: "done", attachment });
    } catch (error) {
      if (abort.signal.aborted) return;
      edit(key, describeFailure(error, texts, messages));
    }
  }

  const attachAgain = createReattachment(
    { chat, panelState, contents, texts, edit, accept },
    {
      add: (drafts) => set([...store.get().drafts, ...drafts]),
      areComplete: () => store.get().drafts.every(({ state }) => state === "done"),
    },
  );
  panelState.watch(follow);
  const resume = () => {
    for (const { key, state } of store.get().drafts) if (state === "waiting") void upload(key);
  };
  addEventListener("online", resume, { signal });
  signal.addEventListener("abort", clear);

  return {
    store,
    texts,
    contents,
    /** The value of a file input's `accept`. */
    accept: [...(images ? accepted.images : []), ...(files ? accepted.files : [])].join(","),
    /** Whether the visitor can attach something now. */
    isAllowed(): boolean {
      const handler = chat.store.get().ownership?.handler ?? "agent";
      return (images || files) && (!handoffOnly || handler !== "agent");
    },
    /** Attaches what the visitor had uploaded and not sent before the page was left. */
    restore(): void {
      const known = isRestored ? [] : saved.read();
      isRestored = true;
      if (known.length === 0) return;
      for (const { id } of known) contents.keepUploaded(id);
      set([...known.map(toDraft), ...store.get().drafts].slice(0, attachmentLimits.perMessage));
    },
    add(added: readonly File[]): void {
      core.bus.emit("interaction");
      follow();
      const { drafts } = store.get();
      const free = attachmentLimits.perMessage - drafts.filter(({ state }) => state !== "refused").length;
      const files = added.slice(0, Math.max(0, free));
      let bytes = bytesBeside();
      const next = files.map((file): Draft => {
        const problem = findProblem.ofFile(file, bytes);
        if (!problem && !isPicture(file)) bytes += file.size;
        const isImage = isPicture(file);
        return {
          key: randomId(),
          name: file.name,
          isPicture: isImage,
          content: isImage ? null : file,
          state: problem ? "refused" : isImage ? "preparing" : "uploading",
          progress: 0,
          problem,
          attachment: null,
        };
      });
      set([...drafts, ...next], added.length > free);
      for (const [index, { key, state }] of next.entries()) {
        const file = files[index];
        if (state === "preparing" && file) void prepare(key, file);
        else if (state === "uploading") void upload(key);
      }
    },
    remove(key: string): void {
      core.bus.emit("interaction");
      uploads.get(key)?.abort();
      set(store.get().drafts.filter((draft) => draft.key !== key));
    },
    retry: (key: string): void => void upload(key),
    clear,
  };
}

function describeFailure(error: unknown, texts: AttachmentTexts, messages: Messages): Pick<Draft, "state" | "problem"> {
  if (!(error instanceof FoyerError)) return { state: "waiting", problem: texts.failed };
  if (error.code === "UNREACHABLE") return { state: "waiting", problem: texts.offline };
  if (error.status === 429) return { state: "waiting", problem: errorMessageFor(error, messages) };
  if (error.isTemporary) return { state: "waiting", problem: texts.failed };
  if (error.status === 403) return { state: "refused", problem: texts.notAllowed };
  return { state: "refused", problem: error.code === "UNSUPPORTED_ATTACHMENT" ? texts.damaged : texts.failed };
}
