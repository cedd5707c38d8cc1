/** @jsxImportSource preact */
import type { Attachment } from "@foyer/contract";
import { type JSX, render } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { interpolate } from "../locales/load-messages.ts";
import { Icon } from "../panel/icon.tsx";
import { IconButton } from "../panel/icon-button.tsx";
import { type PanelContext, PanelProvider, usePanel } from "../panel/panel-context.ts";
import type { AttachmentController } from "./create-attachments.ts";
import { downloadBlob } from "./download-blob.ts";
import { PictureCanvas } from "./picture-canvas.tsx";

const zoomLevels = [1, 1.5, 2, 3, 4] as const;
/** The largest picture that is drawn, in pixels. Browsers limit the area of a canvas. */
const MAX_SIDE_PX = 4_096;

type Opened = {
  /** The picture that is shown first. */
  id: string;
  /** Gets the focus back. */
  opener: HTMLElement;
};

/** Shows the pictures of the conversation, one at a time, above the whole page. */
export function openViewer(panel: PanelContext, attachments: AttachmentController, { id, opener }: Opened): void {
  const { shadow, bus } = panel.core;
  const pictures = panel.chat.store
    .get()
    .entries.flatMap((entry) => ("attachments" in entry ? (entry.attachments ?? []) : []))
    .filter(({ width }) => width !== null);
  const dialog = document.createElement("dialog");
  dialog.className = "viewer";
  dialog.setAttribute("aria-label", attachments.texts.viewer);
  shadow.frame.append(dialog);
  const stop = bus.on("close", () => dialog.close());
  dialog.addEventListener("close", () => {
    stop();
    render(null, dialog);
    dialog.remove();
    opener.focus();
  });
  const first = Math.max(
    0,
    pictures.findIndex((picture) => picture.id === id),
  );
  render(
    <PanelProvider value={panel}>
      <Viewer dialog={dialog} pictures={pictures} first={first} attachments={attachments} />
    </PanelProvider>,
    dialog,
  );
  dialog.showModal();
  // Otherwise the first button would have the focus, and nothing would say which picture is shown.
  dialog.querySelector<HTMLElement>(".stage")?.focus();
}

type ViewerProps = {
  dialog: HTMLDialogElement;
  pictures: readonly Attachment[];
  first: number;
  attachments: AttachmentController;
};

function Viewer({ dialog, pictures, first, attachments }: ViewerProps): JSX.Element | null {
  const { core, messages } = usePanel();
  const { texts, contents } = attachments;
  const [index, setIndex] = useState(first);
  const [zoom, setZoom] = useState(0);
  const [isMissing, setIsMissing] = useState(false);
  const stage = useRef<HTMLDivElement>(null);
  const picture = pictures[index];
  const go = (step: number) => {
    const next = index + step;
    if (!pictures[next]) return;
    setIndex(next);
    setZoom(0);
    setIsMissing(false);
  };
  const zoomBy = (step: number) => setZoom(Math.min(zoomLevels.length - 1, Math.max(0, zoom + step)));
  useLayoutEffect(() => {
    const keys: Record<string, () => void> = {
      Escape: () => dialog.close(),
      "+": () => zoomBy(1),
      "=": () => zoomBy(1),
      "-": () => zoomBy(-1),
      "0": () => setZoom(0),
    };
    const forward = core.shadow.frame.dir === "rtl" ? -1 : 1;
    // The arrow keys scroll a picture that is larger than the window.
    if (zoom === 0) Object.assign(keys, { ArrowRight: () => go(forward), ArrowLeft: () => go(-forward) });
    const onKeyDown = (event: KeyboardEvent) => {
      const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
      if (!run) return;
      event.preventDefault();
      run();
    };
    // A mouse closes the viewer beside the picture, and zooms with a double click.
    const onClick = ({ target }: MouseEvent) => {
      if (target === stage.current) dialog.close();
    };
    const onDblClick = ({ target }: MouseEvent) => {
      if (target instanceof HTMLCanvasElement) setZoom(zoom === 0 ? 2 : 0);
    };
    const life = new AbortController();
    dialog.addEventListener("keydown", onKeyDown, life);
    dialog.addEventListener("click", onClick, life);
    dialog.addEventListener("dblclick", onDblClick, life);
    return () => life.abort();
  });
  useLayoutEffect(() => {
    // Zooms at the middle of what is visible.
    const element = stage.current;
    element?.scrollTo(
      (element.scrollWidth - element.clientWidth) / 2,
      (element.scrollHeight - element.clientHeight) / 2,
    );
  }, [zoom]);
  if (!picture) return null;
  const load = () => contents.load(picture.id);
  return (
    <>
      <div class="viewer-bar">
        <p class="viewer-name" role="status">
          <bdi>{picture.name}</bdi>
          {pictures.length > 1 ? ` ${index + 1}/${pictures.length}` : ""}
        </p>
        <button
          type="button"
          class="icon-button"
          aria-label={texts.zoomOut}
          title={texts.zoomOut}
          aria-disabled={zoom === 0}
          onClick={() => zoomBy(-1)}
        >
          <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
            <path d="M5 12h14" />
          </svg>
        </button>
        <IconButton name="add" label={texts.zoomIn} onClick={() => zoomBy(1)} />
        <IconButton
          name="down"
          label={interpolate(texts.download, { name: picture.name })}
          onClick={() =>
            void load().then(
              (content) => downloadBlob(content, picture.name),
              () => setIsMissing(true),
            )
          }
        />
        <IconButton name="close" label={messages.close} onClick={() => dialog.close()} />
      </div>
      <div
        ref={stage}
        class="stage"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
        tabIndex={0}
        role="img"
        aria-label={picture.name}
        data-zoom={zoomLevels[zoom]}
      >
        {isMissing ? (
          <p>{interpolate(texts.notLoaded, { name: picture.name })}</p>
        ) : (
          <PictureCanvas
            id={picture.id}
            load={load}
            maxWidth={MAX_SIDE_PX}
            maxHeight={MAX_SIDE_PX}
            onFailed={() => setIsMissing(true)}
          />
        )}
      </div>
      {pictures.length > 1 ? (
        <>
          <Turn label={messages.previous} name="back" isEnd={index === 0} onClick={() => go(-1)} />
          <Turn label={messages.next} name="next" isEnd={index === pictures.length - 1} onClick={() => go(1)} />
        </>
      ) : null}
    </>
  );
}

type TurnProps = { label: string; name: "back" | "next"; isEnd: boolean; onClick: () => void };

function Turn({ label, name, isEnd, onClick }: TurnProps): JSX.Element {
  return (
    <button
      type="button"
      class={`icon-button turn ${name}`}
      aria-label={label}
      title={label}
      aria-disabled={isEnd}
      onClick={onClick}
    >
      <Icon name={name} />
    </button>
  );
}
