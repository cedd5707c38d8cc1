import { useEffect, useRef, useState } from "react";
import { ChoiceBar } from "../../components/segmented-control.tsx";
import { type Theme, useTheme } from "../../data/theme.ts";
import type { WidgetSettings } from "./widget-draft.ts";

const sizes = { desktop: 800, phone: 390 } as const;
const PHONE_HEIGHT = 760;

/** The real widget in a page of the server's own, which is told what is not saved yet. It can be used, too. */
export function WidgetPreview({ agentId, name, widget }: { agentId: string; name: string; widget: WidgetSettings }) {
  const [device, setDevice] = useState<keyof typeof sizes>("desktop");
  const chosen = useTheme();
  const [theme, setTheme] = useState(() => asShown(chosen));
  const frame = useFrame({ name, widget, theme });
  const stage = useRef<HTMLDivElement>(null);
  const room = useSize(stage);
  const isPhone = device === "phone";
  const scale = isPhone
    ? Math.min(1, room.height / PHONE_HEIGHT, room.width / sizes.phone)
    : Math.min(1, room.width / sizes.desktop);
  const height = isPhone ? PHONE_HEIGHT : room.height / scale;
  const width = isPhone ? sizes.phone : Math.max(sizes.desktop, room.width);
  return (
    <section aria-label="Preview" className="grid min-w-0 content-start gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <ChoiceBar
          label="Screen"
          value={device}
          onChange={setDevice}
          options={[
            { value: "desktop", label: "Desktop" },
            { value: "phone", label: "Phone" },
          ]}
        />
        <ChoiceBar
          label="Page"
          value={theme}
          onChange={setTheme}
          options={[
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" },
          ]}
        />
      </div>
      <div
        ref={stage}
        className="relative h-[34rem] overflow-hidden rounded-lg border border-line bg-sunken lg:h-[calc(100dvh-13rem)] lg:min-h-96"
      >
        {room.width > 0 && (
          <iframe
            ref={frame}
            key={device}
            title={`Widget preview, ${isPhone ? "phone" : "desktop"}`}
            src={`/preview/${agentId}`}
            className={`absolute top-0 left-1/2 origin-top border-line ${isPhone ? "border-x" : ""}`}
            style={{ width, height, transform: `translateX(-50%) scale(${scale})` }}
          />
        )}
      </div>
      <p className="text-sm text-soft">
        This is the real widget with your unsaved changes. You can use it; test messages are stored as a conversation.
      </p>
    </section>
  );
}

function asShown(chosen: Theme): "light" | "dark" {
  if (chosen !== "system") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Sends what is to be shown: at once when the frame says that it is there, later a moment after the last key. */
function useFrame(shown: { name: string; widget: WidgetSettings; theme: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  // The page in the frame that is there, and what it was told last.
  const told = useRef<{ page: MessageEventSource; text: string } | null>(null);
  const text = JSON.stringify({ type: "foyer-preview", ...shown });
  const latest = useRef(text);
  latest.current = text;

  useEffect(() => {
    const onMessage = ({ source, origin, data }: MessageEvent) => {
      const isOurs = source === frame.current?.contentWindow && origin === location.origin;
      if (!isOurs || !source || data?.type !== "foyer-preview-ready") return;
      told.current = { page: source, text: latest.current };
      frame.current?.contentWindow?.postMessage(JSON.parse(latest.current), location.origin);
    };
    window.addEventListener("message", onMessage);
    return () => window.removeEventListener("message", onMessage);
  }, []);

  useEffect(() => {
    const timer = setTimeout(() => {
      const page = frame.current?.contentWindow;
      // One that is not there yet asks for it by itself.
      if (!page || told.current?.page !== page || told.current.text === text) return;
      told.current = { page, text };
      page.postMessage(JSON.parse(text), location.origin);
    }, 250);
    return () => clearTimeout(timer);
  }, [text]);

  return frame;
}

function useSize(element: React.RefObject<HTMLElement | null>) {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    if (!element.current) return;
    const watcher = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {};
      setSize({ width, height });
    });
    watcher.observe(element.current);
    return () => watcher.disconnect();
  }, [element]);
  return size;
}
