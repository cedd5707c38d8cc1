import type { MessageAttachment } from "@foyer/contract";
import * as Radix from "@radix-ui/react-dialog";
import { ChevronLeft, ChevronRight, Download, X, ZoomIn, ZoomOut } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { IconButton } from "../../components/button.tsx";
import { overlay } from "../../components/dialog.tsx";
import { useReturnFocus } from "../../components/use-return-focus.ts";
import { serverUrl } from "../../data/server-address.ts";

const zoomLevels = [1, 1.5, 2, 3, 4] as const;

type Props = {
  pictures: readonly MessageAttachment[];
  /** The id of the picture that is shown, or null while the viewer is closed. */
  shown: string | null;
  onShow: (id: string | null) => void;
};

/** The address of a picture that the page itself shows. The session's cookie authorizes it. */
export const pictureUrl = ({ url }: Pick<MessageAttachment, "url">): string => `${serverUrl()}${url}?inline=1`;

/** Shows the pictures of a message, one at a time. The arrow keys turn, `+` and `-` zoom, Escape closes. */
export function PictureViewer({ pictures, shown, onShow }: Props) {
  const [zoom, setZoom] = useState(0);
  const index = pictures.findIndex(({ id }) => id === shown);
  const picture = pictures[index];
  const returnFocus = useReturnFocus(picture !== undefined);
  const show = (id: string | null) => {
    setZoom(0);
    onShow(id);
  };
  const go = (step: number) => {
    const next = pictures[index + step];
    if (next) show(next.id);
  };
  const zoomBy = (step: number) => setZoom(Math.min(zoomLevels.length - 1, Math.max(0, zoom + step)));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // The arrow keys scroll a picture that is larger than the window.
    if (event.key === "ArrowRight" && zoom === 0) go(1);
    else if (event.key === "ArrowLeft" && zoom === 0) go(-1);
    else if (event.key === "+" || event.key === "=") zoomBy(1);
    else if (event.key === "-") zoomBy(-1);
    else if (event.key === "0") setZoom(0);
    else return;
    event.preventDefault();
  };
  return (
    <Radix.Root open={picture !== undefined} onOpenChange={(isOpen) => !isOpen && show(null)}>
      {picture && (
        <Radix.Portal>
          <Radix.Overlay className={overlay} />
          <Radix.Content
            aria-describedby={undefined}
            onCloseAutoFocus={returnFocus}
            onKeyDown={onKeyDown}
            className="appear fixed inset-2 z-40 flex flex-col rounded-lg border border-line bg-paper sm:inset-6"
          >
            <header className="flex items-center gap-1 px-4 py-2">
              <Radix.Title className="min-w-0 flex-1 truncate">
                <bdi>{picture.name}</bdi>
                {pictures.length > 1 && ` (${index + 1} of ${pictures.length})`}
              </Radix.Title>
              {pictures.length > 1 && (
                <>
                  <IconButton label="Previous" aria-disabled={index === 0 || undefined} onClick={() => go(-1)}>
                    <ChevronLeft size={18} aria-hidden />
                  </IconButton>
                  <IconButton
                    label="Next"
                    aria-disabled={index === pictures.length - 1 || undefined}
                    onClick={() => go(1)}
                  >
                    <ChevronRight size={18} aria-hidden />
                  </IconButton>
                </>
              )}
              <IconButton label="Zoom out" aria-disabled={zoom === 0 || undefined} onClick={() => zoomBy(-1)}>
                <ZoomOut size={18} aria-hidden />
              </IconButton>
              <IconButton label="Zoom in" onClick={() => zoomBy(1)}>
                <ZoomIn size={18} aria-hidden />
              </IconButton>
              <a
                href={serverUrl() + picture.url}
                download={picture.name}
                aria-label={`Download ${picture.name}`}
                title="Download"
                className="grid size-9 place-items-center rounded-lg text-soft hover:bg-hover hover:text-ink"
              >
                <Download size={18} aria-hidden />
              </a>
              <Radix.Close asChild>
                <IconButton label="Close">
                  <X size={18} aria-hidden />
                </IconButton>
              </Radix.Close>
            </header>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard */}
            <section className="flex min-h-0 flex-1 overflow-auto" tabIndex={0} aria-label="Picture">
              <img
                src={pictureUrl(picture)}
                alt={picture.name}
                width={picture.width ?? undefined}
                height={picture.height ?? undefined}
                className={`m-auto shrink-0 ${zoom === 0 ? "h-auto max-h-full w-auto max-w-full object-contain" : "max-w-none"}`}
                style={zoom === 0 ? undefined : { width: `${(zoomLevels[zoom] ?? 1) * 100}%`, height: "auto" }}
              />
            </section>
          </Radix.Content>
        </Radix.Portal>
      )}
    </Radix.Root>
  );
}
